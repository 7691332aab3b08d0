//! Many bodies: which of them touch, with which triangles, and since when.
use crate::error::{check, messenger, Error, Result, Status};
use crate::threads::workers;
use crate::{Body, BodyRef, Counters, Pair, Ray, RayHit, SceneNear, ScenePair};
use snug_sys as sys;
use std::ptr::{self, NonNull};
use std::slice;

/// Many bodies, which it owns. It gives what a question for every pair of them would give.
#[derive(Debug)]
pub struct Scene {
    raw: NonNull<sys::snugScene>,
    bodies: Vec<Option<Body>>, // by id
}

// The library: a scene with all bodies in it belongs to one thread at a time.
unsafe impl Send for Scene {}

impl Drop for Scene {
    fn drop(&mut self) {
        unsafe { sys::snugScene_Destroy(self.raw.as_ptr()) } // before its bodies
    }
}

/// How a body takes part. Two bodies are looked at if each one's mask has a bit of the other one's groups, and at least
/// one is not static.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// Part of the world: never meets another static one.
    pub is_static: bool,
    /// Updates also find where it meets itself: pairs of it with itself.
    pub meets_itself: bool,
    /// What it is.
    pub groups: u32,
    /// What it meets.
    pub mask: u32,
}

impl Default for Role {
    /// Moves, does not meet itself, and meets everything else.
    fn default() -> Self {
        Role { is_static: false, meets_itself: false, groups: 1, mask: u32::MAX }
    }
}

/// What an update found and cost.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// Pairs of bodies that touch.
    pub touching: u64,
    /// Bodies that changed since the last update, or were added.
    pub moved: u32,
    /// Pairs of bodies whose boxes overlap and of which one moved.
    pub candidates: u64,
    /// Of all queries together.
    pub counters: Counters,
}

/// What changed at the last update: pairs of ids, each list sorted. Of `ended` either may have been removed.
#[derive(Clone, Copy, Debug)]
pub struct Events<'a> {
    /// Touch now and did not before.
    pub begun: &'a [Pair],
    /// Touched before and still do.
    pub persisting: &'a [Pair],
    /// Touched before; do not now, or one of them was removed.
    pub ended: &'a [Pair],
}

unsafe fn list<'a, T>(first: *const T, count: u64) -> &'a [T] {
    match first.is_null() {
        true => &[],
        false => unsafe { slice::from_raw_parts(first, count as usize) },
    }
}

fn no_body(id: u32) -> Error {
    Error::new(Status::BadArgument, format!("there is no body {id} in the scene"))
}

impl Scene {
    /// An empty scene, whose updates so many threads share. Room grows as it is needed.
    pub fn new(threads: usize) -> Result<Scene> {
        let def = sys::snugSceneDef { workers: workers(threads), messenger: messenger(), ..Default::default() };
        let mut raw = ptr::null_mut();
        check(unsafe { sys::snugScene_Create(&def, &mut raw) })?;
        Ok(Scene { raw: NonNull::new(raw).expect("a scene that was made"), bodies: Vec::new() })
    }

    /// Moves the origin, to which all positions are relative.
    pub fn set_origin(&mut self, origin: [f64; 3]) -> Result<()> {
        check(unsafe { sys::snugScene_SetOrigin(self.raw.as_ptr(), origin.as_ptr()) })
    }

    fn reserve(&mut self, room: &sys::snugSceneRoom) -> Result<()> {
        check(unsafe { sys::snugScene_Reserve(self.raw.as_ptr(), room) })
    }

    fn add_raw(&mut self, body: Body, role: Role, replaces: Option<u32>) -> Result<u32> {
        // Zero is the library's word for the default.
        if role.groups == 0 || role.mask == 0 {
            return Err(Error::new(Status::BadArgument, "groups and mask must have at least one bit"));
        }
        let mut body = body;
        let old = match replaces {
            Some(id) => self.body_mut(id).ok_or_else(|| no_body(id))?.raw(),
            None => ptr::null_mut(),
        };
        let def = sys::snugSceneBodyDef {
            body: body.raw(),
            isStatic: role.is_static,
            meetsItself: role.meets_itself,
            groups: role.groups,
            mask: role.mask,
            replaces: old,
            ..Default::default()
        };
        let mut id = 0;
        let mut status = unsafe { sys::snugScene_Add(self.raw.as_ptr(), &def, &mut id) };
        if status == sys::snug_outOfRange {
            let bodies = unsafe { sys::snugScene_GetRoom(self.raw.as_ptr()) }.bodies + 1;
            let _ = check(status); // what it said
            self.reserve(&sys::snugSceneRoom { bodies, ..Default::default() })?;
            status = unsafe { sys::snugScene_Add(self.raw.as_ptr(), &def, &mut id) };
        }
        check(status)?;
        if self.bodies.len() <= id as usize {
            self.bodies.resize_with(id as usize + 1, || None);
        }
        self.bodies[id as usize] = Some(body);
        Ok(id)
    }

    /// Takes a body in, and gives it an id: a small number. The next update looks at it.
    pub fn add(&mut self, body: Body, role: Role) -> Result<u32> {
        self.add_raw(body, role, None)
    }

    /// Gives another body the id of one that goes. Pairs that still touch persist.
    pub fn replace(&mut self, id: u32, body: Body, role: Role) -> Result<()> {
        self.add_raw(body, role, Some(id)).map(drop)
    }

    /// Takes a body out and gives it back. The next update ends its pairs.
    pub fn remove(&mut self, id: u32) -> Result<Body> {
        let slot = self.bodies.get_mut(id as usize).filter(|slot| slot.is_some());
        let slot = slot.ok_or_else(|| no_body(id))?;
        check(unsafe { sys::snugScene_Remove(self.raw.as_ptr(), id) })?;
        slot.take().ok_or_else(|| no_body(id))
    }

    /// A body, to be posed.
    pub fn body_mut(&mut self, id: u32) -> Option<&mut BodyRef> {
        self.bodies.get_mut(id as usize)?.as_deref_mut()
    }

    /// Two bodies, to be asked about; nothing, if they are one.
    pub fn two_bodies_mut(&mut self, a: u32, b: u32) -> Option<(&mut BodyRef, &mut BodyRef)> {
        let middle = a.max(b) as usize;
        if a == b || middle >= self.bodies.len() {
            return None;
        }
        let (lower, upper) = self.bodies.split_at_mut(middle);
        let lower = lower[a.min(b) as usize].as_deref_mut()?;
        let upper = upper[0].as_deref_mut()?;
        Some(if a < b { (lower, upper) } else { (upper, lower) })
    }

    /// Changes what a body is and meets.
    pub fn set_groups(&mut self, id: u32, groups: u32, mask: u32) -> Result<()> {
        self.body_mut(id).ok_or_else(|| no_body(id))?;
        if groups == 0 || mask == 0 {
            return Err(Error::new(Status::BadArgument, "groups and mask must have at least one bit"));
        }
        check(unsafe { sys::snugScene_SetGroups(self.raw.as_ptr(), id, groups, mask) })
    }

    /// Asks until there is room.
    fn ask(&mut self, mut ask: impl FnMut(*mut sys::snugScene) -> sys::snugSceneResult) -> Result<sys::snugSceneResult> {
        loop {
            let result = ask(self.raw.as_ptr());
            let lacks_room = result.status == sys::snug_outOfRange && result.needed != sys::snugSceneRoom::default();
            let checked = check(result.status);
            if !lacks_room {
                return checked.map(|()| result);
            }
            self.reserve(&result.needed)?;
        }
    }

    /// Finds what touches now, and what began and ended since the last update; with `triangle_pairs` also which
    /// triangles meet.
    pub fn update(&mut self, triangle_pairs: bool) -> Result<Update> {
        let query = sys::snugSceneQuery { trianglePairs: triangle_pairs, ..Default::default() };
        let found = self.ask(|scene| unsafe { sys::snugScene_Update(scene, &query) })?;
        Ok(Update {
            touching: found.count,
            moved: found.moved,
            candidates: found.candidates,
            counters: found.counters,
        })
    }

    /// What touched at the last update, sorted by ids.
    pub fn pairs(&self) -> &[ScenePair] {
        let mut count = 0;
        unsafe {
            let first = sys::snugScene_GetPairs(self.raw.as_ptr(), &mut count);
            list(first, count)
        }
    }

    /// The triangles of such a pair, if the update was asked for them.
    pub fn triangle_pairs(&self, pair: &ScenePair) -> &[Pair] {
        let mut count = 0;
        let all = unsafe {
            let first = sys::snugScene_GetTrianglePairs(self.raw.as_ptr(), &mut count);
            list(first, count)
        };
        let end = pair.first.saturating_add(pair.count);
        all.get(pair.first as usize..end as usize).unwrap_or(&[])
    }

    /// What changed at the last update.
    pub fn events(&self) -> Events<'_> {
        unsafe {
            let events = sys::snugScene_GetEvents(self.raw.as_ptr());
            Events {
                begun: list(events.begun, events.begunCount),
                persisting: list(events.persisting, events.persistingCount),
                ended: list(events.ended, events.endedCount),
            }
        }
    }

    /// All pairs of bodies that are no farther apart than a margin, as they are now, and where they are nearest.
    pub fn find_near(&mut self, margin: f64) -> Result<Vec<SceneNear>> {
        let mut near: Vec<SceneNear> = Vec::with_capacity(16);
        loop {
            let query = sys::snugSceneNearQuery {
                margin,
                pairs: near.as_mut_ptr(),
                capacity: near.capacity() as u64,
                ..Default::default()
            };
            let found = self.ask(|scene| unsafe { sys::snugScene_FindNear(scene, &query) })?.count as usize;
            if found <= near.capacity() {
                unsafe { near.set_len(found) };
                return Ok(near);
            }
            near.reserve(found);
        }
    }

    /// What each of some rays hits first among all bodies of some groups, as they are now.
    pub fn cast_rays(&mut self, rays: &[Ray], groups: u32) -> Result<Vec<RayHit>> {
        if groups == 0 {
            return Err(Error::new(Status::BadArgument, "groups must have at least one bit"));
        }
        let query = sys::snugRayQuery { mask: groups, ..Default::default() };
        let mut hits = vec![RayHit::default(); rays.len()];
        let to = hits.as_mut_ptr();
        self.ask(|scene| unsafe { sys::snugScene_CastRays(scene, rays.as_ptr(), rays.len() as u64, to, &query) })?;
        Ok(hits)
    }
}
