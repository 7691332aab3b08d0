// lab/bench/skin.h: where two characters meet.
#ifndef BENCH_SKIN_H
#define BENCH_SKIN_H

#include "lab/bench/meeting.h"
#include "lab/bench/skins.h"

/// Where two characters are (benchPlaceFcn, no user): the second is turned to face the first. In light contact the
/// foremost points of both, a hand, a foot or a nose, are pushed one to four centimetres past one another; in heavy
/// contact one walks through the other.
benchPlaceFcn skinPlaceFrame;

#endif
