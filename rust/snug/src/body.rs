//! Bodies: models in a pose.
use crate::error::{check, count, messenger, Error, Result, Status};
use crate::{Bounds, Frame, MeshlessNode, Model, Plane, Validation};
use snug_sys as sys;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// Memory that many bodies share for what they remember between queries. One that is too small costs time, nothing else.
#[derive(Clone, Debug)]
pub struct Pool(Arc<OwnedPool>);

#[derive(Debug)]
struct OwnedPool(NonNull<sys::snugPool>);

// The library: any number of threads may use a pool at once.
unsafe impl Send for OwnedPool {}
unsafe impl Sync for OwnedPool {}

impl Drop for OwnedPool {
    fn drop(&mut self) {
        unsafe { sys::snugPool_Destroy(self.0.as_ptr()) }
    }
}

impl Pool {
    /// A pool of so many bytes.
    pub fn new(bytes: usize) -> Result<Pool> {
        let def = sys::snugPoolDef { bytes, messenger: messenger(), ..Default::default() };
        let mut raw = ptr::null_mut();
        check(unsafe { sys::snugPool_Create(&def, &mut raw) })?;
        Ok(Pool(Arc::new(OwnedPool(NonNull::new(raw).expect("a pool that was made")))))
    }
}

/// A model in a pose. Everything that can be done with it is a method of [`BodyRef`].
#[derive(Debug)]
pub struct Body {
    raw: NonNull<sys::snugBody>,
    model: Model,
    _pool: Option<Pool>, // lives as long as the body
}

// The library: a body belongs to one thread at a time, which may be another one each time.
unsafe impl Send for Body {}

impl Drop for Body {
    fn drop(&mut self) {
        unsafe { sys::snugBody_Destroy(self.raw.as_ptr()) }
    }
}

impl Body {
    /// A body in its rest pose.
    pub fn new(model: &Model) -> Result<Body> {
        Body::with_pool(model, None)
    }

    /// A body that shares a pool.
    pub fn with_pool(model: &Model, pool: Option<&Pool>) -> Result<Body> {
        let mut raw = ptr::null_mut();
        let def = sys::snugBodyDef {
            model: model.raw(),
            pool: pool.map_or(ptr::null_mut(), |pool| (pool.0).0.as_ptr()),
            messenger: messenger(),
            ..Default::default()
        };
        check(unsafe { sys::snugBody_Create(&def, &mut raw) })?;
        let raw = NonNull::new(raw).expect("a body that was made");
        Ok(Body { raw, model: model.clone(), _pool: pool.cloned() })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

impl Deref for Body {
    type Target = BodyRef;

    fn deref(&self) -> &BodyRef {
        unsafe { &*self.raw.as_ptr().cast::<BodyRef>() }
    }
}

impl DerefMut for Body {
    fn deref_mut(&mut self) -> &mut BodyRef {
        unsafe { &mut *self.raw.as_ptr().cast::<BodyRef>() }
    }
}

/// A body that is borrowed, from a [`Body`] or from a [`Scene`](crate::Scene): what is there cannot be exchanged for
/// another body. Queries bring bodies up to date, so they borrow mutably.
#[repr(C)]
#[derive(Debug)]
pub struct BodyRef {
    // The library's; of no size here, so that nothing is moved where references are exchanged.
    _nothing: [u8; 0],
    _not_shared: PhantomData<*mut ()>,
}

unsafe impl Send for BodyRef {}

impl BodyRef {
    pub(crate) fn raw(&mut self) -> *mut sys::snugBody {
        (self as *mut BodyRef).cast()
    }

    fn raw_model(&self) -> *const sys::snugModel {
        unsafe { sys::snugBody_GetModel((self as *const BodyRef).cast()) }
    }

    /// Bytes that the body holds.
    pub fn memory(&self) -> usize {
        unsafe { sys::snugBody_GetMemory((self as *const BodyRef).cast()) }
    }

    /// Moves the body as a whole. No bound has to be computed again.
    pub fn set_frame(&mut self, position: [f64; 3], rotation: [f64; 4]) -> Result<()> {
        let frame = Frame { position, rotation };
        check(unsafe { sys::snugBody_SetFrame(self.raw(), &frame) })
    }

    /// Sets vertices of a free body, from `first` on, relative to its frame.
    pub fn set_vertices(&mut self, first: u32, positions: &[[f32; 3]]) -> Result<()> {
        let vertices = count(positions.len(), "vertices")?;
        let from = positions.as_ptr().cast();
        check(unsafe { sys::snugBody_SetVertices(self.raw(), from, 0, first, vertices) })
    }

    /// Poses a skin by three rows of each joint's world matrix times its inverse bind matrix; they multiply columns.
    pub fn set_joints(&mut self, matrices: &[[[f32; 4]; 3]]) -> Result<()> {
        let joints = count(matrices.len(), "joints")?;
        check(unsafe { sys::snugBody_SetJoints(self.raw(), matrices.as_ptr().cast(), 0, joints) })
    }

    /// The same by four columns, as glTF and most mathematics libraries have them.
    pub fn set_joints_4x4(&mut self, matrices: &[[[f32; 4]; 4]]) -> Result<()> {
        let joints = count(matrices.len(), "joints")?;
        check(unsafe { sys::snugBody_SetJoints4x4(self.raw(), matrices.as_ptr().cast(), 0, joints) })
    }

    /// Poses a skin by meshless nodes, one for each joint.
    pub fn set_meshless_nodes(&mut self, nodes: &[MeshlessNode]) -> Result<()> {
        let joints = count(nodes.len(), "nodes")?;
        check(unsafe { sys::snugBody_SetMeshlessNodes(self.raw(), nodes.as_ptr(), joints) })
    }

    /// Sets how much of each displacement field is added.
    pub fn set_amplitudes(&mut self, amplitudes: &[f32]) -> Result<()> {
        let fields = count(amplitudes.len(), "amplitudes")?;
        check(unsafe { sys::snugBody_SetAmplitudes(self.raw(), amplitudes.as_ptr(), fields) })
    }

    /// Brings all bounds up to date now.
    pub fn refit(&mut self) -> Result<()> {
        check(unsafe { sys::snugBody_Refit(self.raw()) })
    }

    /// Posed positions of all vertices: exactly those that queries with this origin look at.
    pub fn vertices(&mut self, origin: [f64; 3]) -> Result<Vec<[f32; 3]>> {
        let vertices = unsafe { sys::snugModel_GetInfo(self.raw_model()) }.vertexCount as usize;
        let mut positions = vec![[0.0; 3]; vertices];
        check(unsafe { sys::snugBody_GetVertices(self.raw(), origin.as_ptr(), positions.as_mut_ptr().cast(), 0) })?;
        Ok(positions)
    }

    /// Posed positions of some vertices; no other is computed.
    pub fn gather_vertices(&mut self, origin: [f64; 3], vertices: &[u32]) -> Result<Vec<[f32; 3]>> {
        let numbers = count(vertices.len(), "vertices")?;
        let mut positions = vec![[0.0; 3]; vertices.len()];
        let to = positions.as_mut_ptr().cast();
        check(unsafe { sys::snugBody_GatherVertices(self.raw(), origin.as_ptr(), vertices.as_ptr(), numbers, to, 0) })?;
        Ok(positions)
    }

    /// Posed positions of the corners of some triangles.
    pub fn corners(&mut self, origin: [f64; 3], triangles: &[u32]) -> Result<Vec<[[f32; 3]; 3]>> {
        let numbers = count(triangles.len(), "triangles")?;
        let mut corners = vec![[[0.0; 3]; 3]; triangles.len()];
        let to = corners.as_mut_ptr().cast();
        check(unsafe { sys::snugBody_GetCorners(self.raw(), origin.as_ptr(), triangles.as_ptr(), numbers, to, 0) })?;
        Ok(corners)
    }

    /// A box and a ball around all posed vertices of triangles.
    pub fn bounds(&mut self, origin: [f64; 3]) -> Result<Bounds> {
        let mut bounds = Bounds::default();
        check(unsafe { sys::snugBody_GetBounds(self.raw(), origin.as_ptr(), &mut bounds) })?;
        Ok(bounds)
    }

    /// Whether the body is certainly behind one of some planes.
    pub fn is_outside(&mut self, origin: [f64; 3], planes: &[Plane]) -> Result<bool> {
        let numbers = count(planes.len(), "planes")?;
        let mut outside = false;
        check(unsafe {
            sys::snugBody_IsOutside(self.raw(), origin.as_ptr(), planes.as_ptr(), numbers, &mut outside)
        })?;
        Ok(outside)
    }

    /// Checks every bound against the vertices below it. Slow; for tests and diagnosis.
    pub fn validate(&mut self) -> Result<Validation> {
        let mut validation = Validation::default();
        check(unsafe { sys::snugBody_Validate(self.raw(), &mut validation) })?;
        Ok(validation)
    }

    /// Whether both have one model.
    pub(crate) fn check_model(&self, other: &BodyRef) -> Result<()> {
        match self.raw_model() == other.raw_model() {
            true => Ok(()),
            false => Err(Error::new(Status::BadInput, "the body at the end of the step has another model")),
        }
    }
}
