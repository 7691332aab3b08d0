//! Where two bodies meet: points, segments, and the curves that they join to.
use crate::error::{check, messenger, Error, Result, Status};
use crate::threads::workers;
use crate::BodyRef;
use snug_sys as sys;
use std::ptr::{self, NonNull};
use std::slice;

/// What a pair of triangles has in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactKind {
    /// They cross: from the first point to the second.
    Segment,
    /// They touch in one point.
    Point,
    /// They lie in one plane: 2 to 6 points, in order around.
    Polygon,
    /// One of them has no area: two points, which may be the same.
    Flat,
}

/// The smallest part of a surface that a point is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A vertex; of twins always the same one.
    Vertex(u32),
    /// The vertices of an edge.
    Edge(u32, u32),
    /// A triangle.
    Triangle(u32),
}

impl Feature {
    fn new(feature: &sys::snugFeature) -> Feature {
        match feature.kind {
            sys::snug_featureVertex => Feature::Vertex(feature.first),
            sys::snug_featureEdge => Feature::Edge(feature.first, feature.second),
            _ => Feature::Triangle(feature.first),
        }
    }
}

/// A point that two surfaces share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Relative to the query's origin.
    pub position: [f32; 3],
    /// Where it is on the first body.
    pub a: Feature,
    /// Where it is on the second one.
    pub b: Feature,
}

/// A pair of triangles that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact<'a> {
    /// The triangle of the first body.
    pub a: u32,
    /// The triangle of the second one.
    pub b: u32,
    /// What they have in common.
    pub kind: ContactKind,
    /// Which of the points.
    pub points: &'a [u32],
    /// Which of the curves, if it is part of one.
    pub curve: Option<u32>,
    /// Of unit length; zero for a triangle without area.
    pub normals: [[f32; 3]; 2],
}

/// Why a curve ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveEnd {
    /// At a boundary of one of the surfaces.
    Boundary,
    /// More than two segments meet.
    Branch,
    /// Where triangles lie in one plane or touch, or where one has no area.
    Other,
}

/// Segments joined end to end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve<'a> {
    /// Which of the points, in order.
    pub points: &'a [u32],
    /// Which of the contacts, in order.
    pub contacts: &'a [u32],
    /// Why it ends at its first and its last point; none of a closed curve.
    pub ends: Option<[CurveEnd; 2]>,
    /// The length.
    pub length: f64,
    /// The centroid of the curve itself.
    pub centroid: [f64; 3],
    /// The sum of the area vectors of whatever surface it bounds: move the second body along it to part them.
    pub area: [f64; 3],
    /// How far to move it, if depths were asked for: zero of an open curve, NaN where there was too little room.
    pub depth: Option<f64>,
}

/// Memory for contacts, to be used again and again: about 350 bytes for each pair of triangles.
#[derive(Debug)]
pub struct ContactBuffer {
    raw: NonNull<sys::snugContactBuffer>,
}

unsafe impl Send for ContactBuffer {}

impl Drop for ContactBuffer {
    fn drop(&mut self) {
        unsafe { sys::snugContactBuffer_Destroy(self.raw.as_ptr()) }
    }
}

/// How to ask for contacts. Default: without depths, relative to zero, on one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactQuery {
    /// Positions are relative to it.
    pub origin: [f64; 3],
    /// Find the depths of closed curves.
    pub depths: bool,
    /// So many threads share the work.
    pub threads: usize,
}

impl ContactBuffer {
    /// Room for so many pairs of triangles.
    pub fn new(capacity: u32) -> Result<ContactBuffer> {
        let def = sys::snugContactBufferDef { capacity, messenger: messenger(), ..Default::default() };
        let mut raw = ptr::null_mut();
        check(unsafe { sys::snugContactBuffer_Create(&def, &mut raw) })?;
        Ok(ContactBuffer { raw: NonNull::new(raw).expect("a buffer that was made") })
    }

    /// Finds where two bodies meet. Where there are more pairs than there is room for, a larger buffer takes this one's
    /// place.
    pub fn find(&mut self, a: &mut BodyRef, b: &mut BodyRef, query: &ContactQuery) -> Result<Contacts<'_>> {
        let ask = sys::snugContactQuery {
            origin: query.origin,
            depths: query.depths,
            workers: workers(query.threads),
            ..Default::default()
        };
        loop {
            let found = unsafe { sys::snugFindContacts(a.raw(), b.raw(), self.raw.as_ptr(), &ask) };
            check(found.status)?;
            if found.complete {
                return Ok(Contacts { found, _buffer: self });
            }
            let capacity = u32::try_from(found.count)
                .map_err(|_| Error::new(Status::OutOfRange, format!("{} contacts are too many", found.count)))?;
            *self = ContactBuffer::new(capacity)?;
        }
    }
}

/// Where two bodies meet.
#[derive(Debug)]
pub struct Contacts<'a> {
    found: sys::snugContactResult,
    _buffer: &'a ContactBuffer,
}

unsafe fn list<'a, T>(first: *const T, count: usize) -> &'a [T] {
    match first.is_null() {
        true => &[],
        false => unsafe { slice::from_raw_parts(first, count) },
    }
}

fn feature_end(end: sys::snugCurveEnd) -> CurveEnd {
    match end {
        sys::snug_endBoundary => CurveEnd::Boundary,
        sys::snug_endBranch => CurveEnd::Branch,
        _ => CurveEnd::Other,
    }
}

impl Contacts<'_> {
    /// Pairs of triangles that meet: neighbours are close to each other.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = Contact<'_>> {
        let all = unsafe { list(self.found.contacts, self.found.contactCount as usize) };
        all.iter().map(|contact| Contact {
            a: contact.a,
            b: contact.b,
            kind: match contact.kind {
                sys::snug_contactSegment => ContactKind::Segment,
                sys::snug_contactPoint => ContactKind::Point,
                sys::snug_contactPolygon => ContactKind::Polygon,
                _ => ContactKind::Flat,
            },
            points: &contact.points[..contact.pointCount as usize],
            curve: (contact.curve != crate::NONE).then_some(contact.curve),
            normals: [contact.normalA, contact.normalB],
        })
    }

    /// The points that they share.
    pub fn points(&self) -> impl ExactSizeIterator<Item = ContactPoint> + '_ {
        let all: &[sys::snugContactPoint] = unsafe { list(self.found.points, self.found.pointCount as usize) };
        all.iter().map(|point| ContactPoint {
            position: point.position,
            a: Feature::new(&point.a),
            b: Feature::new(&point.b),
        })
    }

    /// The curves that segments join to.
    pub fn curves(&self) -> impl ExactSizeIterator<Item = Curve<'_>> {
        let all: &[sys::snugCurve] = unsafe { list(self.found.curves, self.found.curveCount as usize) };
        let depths = unsafe { list(self.found.depths, all.len()) };
        all.iter().enumerate().map(move |(i, curve)| {
            let part = |all: *const u32, first: u32, count: u32| unsafe {
                list(all, first as usize + count as usize).get_unchecked(first as usize..)
            };
            Curve {
                points: part(self.found.curvePoints, curve.firstPoint, curve.pointCount),
                contacts: part(self.found.curveContacts, curve.firstContact, curve.contactCount),
                ends: (!curve.isClosed).then(|| [feature_end(curve.ends[0]), feature_end(curve.ends[1])]),
                length: curve.length,
                centroid: curve.centroid,
                area: curve.area,
                depth: depths.get(i).copied(),
            }
        })
    }
}
