// papers/meshless/fish.h: two dozen fish that swim through each other's ways: Fig. 7 of the meshless papers.
//
// A fish is 2 m long, a length L, and all are in a box of 3 L. Each swims along a circle of its own, by muscles: every
// node is drawn, like a critically damped spring of 1.5 Hz, to its place in a fish whose body bends in a wave that
// travels from head to tail, where it is 0.15 L wide; the fish as a whole is drawn to its course by a spring of 0.3 Hz,
// with 1 m/s^2 at most. So they give way where they meet, glance off, and find back. They begin apart, and as fast as
// they swim. The water carries them. Rest positions are those of one fish at zero, head towards +x, back towards +z.
#ifndef SIM_FISH_H
#define SIM_FISH_H

#include "papers/meshless/actor.h"

#define SIM_FISH_COUNT 24
#define SIM_FISH_FPS 30
#define SIM_FISH_VERTICES 8000
#define SIM_FISH_NODES 96
#define SIM_FISH_LENGTH 2.0

/// @param vertexCount exactly so many, at least 12
sceneMesh simMakeFish(uint32_t vertexCount);

/// The circle that a fish swims along, and when.
typedef struct simCourse
{
	double middle[3];
	double along[3], across[3]; ///< radii of the circle at 0 and at a quarter of a turn
	double turning;             ///< radians per second
	double phase;               ///< of the turn at time 0
	double beat;                ///< of the bend at time 0
} simCourse;

typedef struct simSchool
{
	simActor fish[SIM_FISH_COUNT];
	simCourse courses[SIM_FISH_COUNT];
	double step;
	simContacts contacts; ///< of the last step
	double (*offsets)[3]; ///< (nodes) for steering: of a fish
} simSchool;

bool simSchool_Create(simSchool* school, uint32_t vertexCount, uint32_t nodeCount, simError* error);
void simSchool_Free(simSchool* school);

/// Go on for one frame.
bool simSchool_Advance(simSchool* school, simError* error);

#endif
