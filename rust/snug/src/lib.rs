#![doc = include_str!("../README.md")]
#![warn(missing_docs, unsafe_op_in_unsafe_fn)]

mod body;
mod contacts;
mod error;
mod model;
mod query;
mod scene;
mod threads;

pub use body::{Body, BodyRef, Pool};
pub use contacts::{Contact, ContactBuffer, ContactKind, ContactPoint, ContactQuery, Contacts, Curve, CurveEnd, Feature};
pub use error::{Error, Result, Status};
pub use model::{Blending, Fields, Model, ModelBuilder, Skin};
pub use query::{collide, touches, Distance, PointSide, Query, Search, Side, SweepQuery};
pub use scene::{Events, Role, Scene, Update};

/// What of C is as it should be in Rust: numbers, and nothing that has to be freed.
#[doc(inline)]
pub use snug_sys::{
    snugBounds as Bounds, snugClosest as Closest, snugCounters as Counters, snugFrame as Frame,
    snugMeshlessNode as MeshlessNode, snugModelInfo as ModelInfo, snugPair as Pair, snugPlane as Plane,
    snugRay as Ray, snugRayHit as RayHit, snugSceneNear as SceneNear, snugScenePair as ScenePair,
    snugShapeContact as ShapeContact, snugValidation as Validation, snugVertexDepth as VertexDepth,
    snugWitness as Witness,
};
use snug_sys::snugNodePair as NodePair;

/// Instead of a number: no triangle, no body.
pub const NONE: u32 = snug_sys::SNUG_NONE;

/// A shape to ask about, relative to the query's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Everything within a radius of a point.
    Sphere {
        /// The point.
        center: [f32; 3],
        /// The radius.
        radius: f32,
    },
    /// Everything within a radius of a segment.
    Capsule {
        /// An end of the segment.
        from: [f32; 3],
        /// The other one.
        to: [f32; 3],
        /// The radius.
        radius: f32,
    },
    /// A plane.
    Plane(Plane),
    /// A plane and everything behind it.
    HalfSpace(Plane),
}

impl Shape {
    fn raw(&self) -> snug_sys::snugShape {
        let none = snug_sys::snugShape::default();
        match *self {
            Shape::Sphere { center, radius } => {
                snug_sys::snugShape { kind: snug_sys::snug_shapeSphere, from: center, radius, ..none }
            }
            Shape::Capsule { from, to, radius } => {
                snug_sys::snugShape { kind: snug_sys::snug_shapeCapsule, from, to, radius, ..none }
            }
            Shape::Plane(plane) => snug_sys::snugShape { kind: snug_sys::snug_shapePlane, plane, ..none },
            Shape::HalfSpace(plane) => snug_sys::snugShape { kind: snug_sys::snug_shapeHalfSpace, plane, ..none },
        }
    }
}

/// Whether the way is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepAnswer {
    /// Nothing meets.
    Free,
    /// They do: proved.
    Meets,
    /// Neither is proved: they come within the tolerance at most. Take it for a contact.
    Unsure,
}

/// When two bodies first meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// Whether they do.
    pub answer: SweepAnswer,
    /// Nothing meets before this part of the step, from 0 to 1: proved, whatever the answer.
    pub time: f64,
    /// If they meet: not after this.
    pub latest: f64,
    /// The triangles that come first.
    pub pair: Option<Pair>,
    /// Where, at `time`.
    pub position: [f32; 3],
    /// Of unit length, from the second body to the first; zero if there is none.
    pub normal: [f32; 3],
}

/// The version of the C library inside.
pub fn version() -> &'static str {
    unsafe { std::ffi::CStr::from_ptr(snug_sys::snugGetVersion()) }.to_str().unwrap_or("")
}
