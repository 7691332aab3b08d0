// program/check/frames.h: frames found by several threads, shown in order.
//
// Frames are handed out one after the other to threads that each have a stage of their own. The calling thread shows
// them in order. Threads do not run further ahead than a few frames, so memory does not grow with their number.
#ifndef CLI_FRAMES_H
#define CLI_FRAMES_H

#include "program/check/contacts.h"

#include <signal.h>

typedef struct cliFrames
{
	const cliScene* scene;
	const cliContactOptions* options;
	double from;    ///< time of the first frame
	double fps;     ///< frames per second
	uint64_t count; ///< at least 1
	int threads;    ///< at least 1
	/// Called once per frame, in order, by the thread that called cliFrames_Run.
	void (*show)(void* user, uint64_t frame, double time, cliContacts* contacts);
	void* user;
	const volatile sig_atomic_t* stop; ///< nullable: once it is not zero, no further frame is begun or shown
} cliFrames;

/// Find and show all frames. Prints what is wrong with the first frame that fails, with its number and time if anything
/// may move, and shows none after it.
bool cliFrames_Run(const cliFrames* frames);

/// @return how many processors there are
int cliGetProcessorCount(void);

#endif
