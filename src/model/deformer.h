// src/model/deformer.h: the seam between how a model deforms and everything else.
//
// A deformer says two things, both purely from a model and a pose: where vertices are, and bounds around what a node
// covers, in any order and for any nodes. Nothing outside src/deform knows more. A new one is a file there that fills
// in an sgDeform and lays out the data that it adds to a model; a line in deform.c; an enumerator and a definition in
// snug.h. Bodies (src/body) own poses and everything that is remembered.
//
// Invariant: a bound contains every position that the deformer gives for the vertices below its node, rounding
// included.
// Purity: no function reads or writes anything but its arguments. So bounds can be made by any thread, cached or not.
//
// A pose is what the caller gave and a few numbers per joint. It has no pointers, so it can be copied and moved. What
// follows from a pose and is not needed to accept it (numbers per set or pair of joints, say) is *derived*: made when a
// query first needs it, and kept by the body until the pose changes.
#ifndef SG_DEFORMER_H
#define SG_DEFORMER_H

#include "model/model.h"

/// What a body is posed by.
typedef enum sgPoseKind
{
	sgPose_rest,         ///< nothing: as the model is
	sgPose_vertices,     ///< positions, x y z each
	sgPose_joints,       ///< matrices: three rows of four
	sgPose_jointColumns, ///< matrices: four columns of four, the last row 0 0 0 1
	sgPose_nodes,        ///< snugMeshlessNode
	sgPose_amplitudes,   ///< of displacement fields
} sgPoseKind;

typedef struct sgPoseInput
{
	sgPoseKind kind;
	uint32_t first; ///< of vertices, in the caller's numbering; else zero
	uint32_t count;
	const void* data;
	size_t stride; ///< bytes from one to the next
} sgPoseInput;

/// What is wrong with an input.
typedef enum sgPoseFault
{
	sgPoseFault_none,
	sgPoseFault_notFinite,
	sgPoseFault_tooFar,   ///< positions might exceed what float32 can hold
	sgPoseFault_notRigid, ///< a joint mirrors or flattens space, and the deformer cannot
} sgPoseFault;

/// What a new pose comes to.
typedef struct sgPoseChange
{
	sgPoseFault fault;
	uint32_t culprit; ///< which of the input is at fault; SG_NONE: all together
	double motion;    ///< how far any vertex moved along any axis at most, or what `growth` measures; zero: the pose is
	                  ///< the same as before; infinite: not known
	bool isPending;   ///< `motion` is what `derive` will return
	bool isApart;     ///< set by the caller: nothing of the pose before is remembered, so `motion` may be infinite
	bool isPartial;   ///< only vertices in leaves that `touches` names have moved
	bool isRest;      ///< positions are the rest positions, bit for bit
} sgPoseChange;

/// A model in a pose, as deformers see it.
typedef struct sgPosed
{
	const snugModel* model;
	const void* pose;
	const void* derived;           ///< null if the deformer derives nothing
	const sgLaneFloats* displaced; ///< nullable; made ahead by sgDeform.displace, for the amplitudes of `pose`
} sgPosed;

/// So many poses are displaced at once: their sums, and what is added, fill the registers of most processors.
#define SG_TOGETHER 4

struct sgContents; // contents.h

typedef struct sgDeform
{
	const char* name;
	snugDeformer deformer;
	snugBlending blending; ///< of skins

	/// Make what the model stores for this deformer: one relocatable piece of memory (no pointers), allocated with the
	/// model's allocator. Tree, positions and rest bounds of the model are ready. Null if there is nothing to store.
	snugStatus (*build)(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes);

	/// Whether model->deformData, from a file, begin with settings that exist and counts that give their size: so that
	/// arrays can be found, and nothing computed from counts is absurd. Looks at little. Null together with `build`.
	bool (*fits)(const snugModel* model);

	/// Check model->deformData that fit: every index, every number that positions follow from; of bounds that they are
	/// finite, but not that they hold, for that would mean making them again. In time linear in the size. Null together
	/// with `build`.
	/// @param scratch of SG_ROWS_SCRATCH bytes
	/// @return null if all is well, or what is wrong
	const char* (*check)(const snugModel* model, void* scratch);

	/// Find the arrays of model->deformData once, for all that follows: fills in model->arrays, of arrayBytes. Null if
	/// there are none.
	void (*bind)(const snugModel* model, void* arrays);
	size_t arrayBytes;

	/// Fill in what the deformer has to say about a model, from model->deformData. Null if nothing.
	/// @param contents all zero
	void (*describe)(const snugModel* model, struct sgContents* contents);

	/// What poses may be set by: bits 1 << sgPoseKind.
	uint32_t inputs;

	/// Make what the model stores to know that parts of a body do not meet themselves, like `build`: twins are ready,
	/// and deformData. Check it, if it comes from a file, after deformData. Null: there are no such constants.
	snugStatus (*buildCertificates)(const snugModel* model, void** data, size_t* bytes);
	const char* (*checkCertificates)(const snugModel* model);

	/// Bit 8 i + j: no triangles below child i of one inner node and child j of another, or of the same, meet beyond
	/// the corners they share; unless they do at rest and `keepRest` is false. Null together with buildCertificates.
	uint64_t (*certify)(const sgPosed* posed, uint32_t slotA, uint32_t slotB, bool keepRest);

	/// Bytes of a pose. Null: none, and there is nothing to set.
	size_t (*poseBytes)(const snugModel* model);

	/// Make a pose from the one before and an input, of which kind and count are right. Null together with poseBytes.
	/// @param before null for sgPose_rest
	/// @param pose another one; or, if `posesInPlace`, the same
	/// @param change all zero but for `isApart`; receives what is wrong, or what changed. With a fault, `pose` is
	/// arbitrary, or, if `posesInPlace`, as it was.
	void (*setPose)(
	    const snugModel* model, const sgPoseInput* input, const void* before, void* pose, sgPoseChange* change);

	/// Everything is checked before anything is written, so one pose is enough. Otherwise bodies have two, and so where
	/// there are morph targets: they are written before the skin is checked.
	bool posesInPlace;

	/// Whether an input that changed a pose partially has moved vertices of a leaf. Null if that never happens.
	bool (*touches)(const snugModel* model, const sgPoseInput* input, uint32_t leaf);

	/// Bytes of what is derived from a pose, and how. Null: nothing is.
	/// @param before nullable: the pose that `derived` was made from last
	/// @return how far any vertex moved since `before`, as sgPoseChange.motion; infinite if that is not known. Asked
	/// for where sgPoseChange.isPending said so
	size_t (*derivedBytes)(const snugModel* model);
	double (*derive)(const snugModel* model, const void* pose, const void* before, void* derived);

	/// Positions of all vertices, x y z each in tree order, for models that have them at hand; null for those that
	/// must evaluate. Those have clusters (cluster.h).
	const float* (*positions)(const sgPosed* posed);

	/// Body-space positions of `count` vertices, x y z each; `out` has room for one float more. Bit-identical on every
	/// machine. Null if `positions` is not.
	void (*evaluate)(const sgPosed* posed, const uint32_t* vertices, uint32_t count, float* out);

	/// The same for all vertices of a cluster: the very same bits, but fast. Null if `positions` is not.
	void (*evaluateCluster)(const sgPosed* posed, uint32_t cluster, float* out);

	/// Bytes for where fields move vertices, before joints do; zero if there are none. Null: the same.
	size_t (*displacedBytes)(const snugModel* model);

	/// That, for several poses of a model, of which some may be the same. With it clusters are evaluated to the very
	/// same bits. It takes as long for one as for all. Null together with displacedBytes.
	void (*displace)(
	    const snugModel* model, const void* const poses[SG_TOGETHER], sgLaneFloats* const out[SG_TOGETHER]);

	/// Body-space bounds of inner nodes: those in set.mask, all of one family. Other lanes of `out` stay as they are.
	/// Leaves are bounded by looking at their vertices. Null if posing never changes bounds: then the model's rest
	/// bounds hold.
	void (*bound)(const sgPosed* posed, sgLaneSet set, sgBoxLanes* out);

	/// Magnitudes that no coordinate of a position exceeds, per axis, from the pose alone: loose, and nearly free.
	/// Null: it takes a bound.
	void (*reach)(const sgPosed* posed, float reach[3]);

	/// Boxes along turned axes, of inner nodes in set.mask, straight from the pose: `boxes` grown by `slack` per axis
	/// contain rotation * position for every position that the deformer gives. Null if it cannot.
	/// @param rotation orthogonal within rounding
	/// @param room for a pose and what is derived from it, aligned like those, contents arbitrary; null: there is too
	/// little
	/// @return false if it cannot for these nodes
	bool (*boundTurned)(const sgPosed* posed, const double rotation[3][3], sgLaneSet set, void* room, sgBoxLanes* boxes,
	    double slack[3]);

	/// Several nodes cost `boundTurned` little more than one, so that a root is bounded by what is below it.
	bool turnsManyAtOnce;

	/// How far vertices below each node of a set may have moved while the sum of `motion` grew by so much, in any
	/// direction, rounding included: to the lanes in set.mask; others become arbitrary. Null: by just that much.
	/// @return what none of them exceeds; infinite or NaN after a pose beyond all bounds
	float (*growth)(const sgPosed* posed, sgLaneSet set, double travel, float distances[SG_LANES]);

	/// A direct bound costs as much as all vertices below the node, so refit from the leaves up, all at once.
	bool refitsBottomUp;

	/// In the rest pose positions are the rest positions, bit for bit, so the model's rest bounds hold until posed.
	bool restIsExact;
} sgDeform;

/// The implementation of a deformer and, for skins, a blending; null if there is none with this number.
const sgDeform* sgDeform_Find(snugDeformer deformer, snugBlending blending);

/// Implementations have numbers, which model files hold. Null if there is none with this number.
const sgDeform* sgDeform_At(uint32_t number);
uint32_t sgDeform_Number(const sgDeform* deform);

#endif
