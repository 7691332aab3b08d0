// io/cast.h: which model each instance of an asset gets, and how it gets from there to the world. What actors share.
#ifndef IO_CAST_H
#define IO_CAST_H

#include "io/asset.h"

#include <snug/snug_io.h>

/// How a body gets from its model to the world, before its actor is placed.
typedef enum ioMotion
{
	io_still,    ///< not at all: positions are in the world already
	io_framed,   ///< by its node, which turns and moves it
	io_affine,   ///< by its node, as the only joint of a skin
	io_jointed,  ///< by its joints, and by its morph targets before them if the model has fields
	io_morphed,  ///< by its morph targets, the fields of the model, and its node, which turns and moves it
	io_morphing, ///< by its morph targets alone: where its node puts it is in the model
	io_vertices, ///< every vertex is evaluated and set: a free model
} ioMotion;

/// What an instance is played by.
typedef struct ioRole
{
	uint32_t instance;
	ioMotion motion;
	const snugModel* model;
} ioRole;

/// Models of an asset, immutable: any number of actors and threads may share them. The asset must outlive it.
typedef struct ioCast
{
	const ioAsset* asset;
	ioRole* roles; ///< in the order of the definition's instances
	uint32_t roleCount;
	snugModel** models; ///< those of the roles, each once; owned
	uint32_t modelCount;
	bool* plays; ///< per clip: models suit it
} ioCast;

/// @param def of which `twin`, `strategy` and `pool` do not count
/// @return as snugActor_Create
snugStatus ioCast_Create(const ioAsset* asset, const snugActorDef* def, ioCast** cast);
/// @param cast nullable
void ioCast_Destroy(ioCast* cast);

/// Make an actor, not yet posed.
/// @param bodies nullable: `cast->roleCount` bodies of its models in their order, which are moved and stay the caller's
/// @return as snugActor_Create
snugStatus ioCast_CreateActor(const ioCast* cast, const snugActorDef* def, snugBody* const* bodies, snugActor** actor);

/// @defgroup halves The two halves of snugActor_SetTime
/// @{

/// Evaluate nodes and weights.
snugStatus ioActor_Evaluate(snugActor* actor, uint32_t clip, double time);
/// @return what was evaluated last
const ioPose* ioActor_GetPose(const snugActor* actor);
/// What a body is posed by: numbers as its setters take them. They are the actor's, until it is asked for others.
typedef struct ioBodyPose
{
	const float* joints;     ///< matrices; null: at rest
	const float* amplitudes; ///< of the model's fields
	const float* vertices;   ///< of a free model; otherwise null
	uint32_t jointCount, fieldCount;
	snugFrame frame;
} ioBodyPose;
/// Find what was evaluated last for a body, and pose nothing.
snugStatus ioActor_FindPose(snugActor* actor, uint32_t body, const snugFrame* frame, ioBodyPose* pose);
/// Hand it to the body.
/// @param frame where the whole actor is; its rotation of unit length
snugStatus ioActor_PoseBody(snugActor* actor, uint32_t body, const snugFrame* frame);

/// @}

/// A frame within another one, whose rotation is of unit length.
snugFrame ioPlaceFrame(const snugFrame* place, const snugFrame* inner);

/// Tell of an error.
void ioTell(const snugMessenger* messenger, const char* text);

/// Copy a definition, or zeros if there is none.
/// @return false if it was not initialised
bool ioTakeActorDef(const snugActorDef* given, snugActorDef* def);

#endif
