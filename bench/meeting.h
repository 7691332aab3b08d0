// bench/meeting.h: two blend bodies that meet, run through their frames and timed, by every bound and method.
//
// A frame of every method begins with transforms and a placement and ends with the sorted pairs. Bodies, poses and
// placements are fixed before anything is timed, and do not depend on any bound. All methods must find the same pairs,
// and in the frame with the most of them so must brute force.
#ifndef BENCH_MEETING_H
#define BENCH_MEETING_H

#include "bench/answers.h"
#include "bench/blend_bodies.h"
#include "bench/timer.h"
#include "scenes/motion.h"

/// Bounds on demand by their numbers in benchBounds, then the others.
enum
{
	bench_ours = BENCH_BOUNDS - 1, ///< the default bound, last of them
	bench_bottomUp = BENCH_BOUNDS, ///< all vertices evaluated, all nodes refitted
	bench_oracle,                  ///< the same outside the timer
	bench_spatialHash,             ///< all vertices evaluated, then hashed
	BENCH_METHODS
};

/// @return valid until the next call
const char* benchGetMethodName(int method);

/// Two bodies through their frames, and the answers.
typedef struct benchMeeting
{
	benchActor actors[2]; ///< with the same number of frames
	sceneContact contact;
	snugFrame places[BENCH_MAX_FRAMES]; ///< of the second body; the first is where its transforms put it
	benchAnswers answers;
	float* world[2];         ///< placed vertices, for those who need them
	uint64_t touchingAtPeak; ///< triangles of both bodies in contact in the frame with the most pairs
	uint64_t treeNodes;      ///< of both bodies
	double cellSize;         ///< of the spatial hash
	double cellFactor;       ///< the same over the mean length of edges
} benchMeeting;

/// @param name for messages
/// @return false, with the report failed, if there is no memory
bool benchMeeting_Create(benchMeeting* meeting, const char* name, const benchActor actors[2], benchReport* report);
void benchMeeting_Free(benchMeeting* meeting);

/// Where to put the second body in a frame. `world` holds the vertices of both, as their transforms leave them.
typedef snugFrame benchPlaceFcn(const benchMeeting* meeting, int frame);

/// Decide upon all placements, before anything is timed.
/// @return false, with the report failed, if something goes wrong
bool benchMeeting_Place(benchMeeting* meeting, sceneContact contact, benchPlaceFcn* place, benchReport* report);

/// Times of one method, milliseconds per frame, and mean counters.
typedef struct benchMeetingTimes
{
	benchSamples pose, evaluate, refit, query, total;
	double best[BENCH_MAX_FRAMES]; ///< least total of each frame
	double nodesRefitted, volumeTests, verticesEvaluated, triangleTests;
} benchMeetingTimes;

/// Which methods to run, and how often.
typedef struct benchMeetingPlan
{
	int first, end; ///< methods from `first` to before `end`
	int rounds;     ///< methods take turns that often, so that what else goes on in the machine spares none of them
	int passes;     ///< through all frames for the clock, in each round, after one to warm up
} benchMeetingPlan;

/// Run through all frames by some methods. Compares their pairs with one another and with brute force.
/// @param all receives the times of each method
/// @return false, with the report failed, if something goes wrong
bool benchMeeting_Run(
    benchMeeting* meeting, const benchMeetingPlan* plan, benchMeetingTimes all[BENCH_METHODS], benchReport* report);

/// @return the least total times of all frames together, of a method over the oracle: less noisy than medians, since
/// what else goes on in the machine only ever adds
double benchMeeting_GetBestOverOracle(
    const benchMeeting* meeting, const benchMeetingTimes all[BENCH_METHODS], int method);

/// What a method took, in cells from "contact" on.
void benchMeeting_AddCells(
    benchRow* row, const benchMeeting* meeting, const benchMeetingTimes all[BENCH_METHODS], int method);

/// What is said of a meeting in a table of its own: its contact, and bottom-up's parts per vertex and per node, so that
/// a slow baseline would show.
typedef struct benchMeetingNote
{
	sceneContact contact;
	double evaluateNs, refitNs, queryOverUpdate, pairs;
	uint64_t peak, touching;
	double cellFactor; ///< zero if spatial hashing was left out
} benchMeetingNote;

benchMeetingNote benchMeeting_MakeNote(const benchMeeting* meeting, const benchMeetingTimes* bottomUp);
void benchMeetingNote_AddCells(benchRow* row, const benchMeetingNote* note);

#endif
