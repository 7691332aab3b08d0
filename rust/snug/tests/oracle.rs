//! Answers against an oracle of Rust's own: triangles with small whole coordinates, decided in whole numbers.
use snug::*;

type Point = [i64; 3];
type Triangle = [Point; 3];

fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Point, b: Point) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The two are apart if and only if an axis separates them: a normal, a product of two edges, or in a common plane a
/// product of an edge and the normal. So it is for all convex polygons, whatever their area.
fn meet(a: &Triangle, b: &Triangle) -> bool {
    let side = |t: &Triangle, k: usize| (t[0][k].min(t[1][k]).min(t[2][k]), t[0][k].max(t[1][k]).max(t[2][k]));
    if (0..3).any(|k| side(a, k).0 > side(b, k).1 || side(b, k).0 > side(a, k).1) {
        return false; // for speed alone
    }
    let edges = |t: &Triangle| [sub(t[1], t[0]), sub(t[2], t[1]), sub(t[0], t[2])];
    let (in_a, in_b) = (edges(a), edges(b));
    let normals = [cross(in_a[0], in_a[1]), cross(in_b[0], in_b[1])];
    let mut axes = normals.to_vec();
    for x in in_a.iter().chain(&in_b) {
        axes.extend(normals.iter().map(|n| cross(*x, *n)));
        axes.extend(in_b.iter().map(|y| cross(*x, *y)));
    }
    axes.iter().all(|axis| {
        let range = |t: &Triangle| {
            let along = [dot(*axis, t[0]), dot(*axis, t[1]), dot(*axis, t[2])];
            (*along.iter().min().unwrap(), *along.iter().max().unwrap())
        };
        let (from_a, to_a) = range(a);
        let (from_b, to_b) = range(b);
        to_a >= from_b && to_b >= from_a
    })
}

/// Numbers that are the same every time: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end) as i64
    }

    fn point(&mut self, end: u64) -> Point {
        [self.below(end), self.below(end), self.below(end)]
    }
}

struct Mesh {
    points: Vec<Point>,
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Triangles here and there, with an area each.
    fn random(random: &mut Random, count: usize, end: u64) -> Mesh {
        let points: Vec<Point> = (0..2 * count).map(|_| random.point(end)).collect();
        let mut triangles = Vec::new();
        while triangles.len() < count {
            let corners = [0; 3].map(|_: u32| random.below(2 * count as u64) as u32);
            let t = corners.map(|c| points[c as usize]);
            if cross(sub(t[1], t[0]), sub(t[2], t[0])) != [0; 3] {
                triangles.push(corners);
            }
        }
        Mesh { points, triangles }
    }

    fn positions(&self) -> Vec<[f32; 3]> {
        self.points.iter().map(|p| p.map(|x| x as f32)).collect()
    }

    fn triangle(&self, i: usize, moved: impl Fn(usize, Point) -> Point) -> Triangle {
        self.triangles[i].map(|c| moved(c as usize, self.points[c as usize]))
    }
}

fn plus(p: Point, q: Point) -> Point {
    [p[0] + q[0], p[1] + q[1], p[2] + q[2]]
}

fn as_f32(p: Point) -> [f32; 3] {
    p.map(|x| x as f32)
}

fn brute(a: &Mesh, b: &Mesh, move_a: impl Fn(usize, Point) -> Point, move_b: impl Fn(usize, Point) -> Point) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for i in 0..a.triangles.len() {
        for k in 0..b.triangles.len() {
            if meet(&a.triangle(i, &move_a), &b.triangle(k, &move_b)) {
                pairs.push(Pair { a: i as u32, b: k as u32 });
            }
        }
    }
    pairs
}

fn shift_rows(by: Point) -> [[f32; 4]; 3] {
    let [x, y, z] = as_f32(by);
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]
}

fn shift_columns(by: Point) -> [[f32; 4]; 4] {
    let [x, y, z] = as_f32(by);
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [x, y, z, 1.0]]
}

#[test]
fn pairs_of_every_deformer() -> Result<()> {
    let mut random = Random(88172645463325252);
    let (mut found, mut pairs) = (0, Vec::new());
    for case in 0..60 {
        let count = 5 + random.below(60) as usize;
        let (a, b) = (Mesh::random(&mut random, count, 16), Mesh::random(&mut random, 40, 16));
        let (positions, vertices) = (a.positions(), a.points.len());
        let shifts = [random.point(8), random.point(8)];
        let builder = Model::builder(&positions, &a.triangles);
        let wholly = |which: usize| move |_: usize, p: Point| plus(p, shifts[which]);
        // Every second vertex goes with the second joint, or with the field.
        let by_turns = |v: usize, p: Point| plus(p, shifts[v % 2]);
        let joints: Vec<u16> = (0..vertices).map(|v| (v % 2) as u16).collect();
        let ones = vec![1.0; vertices];
        let starts: Vec<u32> = (0..=vertices as u32).collect();
        let skin = Skin { joint_count: 2, joints: &joints, weights: &ones, ..Skin::default() };
        let model_b = Model::builder(&b.positions(), &b.triangles).threads(2).build()?;
        let mut other = Body::new(&model_b)?;
        let truth = match case % 5 {
            0 => brute(&a, &b, wholly(0), |_, p| p),
            _ => brute(&a, &b, by_turns, |_, p| p),
        };
        let model = match case % 5 {
            0 => builder.build()?,
            1 => builder.free().build()?,
            2 => builder.skin(skin).build()?,
            3 => builder.skin(Skin { starts: &starts, ..skin }).build()?,
            _ => {
                let displacements: Vec<[f32; 3]> = (0..vertices).map(|v| as_f32(shifts[v % 2])).collect();
                builder.fields(Fields { field_count: 1, displacements: &displacements, ..Fields::default() }).build()?
            }
        };
        let mut body = Body::new(&Model::from_bytes(model.to_bytes())?)?;
        match case % 5 {
            0 => body.set_frame(shifts[0].map(|x| x as f64), [0.0; 4])?,
            1 => {
                let moved: Vec<[f32; 3]> = (0..vertices).map(|v| as_f32(by_turns(v, a.points[v]))).collect();
                body.set_vertices(0, &moved[..vertices / 2])?;
                body.set_vertices(vertices as u32 / 2, &moved[vertices / 2..])?;
            }
            2 => body.set_joints(&shifts.map(shift_rows))?,
            3 => body.set_joints_4x4(&shifts.map(shift_columns))?,
            _ => body.set_amplitudes(&[1.0])?,
        }
        let query = Query { threads: 1 + case % 3, ..Query::default() };
        query.collide(&mut body, &mut other, &mut pairs)?;
        assert_eq!(pairs, truth, "case {case}");
        assert_eq!(touches(&mut body, &mut other)?, !truth.is_empty());
        query.collide_within(&mut body, &mut other, 0.0, &mut pairs)?;
        assert_eq!(pairs, truth, "within nothing, case {case}");
        let mut witness = Witness::default();
        for _ in 0..2 {
            assert_eq!(query.touches(&mut body, &mut other, Some(&mut witness))?, !truth.is_empty());
        }
        let mut search = query.search(&mut body, &mut other);
        pairs.clear();
        while !search.go_on(7, &mut pairs)? {}
        pairs.sort_by_key(|pair| (pair.a, pair.b));
        assert_eq!(pairs, truth, "in time, case {case}");
        let distance = query.find_distance(&mut body, &mut other)?.expect("both have triangles");
        assert_eq!(distance.distance == 0.0, !truth.is_empty());
        let mut buffer = ContactBuffer::new(1)?; // grows
        let contacts = buffer.find(&mut body, &mut other, &ContactQuery { depths: true, ..Default::default() })?;
        let mut named: Vec<Pair> = contacts.contacts().map(|c| Pair { a: c.a, b: c.b }).collect();
        named.sort_by_key(|pair| (pair.a, pair.b));
        assert_eq!(named, truth, "contacts, case {case}");
        let points = contacts.points().len();
        assert!(contacts.contacts().all(|c| c.points.iter().all(|p| (*p as usize) < points)));
        assert!(contacts.curves().all(|c| c.points.iter().all(|p| (*p as usize) < points) && c.depth.is_some()));
        found += truth.len();
    }
    assert!(found > 3000, "{found} pairs show little");
    Ok(())
}

fn cube() -> Mesh {
    let points = (0..8).map(|i| [8 * (i & 1), 8 * (i >> 1 & 1), 8 * (i >> 2)]).collect();
    let triangles = vec![
        [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
        [1, 3, 5], [3, 7, 5],
    ];
    Mesh { points, triangles }
}

#[test]
fn questions_about_a_cube() -> Result<()> {
    let mesh = cube();
    let model = Model::builder(&mesh.positions(), &mesh.triangles).build()?;
    assert_eq!(model.count_open_edges()?, 0);
    assert_eq!((model.info().vertexCount, model.info().triangleCount), (8, 12));
    let (mut a, mut b) = (Body::new(&model)?, Body::new(&model)?);
    let query = Query::default();
    let points = [[4.0, 4.0, 4.0], [9.0, 4.0, 4.0], [8.0, 4.0, 4.0]];
    let sides: Vec<Side> = query.find_inside(&mut a, &points)?.iter().map(|p| p.side).collect();
    assert_eq!(sides, [Side::Inside, Side::Outside, Side::OnSurface]);
    let closest: Vec<f64> = query.find_closest(&mut a, &points)?.iter().map(|c| c.distance).collect();
    assert_eq!(closest, [4.0, 1.0, 0.0]);
    let rays = [Ray { from: [-8.0, 3.0, 4.0], to: [24.0, 3.0, 4.0] }, Ray { from: [9.0; 3], to: [10.0; 3] }];
    let hits = query.cast_rays(&mut a, &rays)?;
    assert_eq!((hits[0].t, hits[0].position, hits[1].triangle), (0.25, [0.0, 3.0, 4.0], NONE));
    assert_eq!(query.find_hits(&mut a, &rays[0])?.len(), 2);
    let sphere = Shape::Sphere { center: [4.0, 4.0, 9.0], radius: 2.0 };
    assert_eq!(query.collide_shape(&mut a, &sphere)?.iter().map(|c| c.triangle).collect::<Vec<_>>(), [2, 3]);
    b.set_frame([11.0, 1.0, 1.0], [0.0; 4])?;
    assert_eq!(query.find_distance(&mut a, &mut b)?.map(|d| d.distance), Some(3.0));
    assert!(Query { max_distance: 2.0, ..query }.find_distance(&mut a, &mut b)?.is_none());
    let mut end = Body::new(&model)?;
    end.set_frame([5.0, 1.0, 1.0], [0.0; 4])?;
    let sweep = SweepQuery::default().sweep(&mut a, None, &mut b, Some(&mut end))?;
    assert_eq!(sweep.answer, SweepAnswer::Meets);
    assert!(sweep.time <= 0.5 && 0.5 <= sweep.latest && sweep.latest - sweep.time < 1e-3, "{sweep:?}");
    end.set_frame([2.0, 2.0, 2.0], [0.0; 4])?;
    assert_eq!(query.find_body_inside(&mut end, &mut a)?, Side::OnSurface);
    let depths: Vec<(u32, f64)> = query.find_vertex_depths(&mut end, &mut a)?.iter().map(|d| (d.vertex, d.depth)).collect();
    assert_eq!(depths, [(0, 2.0)]);
    let mut pairs = vec![Pair { a: 1, b: 1 }];
    query.collide_self(&mut a, &mut pairs)?;
    assert!(pairs.is_empty() && !query.touches_self(&mut a)?);
    query.collide_self_within(&mut a, 100.0, 7.0, &mut pairs)?;
    assert!(pairs.contains(&Pair { a: 0, b: 2 }) && !pairs.contains(&Pair { a: 0, b: 1 }));
    let bounds = end.bounds([0.0; 3])?;
    assert!(bounds.lower.iter().all(|x| *x <= 2.0 && *x > 1.9) && bounds.upper.iter().all(|x| *x >= 10.0 && *x < 10.1));
    assert!(end.is_outside([0.0; 3], &[Plane { normal: [0.0, 0.0, 1.0], offset: -11.0 }])?);
    assert_eq!(end.corners([0.0; 3], &[0])?[0], [[2.0, 2.0, 2.0], [2.0, 10.0, 2.0], [10.0, 2.0, 2.0]]);
    assert_eq!(end.gather_vertices([1.0; 3], &[7, 0])?, [[9.0; 3], [1.0; 3]]);
    assert_eq!(end.validate()?.violations, 0);
    Ok(())
}

#[test]
fn a_scene_is_all_pairs_of_it() -> Result<()> {
    let mut random = Random(362436069);
    let meshes: Vec<Mesh> = (0..20).map(|_| Mesh::random(&mut random, 6, 8)).collect();
    let mut scene = Scene::new(2)?;
    let mut places: Vec<Option<Point>> = vec![None; 70];
    let mut before = Vec::new();
    let mut seen = 0;
    for step in 0..6 {
        for (id, place) in places.iter_mut().enumerate() {
            let mesh = &meshes[id % 20];
            if step == 0 {
                let model = Model::builder(&mesh.positions(), &mesh.triangles).build()?;
                assert_eq!(scene.add(Body::new(&model)?, Role::default())? as usize, id);
            } else if step == 4 && id % 7 == 0 {
                drop(scene.remove(id as u32)?); // the scene must not ask it again
                *place = None;
            } else if step == 3 && id % 7 == 0 {
                // Another body of the same kind: what touches goes on.
                let model = Model::builder(&mesh.positions(), &mesh.triangles).build()?;
                scene.replace(id as u32, Body::new(&model)?, Role::default())?;
            }
            let moves = step == 0 || (id + step) % 3 == 0 || (step == 3 && id % 7 == 0);
            if let (true, Some(body)) = (moves, scene.body_mut(id as u32)) {
                let to = random.point(20);
                body.set_frame(to.map(|x| x as f64), [0.0; 4])?;
                *place = Some(to);
            }
        }
        let update = scene.update(true)?;
        let mut truth = Vec::new();
        for a in 0..places.len() {
            for b in a + 1..places.len() {
                if let (Some(at), Some(to)) = (places[a], places[b]) {
                    let pairs = brute(&meshes[a % 20], &meshes[b % 20], |_, p| plus(p, at), |_, p| plus(p, to));
                    if !pairs.is_empty() {
                        truth.push((Pair { a: a as u32, b: b as u32 }, pairs));
                    }
                }
            }
        }
        let found: Vec<(Pair, Vec<Pair>)> =
            scene.pairs().iter().map(|p| (Pair { a: p.a, b: p.b }, scene.triangle_pairs(p).to_vec())).collect();
        assert_eq!(found, truth, "step {step}");
        assert_eq!(update.touching as usize, truth.len());
        let now: Vec<Pair> = truth.iter().map(|(pair, _)| *pair).collect();
        let split = |of: &[Pair], by: &[Pair], is_in: bool| -> Vec<Pair> {
            of.iter().copied().filter(|pair| by.contains(pair) == is_in).collect()
        };
        let events = scene.events();
        assert_eq!(events.begun, split(&now, &before, false));
        assert_eq!(events.persisting, split(&now, &before, true));
        assert_eq!(events.ended, split(&before, &now, false));
        let near = scene.find_near(0.0)?;
        assert_eq!(near.iter().map(|n| Pair { a: n.a, b: n.b }).collect::<Vec<_>>(), now);
        if let Some(pair) = now.first() {
            let (a, b) = scene.two_bodies_mut(pair.b, pair.a).expect("two bodies");
            assert_eq!(collide(b, a)?, truth[0].1);
        }
        seen += now.len();
        before = now;
    }
    assert!(seen > 100, "{seen} pairs show little");
    assert!(scene.remove(0).is_err() && scene.body_mut(1000).is_none() && scene.two_bodies_mut(3, 3).is_none());
    Ok(())
}

#[test]
fn what_is_wrong_is_said() -> Result<()> {
    let mesh = cube();
    let positions = mesh.positions();
    let builder = Model::builder(&positions, &mesh.triangles);
    let refused = |error: Error, status: Status, words: &str| {
        assert_eq!(error.status(), status, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    };
    let skin = Skin { joint_count: 1, joints: &[0; 8], weights: &[1.0; 8], ..Skin::default() };
    let short = Skin { joints: &[0; 7], weights: &[1.0; 7], ..skin };
    refused(builder.skin(short).build().unwrap_err(), Status::BadInput, "no multiple of the vertices");
    let few = Skin { weights: &[1.0; 7], ..skin };
    refused(builder.skin(few).build().unwrap_err(), Status::BadInput, "7 weights where there must be 8");
    let beyond = Skin { starts: &[0, 1, 2, 3, 4, 5, 6, 7, 9], ..skin };
    refused(builder.skin(beyond).build().unwrap_err(), Status::BadInput, "starts must be 9 ascending numbers");
    let no_joint = Skin { joints: &[0, 0, 0, 0, 0, 0, 0, 3], ..skin };
    refused(builder.skin(no_joint).build().unwrap_err(), Status::BadInput, "joint 3");
    let fields = Fields { field_count: 2, displacements: &[[0.0; 3]; 8], ..Fields::default() };
    refused(builder.fields(fields).build().unwrap_err(), Status::BadInput, "8 displacements where there must be 16");
    refused(builder.skin(skin).free().build().unwrap_err(), Status::BadArgument, "neither a skin nor fields");
    let wrong = [[0, 1, 8]];
    refused(Model::builder(&positions, &wrong).build().unwrap_err(), Status::BadInput, "8");
    refused(Model::from_bytes(b"no model").unwrap_err(), Status::BadFile, "");
    let uneven = Skin { weights: &[2.0; 8], ..skin };
    assert_eq!(builder.skin(uneven).build()?.warnings().len(), 1);
    let model = builder.build()?;
    assert!(model.warnings().is_empty());
    let (mut a, mut b) = (Body::new(&model)?, Body::new(&builder.skin(skin).build()?)?);
    refused(a.set_frame([f64::NAN; 3], [0.0; 4]).unwrap_err(), Status::BadInput, "");
    refused(a.set_joints(&[]).unwrap_err(), Status::BadArgument, "");
    refused(b.set_joints(&[]).unwrap_err(), Status::BadInput, "");
    refused(a.gather_vertices([0.0; 3], &[8]).unwrap_err(), Status::BadArgument, "8");
    let mut end = Body::new(&model)?;
    let sweep = SweepQuery::default().sweep(&mut b, Some(&mut end), &mut a, None);
    refused(sweep.unwrap_err(), Status::BadInput, "another model");
    let rays = [Ray { from: [f32::INFINITY; 3], to: [0.0; 3] }];
    refused(Query::default().cast_rays(&mut a, &rays).unwrap_err(), Status::BadInput, "");
    a.set_frame([1e30, 0.0, 0.0], [0.0; 4])?;
    assert!(collide(&mut a, &mut b).is_ok()); // an error before is forgotten
    Ok(())
}

#[test]
fn threads_share_models_and_pools() -> Result<()> {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Model>();
    is_sync::<Model>();
    is_sync::<Pool>();
    is_send::<Body>();
    is_send::<Scene>();
    is_send::<ContactBuffer>();
    let mesh = cube();
    let positions = mesh.positions();
    let pool = Pool::new(1 << 20)?;
    let model = Model::builder(&positions, &mesh.triangles)
        .skin(Skin { joint_count: 1, joints: &[0; 8], weights: &[1.0; 8], ..Skin::default() })
        .build()?;
    let mut bodies = Vec::new();
    for i in 0..8 {
        let mut body = Body::with_pool(&model, Some(&pool))?;
        body.set_joints(&[shift_rows([i, 1, 1])])?;
        bodies.push(body);
    }
    drop(pool); // bodies keep it
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let model = &model;
        let ask = |mut body: Body| {
            let mut other = Body::new(model).unwrap();
            collide(&mut body, &mut other).unwrap().len()
        };
        let threads: Vec<_> = bodies.into_iter().map(|body| scope.spawn(move || ask(body))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let truth: Vec<usize> = (0..8).map(|i| brute(&mesh, &mesh, |_, p| plus(p, [i, 1, 1]), |_, p| p).len()).collect();
    assert_eq!(counts, truth);
    Ok(())
}
