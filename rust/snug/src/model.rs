//! Models: a mesh, how it deforms, and its bounding tree.
use crate::error::{check, count, messenger, take_warnings, Error, Result, Status};
use crate::threads::workers;
use snug_sys as sys;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// How a vertex of a skin follows several joints at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blending {
    /// Their matrices are blended, as in glTF.
    #[default]
    Linear,
    /// Their rotations are blended on the sphere, about a centre for each set of joints.
    Spherical,
    /// They are blended as dual quaternions.
    DualQuaternion,
}

/// Which joints move which vertex, and how much. Weights of a vertex are divided by their sum.
#[derive(Clone, Copy, Debug, Default)]
pub struct Skin<'a> {
    /// How many joints there are.
    pub joint_count: u32,
    /// Influences of vertex `v` are `starts[v]` to `starts[v + 1] - 1`. Empty: every vertex has as many.
    pub starts: &'a [u32],
    /// The joint of each influence.
    pub joints: &'a [u16],
    /// The weight of each influence.
    pub weights: &'a [f32],
    /// Where joints are at rest, for those that turn; empty: the weighted mean of what they move.
    pub joint_positions: &'a [[f32; 3]],
    /// How joints are blended.
    pub blending: Blending,
}

/// Displacement fields, each times an amplitude: morph targets, vibration modes, principal components.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fields<'a> {
    /// How many fields there are.
    pub field_count: u32,
    /// Displacements of vertex `v` are `starts[v]` to `starts[v + 1] - 1`. Empty: those of all vertices in field 0, then
    /// in field 1, and so on.
    pub starts: &'a [u32],
    /// With `starts`: the field of each displacement, no field twice for a vertex.
    pub fields: &'a [u16],
    /// The displacements.
    pub displacements: &'a [[f32; 3]],
}

/// What a model is made of. It is [`build`](ModelBuilder::build) that looks at it.
#[derive(Clone, Copy, Debug)]
pub struct ModelBuilder<'a> {
    positions: &'a [[f32; 3]],
    triangles: &'a [[u32; 3]],
    is_free: bool,
    skin: Option<Skin<'a>>,
    fields: Option<Fields<'a>>,
    threads: usize,
}

/// A mesh, how it deforms, and a bounding tree over it. It never changes; bodies and threads share it, and a clone is the
/// same model.
#[derive(Clone, Debug)]
pub struct Model(Arc<Owned>);

#[derive(Debug)]
struct Owned {
    raw: NonNull<sys::snugModel>,
    warnings: Vec<String>,
}

// The library: models never change, and any number of threads may use one at once.
unsafe impl Send for Owned {}
unsafe impl Sync for Owned {}

impl Drop for Owned {
    fn drop(&mut self) {
        unsafe { sys::snugModel_Destroy(self.raw.as_ptr()) }
    }
}

/// The library believes arrays: what it reads must be there.
fn check_starts(starts: &[u32], vertices: usize, values: usize, what: &str) -> Result<()> {
    let is_right = starts.len() == vertices + 1
        && starts.windows(2).all(|pair| pair[0] <= pair[1])
        && starts[vertices] as usize <= values;
    if is_right {
        return Ok(());
    }
    let text = format!("starts must be {} ascending numbers up to at most {values}, the number of {what}", vertices + 1);
    Err(Error::new(Status::BadInput, text))
}

fn check_length(length: usize, wanted: usize, what: &str) -> Result<()> {
    match length == wanted {
        true => Ok(()),
        false => Err(Error::new(Status::BadInput, format!("{length} {what} where there must be {wanted}"))),
    }
}

fn start(starts: &[u32]) -> *const u32 {
    if starts.is_empty() {
        ptr::null()
    } else {
        starts.as_ptr()
    }
}

impl<'a> ModelBuilder<'a> {
    /// You set the vertices ([`BodyRef::set_vertices`](crate::BodyRef::set_vertices)).
    pub fn free(mut self) -> Self {
        self.is_free = true;
        self
    }

    /// Joints carry the vertices.
    pub fn skin(mut self, skin: Skin<'a>) -> Self {
        self.skin = Some(skin);
        self
    }

    /// Fields displace the vertices: before the joints do, if there are joints.
    pub fn fields(mut self, fields: Fields<'a>) -> Self {
        self.fields = Some(fields);
        self
    }

    /// So many threads share the work, up to 8. The model is the same, bit for bit.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    fn fill_skin(&self, skin: &Skin<'a>, def: &mut sys::snugSkinDef) -> Result<()> {
        let vertices = self.positions.len();
        check_length(skin.weights.len(), skin.joints.len(), "weights")?;
        if skin.starts.is_empty() {
            let per_vertex = skin.joints.len().checked_div(vertices).unwrap_or(0);
            check_length(skin.joints.len(), per_vertex * vertices, "influences, which is no multiple of the vertices,")?;
            def.influencesPerVertex = count(per_vertex, "influences of a vertex")?;
        } else {
            check_starts(skin.starts, vertices, skin.joints.len(), "influences")?;
        }
        def.jointCount = skin.joint_count;
        def.starts = start(skin.starts);
        def.joints = skin.joints.as_ptr();
        def.weights = skin.weights.as_ptr();
        if !skin.joint_positions.is_empty() {
            check_length(skin.joint_positions.len(), skin.joint_count as usize, "positions of joints")?;
            def.jointPositions = skin.joint_positions.as_ptr().cast();
        }
        def.blending = match skin.blending {
            Blending::Linear => sys::snug_blendLinear,
            Blending::Spherical => sys::snug_blendSpherical,
            Blending::DualQuaternion => sys::snug_blendDualQuaternion,
        };
        Ok(())
    }

    fn fill_fields(&self, fields: &Fields<'a>, def: &mut sys::snugFieldsDef) -> Result<()> {
        let vertices = self.positions.len();
        if fields.starts.is_empty() {
            let all = (fields.field_count as usize).saturating_mul(vertices);
            check_length(fields.displacements.len(), all, "displacements")?;
        } else {
            check_length(fields.fields.len(), fields.displacements.len(), "numbers of fields")?;
            check_starts(fields.starts, vertices, fields.displacements.len(), "displacements")?;
        }
        def.fieldCount = fields.field_count;
        def.starts = start(fields.starts);
        def.fields = fields.fields.as_ptr();
        def.displacements = fields.displacements.as_ptr().cast();
        Ok(())
    }

    /// Makes the model: about half a second for a million triangles.
    pub fn build(&self) -> Result<Model> {
        let mut def = sys::snugModelDef {
            positions: self.positions.as_ptr().cast(),
            vertexCount: count(self.positions.len(), "vertices")?,
            triangles: self.triangles.as_ptr().cast(),
            triangleCount: count(self.triangles.len(), "triangles")?,
            messenger: messenger(),
            workers: workers(self.threads),
            ..Default::default()
        };
        if let Some(skin) = &self.skin {
            def.deformer = sys::snug_skin;
            self.fill_skin(skin, &mut def.skin)?;
        }
        if let Some(fields) = &self.fields {
            if self.skin.is_none() {
                def.deformer = sys::snug_fields;
            }
            self.fill_fields(fields, &mut def.fields)?;
        }
        if self.is_free {
            if self.skin.is_some() || self.fields.is_some() {
                return Err(Error::new(Status::BadArgument, "a free model has neither a skin nor fields"));
            }
            def.deformer = sys::snug_free;
        }
        Model::receive(|raw| unsafe { sys::snugModel_Create(&def, raw) })
    }
}

impl Model {
    /// Begins a model: a rigid one unless it is told how it deforms.
    pub fn builder<'a>(positions: &'a [[f32; 3]], triangles: &'a [[u32; 3]]) -> ModelBuilder<'a> {
        ModelBuilder { positions, triangles, is_free: false, skin: None, fields: None, threads: 1 }
    }

    fn receive(make: impl FnOnce(*mut *mut sys::snugModel) -> sys::snugStatus) -> Result<Model> {
        let mut raw = ptr::null_mut();
        take_warnings();
        check(make(&mut raw))?;
        let raw = NonNull::new(raw).expect("a model that was made");
        Ok(Model(Arc::new(Owned { raw, warnings: take_warnings() })))
    }

    /// What was repaired or looks wrong, a sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.0.warnings
    }

    /// The model as bytes: write them to a file to build it only once.
    pub fn to_bytes(&self) -> &[u8] {
        let mut size = 0;
        unsafe {
            let bytes = sys::snugModel_GetBlock(self.raw(), &mut size);
            std::slice::from_raw_parts(bytes.cast(), size)
        }
    }

    /// A model of bytes that [`to_bytes`](Model::to_bytes) gave. They may come from anywhere: damaged ones give an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
        let def = sys::snugLoadDef { messenger: messenger(), ..Default::default() };
        Model::receive(|raw| unsafe { sys::snugModel_LoadMemory(bytes.as_ptr().cast(), bytes.len(), &def, raw) })
    }

    /// How many vertices, triangles, joints, fields and nodes it has, and how many bytes.
    pub fn info(&self) -> sys::snugModelInfo {
        unsafe { sys::snugModel_GetInfo(self.raw()) }
    }

    /// The edges that an odd number of triangles have: none, if the surface is closed.
    pub fn count_open_edges(&self) -> Result<u64> {
        let mut edges = 0;
        check(unsafe { sys::snugModel_CountOpenEdges(self.raw(), &mut edges) })?;
        Ok(edges)
    }

    pub(crate) fn raw(&self) -> *const sys::snugModel {
        self.0.raw.as_ptr()
    }
}
