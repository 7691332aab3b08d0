// papers/bdtree/world_touch.h: what the files of papers/bdtree/world.h share.
#ifndef PAPERS_WORLD_TOUCH_H
#define PAPERS_WORLD_TOUCH_H

#include "base/vec.h"
#include "papers/bdtree/world.h"

/// A contact of a body with the ground or the stage.
typedef struct simTouch
{
	uint32_t a, b;
	sphereContact contact;
} simTouch;

/// A body on its way through a step.
typedef struct simWay
{
	uint32_t body;
	double lower[3], upper[3]; ///< of a box that has it all the time
	double turned;             ///< how far a vertex may go besides with the centre
} simWay;

/// A body and another one, or the ground, that may be in its way.
typedef struct simFlight
{
	uint32_t a, b;
	snugStatus status;
	double time; ///< the part of the step until which the way is free; 1: all of it
	double more; ///< what may be added to it
} simFlight;

/// How hard contacts are.
typedef struct simGrade
{
	double stiffness, damping;
} simGrade;

/// What a body feels of a run in a stride: of its modes, too.
typedef struct simPush
{
	double force[3], torque[3];
	_Alignas(16) double modal[SIM_MAX_MODES];
} simPush;

/// Contacts of two bodies, or of one with ground or stage: they are one after the other. One thread works on a run and
/// adds up what each of the two feels; a body adds that up in the order of its runs. So sums are the same for any
/// number of threads.
typedef struct simRun
{
	uint32_t a, b;               ///< bodies; SIM_GROUND and SIM_STAGE are none
	uint64_t first, end;         ///< of its contacts, and of their springs
	uint64_t gripFirst, gripEnd; ///< of the springs in the last step; none if they are the same
	double axis[3];              ///< which way two bodies came together: of unit length, towards a; else zero
	simGrade grade;
	double deepest;
	simPush pushes[2]; ///< on a, and on b if it is a body
} simRun;

/// A body at a contact.
typedef struct simEnd
{
	double arm[3];     ///< from the centre of mass; of the stage, how fast it moves there
	double fieldScale; ///< displacements of modes count for so much
	uint32_t node;     ///< of the sphere, or the triangle
} simEnd;

/// A contact, and what follows from where it is.
typedef struct simMeeting
{
	double reach; ///< of both spheres together
	double depth;
	double normal[3]; ///< towards a
	simEnd ends[2];   ///< of a and b
} simMeeting;

/// Share tasks between the world's threads.
void simWorld_Run(const simWorld* world, uint32_t count, snugTaskFcn* task, void* context);

/// Make room for so many contacts in so many runs.
bool simWorld_MakeRoom(simWorld* world, uint64_t contacts, uint64_t runs, simError* error);

/// Find all contacts of bodies that are posed, and the forces of the first stride.
bool simWorld_FindContacts(simWorld* world, simError* error);

/// Find the forces of a later one.
void simWorld_FindForces(simWorld* world);

/// What follows from where a run's contacts are; their springs, from those of the last step; and their first forces.
void simRun_Meet(const simWorld* world, simRun* run);

/// The forces a stride later.
void simRun_Follow(const simWorld* world, simRun* run);

/// Have a body of snug where a body is.
snugStatus simBody_Pose(const simBody* body, snugBody* posed);

/// Remember where bodies are, when contacts have been found.
void simWorld_Start(simWorld* world);

/// Take what flew too far back to where it met something.
bool simWorld_Stop(simWorld* world, simError* error);

/// Add up what a body feels.
void simBody_TakeForces(const simWorld* world, simBody* body);

/// What follows from the rotation and the momentum.
void simBody_Orient(simBody* body);

/// Add a force at a place, as seen from the centre of mass.
static inline void simAddForce(double force[3], double torque[3], const double arm[3], const double added[3])
{
	double turning[3];
	sgCross(arm, added, turning);
	for (int k = 0; k < 3; ++k)
	{
		force[k] += added[k];
		torque[k] += turning[k];
	}
}

#endif
