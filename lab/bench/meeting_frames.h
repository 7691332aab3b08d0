// lab/bench/meeting_frames.h: one frame of a meeting, by each kind of method.
#ifndef BENCH_MEETING_FRAMES_H
#define BENCH_MEETING_FRAMES_H

#include "lab/bench/meeting.h"

/// One method at work.
typedef struct benchRunner
{
	benchMeeting* meeting;
	benchMethod method;
	benchStage* stage;
	benchMeetingTimes* times;
	benchMeetingTimes* ignored; ///< times of frames that do not count
	bool isCompared;            ///< of peers: pairs are compared with ours in this pass
	uint64_t* differences;      ///< (2) pairs that a peer missed and invented
	benchReport* report;
} benchRunner;

/// Run one frame and compare its pairs, or, of a peer, count those that it misses and invents.
void benchRunner_RunFrame(const benchRunner* r, int frame);

/// Choose the size of a spatial hash's cells.
void benchRunner_TuneCells(const benchRunner* r);

#endif
