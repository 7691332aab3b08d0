//! Questions about one body or two.
use crate::error::{check, count, Result};
use crate::threads::workers;
use crate::{
    BodyRef, Closest, Counters, NodePair, Pair, Ray, RayHit, Shape, ShapeContact, Sweep, SweepAnswer, VertexDepth,
    Witness,
};
use snug_sys as sys;
use std::ptr;

/// Where something is, as seen from a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Outside.
    Outside,
    /// Inside.
    Inside,
    /// A point of a triangle; of bodies: they touch.
    OnSurface,
    /// A body of several parts, of which some are inside; none touches.
    PartlyInside,
}

impl Side {
    fn new(side: sys::snugSide) -> Side {
        match side {
            sys::snug_inside => Side::Inside,
            sys::snug_onSurface => Side::OnSurface,
            sys::snug_partlyInside => Side::PartlyInside,
            _ => Side::Outside,
        }
    }
}

/// Where a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointSide {
    /// Outside, inside, or on the surface.
    pub side: Side,
    /// How often the surface is wound around it.
    pub winding: i32,
    /// On the surface: the smallest triangle that it is in.
    pub triangle: Option<u32>,
}

/// How far apart two bodies are, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Zero if and only if they touch.
    pub distance: f64,
    /// The triangles.
    pub pair: Pair,
    /// The points that are so near: on the first body, and on the second.
    pub points: [[f32; 3]; 2],
}

/// How to ask. What a question has no use for is not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Query {
    /// Positions are relative to it: set it near bodies that are far from zero.
    pub origin: [f64; 3],
    /// So many threads share one [`collide`](Query::collide) or [`collide_self`](Query::collide_self).
    pub threads: usize,
    /// For [`collide_self`](Query::collide_self): also pairs that meet at rest.
    pub keep_rest: bool,
    /// For distances: look no farther than this; zero: no limit.
    pub max_distance: f64,
}

/// The library writes as many as there is room for, and says how many there are.
fn collect<T>(to: &mut Vec<T>, mut ask: impl FnMut(*mut T, u64) -> sys::snugResult) -> Result<Counters> {
    to.clear();
    to.reserve(16);
    loop {
        let room = to.capacity();
        let result = ask(to.as_mut_ptr(), room as u64);
        check(result.status)?;
        let found = count(usize::try_from(result.count).unwrap_or(usize::MAX), "results")? as usize;
        if found <= room {
            unsafe { to.set_len(found) };
            return Ok(result.counters);
        }
        to.reserve(found);
    }
}

/// One for each of what is asked.
fn fill<T: Clone + Default>(number: usize, ask: impl FnOnce(*mut T) -> sys::snugResult) -> Result<Vec<T>> {
    let mut to = vec![T::default(); number];
    check(ask(to.as_mut_ptr()).status)?;
    Ok(to)
}

/// All pairs of intersecting triangles of two bodies, sorted.
pub fn collide(a: &mut BodyRef, b: &mut BodyRef) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    Query::default().collide(a, b, &mut pairs)?;
    Ok(pairs)
}

/// Whether two bodies touch.
pub fn touches(a: &mut BodyRef, b: &mut BodyRef) -> Result<bool> {
    Query::default().touches(a, b, None)
}

impl Query {
    fn of_pairs(&self) -> sys::snugQuery {
        sys::snugQuery {
            origin: self.origin,
            workers: workers(self.threads),
            keepRest: self.keep_rest,
            ..Default::default()
        }
    }

    fn of_distances(&self) -> sys::snugDistanceQuery {
        sys::snugDistanceQuery { origin: self.origin, maxDistance: self.max_distance, ..Default::default() }
    }

    fn of_rays(&self) -> sys::snugRayQuery {
        sys::snugRayQuery { origin: self.origin, ..Default::default() }
    }

    fn pairs(&self, to: &mut Vec<Pair>, mut ask: impl FnMut(&sys::snugQuery) -> sys::snugResult) -> Result<Counters> {
        let mut query = self.of_pairs();
        collect(to, |pairs, capacity| {
            query.pairs = pairs;
            query.capacity = capacity;
            ask(&query)
        })
    }

    /// Finds all pairs of intersecting triangles of two bodies, sorted. What was in `pairs` is gone, but for its room, so
    /// that a vector that is used again costs no memory. Says what the query cost.
    pub fn collide(&self, a: &mut BodyRef, b: &mut BodyRef, pairs: &mut Vec<Pair>) -> Result<Counters> {
        self.pairs(pairs, |query| unsafe { sys::snugCollide(a.raw(), b.raw(), query) })
    }

    /// Asks whether two bodies touch. A witness, zero at first, remembers where: asked again it is much faster.
    pub fn touches(&self, a: &mut BodyRef, b: &mut BodyRef, witness: Option<&mut Witness>) -> Result<bool> {
        let mut query = self.of_pairs();
        query.witness = witness.map_or(ptr::null_mut(), |witness| witness as *mut Witness);
        let result = unsafe { sys::snugTouches(a.raw(), b.raw(), &query) };
        check(result.status)?;
        Ok(result.count == 1)
    }

    /// Finds all pairs of triangles whose distance is at most the margin.
    pub fn collide_within(
        &self,
        a: &mut BodyRef,
        b: &mut BodyRef,
        margin: f64,
        pairs: &mut Vec<Pair>,
    ) -> Result<Counters> {
        self.pairs(pairs, |query| unsafe { sys::snugCollideWithin(a.raw(), b.raw(), margin, query) })
    }

    /// Finds all pairs of triangles of one body that share a point beyond the corners they share.
    pub fn collide_self(&self, body: &mut BodyRef, pairs: &mut Vec<Pair>) -> Result<Counters> {
        self.pairs(pairs, |query| unsafe { sys::snugCollideSelf(body.raw(), query) })
    }

    /// Asks whether there is such a pair.
    pub fn touches_self(&self, body: &mut BodyRef) -> Result<bool> {
        let result = unsafe { sys::snugTouchesSelf(body.raw(), &self.of_pairs()) };
        check(result.status)?;
        Ok(result.count == 1)
    }

    /// Finds all pairs of triangles of one body that are no farther apart than a margin, and farther at rest than a
    /// distance.
    pub fn collide_self_within(
        &self,
        body: &mut BodyRef,
        margin: f64,
        rest_distance: f64,
        pairs: &mut Vec<Pair>,
    ) -> Result<Counters> {
        let raw = body.raw();
        self.pairs(pairs, |query| unsafe { sys::snugCollideSelfWithin(raw, margin, rest_distance, query) })
    }

    /// How far apart two bodies are; nothing, if farther than `max_distance` or if one has no triangles.
    pub fn find_distance(&self, a: &mut BodyRef, b: &mut BodyRef) -> Result<Option<Distance>> {
        let found = unsafe { sys::snugFindDistance(a.raw(), b.raw(), &self.of_distances()) };
        check(found.status)?;
        Ok(found.isWithin.then_some(Distance {
            distance: found.distance,
            pair: Pair { a: found.a, b: found.b },
            points: [found.pointA, found.pointB],
        }))
    }

    /// Where a body is nearest to each of some points.
    pub fn find_closest(&self, body: &mut BodyRef, points: &[[f32; 3]]) -> Result<Vec<Closest>> {
        let (from, query) = (points.as_ptr().cast(), self.of_distances());
        fill(points.len(), |to| unsafe { sys::snugFindClosest(body.raw(), from, 0, points.len() as u64, to, &query) })
    }

    /// What each of some rays hits first. A miss has the triangle [`NONE`](crate::NONE).
    pub fn cast_rays(&self, body: &mut BodyRef, rays: &[Ray]) -> Result<Vec<RayHit>> {
        let query = self.of_rays();
        fill(rays.len(), |to| unsafe { sys::snugCastRays(body.raw(), rays.as_ptr(), rays.len() as u64, to, &query) })
    }

    /// Everything that one ray hits, sorted along it.
    pub fn find_hits(&self, body: &mut BodyRef, ray: &Ray) -> Result<Vec<RayHit>> {
        let (query, mut hits) = (self.of_rays(), Vec::new());
        collect(&mut hits, |to, capacity| unsafe { sys::snugFindHits(body.raw(), ray, to, capacity, &query) })?;
        Ok(hits)
    }

    /// Where each of some points is.
    pub fn find_inside(&self, body: &mut BodyRef, points: &[[f32; 3]]) -> Result<Vec<PointSide>> {
        let (from, number, origin) = (points.as_ptr().cast(), points.len() as u64, self.origin.as_ptr());
        let sides: Vec<sys::snugPointSide> =
            fill(points.len(), |to| unsafe { sys::snugFindInside(body.raw(), from, 0, number, to, origin) })?;
        let convert = |side: &sys::snugPointSide| PointSide {
            side: Side::new(side.side),
            winding: side.winding,
            triangle: (side.triangle != crate::NONE).then_some(side.triangle),
        };
        Ok(sides.iter().map(convert).collect())
    }

    /// Where a body is, as seen from another one, which must be closed.
    pub fn find_body_inside(&self, inner: &mut BodyRef, outer: &mut BodyRef) -> Result<Side> {
        let mut side = sys::snug_outside;
        let result = unsafe { sys::snugFindBodyInside(inner.raw(), outer.raw(), self.origin.as_ptr(), &mut side) };
        check(result.status)?;
        Ok(Side::new(side))
    }

    /// Which vertices of a body, such as a garment, are inside another one, which must be closed, and how deep.
    pub fn find_vertex_depths(&self, body: &mut BodyRef, outer: &mut BodyRef) -> Result<Vec<VertexDepth>> {
        let (query, mut depths) = (self.of_distances(), Vec::new());
        collect(&mut depths, |to, capacity| unsafe {
            sys::snugFindVertexDepths(body.raw(), outer.raw(), to, capacity, &query)
        })?;
        Ok(depths)
    }

    /// Which triangles of a body meet a sphere, a capsule, a plane or what is behind it, sorted.
    pub fn collide_shape(&self, body: &mut BodyRef, shape: &Shape) -> Result<Vec<ShapeContact>> {
        let shape = shape.raw();
        let mut query = sys::snugShapeQuery { origin: self.origin, ..Default::default() };
        let mut contacts = Vec::new();
        collect(&mut contacts, |to, capacity| {
            query.contacts = to;
            query.capacity = capacity;
            unsafe { sys::snugCollideShape(body.raw(), &shape, &query) }
        })?;
        Ok(contacts)
    }

    /// Begins a search for all pairs of intersecting triangles that can stop at any moment and go on later.
    pub fn search<'a>(&self, a: &'a mut BodyRef, b: &'a mut BodyRef) -> Search<'a> {
        let room = vec![NodePair::default(); 512];
        let frontier = sys::snugFrontier { capacity: 512, origin: self.origin, ..Default::default() };
        Search { a, b, frontier, room }
    }
}

/// A search that can stop. While it is under way, its two bodies can neither be posed nor moved.
#[derive(Debug)]
pub struct Search<'a> {
    a: &'a mut BodyRef,
    b: &'a mut BodyRef,
    frontier: sys::snugFrontier,
    room: Vec<NodePair>,
}

impl Search<'_> {
    /// Goes on for about so many pairs of nodes, of some ten to some hundred nanoseconds each. Appends the pairs that this
    /// call finds; true: those were all.
    pub fn go_on(&mut self, max_steps: u64, pairs: &mut Vec<Pair>) -> Result<bool> {
        pairs.reserve(4096);
        let free = pairs.spare_capacity_mut();
        let query = sys::snugTimedQuery {
            pairs: free.as_mut_ptr().cast(),
            capacity: free.len() as u64,
            maxSteps: max_steps.max(1),
            ..Default::default()
        };
        self.frontier.pairs = self.room.as_mut_ptr();
        let found = unsafe { sys::snugCollideInTime(self.a.raw(), self.b.raw(), &mut self.frontier, &query) };
        check(found.status)?;
        unsafe { pairs.set_len(pairs.len() + found.count as usize) };
        Ok(found.complete)
    }
}

/// How to ask for the first contact of a step. Default: of the whole step, relative to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SweepQuery {
    /// Positions are relative to it.
    pub origin: [f64; 3],
    /// A near miss within this distance may be taken for a contact; zero: 2^-20 of the extent.
    pub tolerance: f64,
    /// What is within this distance counts as meeting.
    pub margin: f64,
    /// Look no farther than this part of the step; zero: 1.
    pub max_time: f64,
    /// Leave out pairs of triangles that meet at the start.
    pub new_only: bool,
}

impl SweepQuery {
    /// Finds when two bodies first meet, each on its way from one pose to another of the same model; one without an end
    /// rests. Every vertex goes straight.
    pub fn sweep(
        &self,
        start_a: &mut BodyRef,
        end_a: Option<&mut BodyRef>,
        start_b: &mut BodyRef,
        end_b: Option<&mut BodyRef>,
    ) -> Result<Sweep> {
        let query = sys::snugSweepQuery {
            origin: self.origin,
            tolerance: self.tolerance,
            margin: self.margin,
            maxTime: self.max_time,
            newOnly: self.new_only,
            ..Default::default()
        };
        let raw_end = |start: &BodyRef, end: Option<&mut BodyRef>| match end {
            None => Ok(ptr::null_mut()),
            Some(end) => start.check_model(end).map(|()| end.raw()),
        };
        let (end_a, end_b) = (raw_end(start_a, end_a)?, raw_end(start_b, end_b)?);
        let found = unsafe { sys::snugSweep(start_a.raw(), end_a, start_b.raw(), end_b, &query) };
        check(found.status)?;
        Ok(Sweep {
            answer: match found.answer {
                sys::snug_sweepFree => SweepAnswer::Free,
                sys::snug_sweepMeets => SweepAnswer::Meets,
                _ => SweepAnswer::Unsure,
            },
            time: found.time,
            latest: found.latest,
            pair: (found.a != crate::NONE).then_some(Pair { a: found.a, b: found.b }),
            position: found.position,
            normal: found.normal,
        })
    }
}
