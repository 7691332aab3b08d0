// lab/bench/meeting.h: bodies that meet, run through their frames and timed, by every bound and method.
//
// A frame of every method begins with transforms and placements and ends with the sorted pairs. Bodies, poses and
// placements are fixed before anything is timed, and do not depend on any bound. All methods must find the same pairs,
// and in the frame with the most of them so must brute force, where it is not too slow for that; of peers (peer.h) it
// is counted by how many pairs they differ.
#ifndef BENCH_MEETING_H
#define BENCH_MEETING_H

#include "lab/bench/answers.h"
#include "lab/bench/stage.h"
#include "lab/bench/timer.h"
#include "lab/scenes/motion.h"

#define BENCH_MAX_PAIRS (BENCH_MAX_ACTORS * (BENCH_MAX_ACTORS - 1) / 2)

/// Times of one method, milliseconds per frame, and mean counters.
typedef struct benchMeetingTimes
{
	bool isMeasured;
	benchSamples pose, evaluate, refit, query, total;
	double best[BENCH_MAX_FRAMES]; ///< least total of each frame
	int frames;                    ///< that the counters are the sum of, while it runs
	double nodesRefitted, volumeTests, verticesEvaluated, triangleTests;
	double temporalUpdates;   ///< of the BD-tree: volumes that were enlarged instead of computed
	double transformsBounded; ///< see binaryCounters
	uint64_t differences[2];  ///< of peers: pairs of all frames that were missed, and invented
} benchMeetingTimes;

/// Bodies through their frames, and the answers. Two are asked about each other; more stand in a ring, and each is
/// asked about the next.
typedef struct benchMeeting
{
	benchActor actors[BENCH_MAX_ACTORS]; ///< with the same number of frames
	int actorCount;
	int pairs[BENCH_MAX_PAIRS][2]; ///< who is asked about whom
	int pairCount;
	sceneContact contact;
	bool isYesNo; ///< asked is only whether they touch
	snugFrame places[BENCH_MAX_FRAMES][BENCH_MAX_ACTORS];
	benchStage base; ///< as users get it, with oracles; lends its models to all methods
	benchAnswers answers;
	float* world[BENCH_MAX_ACTORS]; ///< vertices, for those who need them; one float more is there
	snugPair* reference;            ///< room for our pairs of one frame, to compare peers with
	uint64_t vertices;              ///< of all bodies
	double cellSize;                ///< of the spatial hash
	benchMeetingTimes* times;       ///< (BENCH_METHODS) of the last run
} benchMeeting;

/// @param name for messages
/// @return false, with the report failed, if there is no memory
bool benchMeeting_Create(
    benchMeeting* meeting, const char* name, const benchActor* actors, int actorCount, benchReport* report);
void benchMeeting_Free(benchMeeting* meeting);

/// Ask about every body and every other, not only about neighbours.
void benchMeeting_AskAll(benchMeeting* meeting);

/// Where to put the bodies in a frame. `world` holds the vertices of all, as their transforms leave them.
/// @param places all at zero, to be changed
typedef void benchPlaceFcn(const benchMeeting* meeting, const void* user, int frame, snugFrame* places);

/// Decide upon all placements, before anything is timed.
/// @param user passed to `place`
/// @return false, with the report failed, if something goes wrong
bool benchMeeting_Place(
    benchMeeting* meeting, sceneContact contact, benchPlaceFcn* place, const void* user, benchReport* report);

/// Where the actors' own `places` say (benchPlaceFcn), nowhere else than zero if there are none. No user.
benchPlaceFcn benchPlaceAsGiven;

/// Forget the answers, since `places` were changed.
void benchMeeting_Forget(benchMeeting* meeting, sceneContact contact);

/// Ask about all pairs of bodies, with those of a stage or their oracles.
/// @param frame that the bodies are posed for, for messages
/// @param result receives the count of all, and the sum of their counters; the pairs are in `answers`
void benchMeeting_Collide(benchMeeting* meeting, benchStage* stage, int frame, snugResult* result, benchReport* report);

/// If asked is only whether bodies touch, methods may find different pairs first: replace one that was found, if it
/// was, by a pair of zeros.
void benchMeeting_HidePair(benchMeeting* meeting, uint64_t first, uint64_t count);

/// Compare what a peer found in a frame with ours.
/// @param ends (pairCount) where the pairs of each pair of bodies end in `answers`; sorted from one to the next
/// @param differences receives, added to what is there, how many pairs were missed and invented
void benchMeeting_Compare(
    benchMeeting* meeting, int frame, const uint64_t* ends, uint64_t differences[2], benchReport* report);

/// @return the mesh of a body, with what `world` holds of it
bruteMesh benchMeeting_GetWorldMesh(const benchMeeting* meeting, int actor);

/// Compare the frame with the most pairs with brute force.
void benchMeeting_Verify(benchMeeting* meeting, benchReport* report);

/// Which methods to run, and how often.
typedef struct benchMeetingPlan
{
	benchMethodSet methods; ///< BENCH_BIT of each; ours and oracle must be among them
	int passes;      ///< through all frames for the clock, after one to warm up; methods take turns pass by pass, so
	                 ///< that what else goes on in the machine spares none of them
	int briefPasses; ///< the same, of methods that are brief
	bool isOneByOne; ///< one method after the other instead, for want of memory
} benchMeetingPlan;

/// Run through all frames by some methods and compare their pairs: `times` are theirs.
/// @return false, with the report failed, if something goes wrong
bool benchMeeting_Run(benchMeeting* meeting, const benchMeetingPlan* plan, benchReport* report);

/// @return the least total times of all frames together, per frame
double benchMeeting_GetBest(const benchMeeting* meeting, benchMethod method);

/// @return the least total times of all frames together, of a method over the oracle: less noisy than medians, since
/// what else goes on in the machine only ever adds
double benchMeeting_GetBestOverOracle(const benchMeeting* meeting, benchMethod method);

/// @return the same, of bottom-up over a method: scalar over scalar, eight lanes over eight. Means over the frames, as
/// the meshless papers have them
double benchMeeting_GetGain(const benchMeeting* meeting, benchMethod method);

/// What a method took, in cells from "contact" on.
void benchMeeting_AddCells(benchRow* row, const benchMeeting* meeting, benchMethod method);

#endif
