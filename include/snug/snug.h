// snug: exact collision detection between deforming triangle meshes.
//
// Three ideas:
// - A snugModel is a mesh, how it deforms, and a bounding tree over it. It never changes; bodies and threads share it.
// - A snugBody is a model in a pose. Posing keeps what you give and computes a few numbers per joint, not per vertex.
//   Queries then evaluate only the vertices and bounds that they visit.
// - A query reports a pair of triangles if and only if the two closed triangles share a point, at the float32 positions
//   that snugBody_GetVertices reports for the query's origin. Touching counts.
//
// Rules for every function:
// - Structs: zero means default. Zero the whole struct (`= { 0 }` in C, `= {}` in C++), then set what you need.
// - Reserved members are there so that later versions can add members without breaking programs that are linked to the
//   shared library. They are zero in what the library returns, and must be zero in what you pass: anything else, as in
//   a struct that was not initialised, is refused with snug_badArgument.
// - Bad data, bad files and lack of memory return a status, and send a sentence to the definition's message callback.
//   Output pointers are set to null.
// - Misuse, such as a null body, returns snug_badArgument after calling the handler of snugSetAssertHandler, if any.
// - The library never prints, never exits, and never writes to its inputs.
// - Create, Load and Save functions allocate memory. Posing and querying do not.
// - Threads: any number of them may use a model or a pool at once; a body belongs to one thread at a time.
// - The caller's floating-point environment (rounding mode, flush-to-zero) neither matters nor changes.
//
// Units are yours, and so is handedness. Nothing depends on winding. Vertices, triangles, joints and fields are
// numbered as in the model's definition. docs/glossary.md explains the words. snug_base.h has statuses, messages and
// memory; snug_queries.h more questions, such as rays and contacts; snug_scene.h many bodies.
#ifndef SNUG_SNUG_H
#define SNUG_SNUG_H

#include <snug/snug_base.h>

#define SNUG_VERSION_MAJOR 0
#define SNUG_VERSION_MINOR 3
#define SNUG_VERSION_PATCH 0

#ifdef __cplusplus
extern "C"
{
#endif

/// @defgroup model Models
/// A mesh, how it deforms, and its bounding tree.
/// @{

typedef struct snugModel snugModel;

/// Largest magnitude of a coordinate, given or evaluated.
#define SNUG_MAX_COORDINATE 1e36f
/// Largest number of vertices or triangles.
#define SNUG_MAX_COUNT 500000000u

/// How the vertices of a model move. A rigid frame on top (snugBody_SetFrame) goes with all of them.
typedef enum snugDeformer
{
	snug_rigid = 0, ///< they do not
	snug_free,      ///< you set them (snugBody_SetVertices)
	snug_skin,      ///< joints carry them (snugSkinDef.blending says how): characters, nodes of a meshless body
	snug_fields     ///< displacement fields are added: vibration modes, morph targets, principal components
} snugDeformer;

/// How a vertex of a skin follows several joints at once.
typedef enum snugBlending
{
	snug_blendLinear = 0,    ///< their matrices are blended, as in glTF
	snug_blendSpherical,     ///< their rotations are blended on the sphere, about a centre for each set of joints
	snug_blendDualQuaternion ///< they are blended as dual quaternions
} snugBlending;

/// Shape of the bounding tree, whose nodes have up to eight children. Expert: may change with any minor version.
typedef struct snugTreeDef
{
	int leafTriangles; ///< most triangles per leaf, 1 to 8; default 8, the fastest that we measured
	uint32_t reserved[7];
} snugTreeDef;

/// Which joints move which vertex, and how much.
/// Weights must not be negative. Those of a vertex are divided by their sum, and those for the same joint added up. You
/// get a warning if a sum is off by more than 1e-3, and if a vertex has no weight: it then follows its first joint.
/// A mesh that comes close to SNUG_MAX_COORDINATE may be refused (snug_outOfRange), since bounds reach beyond it.
typedef struct snugSkinDef
{
	uint32_t jointCount;          ///< 1 to 65,535
	const uint32_t* starts;       ///< nullable; influences of vertex v are starts[v] to starts[v + 1] - 1
	uint32_t influencesPerVertex; ///< if `starts` is null: influences of vertex v start at v times this
	const uint16_t* joints;       ///< the joint of each influence
	const float* weights;         ///< the weight of each influence
	const float* jointPositions; ///< nullable; x, y, z of each joint at rest. For spherical blending, and for joints of
	                             ///< dual quaternion blending that scale. Default: the weighted mean of what it moves
	snugBlending blending;
	uint64_t reserved[3];
} snugSkinDef;

/// Displacement fields: vertex v moves from rest position p to p + sum of amplitude[f] * displacement[f][v]
/// (snugBody_SetAmplitudes). They are all there is to snug_fields. Skins may have them too: morph targets, which move
/// vertices before the joints do.
typedef struct snugFieldsDef
{
	uint32_t fieldCount;        ///< up to 65,535; zero: none
	const uint32_t* starts;     ///< nullable; displacements of vertex v are starts[v] to starts[v + 1] - 1
	const uint16_t* fields;     ///< with `starts`: the field of each displacement, no field twice for a vertex
	const float* displacements; ///< x, y, z each. If `starts` is null: of all vertices in field 0, then in field 1, ...
	const float* frequencies;   ///< nullable; of vibration modes, in hertz, one for each field: snug_fields keeps them
	                            ///< for simulations, skins do not
	uint64_t reserved[3];
} snugFieldsDef;

/// What a model is made of. Everything that it points to is read during Create and not kept.
typedef struct snugModelDef
{
	const float* positions;    ///< x, y, z of each vertex at rest; finite, magnitude at most SNUG_MAX_COORDINATE
	uint32_t vertexCount;      ///< at most SNUG_MAX_COUNT
	size_t positionStride;     ///< bytes from one vertex to the next; default 12
	const uint32_t* triangles; ///< three vertices per triangle; repeated vertices and zero area are fine
	uint32_t triangleCount;    ///< at most SNUG_MAX_COUNT; a model without triangles touches nothing
	size_t triangleStride;     ///< bytes from one triangle to the next; default 12
	snugDeformer deformer;
	snugTreeDef tree;
	snugSkinDef skin;        ///< for snug_skin
	snugFieldsDef fields;    ///< for snug_fields; optional for skins
	snugAllocator allocator; ///< kept for Destroy
	snugMessenger messenger; ///< told of errors and warnings during Create
	snugWorkers workers; ///< share the work of Create, up to 8 of them. The model is the same, bit for bit; one thread
	                     ///< at a time calls the allocator
	bool certificates;   ///< of snug_fields: make constants with which a body that bends little is known at once not to
	                     ///< meet itself. Answers are the same; makes models larger, and takes much longer to build
	snugProgressFcn* progress; ///< nullable; of making those
	void* progressUser;        ///< passed to `progress`
	uint64_t reserved[4];
} snugModelDef;

/// Build a model. Takes about half a second per million triangles, less if your threads share the work (`workers`);
/// save it to pay only once.
/// @param model receives the model, or null
SNUG_API snugStatus snugModel_Create(const snugModelDef* def, snugModel** model);

/// Free a model. Destroy its bodies first: while there are any, this is misuse, and the model stays.
/// @param model nullable
SNUG_API void snugModel_Destroy(snugModel* model);

/// What a model is.
typedef struct snugModelInfo
{
	uint32_t vertexCount;
	uint32_t triangleCount;
	snugDeformer deformer;
	snugBlending blending;      ///< of a skin
	snugTreeDef tree;           ///< defaults filled in
	uint32_t jointCount;        ///< of a skin
	uint32_t fieldCount;        ///< displacement fields
	uint32_t influenceCount;    ///< of a skin, all vertices together, after repair
	uint32_t maxInfluences;     ///< of a skin, most per vertex
	uint32_t displacementCount; ///< that are not zero, of all fields and vertices together
	uint32_t nodeCount;         ///< nodes of the tree, leaves included
	uint32_t leafCount;
	uint32_t depth;          ///< level of the deepest node; the root's is 0
	size_t bytes;            ///< of the model, as saved
	size_t restMeshBytes;    ///< of those, positions and triangles: 12 for each
	size_t certificateBytes; ///< and what snugModelDef.certificates asked for; zero: there is none
	uint64_t reserved[7];
} snugModelInfo;

SNUG_API snugModelInfo snugModel_GetInfo(const snugModel* model);

/// Rest positions.
/// @param positions receives x, y, z of each vertex
/// @param stride bytes from one vertex to the next; 0 means 12
SNUG_API snugStatus snugModel_GetPositions(const snugModel* model, float* positions, size_t stride);

/// @param triangles receives three vertices per triangle
/// @param stride bytes from one triangle to the next; 0 means 12
SNUG_API snugStatus snugModel_GetTriangles(const snugModel* model, uint32_t* triangles, size_t stride);

/// Weights of a skin as they are used: divided by their sum, none of them zero, each joint at most once per vertex,
/// joints ascending. Other models have none.
/// @param starts receives vertexCount + 1 numbers: influences of vertex v are starts[v] to starts[v + 1] - 1
/// @param joints, weights receive influenceCount each; nullable if that is zero
SNUG_API snugStatus snugModel_GetWeights(const snugModel* model, uint32_t* starts, uint16_t* joints, float* weights);

/// Displacements as they are used: none of them zero, fields ascending for each vertex. Other models have none.
/// @param starts receives vertexCount + 1 numbers: displacements of vertex v are starts[v] to starts[v + 1] - 1
/// @param fields, displacements receive displacementCount, and x, y, z for each; nullable if that is zero
SNUG_API snugStatus snugModel_GetFields(
    const snugModel* model, uint32_t* starts, uint16_t* fields, float* displacements);

/// Frequencies of vibration modes, as snugFieldsDef.frequencies gave them.
/// @param frequencies nullable; receives the first `capacity` of them
/// @param count receives how many there are: fieldCount, or zero if the model was made without
SNUG_API snugStatus snugModel_GetFrequencies(
    const snugModel* model, float* frequencies, uint32_t capacity, uint32_t* count);

/// Where joints are at rest. Only skins with spherical or dual quaternion blending know.
/// @param positions nullable; receives x, y, z of the first `capacity` joints
/// @param count receives how many there are: jointCount, or zero
SNUG_API snugStatus snugModel_GetJointPositions(
    const snugModel* model, float* positions, uint32_t capacity, uint32_t* count);

/// Which vertices are the same point in every pose. Meshes repeat vertices at seams of texture coordinates and at hard
/// edges. Twins have equal rest positions, weights (after repair) and displacements. So their posed positions are equal
/// in every pose, as numbers: bit for bit but for the sign of zero. Of snug_free only rest positions count, and twins
/// stay together only if you keep them together.
/// @param twins receives for each vertex the smallest number of a vertex that is its twin, possibly its own
SNUG_API snugStatus snugModel_GetTwins(const snugModel* model, uint32_t* twins);

/// The bytes of a model, which snugModel_LoadMemory accepts. Little-endian, 64-byte aligned, valid as long as the
/// model.
/// @param bytes receives the size
SNUG_API const void* snugModel_GetBlock(const snugModel* model, size_t* bytes);

/// What to load a model with.
typedef struct snugLoadDef
{
	snugAllocator allocator;
	snugMessenger messenger;
	bool trusted; ///< look at header and sizes only, which takes the same short time for any model. For files that you
	              ///< made and nobody can change: damaged or hostile ones can then crash, or worse
	bool inPlace; ///< do not copy. snugModel_LoadMemory: use the caller's bytes, aligned to 64, which must be there and
	              ///< stay as they are as long as the model. snugModel_LoadFile: map the file into memory, where the
	              ///< system can
	uint64_t reserved[3];
} snugLoadDef;

/// Make a model from bytes, which are copied and need not be aligned, unless `def` says otherwise. Bytes that a version
/// of snug with another format has made are refused (snug_unsupportedVersion). Every index, size, weight and rest box
/// is checked, at several gigabytes a second, so damaged or hostile bytes give an error. What is not checked is whether
/// the numbers that posed bounds are made of are right: that would take as long as making them. A forged file can lose
/// contacts that way (snugBody_Validate finds out), but do nothing else.
/// @param def nullable
/// @param model receives the model, or null
SNUG_API snugStatus snugModel_LoadMemory(const void* block, size_t bytes, const snugLoadDef* def, snugModel** model);

// A library for systems without files is built without the next two (CMake option SNUG_FILES). Its users compile with
// SNUG_FILES=0, which the CMake package sees to.
#if !defined(SNUG_FILES) || SNUG_FILES

/// Write a model to a file: whole, or not at all. It is written to a new file beside it, named `path` with ".part" or a
/// number and ".part" appended, then renamed. What a link leads to, a device or a pipe is not replaced, but written to.
/// Not there, nor is snugModel_LoadFile, in a library that was built without files (CMake option SNUG_FILES).
SNUG_API snugStatus snugModel_SaveFile(const snugModel* model, const char* path);

/// Load a model from a regular file. See snugModel_LoadMemory.
/// A file that is mapped (`inPlace`) must not be written to while the model lives: what changes in it changes in the
/// model, unchecked, and where it is cut off the program crashes (SIGBUS). Replace it instead, as snugModel_SaveFile
/// does: the model keeps the old one. Windows forbids writing to mapped files, and replacing them.
SNUG_API snugStatus snugModel_LoadFile(const char* path, const snugLoadDef* def, snugModel** model);

#endif

/// @}

/// @defgroup body Bodies
/// A body is a model in a pose. Bodies may share a model and a pool.
/// @{

typedef struct snugBody snugBody;
typedef struct snugPool snugPool;

/// When bounds of a body that joints or fields move are brought up to date. Every choice gives the same pairs.
/// Expert: may change with any minor version.
typedef enum snugStrategy
{
	snug_strategyAuto = 0, ///< front while successive queries look at much the same nodes, else on demand
	snug_strategyOnDemand, ///< each node when a query first looks at it
	snug_strategyFront,    ///< before a query, what recent queries looked at; the rest on demand
	snug_strategyBottomUp  ///< before a query, everything: all vertices, then all boxes from the leaves up
} snugStrategy;

typedef struct snugBodyDef
{
	const snugModel* model; ///< required; borrowed, must outlive the body
	snugStrategy strategy;  ///< snug_free always works bottom-up
	snugPool* pool;         ///< nullable; borrowed, must outlive the body. Default: memory of its own, for everything
	snugAllocator allocator;
	snugMessenger messenger; ///< told of errors and warnings by every function of this body
	uint64_t reserved[4];
} snugBodyDef;

/// Make a body in its rest pose with the identity frame.
/// @param body receives the body, or null
SNUG_API snugStatus snugBody_Create(const snugBodyDef* def, snugBody** body);

/// @param body nullable
SNUG_API void snugBody_Destroy(snugBody* body);

SNUG_API const snugModel* snugBody_GetModel(const snugBody* body);

/// Bytes that a body holds: its own, and its pages of a shared pool.
SNUG_API size_t snugBody_GetMemory(const snugBody* body);

/// A rigid frame: rotation, then translation. All zero is the identity.
typedef struct snugFrame
{
	double position[3];
	double rotation[4]; ///< quaternion x, y, z, w of about unit length (normalised here); all zero is the identity
} snugFrame;

/// Move a body as a whole. No bound has to be computed again.
/// @return snug_badInput if something is not finite or the quaternion's length is off by more than 1 %
SNUG_API snugStatus snugBody_SetFrame(snugBody* body, const snugFrame* frame);

/// Set vertices `first` to `first + count - 1` of a snug_free body, relative to its frame. The others stay. Positions
/// are copied; the next query refits bounds where vertices changed. Set ranges rather than single vertices: besides
/// copying, each call looks over the leaves of the tree once.
/// @param positions x, y, z of vertex `first`, and so on; nullable if count is zero
/// @param stride bytes from one vertex to the next; 0 means 12
/// @return snug_badInput if a coordinate is not finite or above SNUG_MAX_COORDINATE, snug_badArgument if the range goes
/// beyond the last vertex; the pose is unchanged then
SNUG_API snugStatus snugBody_SetVertices(
    snugBody* body, const float* positions, size_t stride, uint32_t first, uint32_t count);

/// Pose a skin by one matrix per joint: the joint's world matrix times its inverse bind matrix. Computes a few numbers
/// per joint. Skins that turn their joints leave what belongs to pairs and sets of joints to the next query.
/// @param matrices three rows of four floats each; they multiply a column vector [position; 1]
/// @param stride bytes from one matrix to the next; 0 means 48
/// @param count must be the model's jointCount (snugModel_GetInfo), else snug_badInput
/// @return snug_badInput if a number is not finite, snug_outOfRange if an entry or positions might exceed
/// SNUG_MAX_COORDINATE; the pose is unchanged then. With spherical or dual quaternion blending joints may scale and
/// shear about their rest positions, which is blended linearly, before they turn; one that mirrors or flattens space
/// gives snug_badInput. With spherical blending positions must stay about 1e5 times farther from SNUG_MAX_COORDINATE,
/// since centres of rotation may be far from joints
SNUG_API snugStatus snugBody_SetJoints(snugBody* body, const float* matrices, size_t stride, uint32_t count);

/// The same with matrices of four columns of four floats, as OpenGL, glTF and three.js have them.
/// @param matrices m[0] to m[3] are the first column; m[3], m[7], m[11] must be 0 and m[15] must be 1
/// @param stride bytes from one matrix to the next; 0 means 64
/// @return as snugBody_SetJoints; snug_badInput if the last row of a matrix is not 0 0 0 1
SNUG_API snugStatus snugBody_SetJoints4x4(snugBody* body, const float* matrices, size_t stride, uint32_t count);

/// A simulation node of a meshless body: it carries v to v + displacement + gradient^T (v - position).
typedef struct snugMeshlessNode
{
	float position[3];     ///< at rest
	float displacement[3]; ///< u
	float gradient[3][3];  ///< gradient[i][k] = d u_k / d x_i
} snugMeshlessNode;

/// Pose a snug_skin body by meshless nodes, one per joint. See snugBody_SetJoints.
SNUG_API snugStatus snugBody_SetMeshlessNodes(snugBody* body, const snugMeshlessNode* nodes, uint32_t count);

/// Set how much of each displacement field is added. All zero at rest.
/// @param count must be the model's fieldCount (snugModel_GetInfo), else snug_badInput
/// @return snug_badInput if an amplitude is not finite, snug_outOfRange if positions might exceed SNUG_MAX_COORDINATE;
/// the pose is unchanged then
SNUG_API snugStatus snugBody_SetAmplitudes(snugBody* body, const float* amplitudes, uint32_t count);

/// Bring all bounds up to date now. Queries do what they need by themselves; this lets you choose when to pay.
/// Expert: may change with any minor version.
SNUG_API snugStatus snugBody_Refit(snugBody* body);

/// Displace all vertices of several bodies of one model, each by its own amplitudes. Queries do that by themselves
/// where they look at vertices; but if many fields move every vertex, reading what they do takes longer than adding it
/// up, and here it is read once for four bodies. It pays where queries look at most vertices, as snugCollideSelf does:
/// pose four bodies, call this, then ask each. What is displaced holds until the amplitudes change, whatever joints do.
/// No answer depends on it. Expert: may change with any minor version.
/// @param bodies any number; each keeps about 20 bytes per vertex for this from now on. Nothing happens if their model
/// has no displacement fields
/// @return snug_badArgument if they have different models, snug_outOfMemory
SNUG_API snugStatus snugBody_DisplaceTogether(snugBody* const* bodies, uint32_t count);

/// Posed positions, frame included: exactly those that queries with this origin look at.
/// @param origin nullable; positions are relative to it; default zero
/// @param positions receives x, y, z of every vertex
/// @param stride bytes from one vertex to the next; 0 means 12
/// @return snug_outOfRange if the body is too far from the origin for float32. Bounds decide that: close to
/// SNUG_MAX_COORDINATE it may depend on the strategy.
SNUG_API snugStatus snugBody_GetVertices(snugBody* body, const double origin[3], float* positions, size_t stride);

/// A box and a ball. Each contains all posed vertices of triangles.
typedef struct snugBounds
{
	float lower[3]; ///< above `upper` if there is no triangle
	float upper[3];
	float center[3];
	float radius; ///< negative if there is no triangle
} snugBounds;

/// Bounds of a body, frame included, for culling. They contain what snugBody_GetVertices reports, rounding included.
/// The ball's radius does not grow with how the body is turned. Costs no more than bounding two nodes.
/// @param origin nullable; bounds are relative to it; default zero
SNUG_API snugStatus snugBody_GetBounds(snugBody* body, const double origin[3], snugBounds* bounds);

/// A plane. Its normal points to its front: points x with normal . x + offset >= 0. What is solid is behind it, as
/// below a floor whose normal points up, and so is what a camera does not see.
typedef struct snugPlane
{
	double normal[3]; ///< of any length; the largest of its numbers has a magnitude from 1e-100 to 1e100
	double offset;    ///< magnitude at most 1e100
} snugPlane;

/// Ask whether a body is certainly behind one of some planes, as those of a camera. Costs no more than
/// snugBody_GetBounds.
/// @param origin nullable; planes are relative to it; default zero
/// @param isOutside receives true only if all posed vertices of triangles are behind one of the planes; true for a body
/// without triangles
/// @return snug_badInput, with a message that names it, if a plane is not finite or its normal zero
SNUG_API snugStatus snugBody_IsOutside(
    snugBody* body, const double origin[3], const snugPlane* planes, uint32_t count, bool* isOutside);

/// What snugBody_Validate found.
typedef struct snugValidation
{
	uint64_t nodesChecked;
	uint64_t checks;     ///< vertex against bound, counted per coordinate and side
	uint64_t violations; ///< of those, how many failed
	double worst;        ///< the farthest that a vertex is outside
	uint64_t reserved[4];
} snugValidation;

/// Check every bound, as queries see it, against the vertices below it. Slow; for tests and diagnosis.
/// @param validation nullable
/// @return snug_invalidBounds if a vertex is outside
SNUG_API snugStatus snugBody_Validate(snugBody* body, snugValidation* validation);

/// @}

/// @defgroup query Queries
/// @{

/// A triangle of the first body and one of the second.
typedef struct snugPair
{
	uint32_t a, b;
} snugPair;

/// Receives each pair as it is found, in no particular order. Return false to stop the query. Do not pose or destroy
/// the two bodies here.
typedef bool snugPairFcn(void* user, snugPair pair);

/// What snugTouches remembers of two bodies from one call to the next. Yours: all zero at first, one for each pair of
/// bodies, always with the bodies in the same order. Whatever it holds, answers are right.
typedef struct snugWitness
{
	uint32_t memory[4];
} snugWitness;

/// What to ask of pairs, here and in snug_queries.h. All zero: count them. A function that has no use for a member says
/// so, or the member says for which it is.
typedef struct snugQuery
{
	snugPair* pairs;       ///< nullable; receives the `capacity` smallest pairs, sorted by (a, b): see `unsorted`
	uint64_t capacity;     ///< room in `pairs`
	double origin[3];      ///< positions are evaluated relative to it: set it near bodies that are far from zero
	snugPairFcn* callback; ///< nullable
	void* user;            ///< passed to `callback`
	snugWorkers workers;   ///< share the work of one snugCollide or snugCollideSelf. Pairs are the same; one thread
	                       ///< at a time calls `callback`.
	snugWitness* witness;  ///< nullable; for snugTouches: the triangles that answered last are looked at first, then
	                       ///< what is around them, farther and farther. Much faster while bodies stay in contact; then
	                       ///< it may name another pair than without, and refits on demand, whatever their strategy.
	bool unsorted;         ///< `pairs` receives the first `capacity` that are found, as they are found. Saves the
	                       ///< sorting. Their order is not specified; without `workers` it is always the same.
	bool findDistanceBound; ///< find snugResult.distanceBound, for little more time. `workers` are not used then.
	bool keepRest; ///< for snugCollideSelf: also pairs that meet at rest. Characters have thousands: eyes in their
	               ///< sockets, clothes, parts that are pushed into each other
	uint64_t reserved[8];
} snugQuery;

/// What a query cost. Pairs do not depend on the instruction set; counters may. The three that name the front are for
/// experts, and may change with any minor version.
typedef struct snugCounters
{
	uint64_t nodesRefitted;     ///< nodes whose bounds were computed: the sum of the next three
	uint64_t nodesAtFront;      ///< before the query, straight from the pose
	uint64_t nodesAboveFront;   ///< before the query, by merging
	uint64_t nodesBelowFront;   ///< when the query looked at them
	uint64_t volumeTests;       ///< pairs of bounds compared
	uint64_t verticesEvaluated; ///< from the pose, again if there was no room to keep them; rigid and free bodies,
	                            ///< which have them at hand: placed
	uint64_t triangleTests;     ///< pairs of triangles whose own boxes overlap
	uint64_t exactTests;        ///< of those, how many float32 could not decide
	uint64_t certified;         ///< pairs of nodes of one body that are known not to meet, without their bounds
	uint64_t reserved[3];
} snugCounters;

/// What a query found, and what that cost.
typedef struct snugResult
{
	snugStatus status;
	bool complete;  ///< false if the callback ended the query: there may be more
	uint64_t count; ///< pairs found, possibly more than `capacity`; or what the function says
	snugCounters counters;
	double distanceBound; ///< if it was asked for: bodies are no nearer than this. How tight it is depends on bounds,
	                      ///< and so on the instruction set. Zero if a pair was found;
	                      ///< infinite if a body has no triangles. snugFindDistance (snug_queries.h) has the distance
	uint64_t reserved[3];
} snugResult;

/// Find all pairs of intersecting triangles of two different bodies. The pairs are the same for every instruction set,
/// compiler and build of snug.
/// @param query nullable
SNUG_API snugResult snugCollide(snugBody* a, snugBody* b, const snugQuery* query);

/// Ask whether two bodies touch. Stops at the first pair: without a witness always the same one for the same models.
/// @param query nullable
/// @return count 1 if they touch, 0 if not
SNUG_API snugResult snugTouches(snugBody* a, snugBody* b, const snugQuery* query);

/// @}

/// @defgroup pool Pools
/// Memory that many bodies share for what they remember between queries. A pool that is too small costs time, never
/// correctness: what does not fit is computed again when needed. Bodies give pages back when their pose changes.
/// @{

typedef struct snugPoolDef
{
	size_t bytes; ///< required; pages of 4,096 bytes, each for up to 128 boxes or about 340 vertices. Bodies in contact
	              ///< need a few: ask snugBody_GetMemory after a query
	snugAllocator allocator;
	snugMessenger messenger;
	uint64_t reserved[4];
} snugPoolDef;

/// @param pool receives the pool, or null
SNUG_API snugStatus snugPool_Create(const snugPoolDef* def, snugPool** pool);

/// Free a pool. Destroy the bodies that use it first.
/// @param pool nullable
SNUG_API void snugPool_Destroy(snugPool* pool);

/// @}

#ifdef __cplusplus
}
#endif

#endif
