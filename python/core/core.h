// python/core/core.h: what the files of the module snugmesh._core share.
//
// The module is C over Python's stable ABI, so that one build serves every Python from 3.11 on. Arrays come in by the
// buffer protocol and leave as numpy arrays, which numpy's own constructor makes: numpy is needed to run and not to
// compile, and any version of it will do.
//
// Threads: queries release the interpreter's lock. A body, a scene, a search and a pose belong to one thread at a time;
// each has a flag for it, exchanged atomically, so that whoever comes second gets an exception instead of a race. That
// holds for interpreters without a lock, too.
#ifndef SNUGMESH_CORE_H
#define SNUGMESH_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <snug/snug.h>
#include <snug/snug_queries.h>
#include <snug/snug_scene.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/// @defgroup errors Errors
/// @{

/// What a messenger of the library said last.
typedef struct smText
{
	char text[512];
} smText;

/// Keeps errors and drops warnings. A snugMessageFcn; the user is a smText.
void smRemember(void* user, snugSeverity severity, const char* text);

/// Raise what a status stands for: snugmesh.Error, MemoryError or OSError.
/// @param text nullable; what was said, else the status speaks for itself
/// @return null
PyObject* smFail(snugStatus status, const smText* text);

extern PyObject* smError; ///< snugmesh.Error, a ValueError

/// @}

/// @defgroup arguments Arguments
/// @{

/// Parameters of a function. The first `positional` may be given without their names.
typedef struct smParameters
{
	const char* function;
	int required, positional, count;
	const char* names[11];
} smParameters;

/// Sort arguments of a METH_FASTCALL | METH_KEYWORDS function by parameter; null or None: not given.
/// @param values receives `count` borrowed references
bool smParse(const smParameters* p, PyObject* const* arguments, Py_ssize_t count, PyObject* names, PyObject** values);

/// Read `count` numbers from a tuple, a list, an array or any other sequence.
bool smReadNumbers(PyObject* object, const char* name, double* numbers, int count);

/// A position and a rotation, x, y, z, w, which may be missing.
bool smReadFrame(PyObject* position, PyObject* rotation, snugFrame* frame);

/// The same for an optional origin; zero without.
bool smReadOrigin(PyObject* object, double origin[3]);

/// Whether something is true; `missing` without an object.
bool smReadFlag(PyObject* object, bool missing, bool* flag);

/// A number from `least` to `most`.
bool smReadCount(PyObject* object, const char* name, uint32_t least, uint32_t most, uint32_t* count);

/// A number that is not negative; `missing` without an object.
bool smReadLength(PyObject* object, const char* name, double missing, double* length);

/// How far a query looks, as the library has it: its zero means no limit, which is also meant without an object.
bool smReadMaxDistance(PyObject* object, double* distance);

typedef enum smKind
{
	sm_float32,
	sm_float64,
	sm_uint16,
	sm_uint32, ///< int32 is taken as well: numbers below zero are then out of range
	sm_index   ///< any integers of 32 or 64 bits, for smReadIds
} smKind;

enum
{
	SM_ROWS = -2
};

/// The shape that is wanted: -1 stands for any length, SM_ROWS for the 3 or 4 of a matrix.
typedef struct smShape
{
	int dimensions;
	Py_ssize_t lengths[4];
} smShape;

/// An array of the caller's, as the library reads it.
typedef struct smArray
{
	Py_buffer view;
	const void* data; ///< never null while it is held, even if empty
	size_t stride;    ///< bytes from one item of the first dimension to the next
	uint32_t count;   ///< items of the first dimension
	bool isHeld;
} smArray;

/// Look at an array without copying it. Everything but the first dimension must be contiguous.
/// @return false with an exception that names the array and what is wrong with it; nothing to release then
bool smArray_Take(smArray* array, PyObject* object, const char* name, smKind kind, smShape shape);
/// The same for what the library takes without a stride: without gaps.
bool smArray_TakePacked(smArray* array, PyObject* object, const char* name, smKind kind, smShape shape);
/// The same as smArray_Take, to be written to.
bool smArray_TakeWritable(smArray* array, PyObject* object, const char* name, smKind kind, smShape shape);
/// Matrices that multiply column vectors end in 0 0 0 1. Transposed ones would give a pose that is silently wrong.
/// @param first of 4x4 matrices of floats
bool smCheckLastRows(const char* name, const void* first, size_t stride, size_t count);
/// Does nothing to an array that is not held.
void smArray_Release(smArray* array);
/// ValueError: what shape an array must have, and which it has.
void smRaiseShape(const char* name, const smShape* wanted, const int64_t* lengths, int dimensions);

/// Rays, float32 (n, 2, 3): from and to.
bool smTakeRays(smArray* rays, PyObject* object);
/// One ray, float32 (2, 3).
bool smReadRay(PyObject* object, snugRay* ray);

/// Numbers of vertices or triangles, checked and copied: numpy counts with 64 bits, and columns of pairs have gaps.
/// @return memory for `free`, or null with an exception
uint32_t* smReadIds(PyObject* object, const char* name, uint32_t limit, uint32_t* count);

/// @}

/// @defgroup threads Threads of one call
/// @{

enum
{
	SM_MAX_THREADS = 64
};

/// How many threads share the work of one call: 1 to SM_MAX_THREADS; 1 without an object.
bool smReadThreads(PyObject* object, uint32_t* threads);
/// None for one of them; else they must outlive the query.
snugWorkers smWorkersOf(uint32_t* threads);

/// A snugParallelFcn; the user is the number of threads, a uint32_t, its caller's among them. Call it without the lock.
void smRunOnThreads(void* user, uint32_t count, snugTaskFcn* task, void* context);

/// @}

/// @defgroup results Results
/// @{

/// Element types of results; see arrays.c for the members of structures.
typedef enum smType
{
	sm_typeFloat32,
	sm_typeFloat64,
	sm_typeUint16,
	sm_typeUint32,
	sm_typeInt64,
	sm_typeHit,
	sm_typeClosest,
	sm_typeDepth,
	sm_typeContact,
	sm_typePoint,
	sm_typeCurve,
	sm_typeScenePair,
	sm_typeBox,
	sm_typeSide,
	sm_typeShapeContact,
	sm_typeSceneHit,
	sm_typeSweepContact,
	sm_typeCount
} smType;

/// Import numpy and make the element types.
bool smArrays_Start(void);

/// A new numpy array.
/// @param data receives where its elements go
PyObject* smNewArray(smType type, int dimensions, const Py_ssize_t* lengths, void** data);
/// The same with one or two dimensions, filled. A width of zero means one dimension.
PyObject* smCopyArray(smType type, const void* elements, size_t elementSize, uint64_t count, Py_ssize_t width);

/// @}

/// @defgroup objects Objects
/// @{

typedef struct smModel
{
	PyObject_HEAD snugModel* model;
	snugModelInfo info;
} smModel;

typedef struct smPool
{
	PyObject_HEAD snugPool* pool;
	Py_ssize_t bytes;
} smPool;

typedef struct smBody
{
	PyObject_HEAD snugBody* body;
	smModel* model; ///< owned
	smPool* pool;   ///< nullable; owned
	atomic_bool isBusy;
	bool isInScene;
	smText said;
	snugCounters counters;       ///< of the last query in which it came first
	snugPair* pairs;             ///< room for what queries find, kept from one to the next
	uint64_t capacity;           ///<
	snugContactBuffer* contacts; ///< likewise; made by the first query that needs it
	uint32_t contactCapacity;
} smBody;

/// Close a query: keep what it cost, and give its array, or raise what the status stands for.
/// @param array taken over
PyObject* smBody_Answer(smBody* body, snugStatus status, const snugCounters* counters, PyObject* array);

extern PyTypeObject *smModelType, *smBodyType, *smPoolType;

/// The name of a blending, as in Model(blending=...); else a ValueError.
bool smReadBlending(const char* name, snugBlending* blending);
/// What a query cost, as a named tuple.
PyObject* smMakeCounters(const snugCounters* counters);
/// What several cost together.
void smAddCounters(snugCounters* sum, const snugCounters* counters);

/// A model that was made already: takes it over, and destroys it on failure.
PyObject* smModel_Wrap(snugModel* model);
/// Collects warnings while a model or a file is made, and raises them as Python's afterwards.
typedef struct smListener
{
	smText error;
	smText warnings[4]; ///< the first ones
	int warningCount;
} smListener;
/// A snugMessageFcn; the user is a smListener.
void smListen(void* user, snugSeverity severity, const char* text);
/// @return false with an exception where the user has turned warnings into errors
bool smListener_Warn(const smListener* listener);

/// Have a thing for oneself, or raise RuntimeError.
bool smAcquire(atomic_bool* isBusy, const char* what);
void smRelease(atomic_bool* isBusy);

/// One body that is an argument, for oneself. Release it with smRelease(&body->isBusy).
smBody* smBody_Take(PyObject* object, const char* name);
/// Two different ones.
bool smBody_TakeTwo(PyObject* const* objects, smBody** a, smBody** b);
void smBody_ReleaseTwo(smBody* a, smBody* b);

/// The exception for a query of two that failed, with what either of them has said.
/// @param b nullable: a query of one
PyObject* smBody_FailOfTwo(snugStatus status, const smBody* a, const smBody* b);

/// Contacts of two bodies, whose busy flags are held, as a tuple: what was found if that is all, otherwise by asking
/// with more room.
PyObject* smTakeContacts(smBody* a, smBody* b, const snugContactQuery* query, const snugContactResult* found);

/// The numbers of a snugmesh.Shape, or false with an exception.
bool smReadShape(PyObject* object, snugShape* shape);

/// After a method's work: let go of the body, then tell how it went.
PyObject* smBody_Finish(smBody* self, snugStatus status);

/// Methods of a body that are about its bounds: bounds.c.
PyObject* smBody_GetBounds(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
PyObject* smBody_GetBoxes(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
PyObject* smBody_IsOutside(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
PyObject* smBody_Validate(PyObject* object, PyObject* nothing);

/// @return a type made of a description: a named tuple, also added to the module
PyTypeObject* smAddTuple(PyObject* module, PyStructSequence_Desc* description);
/// @return a named tuple of new references, or null; takes them over
PyObject* smMakeTuple(PyTypeObject* type, PyObject* const* items, int count);

/// @return a type made of a specification, also added to the module
PyTypeObject* smAddType(PyObject* module, PyType_Spec* spec);

/// The memory of an object, for its type's tp_new and tp_dealloc.
void* smAllocate(PyTypeObject* type);
void smFree(PyObject* object);

/// What each file adds to the module: types, and functions by a table.
bool smAddModel(PyObject* module);
bool smAddPool(PyObject* module);
bool smAddBody(PyObject* module);
bool smAddBounds(PyObject* module);
bool smAddQueries(PyObject* module);
bool smAddNear(PyObject* module);
bool smAddShapes(PyObject* module);
bool smAddSweep(PyObject* module);
bool smAddSearch(PyObject* module);
bool smAddScene(PyObject* module);
bool smAddFile(PyObject* module);
bool smAddBatch(PyObject* module);
bool smAddGpu(PyObject* module);
bool smAddSolvers(PyObject* module);

/// A function table's entry for smParse.
#define SM_FUNCTION(name, function, text)                                                  \
	{                                                                                      \
		name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS, text \
	}

/// @}

#endif
