// The creature: four legs with three toes each, a long neck and a longer tail; 2.1 m tall.
#include "lab/scenes/character_joints.h"
#include "lab/scenes/figure_shapes.h"

static const sceneJoint joints[] = {
	{ -1, { 0.0, 1.04, -0.48 }, { 0.0, 1.07, -0.25 } },
	{ creature_pelvis, { 0.0, 1.07, -0.25 }, { 0.0, 1.08, 0.0 } },
	{ creature_spine1, { 0.0, 1.08, 0.0 }, { 0.0, 1.08, 0.25 } },
	{ creature_spine2, { 0.0, 1.08, 0.25 }, { 0.0, 1.09, 0.47 } },
	{ creature_spine3, { 0.0, 1.09, 0.47 }, { 0.0, 1.20, 0.74 } },
	{ creature_chest, { 0.0, 1.20, 0.74 }, { 0.0, 1.37, 0.90 } },
	{ creature_neck1, { 0.0, 1.37, 0.90 }, { 0.0, 1.55, 1.01 } },
	{ creature_neck2, { 0.0, 1.55, 1.01 }, { 0.0, 1.71, 1.09 } },
	{ creature_neck3, { 0.0, 1.71, 1.09 }, { 0.0, 1.84, 1.19 } },
	{ creature_neck4, { 0.0, 1.84, 1.19 }, { 0.0, 1.79, 1.565 } },
	{ creature_head, { 0.0, 1.80, 1.26 }, { 0.0, 1.715, 1.535 } },
	{ creature_pelvis, { 0.0, 1.02, -0.64 }, { 0.0, 0.98, -0.82 } },
	{ creature_tail1, { 0.0, 0.98, -0.82 }, { 0.0, 0.92, -1.00 } },
	{ creature_tail2, { 0.0, 0.92, -1.00 }, { 0.0, 0.84, -1.18 } },
	{ creature_tail3, { 0.0, 0.84, -1.18 }, { 0.0, 0.76, -1.36 } },
	{ creature_tail4, { 0.0, 0.76, -1.36 }, { 0.0, 0.69, -1.54 } },
	{ creature_tail5, { 0.0, 0.69, -1.54 }, { 0.0, 0.64, -1.72 } },
	{ creature_tail6, { 0.0, 0.64, -1.72 }, { 0.0, 0.62, -1.90 } },
	{ creature_tail7, { 0.0, 0.62, -1.90 }, { 0.0, 0.63, -2.08 } },
	{ creature_tail8, { 0.0, 0.63, -2.08 }, { 0.0, 0.665, -2.25 } },
	{ creature_chest, { 0.18, 1.02, 0.56 }, { 0.25, 0.62, 0.46 } },
	{ creature_upperArm, { 0.25, 0.62, 0.46 }, { 0.26, 0.20, 0.56 } },
	{ creature_forearm, { 0.26, 0.20, 0.56 }, { 0.27, 0.06, 0.66 } },
	{ creature_hand, { 0.225, 0.06, 0.63 }, { 0.195, 0.045, 0.71 } },
	{ creature_fingerA1, { 0.195, 0.045, 0.71 }, { 0.175, 0.035, 0.77 } },
	{ creature_hand, { 0.265, 0.06, 0.65 }, { 0.27, 0.045, 0.74 } },
	{ creature_fingerB1, { 0.27, 0.045, 0.74 }, { 0.275, 0.035, 0.81 } },
	{ creature_hand, { 0.305, 0.06, 0.63 }, { 0.34, 0.045, 0.71 } },
	{ creature_fingerC1, { 0.34, 0.045, 0.71 }, { 0.365, 0.035, 0.77 } },
	{ creature_pelvis, { 0.18, 0.98, -0.46 }, { 0.25, 0.60, -0.30 } },
	{ creature_thigh, { 0.25, 0.60, -0.30 }, { 0.26, 0.22, -0.54 } },
	{ creature_shin, { 0.26, 0.22, -0.54 }, { 0.27, 0.06, -0.44 } },
	{ creature_foot, { 0.225, 0.06, -0.46 }, { 0.195, 0.045, -0.38 } },
	{ creature_toeA1, { 0.195, 0.045, -0.38 }, { 0.175, 0.035, -0.32 } },
	{ creature_foot, { 0.265, 0.06, -0.44 }, { 0.27, 0.045, -0.35 } },
	{ creature_toeB1, { 0.27, 0.045, -0.35 }, { 0.275, 0.035, -0.28 } },
	{ creature_foot, { 0.305, 0.06, -0.46 }, { 0.34, 0.045, -0.38 } },
	{ creature_toeC1, { 0.34, 0.045, -0.38 }, { 0.365, 0.035, -0.32 } },
};

static const char* const names[] = { "pelvis", "spine 1", "spine 2", "spine 3", "chest", "neck 1", "neck 2", "neck 3",
	"neck 4", "head", "jaw", "tail 1", "tail 2", "tail 3", "tail 4", "tail 5", "tail 6", "tail 7", "tail 8", "tail 9",
	"upper arm", "forearm", "hand", "finger A 1", "finger A 2", "finger B 1", "finger B 2", "finger C 1", "finger C 2",
	"thigh", "shin", "foot", "toe A 1", "toe A 2", "toe B 1", "toe B 2", "toe C 1", "toe C 2" };

// From inside of the foot to the tip: the x of three knots, z of the foot's middle.
#define TOE(carrier, first, second, x0, x1, x2, z, length)                \
	{                                                                     \
		{ { { x0, 0.062, (z)-0.02 }, 0.052, 0.95, carrier },              \
			{ { x1, 0.050, (z) + 0.4 * (length) }, 0.043, 0.95, first },  \
			{ { x2, 0.040, (z) + 0.72 * (length) }, 0.036, 0.9, second }, \
			{ { x2, 0.028, (z) + (length) }, 0.026, 0.9, second } },      \
		    4, Y_AXIS, 0.05, 0.035, true                                  \
	}

static const sceneLimb tubes[] = {
	// Tail and trunk.
	{ { { { 0.0, 0.665, -2.25 }, 0.022, 1.0, creature_tail9 }, { { 0.0, 0.63, -2.08 }, 0.034, 1.0, creature_tail8 },
	      { { 0.0, 0.62, -1.90 }, 0.043, 1.0, creature_tail7 }, { { 0.0, 0.64, -1.72 }, 0.054, 1.0, creature_tail6 },
	      { { 0.0, 0.69, -1.54 }, 0.066, 1.0, creature_tail5 }, { { 0.0, 0.76, -1.36 }, 0.080, 1.0, creature_tail4 },
	      { { 0.0, 0.84, -1.18 }, 0.096, 1.0, creature_tail3 }, { { 0.0, 0.92, -1.00 }, 0.114, 1.0, creature_tail2 },
	      { { 0.0, 0.98, -0.82 }, 0.137, 1.0, creature_tail1 }, { { 0.0, 1.02, -0.64 }, 0.170, 1.0, creature_pelvis },
	      { { 0.0, 1.035, -0.46 }, 0.205, 0.98, creature_pelvis },
	      { { 0.0, 1.03, -0.25 }, 0.218, 0.95, creature_spine1 }, { { 0.0, 1.02, 0.0 }, 0.228, 0.95, creature_spine2 },
	      { { 0.0, 1.02, 0.25 }, 0.243, 0.93, creature_spine3 }, { { 0.0, 1.05, 0.47 }, 0.245, 0.90, creature_chest },
	      { { 0.0, 1.11, 0.63 }, 0.205, 0.88, creature_chest } },
	    16, X_AXIS, 0.10, 0.12, false },
	// Neck.
	{ { { { 0.0, 1.10, 0.60 }, 0.185, 0.9, creature_chest }, { { 0.0, 1.21, 0.755 }, 0.165, 0.9, creature_neck1 },
	      { { 0.0, 1.37, 0.90 }, 0.132, 0.95, creature_neck2 }, { { 0.0, 1.55, 1.01 }, 0.110, 0.95, creature_neck3 },
	      { { 0.0, 1.71, 1.09 }, 0.099, 0.95, creature_neck4 }, { { 0.0, 1.82, 1.16 }, 0.096, 1.0, creature_head },
	      { { 0.0, 1.87, 1.23 }, 0.094, 1.0, creature_head } },
	    7, X_AXIS, 0.10, 0.12, false },
	// Head, jaw, brows, horns.
	{ { { { 0.0, 1.865, 1.19 }, 0.105, 1.02, creature_head }, { { 0.0, 1.865, 1.27 }, 0.112, 1.0, creature_head },
	      { { 0.0, 1.835, 1.40 }, 0.080, 1.05, creature_head }, { { 0.0, 1.805, 1.50 }, 0.064, 1.12, creature_head },
	      { { 0.0, 1.790, 1.565 }, 0.056, 1.12, creature_head } },
	    5, X_AXIS, 0.05, 0.06, false },
	{ { { { 0.0, 1.80, 1.27 }, 0.062, 1.1, creature_head }, { { 0.0, 1.755, 1.38 }, 0.048, 1.25, creature_jaw },
	      { { 0.0, 1.725, 1.47 }, 0.038, 1.3, creature_jaw }, { { 0.0, 1.715, 1.535 }, 0.030, 1.3, creature_jaw } },
	    4, X_AXIS, 0.012, 0.03, false },
	{ { { { 0.062, 1.915, 1.345 }, 0.030, 1.0, creature_head }, { { 0.076, 1.935, 1.27 }, 0.034, 1.0, creature_head } },
	    2, X_AXIS, 0.04, 0.03, true },
	{ { { { 0.028, 1.835, 1.580 }, 0.018, 1.0, creature_head },
	      { { 0.034, 1.838, 1.555 }, 0.019, 1.0, creature_head } },
	    2, X_AXIS, 0.02, 0.03, true },
	{ { { { 0.062, 1.945, 1.23 }, 0.034, 1.0, creature_head }, { { 0.090, 2.02, 1.15 }, 0.030, 1.0, creature_head },
	      { { 0.112, 2.10, 1.09 }, 0.025, 1.0, creature_head },
	      { { 0.118, 2.155, 1.075 }, 0.020, 1.0, creature_head } },
	    4, X_AXIS, 0.02, 0.03, true },
	// Foreleg.
	{ { { { 0.135, 1.05, 0.545 }, 0.140, 1.0, creature_upperArm },
	      { { 0.180, 0.92, 0.540 }, 0.128, 1.0, creature_upperArm },
	      { { 0.228, 0.75, 0.495 }, 0.096, 1.0, creature_upperArm },
	      { { 0.250, 0.62, 0.465 }, 0.078, 1.0, creature_forearm },
	      { { 0.255, 0.50, 0.485 }, 0.073, 1.0, creature_forearm },
	      { { 0.258, 0.32, 0.530 }, 0.057, 1.0, creature_forearm },
	      { { 0.260, 0.20, 0.560 }, 0.056, 1.0, creature_hand }, { { 0.264, 0.10, 0.610 }, 0.064, 1.0, creature_hand },
	      { { 0.266, 0.062, 0.625 }, 0.068, 1.0, creature_hand } },
	    9, X_AXIS, 0.08, 0.12, true },
	TOE(creature_hand, creature_fingerA1, creature_fingerA2, 0.240, 0.192, 0.152, 0.64, 0.17),
	TOE(creature_hand, creature_fingerB1, creature_fingerB2, 0.266, 0.270, 0.274, 0.65, 0.20),
	TOE(creature_hand, creature_fingerC1, creature_fingerC2, 0.292, 0.348, 0.390, 0.64, 0.17),
	// Hind leg.
	{ { { { 0.120, 1.02, -0.46 }, 0.160, 1.0, creature_thigh }, { { 0.175, 0.90, -0.43 }, 0.155, 1.0, creature_thigh },
	      { { 0.222, 0.73, -0.355 }, 0.118, 1.0, creature_thigh },
	      { { 0.250, 0.60, -0.305 }, 0.090, 1.0, creature_shin },
	      { { 0.256, 0.49, -0.365 }, 0.085, 1.0, creature_shin },
	      { { 0.260, 0.33, -0.480 }, 0.058, 1.0, creature_shin },
	      { { 0.260, 0.21, -0.535 }, 0.052, 1.0, creature_foot },
	      { { 0.264, 0.11, -0.495 }, 0.060, 1.0, creature_foot },
	      { { 0.266, 0.062, -0.465 }, 0.066, 1.0, creature_foot } },
	    9, X_AXIS, 0.08, 0.12, true },
	TOE(creature_foot, creature_toeA1, creature_toeA2, 0.240, 0.192, 0.152, -0.45, 0.17),
	TOE(creature_foot, creature_toeB1, creature_toeB2, 0.266, 0.270, 0.274, -0.44, 0.20),
	TOE(creature_foot, creature_toeC1, creature_toeC2, 0.292, 0.348, 0.390, -0.45, 0.17),
};

static const char* const targetNames[] = { "breathe", "snarl", "hump" };

enum
{
	breathe,
	snarl,
	hump,
	target_count
};

static const sceneSwell swells[] = {
	{ breathe, { 0.16, 1.00, 0.36 }, 0.32, { 0.0, 0.0, 0.0 }, 0.032, true },
	{ breathe, { 0.0, 0.80, 0.10 }, 0.34, { 0.0, 0.0, 0.0 }, 0.024, false },
	{ snarl, { 0.035, 1.84, 1.56 }, 0.075, { 0.008, 0.012, -0.006 }, 0.004, true },
	{ snarl, { 0.070, 1.93, 1.31 }, 0.070, { 0.0, -0.012, 0.010 }, 0.0, true },
	{ hump, { 0.0, 1.27, 0.10 }, 0.30, { 0.0, 0.05, 0.0 }, 0.02, false },
	{ hump, { 0.0, 1.24, -0.30 }, 0.24, { 0.0, 0.02, 0.0 }, 0.01, false },
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

const sceneFigureShape sceneCreature = { "creature", joints, names, 20, COUNT(joints) - 20, tubes, COUNT(tubes), swells,
	COUNT(swells), targetNames, target_count, 0.0233, { 0.13f, 0.33f, 0.20f } };
