// snug: exact collision detection between deforming triangle meshes. (Experiments with bounds: snug_bounds.h.)
//
// Three ideas:
// - A snugModel is a mesh with its bounding tree and deformation data: immutable, shared by bodies and threads.
// - A snugBody is a model in a pose. Posing computes nothing; queries bring up to date what they visit, no more.
// - A query reports a pair of triangles if and only if the two closed triangles, at the float32 positions that
//   snugBody_GetVertices reports for the query's origin, share a point. Touching counts.
//
// Rules that hold for every function:
// - Description structs: zero means default, so zero-initialise them and set what you need.
// - Bad data, bad files and lack of memory return a status, with a sentence through the message callback of the
//   definition; outputs are nulled. Misuse (a null body, say) returns snug_badArgument, after calling the handler of
//   snugSetAssertHandler if there is one; a definition that makes no sense returns it with a sentence. The library
//   never prints, exits or modifies its inputs.
// - Create, Load and Save functions allocate. Posing and querying never do.
// - Threads: models and pools may be used by any number of threads at once; a body by one thread at a time.
// - The floating-point environment (rounding mode, flush-to-zero) of the caller neither matters nor changes.
//
// Units are yours. Coordinates are right-handed or left-handed as you like; nothing depends on winding.
#ifndef SNUG_SNUG_H
#define SNUG_SNUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNUG_VERSION_MAJOR 0
#define SNUG_VERSION_MINOR 2
#define SNUG_VERSION_PATCH 0

#if defined(SNUG_SHARED) && defined(_WIN32)
#if defined(SNUG_BUILDING)
#define SNUG_API __declspec(dllexport)
#else
#define SNUG_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define SNUG_API __attribute__((visibility("default")))
#else
#define SNUG_API
#endif

#ifdef __cplusplus
extern "C"
{
#endif

/// @defgroup base Status, messages, memory
/// @{

/// What a function has to say for itself. Zero is success.
typedef enum snugStatus
{
	snug_success = 0,
	snug_badArgument,        ///< misuse of the API: a null pointer, a body of another kind, an unknown enumerator
	snug_badInput,           ///< the data are wrong: an index out of range, a position that is not finite
	snug_outOfMemory,        ///< the allocator returned null
	snug_outOfRange,         ///< too large for float32 relative to the query's origin, or too many of something
	snug_badFile,            ///< not a model file, truncated, corrupted or inconsistent
	snug_unsupportedVersion, ///< a model file of another version of snug
	snug_ioError,            ///< a file could not be opened, read or written
	snug_invalidBounds       ///< snugBody_Validate found a bound that does not contain its vertices
} snugStatus;

/// @return a short constant text for a status, never null
SNUG_API const char* snugGetStatusText(snugStatus status);

/// How grave a message is.
typedef enum snugSeverity
{
	snug_error = 0, ///< the function that says so returns a status other than success
	snug_warning    ///< the input was accepted, but repaired or suspicious
} snugSeverity;

/// Receives one readable sentence, without a newline. The text is valid during the call only.
typedef void snugMessageFcn(void* user, snugSeverity severity, const char* text);

/// Where errors and warnings of one object go. Default: nowhere (statuses tell all the same).
typedef struct snugMessenger
{
	snugMessageFcn* message; ///< nullable
	void* user;              ///< passed back
} snugMessenger;

/// Where memory comes from. Default: the C library. Called by Create, Load, Save and Destroy functions only.
typedef struct snugAllocator
{
	/// Return at least `size` bytes aligned to `alignment` (a power of two up to 64), or null. Contents arbitrary.
	void* (*allocate)(void* user, size_t size, size_t alignment);
	/// Give back what `allocate` returned, with the same size. Never called with null.
	void (*release)(void* user, void* memory, size_t size);
	void* user; ///< passed back
} snugAllocator;

/// Called on misuse of the API, before the function returns snug_badArgument. May abort, log or break.
typedef void snugAssertFcn(void* user, const char* condition, const char* function);

/// Install a handler for misuse; null removes it. Process-wide: call it before other threads use snug.
SNUG_API void snugSetAssertHandler(snugAssertFcn* handler, void* user);

/// The instruction set in use: "scalar", "sse2", "avx2" or "avx512". Chosen once, at first use, by what the machine
/// has and what the environment variable SNUG_ISA asks for. Results do not depend on it.
SNUG_API const char* snugGetInstructionSet(void);

/// The version of the library linked, as "major.minor.patch".
SNUG_API const char* snugGetVersion(void);

/// @}

/// @defgroup model Models
/// A mesh, how it deforms, and its bounding tree, in one relocatable block of memory. Immutable.
/// @{

typedef struct snugModel snugModel;

/// How the vertices of a model move. A rigid frame on top (snugBody_SetFrame) is available to all of them.
typedef enum snugDeformer
{
	snug_rigid = 0,     ///< not at all
	snug_free,          ///< the caller sets vertices (snugBody_SetVertices); bounds are refitted bottom-up
	snug_skin,          ///< by affine transforms with weights per vertex: joints of a skin, nodes of a meshless body
	snug_fields,        ///< by displacement fields, each times an amplitude: vibration modes, morph targets, principal
	                    ///< components
	snug_sphericalSkin, ///< by joints with weights per vertex, whose rotations are blended on the sphere, about a
	                    ///< centre that each set of joints has in each pose
	snug_dualQuaternionSkin ///< by joints with weights per vertex, blended as dual quaternions
} snugDeformer;

/// How the tree is split, top down. Every choice gives the same pairs.
typedef enum snugSplit
{
	snug_splitDefault = 0, ///< what we measured to be best: surfaceArea
	snug_splitMedian,      ///< at the median along the longest principal axis, as in the papers
	snug_splitSurfaceArea  ///< where the surface areas of the parts, times their triangle counts, are least
} snugSplit;

/// Shape of the bounding tree. Zero means default.
typedef struct snugTreeDef
{
	snugSplit split;
	int leafTriangles; ///< triangles per leaf, 1 to 8; default 8
	int branching;     ///< children per node: 2, 4 or 8; default 8. The papers' tables have 2 and leaves of 1.
} snugTreeDef;

/// Which transforms move which vertex, and how much.
/// Weights must not be negative; those of a vertex are divided by their sum. A sum that is off by more than 1e-3, and a
/// vertex without any weight, which then follows its first transform, give a warning. A mesh that comes close to
/// SNUG_MAX_COORDINATE may be refused (snug_outOfRange): volumes around its parts reach farther than the mesh.
typedef struct snugSkinDef
{
	uint32_t jointCount;          ///< 1 to 65,535
	const uint32_t* starts;       ///< nullable; influences of vertex v are starts[v] to starts[v + 1] - 1
	uint32_t influencesPerVertex; ///< if `starts` is null: influences of v start at v times this
	const uint16_t* joints;       ///< number of the transform of each influence
	const float* weights;         ///< weight of each influence
	const float* jointPositions;  ///< x, y, z of each joint at rest, for snug_sphericalSkin, and for joints that scale
	                              ///< of snug_dualQuaternionSkin too; nullable: the weighted mean of what it moves
} snugSkinDef;

/// Displacement fields: vertex v moves from its rest position p to p + sum of amplitude[f] * displacement[f][v]
/// (snugBody_SetAmplitudes). Of snug_fields they are the deformation; before a skin (snug_skin, snug_sphericalSkin,
/// snug_dualQuaternionSkin) they are morph targets.
typedef struct snugFieldsDef
{
	uint32_t fieldCount;    ///< up to 65,535; zero means none
	const uint32_t* starts; ///< nullable; displacements of vertex v are starts[v] to starts[v + 1] - 1
	const uint16_t* fields; ///< with `starts`: number of the field of each displacement, each at most once per vertex
	const float* displacements; ///< x, y, z each; if `starts` is null those of all vertices in field 0, then in field 1
} snugFieldsDef;

/// What a model is made of. Arrays are read during Create and not kept.
/// `snugModelDef def = { .positions = p, .vertexCount = n, .triangles = t, .triangleCount = m };` is complete.
typedef struct snugModelDef
{
	const float* positions;    ///< x, y, z of each vertex; finite, magnitude at most SNUG_MAX_COORDINATE
	uint32_t vertexCount;      ///< at most SNUG_MAX_COUNT
	size_t positionStride;     ///< bytes from one vertex to the next; default 12
	const uint32_t* triangles; ///< three vertex numbers per triangle; repeated vertices and zero area are fine
	uint32_t triangleCount;    ///< at most SNUG_MAX_COUNT; zero makes a model that touches nothing
	size_t triangleStride;     ///< bytes from one triangle to the next; default 12
	snugDeformer deformer;
	snugTreeDef tree;
	snugSkinDef skin;                   ///< for snug_skin, snug_sphericalSkin and snug_dualQuaternionSkin
	snugFieldsDef fields;               ///< for snug_fields; for skins optional
	const struct snugBoundsDef* bounds; ///< nullable; experiments with bounds, of snug_bounds.h
	snugAllocator allocator;            ///< default malloc; kept for Destroy
	snugMessenger messenger;            ///< told of errors and warnings during Create
} snugModelDef;

/// Largest magnitude of a coordinate, given or evaluated.
#define SNUG_MAX_COORDINATE 1e36f
/// Largest number of vertices or triangles.
#define SNUG_MAX_COUNT 500000000u

/// Build a model. Takes about half a second per million triangles; save it to do so once.
/// @param model receives the model, or null
SNUG_API snugStatus snugModel_Create(const snugModelDef* def, snugModel** model);

/// Free a model. Its bodies must be destroyed before.
/// @param model nullable
SNUG_API void snugModel_Destroy(snugModel* model);

/// What a model is. Levels count from the root = 0.
typedef struct snugModelInfo
{
	uint32_t vertexCount;
	uint32_t triangleCount;
	snugDeformer deformer;
	snugTreeDef tree;       ///< as built, defaults filled in
	uint32_t jointCount;    ///< of a blend model or another skin
	uint32_t fieldCount;    ///< displacement fields
	uint32_t maxInfluences; ///< of a blend model: most per vertex
	uint32_t nodeCount;     ///< nodes of the tree, leaves included
	uint32_t leafCount;
	uint32_t depth;       ///< level of the deepest node
	size_t bytes;         ///< of the whole block, as saved
	size_t restMeshBytes; ///< of which positions and triangle corners: 12 each
} snugModelInfo;

SNUG_API snugModelInfo snugModel_GetInfo(const snugModel* model);

/// The triangles of a model, as its definition had them: for who has a model from a file and no mesh.
/// @param triangles receives three vertex numbers per triangle, triangleCount of them
/// @param stride bytes from one triangle to the next; 0 means 12
SNUG_API snugStatus snugModel_GetTriangles(const snugModel* model, uint32_t* triangles, size_t stride);

/// The model as a block of bytes that snugModel_Load accepts. Little-endian, 64-byte aligned, valid while the model
/// is.
/// @param bytes receives the size
SNUG_API const void* snugModel_GetBlock(const snugModel* model, size_t* bytes);

/// What to load a model with. Zero means default.
typedef struct snugLoadDef
{
	snugAllocator allocator;
	snugMessenger messenger;
} snugLoadDef;

/// Make a model from a block, which is copied and need not be aligned. Every index, size, weight and rest box in it is
/// checked, so that a damaged or hostile block gives an error. What is not: whether the numbers from which posed nodes
/// are bounded are the right ones, which takes as long as making them. A block that was forged, and not just damaged,
/// can lose contacts that way (snugBody_Validate tells), but do nothing else.
/// @param def nullable
/// @param model receives the model, or null
SNUG_API snugStatus snugModel_Load(const void* block, size_t bytes, const snugLoadDef* def, snugModel** model);

/// Write the block to a file: whole, or not at all. It is written to `path` with ".part" appended, then renamed. What a
/// link leads to, a device or a pipe is not replaced, but written to.
SNUG_API snugStatus snugModel_SaveFile(const snugModel* model, const char* path);

/// Load from a file. See snugModel_Load.
SNUG_API snugStatus snugModel_LoadFile(const char* path, const snugLoadDef* def, snugModel** model);

/// @}

/// @defgroup pool Pools
/// Memory for what bodies remember between queries, shared by many of them. A pool that is too small costs time,
/// never correctness: what finds no place is recomputed when needed. Bodies give their pages back when their pose
/// changes.
/// @{

typedef struct snugPool snugPool;

typedef struct snugPoolDef
{
	size_t
	    bytes; ///< required; pages of 4,096 bytes, each good for the boxes of up to 16 groups of 8 nodes or about 340
	           ///< vertices. Bodies in contact touch a few of them: snugBody_GetMemory after a query says how many.
	snugAllocator allocator;
	snugMessenger messenger;
} snugPoolDef;

/// @param pool receives the pool, or null
SNUG_API snugStatus snugPool_Create(const snugPoolDef* def, snugPool** pool);

/// Free a pool. The bodies that use it must be destroyed before.
/// @param pool nullable
SNUG_API void snugPool_Destroy(snugPool* pool);

/// @}

/// @defgroup body Bodies
/// A body is a model in a pose. Threads: one at a time per body; bodies may share a model and a pool.
/// @{

typedef struct snugBody snugBody;

/// When the bounds of a body whose transforms move it are brought up to date. Every choice gives the same pairs.
typedef enum snugStrategy
{
	snug_strategyAuto = 0, ///< front while successive queries look at much the same nodes, else on demand
	snug_strategyOnDemand, ///< each node when a query first looks at it, straight from the transforms
	snug_strategyFront,    ///< before a query, what recent queries looked at: the deepest nodes of it straight from the
	                       ///< transforms, those above by merging; then on demand. Needs a pool of its own to remember.
	snug_strategyBottomUp  ///< before a query, everything: all vertices, then all boxes from the leaves up
} snugStrategy;

/// `snugBodyDef def = { .model = model };` is complete.
typedef struct snugBodyDef
{
	const snugModel* model; ///< required; borrowed, must outlive the body
	snugStrategy strategy;  ///< for models that move by transforms or fields; free ones always work bottom-up
	snugPool* pool;         ///< default: memory of its own, enough for everything; borrowed, must outlive the body
	snugAllocator allocator;
	snugMessenger messenger; ///< told of errors and warnings by every function of this body
} snugBodyDef;

/// Make a body in its rest pose with the identity frame.
/// @param body receives the body, or null
SNUG_API snugStatus snugBody_Create(const snugBodyDef* def, snugBody** body);

/// @param body nullable
SNUG_API void snugBody_Destroy(snugBody* body);

SNUG_API const snugModel* snugBody_GetModel(const snugBody* body);

/// Bytes that a body holds: its own, and the pages it has from a shared pool.
SNUG_API size_t snugBody_GetMemory(const snugBody* body);

/// A rigid frame: rotation, then translation. All zero is the identity.
typedef struct snugFrame
{
	double position[3];
	double rotation[4]; ///< quaternion x, y, z, w of about unit length (normalised here); all zero is the identity
} snugFrame;

/// Place a body. Refits nothing.
/// @return snug_badInput if something is not finite or the quaternion's length is off by more than 1 %
SNUG_API snugStatus snugBody_SetFrame(snugBody* body, const snugFrame* frame);

/// Set vertices `first` to `first + count - 1` of a free body, relative to its frame; the others stay as they are.
/// Copies them. Bounds are refitted by the next query, only where vertices changed. Besides copying, each call looks
/// over the leaves of the tree once, so set ranges rather than single vertices.
/// @param positions x, y, z of vertex `first`, and so on; nullable if count is zero
/// @param stride bytes from one vertex to the next; 0 means 12
/// @return snug_badInput (and the pose unchanged) if a coordinate is not finite or above SNUG_MAX_COORDINATE, or the
/// range goes beyond the last vertex
SNUG_API snugStatus snugBody_SetVertices(
    snugBody* body, const float* positions, size_t stride, uint32_t first, uint32_t count);

/// Pose a blend body, or that of another skin, by one matrix per transform. Computes nothing but a few numbers per
/// transform, and for other skins per pair and set of joints that share vertices.
/// @param matrices three rows of four floats each, a column vector [position; 1] to the right: what a joint's world
/// matrix times its inverse bind matrix is
/// @param stride bytes from one matrix to the next; 0 means 48
/// @param count must be the model's transformCount (snugModel_GetInfo), else snug_badInput
/// @return snug_badInput if a number is not finite, snug_outOfRange if an entry or positions might exceed
/// SNUG_MAX_COORDINATE; the pose is unchanged then. Of snug_sphericalSkin and snug_dualQuaternionSkin joints turn and
/// move; what their matrices scale or shear about the joint's rest position is applied first, blended linearly, and one
/// that mirrors or flattens space gives snug_badInput
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

/// Pose a blend body by meshless nodes, one per transform. See snugBody_SetJoints.
SNUG_API snugStatus snugBody_SetNodes(snugBody* body, const snugMeshlessNode* nodes, uint32_t count);

/// Set how much of each displacement field is added. All zero at rest. The fields of a skin move vertices before its
/// joints do.
/// @param count must be the model's fieldCount (snugModel_GetInfo), else snug_badInput
/// @return snug_badInput if an amplitude is not finite, snug_outOfRange if positions might exceed SNUG_MAX_COORDINATE;
/// the pose is unchanged then
SNUG_API snugStatus snugBody_SetAmplitudes(snugBody* body, const float* amplitudes, uint32_t count);

/// Bring every bound up to date now. Queries do what they need by themselves: this is for choosing when it is paid.
SNUG_API snugStatus snugBody_Refit(snugBody* body);

/// Posed positions, frame included, in the caller's own numbering: what queries with this origin decide upon.
/// @param origin nullable, zero by default; positions are relative to it
/// @param positions receives x, y, z of every vertex
/// @param stride bytes from one vertex to the next; 0 means 12
/// @return snug_outOfRange if the body is too far from the origin for float32. That is judged by its bounds: close to
/// SNUG_MAX_COORDINATE it may depend on the strategy.
SNUG_API snugStatus snugBody_GetVertices(snugBody* body, const double origin[3], float* positions, size_t stride);

/// A box and a ball, each containing all posed vertices.
typedef struct snugBounds
{
	float lower[3]; ///< above upper if there is no triangle
	float upper[3];
	float center[3];
	float radius; ///< negative if there is no triangle
} snugBounds;

/// Posed bounds of all triangles of a body, frame included, proven to contain what snugBody_GetVertices reports for
/// them: for culling. Costs no more than the bounds of one node.
/// @param origin nullable, zero by default
SNUG_API snugStatus snugBody_GetBounds(snugBody* body, const double origin[3], snugBounds* bounds);

/// A plane: points x with normal . x + offset >= 0 are on its inner side.
typedef struct snugPlane
{
	double normal[3]; ///< of any length but zero
	double offset;
} snugPlane;

/// Ask whether all of a body is certainly beyond one of some planes, by the bounds of its root alone: for leaving out
/// what a camera cannot see. Costs no more than snugBody_GetBounds.
/// @param origin nullable, zero by default; planes are relative to it
/// @param isOutside receives true only if no posed vertex of a triangle is on the inner side of all planes; true for
/// a body without triangles
/// @return snug_badInput if a plane is not finite or its normal zero
SNUG_API snugStatus snugBody_IsOutside(
    snugBody* body, const double origin[3], const snugPlane* planes, uint32_t count, bool* isOutside);

/// What snugBody_Validate found.
typedef struct snugValidation
{
	uint64_t nodesChecked;
	uint64_t checks;     ///< vertex against bound, counted per coordinate and side
	uint64_t violations; ///< of those, how many failed
	double worst;        ///< the largest distance by which a vertex was outside
} snugValidation;

/// Check the bound of every node, as queries see it, against the vertices below it. Slow; for tests and diagnosis.
/// @param validation nullable
/// @return snug_invalidBounds if a bound does not contain its vertices
SNUG_API snugStatus snugBody_Validate(snugBody* body, snugValidation* validation);

/// @}

/// @defgroup query Queries
/// @{

/// Numbers of a triangle of the first and of the second body, as in the models' definitions.
typedef struct snugPair
{
	uint32_t a, b;
} snugPair;

/// Receives each pair as it is found, in no particular order. Return false to stop the query. It must neither pose nor
/// destroy the two bodies.
typedef bool snugPairFcn(void* user, snugPair pair);

/// One of several pieces of work that may be done at the same time.
typedef void snugTaskFcn(void* context, uint32_t index);

/// Call task(context, i) once for every i below `count`, on any threads and in any order, and return when all are done.
/// A loop would do; a thread pool does better.
typedef void snugParallelFcn(void* user, uint32_t count, snugTaskFcn* task, void* context);

/// What to ask. Zero means default: count all pairs.
typedef struct snugQuery
{
	double origin[3];          ///< positions are evaluated relative to it: set it near bodies that are far from zero
	snugPair* pairs;           ///< nullable; receives the `capacity` smallest pairs, sorted by (a, b)
	uint64_t capacity;         ///< room in `pairs`
	snugPairFcn* callback;     ///< nullable
	void* user;                ///< passed to the callback
	uint64_t maxVolumeTests;   ///< stop before more volume tests than this; 0: no limit
	uint64_t maxTriangleTests; ///< stop before more triangle tests than this; 0: no limit
	snugParallelFcn* parallel; ///< nullable; lets several threads of yours answer snugCollide, for heavy contact. Pairs
	                           ///< are the same; the callback is called by one thread at a time. Not used with limits
	                           ///< on tests, nor for models with fewer than 8 children per node.
	void* parallelUser;        ///< passed to `parallel`
} snugQuery;

/// What a query cost. Pairs do not depend on the instruction set; counters may.
typedef struct snugCounters
{
	uint64_t nodesRefitted;   ///< nodes whose bounds were computed: the sum of the next three
	uint64_t nodesAtFront;    ///< of those, before the query, straight from the pose
	uint64_t nodesAboveFront; ///< before the query, by merging
	uint64_t nodesBelowFront; ///< when the query looked at them
	uint64_t volumeTests;     ///< pairs of bounds compared
	uint64_t verticesEvaluated;
	uint64_t triangleTests; ///< pairs of triangles whose own boxes overlap
	uint64_t exactTests;    ///< of those, how many float32 could not decide
} snugCounters;

/// What was found. `complete` is false if a budget or the callback ended the query: then there may be more.
typedef struct snugResult
{
	snugStatus status;
	bool complete;
	uint64_t count; ///< pairs found, possibly above the query's capacity
	snugCounters counters;
} snugResult;

/// Find all pairs of intersecting triangles of two different bodies.
/// The set of pairs is the same for every instruction set, compiler and build of snug.
/// @param query nullable
SNUG_API snugResult snugCollide(snugBody* a, snugBody* b, const snugQuery* query);

/// Ask whether two bodies touch; stops at the first pair, always the same one for the same models.
/// @return count 1 if they do and 0 if not. `complete` says whether the question is answered: true once a pair is
/// found, false if a budget ended the search before
SNUG_API snugResult snugTouches(snugBody* a, snugBody* b, const snugQuery* query);

/// @}

#ifdef __cplusplus
}
#endif

#endif
