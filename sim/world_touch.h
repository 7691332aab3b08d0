// sim/world_touch.h: what the files of sim/world.h share.
#ifndef SIM_WORLD_TOUCH_H
#define SIM_WORLD_TOUCH_H

#include "sim/world.h"

/// A contact of a body with the ground or the stage.
typedef struct simTouch
{
	uint32_t a, b;
	snugSphereContact contact;
} simTouch;

/// Make room for at least so many elements, with what was there; more than asked for, so that it happens seldom.
bool simGrow(void** array, uint64_t* capacity, uint64_t needed, size_t size, simError* error);

/// Find all contacts of bodies that are posed.
bool simWorld_FindContacts(simWorld* world, simError* error);

/// Add the forces of what was found.
/// @param isFirst bodies are where contacts were found; else a stride farther than the last time
void simWorld_PushContacts(simWorld* world, bool isFirst);

/// What follows from the rotation and the momentum.
void simBody_Orient(simBody* body);

/// A force at a place, as seen from the centre of mass.
void simBody_AddForce(simBody* body, const double arm[3], const double force[3]);

#endif
