// program/files/clock.h: time that passes.
#ifndef SHARE_CLOCK_H
#define SHARE_CLOCK_H

/// @return milliseconds of a clock that never goes back; only differences mean anything
double clockNow(void);

/// The same of the time that the calling thread has worked: what else goes on in the machine does not count.
double clockThread(void);

#endif
