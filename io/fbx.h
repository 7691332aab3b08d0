// io/fbx.h: the FBX reader's own parts, one file each: the tree (text and binary), objects, nodes, meshes, clips.
//
// Read: FBX 7.0 and later, text and binary. Models become nodes with pivots, pre- and post-rotations and orders of
// rotation as the format defines them (io/pose.c evaluates them); meshes keep their own vertices (control points), with
// geometric transforms, skins and blend shapes; every animation stack becomes a clip. Units become metres and the axes
// those of glTF: y up, z to the front.
//
// Refused or left out, by name: earlier versions, curves and NURBS, caches, constraints, layers that blend, curves that
// go on beyond their keys within a clip, tangents with a velocity, skins of several deformers.
#ifndef IO_FBX_H
#define IO_FBX_H

#include "io/load.h"

/// @defgroup tree The tree
/// A file is a tree of named records, each with values. Nothing is copied: names, strings and arrays point into the
/// bytes of the file.
/// @{

typedef struct fbxText
{
	const char* text;
	size_t length;
} fbxText;

typedef enum fbxType
{
	fbx_integer = 0,
	fbx_number,
	fbx_string,
	fbx_array,
} fbxType;

typedef struct fbxValue
{
	fbxType type;
	char elements;   ///< arrays: 'f', 'd', 'i', 'l', 'b' as in binary files, or 't' for text
	bool deflated;   ///< arrays: compressed by zlib
	uint32_t count;  ///< elements of an array
	int64_t integer; ///< also of numbers, rounded to 0
	double number;   ///< also of integers
	fbxText text;    ///< of strings, and the bytes of arrays
} fbxValue;

/// A record. Children are a list; index 0 is the whole file and nobody's child or sibling.
typedef struct fbxRecord
{
	fbxText name;
	uint32_t firstValue, valueCount;
	uint32_t firstChild, nextSibling; ///< 0: none
} fbxRecord;

typedef struct fbxTree
{
	ioLoader* loader;
	uint32_t version; ///< 7400 is 7.4
	fbxRecord* records;
	fbxValue* values;
	uint32_t recordCount, recordCapacity, valueCount, valueCapacity;
} fbxTree;

/// Deepest nesting of records.
#define FBX_MAX_DEPTH 32

/// Parse a file, either kind. Sets the error; free the tree either way.
bool fbxParse(fbxTree* tree);
void fbxTree_Free(fbxTree* tree);
bool fbxParseText(fbxTree* tree);
bool fbxParseBinary(fbxTree* tree);

/// Append a record below a parent, behind the child that was appended last, or a value to the last record.
/// @return false with the error set
bool fbxAddRecord(fbxTree* tree, uint32_t parent, uint32_t* lastChild, fbxText name);
bool fbxAddValue(fbxTree* tree, fbxValue value);

/// @return the first child with a name; 0 if there is none
uint32_t fbxFind(const fbxTree* tree, uint32_t record, const char* name);
bool fbxText_Is(fbxText text, const char* string);

/// @param index of the value
/// @return the value, or an integer 0 if there is none
fbxValue fbxGetValue(const fbxTree* tree, uint32_t record, uint32_t index);

/// Decode the array that is a record's first value. Free with free().
/// @param record 0: an empty array
/// @return null with the error set
double* fbxReadNumbers(const fbxTree* tree, uint32_t record, uint32_t* count);
int64_t* fbxReadIntegers(const fbxTree* tree, uint32_t record, uint32_t* count);

/// Parse a number in text: within two units of the last place.
bool fbxParseNumber(fbxText text, fbxValue* value);

/// @}

/// @defgroup objects Objects
/// @{

typedef enum fbxClass
{
	fbx_other = 0,
	fbx_model,
	fbx_geometry,
	fbx_shape,
	fbx_skin,
	fbx_cluster,
	fbx_blendShape,
	fbx_blendChannel,
	fbx_stack,
	fbx_layer,
	fbx_curveNode,
	fbx_curve,
} fbxClass;

typedef struct fbxObject
{
	int64_t id;
	uint32_t record;     ///< 0: the root of the scene, which has none
	fbxClass class;      ///<
	fbxText name;        ///< without its class
	uint32_t firstLink;  ///< to an object that is connected to this one, or IO_NONE
	uint32_t lastLink;   ///<
	uint32_t firstOwner; ///< to an object that this one is connected to
	uint32_t lastOwner;  ///<
	uint32_t index;      ///< of its node, mesh and so on, as its class has it; IO_NONE if it has none
} fbxObject;

/// A connection: the child is a part of the owner, or of one of its properties.
typedef struct fbxLink
{
	uint32_t child, owner;        ///< objects
	fbxText property;             ///< "" for the object itself
	uint32_t nextLink, nextOwner; ///< of the same owner; of the same child
} fbxLink;

typedef struct fbxReader
{
	ioLoader* loader;
	fbxTree tree;
	fbxObject* objects; ///< ascending ids; number 0 is the root of the scene
	fbxLink* links;
	uint32_t objectCount, linkCount;
	uint32_t templates[3]; ///< Properties70 that models, curve nodes and channels take their defaults from
	uint32_t settings;     ///< Properties70 of the file
	double unit;           ///< metres per unit of the file
	double ticks;          ///< of the file's clock in a second
	double axes[12];       ///< from the file's axes to glTF's
	bool turned;           ///< `axes` is not the identity
	ioNode* nodes;
	ioAssetMesh* meshes;
} fbxReader;

/// Read objects and their connections.
bool fbxReadObjects(fbxReader* r);
void fbxFreeObjects(fbxReader* r);

/// Walk the objects of a class that are connected to an owner: start with a link of IO_NONE.
/// @return the child's object, or IO_NONE at the end
uint32_t fbxNextChild(const fbxReader* r, uint32_t owner, fbxClass class, uint32_t* link);
/// The same for the owners of a child.
uint32_t fbxNextOwner(const fbxReader* r, uint32_t child, fbxClass class, uint32_t* link);

/// Properties of an object, with the defaults of its class if the object itself does not have them.
/// @return the record of the property, or 0
uint32_t fbxFindProperty(const fbxReader* r, uint32_t object, const char* name);
bool fbxGetVector(const fbxReader* r, uint32_t object, const char* name, const double absent[3], double vector[3]);
double fbxGetNumber(const fbxReader* r, uint32_t object, const char* name, double absent);

/// Set the error, or warn, naming an object.
bool fbxFail(const fbxReader* r, uint32_t object, const char* format, ...);
void fbxWarn(const fbxReader* r, uint32_t object, const char* format, ...);
/// Copy an object's name.
const char* fbxCopyName(const fbxReader* r, uint32_t object);

/// @}

/// Nodes, with their transforms; instances; skins of instances.
bool fbxReadNodes(fbxReader* r);
bool fbxReadInstances(fbxReader* r);

/// Meshes: vertices, triangles, influences, blend shapes.
bool fbxReadMeshes(fbxReader* r);
/// How much of each shape there is of a channel at a percentage; weights of all its shapes.
/// @param within another percentage, which says between which shapes that is
/// @param fullWeights percentages at which the shapes are fully there, all different, none 0
/// @param rates nullable; receives how much the weights change for each percent
void fbxMixShapes(
    double percent, double within, const double* fullWeights, uint32_t count, double* weights, double* rates);
/// The percentages of a channel's shapes. Free with free().
double* fbxReadFullWeights(const fbxReader* r, uint32_t channel, uint32_t* count);

/// What is read of curves, as far as it concerns their clip.
typedef struct fbxExtent
{
	const char* refusal; ///< why they cannot be followed; null: they can
	double from, to;     ///< when all curves have keys that go on or repeat beyond these: there they are not followed
} fbxExtent;

/// Clips.
bool fbxReadClips(fbxReader* r);
/// Keys of a curve as a channel's: times, values and interpolation; the rest is the caller's.
/// @param extent receives how its keys may be asked about
/// @return false: it failed. extent->refusal says what cannot be followed, if anything
bool fbxReadCurve(const fbxReader* r, uint32_t curve, double factor, ioChannel* channel, fbxExtent* extent);
/// Weights of all shapes of a channel from its percentage: times, values and interpolation; the rest is the caller's.
/// @param channels receives `count`
bool fbxMixChannel(const fbxReader* r, uint32_t object, const ioChannel* percent, const double* full, uint32_t count,
    ioChannel* channels);

#endif
