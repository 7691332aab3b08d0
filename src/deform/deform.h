// src/deform/deform.h: the seam between how a model deforms and everything else.
//
// A deformation model says two things, both purely from the model and a pose: where vertices are, and bounds around
// what a node covers, in any order and for any nodes. Nothing outside src/deform knows more. A new model is a file that
// fills in an sgDeform, lays out the data that it adds to a snugModel, and defines the public setter of its pose; an
// enumerator in snug.h; and its fields in snugModelDef.
//
// Invariant: a bound contains every position that the model gives for the vertices below its node, rounding included.
// Purity: no function reads or writes anything but its arguments, so bounds can be computed by any thread, cached or
// not, and a bound over a motion is the merge of the bounds at two poses.
#ifndef SG_DEFORM_H
#define SG_DEFORM_H

#include "geometry/box_kernels.h"
#include "model/model.h"
#include "tree/leaf_kernels.h"

typedef struct sgDeform
{
	const char* name;

	/// Make what the model stores for this deformer: one relocatable piece of memory (no pointers), allocated with the
	/// model's allocator. Tree, positions and rest bounds of the model are ready. Null if there is nothing to store.
	snugStatus (*build)(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes);

	/// Check model->deformData when it comes from a file: its size, every index, every number that positions follow
	/// from; of bounds that they are finite, but not that they hold, for that would mean making them again. Null
	/// together with `build`.
	/// @return null if all is well, or what is wrong; sgNoMemory if there is no memory to tell
	const char* (*check)(const snugModel* model);

	/// Fill in what the deformer has to say about a model. Null if nothing.
	void (*describe)(const snugModel* model, snugModelInfo* info);

	/// Bytes that a body keeps for its pose.
	size_t (*poseBytes)(const snugModel* model);

	/// Write the rest pose. Null if a pose takes no bytes.
	void (*setRest)(const snugModel* model, void* pose);

	/// Take amplitudes of displacement fields (snugBody_SetAmplitudes). Null if there are none. Deformers whose poses
	/// are set otherwise define the public functions that do.
	snugStatus (*setAmplitudes)(snugBody* body, const float* amplitudes, uint32_t count);

	/// Positions of all vertices, x y z each in tree order, for models that have them at hand; null for those that
	/// must evaluate. Those have clusters (cluster.h).
	const float* (*positions)(const snugModel* model, const void* pose);

	/// Body-space positions of `count` vertices, x y z each; `out` has room for one float more. Bit-identical on every
	/// machine. Null if `positions` is not.
	void (*evaluate)(const snugModel* model, const void* pose, const uint32_t* vertices, uint32_t count, float* out);

	/// The same for all vertices of a cluster: the very same bits, but fast. Null if `positions` is not.
	void (*evaluateCluster)(const snugModel* model, const void* pose, uint32_t cluster, float* out);

	/// Body-space bounds of inner nodes, and of leaves if `boundsLeaves`: those in set.mask, all of one family. Other
	/// lanes of `out` stay as they are. Null if posing never changes bounds: then the model's rest bounds hold.
	void (*bound)(const snugModel* model, const void* pose, sgLaneSet set, sgBoundsOut out);

	/// Whether `bound` is for leaves too; otherwise they are bounded by looking at their vertices. Null means no.
	bool (*boundsLeaves)(const snugModel* model);

	/// How far vertices below each node of a set may have moved while the body's `travel` (body.h) grew by so much, in
	/// any direction, rounding included: to the lanes in set.mask. Null means by so much.
	void (*growth)(const snugModel* model, const void* pose, sgLaneSet set, double travel, float distances[SG_LANES]);

	/// What nodes are bounded by. Null means boxes.
	snugVolume (*volume)(const snugModel* model);

	/// A direct bound costs as much as all vertices below the node, so refit from the leaves up, all at once.
	bool refitsBottomUp;

	/// In the rest pose positions are the rest positions, bit for bit, so the model's rest bounds hold until posed.
	bool restIsExact;
} sgDeform;

/// What a check says that could not be made.
extern const char sgNoMemory[];

extern const sgDeform sgDeform_rigid;
extern const sgDeform sgDeform_free;
extern const sgDeform sgDeform_blend;
extern const sgDeform sgDeform_spherical;
extern const sgDeform sgDeform_dualQuaternion;
extern const sgDeform sgDeform_linear;

/// The implementation of a deformer, or null for a number that is none.
const sgDeform* sgDeform_Find(snugDeformer deformer);

#endif
