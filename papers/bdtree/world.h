// papers/bdtree/world.h: many bodies that fall, vibrate and touch: what moves the chairs and the fish of the BD-tree
// paper.
//
// A body has a frame, velocities and, if its shape has modes, amplitudes. Where contact spheres overlap
// (contact_spheres.h), with another body's, the ground or the triangles of a stage that moves by itself, there is a
// force on the line of centres: Kelvin and Voigt's, a spring and a dashpot that only push, with Coulomb's friction
// beside it, a spring that is dragged along when it would pull harder than the friction holds (Cundall and Strack
// 1979). A mode feels the force times the displacement of the sphere's centre.
//
// Positions and velocities leap over each other: velocities are half a stride behind. So free fall is exact, energy is
// kept on average, and a stride may be as long as contacts allow; contacts that are too stiff for it get as much as
// it allows, all contacts of a body together, so that no number of them blows up. Angular momentum is what is
// integrated, so it is kept to rounding; orientations follow by the midpoint rule. Where modes would strain the mesh
// beyond a limit, all amplitudes are scaled down.
//
// A step finds contacts once, and moves bodies in one or more strides. From stride to stride a contact keeps its
// normal, and its depth follows from how its ends move. Forces are cheap beside finding contacts, and with n strides
// they may be n^2 times as stiff: heaps sag less, so they have fewer contacts.
//
// What touches nothing and goes farther in a step than it and another body are thick could be through that before any
// sphere overlaps. So it is swept (snugSweep) on its way through the ground and what may be in its way, which goes to
// its own end of the step. It goes as far as until they meet, and a little farther, so that the next step finds the
// contact; it is at that part of the step then, with the velocities of then, so no energy comes of it. Only what
// nothing pushes can stay behind like that. So what touches something is not swept, nor are ways once more where a body
// is stopped: in a heap that moves so fast parts still go through one another. A stage is not looked at.
//
// Everything is double, in a fixed order, with sines and exponentials of our own: the same bits with every compiler
// that neither contracts nor reorders. Contacts come from snug, which promises as much for rigid and linear bodies.
#ifndef PAPERS_BDTREE_WORLD_H
#define PAPERS_BDTREE_WORLD_H

#include "papers/bdtree/modal.h"
#include "solvers/hoard.h"

#include <stdio.h>

/// What happens where something touches.
typedef struct simLaw
{
	double stiffness; ///< newtons per metre
	double damping;   ///< newton seconds per metre
	double friction;  ///< Coulomb's
	double easing;    ///< seconds in which the depth that a contact is found with comes to count; zero: at once
} simLaw;

/// A body that its maker moves, and nothing pushes. Others meet its triangles. How fast a vertex moves
/// follows from how fast amplitudes change, and is computed where something touches.
typedef struct simStage
{
	contactSpheres* spheres;
	const contactTree* tree;   ///< of them
	const uint32_t* triangles; ///< three vertex numbers each, as in the model
	uint32_t vertexCount;
	uint32_t fieldCount;         ///< zero: it stands still
	const float* fields;         ///< (fieldCount * vertexCount * 3)
	float speeds[SIM_MAX_MODES]; ///< (fieldCount) of amplitudes, per second
} simStage;

typedef struct simWorldDef
{
	double step;      ///< seconds
	uint32_t strides; ///< per step; default 1. The step of all shapes is one of them
	double gravity[3];
	simLaw law;
	double drag;   ///< of the air: what part of velocities is lost, per second
	double strain; ///< the greatest that modes may make; default 0.1
	bool hasGround;
	snugPlane ground; ///< of unit length; bodies are where its value is positive
	uint32_t level;   ///< of contact spheres
	uint32_t bodies;  ///< room for them
	uint64_t candidates;
	uint64_t contacts;     ///< between bodies, at most
	bool isRigid;          ///< nothing vibrates, though shapes have modes
	bool sumsAll;          ///< and spheres are updated as if it did
	snugWorkers workers;   ///< share the work of a step; the same bits for any number of them
	const simStage* stage; ///< nullable; borrowed
} simWorldDef;

typedef struct simBody
{
	const simShape* shape;
	snugBody* body;
	contactSpheres* spheres;
	double position[3]; ///< of the centre of mass
	double rotation[4];
	double velocity[3]; ///< half a stride ago
	double momentum[3]; ///< angular, likewise
	double q[SIM_MAX_MODES];
	_Alignas(16) double dq[SIM_MAX_MODES];

	// For the step under way.
	double matrix[3][3];                ///< of the rotation
	double inverse[3][3];               ///< inertia in the world's axes, inverted
	double spin[3];                     ///< angular velocity
	double pushForce[3], pushTorque[3]; ///< from outside, in every stride
	double force[3], torque[3];
	_Alignas(16) double modal[SIM_MAX_MODES];
	uint32_t pairCount;          ///< other bodies that it touches
	uint32_t firstRun, runCount; ///< of its contacts, in simWorld.runsOfBodies
	uint32_t limited;            ///< strides in which its strain was
	double part;                 ///< of the step, that it goes before it meets something
	bool isLost;                 ///< it cannot be placed any more
} simBody;

/// Friction's spring of two contact spheres.
typedef struct simGrip
{
	uint32_t nodeA, nodeB;
	double slide[3];
	double ease; ///< so much of the depth does not count yet
} simGrip;

#define SIM_GROUND 0xfffffffeu
#define SIM_STAGE 0xffffffffu

/// What a step did.
typedef struct simCounts
{
	uint64_t candidates, pairs;
	uint64_t contacts;       ///< between bodies
	uint64_t groundContacts; ///< and with the stage
	uint64_t sphereTests, spheresUpdated;
	uint64_t limited; ///< bodies whose strain was limited
	uint64_t swept;   ///< ways of bodies towards others and the ground
	uint64_t stopped; ///< bodies that met something on their way
	double deepest;   ///< overlap, in metres
} simCounts;

typedef struct simWorld
{
	simWorldDef def;
	double stride;   ///< seconds
	simBody* bodies; ///< (def.bodies)
	uint32_t count;
	uint64_t stepCount;
	snugPool* pool;
	snugScene* scene;
	contactScene* spheres;
	sphereContact* list; ///< (listCapacity) of one body with ground or stage
	size_t listCapacity;
	struct simTouch* touches; ///< (touchCapacity) of all bodies with ground and stage
	uint64_t touchCount;
	size_t touchCapacity;
	simGrip *grips, *nextGrips; ///< of the last step and of this one, in the order of contacts
	uint64_t gripCount;
	size_t gripCapacity;
	uint32_t* table; ///< (tableCapacity) for finding springs
	size_t tableCapacity;
	struct simRun *runs, *nextRuns; ///< (runCapacity) likewise: contacts body by body
	size_t runCapacity;
	uint32_t runCount;
	uint32_t* runsOfBodies; ///< (ofBodiesCapacity) of each body those that it is in
	size_t ofBodiesCapacity;
	struct simMeeting* meetings; ///< (meetingCapacity) of this step
	size_t meetingCapacity;
	simBody* starts;           ///< (def.bodies) as they were when the step began
	struct simWay* ways;       ///< (def.bodies) of bodies, in the order of their lower ends
	struct simFlight* flights; ///< (flightCapacity) that are swept
	size_t flightCapacity;
	simCounts counts; ///< of the last step
} simWorld;

bool simWorld_Create(simWorld* world, const simWorldDef* def, simError* error);
void simWorld_Free(simWorld* world);

/// Add a body at rest, or moving at time zero.
/// @param shape borrowed
/// @param spin angular velocity; nullable, as is the velocity
bool simWorld_Add(simWorld* world, const simShape* shape, const snugFrame* frame, const double velocity[3],
    const double spin[3], simError* error);

/// Push a body at a place, in the next step.
void simWorld_Push(simWorld* world, uint32_t body, const double place[3], const double force[3]);

/// Advance by one step.
/// @return false, saying what, if a body is nowhere any more, or there is too little room
bool simWorld_Step(simWorld* world, simError* error);

/// Recomputed from positions and velocities, at the time of the velocities; gravity's from zero.
typedef struct simWorldEnergy
{
	double kinetic, modal, gravity;
} simWorldEnergy;

simWorldEnergy simWorld_GetEnergy(const simWorld* world);

/// All of a world's bodies and springs as text that says every bit, and back, into a world with as many bodies.
void simWorld_Write(const simWorld* world, FILE* stream);
bool simWorld_Read(simWorld* world, FILE* stream, simError* error);

#endif
