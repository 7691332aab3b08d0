// Feet first: where they stand they stay, so that nothing slides; legs reach for them. The rest is sines and curves.
#include "lab/scenes/figure_motion.h"

#include "lab/scenes/character_joints.h"
#include "solvers/sine.h"

static const double xAxis[3] = { 1.0, 0.0, 0.0 }, yAxis[3] = { 0.0, 1.0, 0.0 }, zAxis[3] = { 0.0, 0.0, 1.0 };
static const double ahead[3] = { 0.0, 0.0, 1.0 }, behind[3] = { 0.0, 0.0, -1.0 };
// Across the left arm: about it the elbow bends (when the arm hangs, forwards if negative).
static const double elbow[3] = { 0.70710678118654752, 0.70710678118654752, 0.0 };

static double Wave(double phase)
{
	return sceneSine(2.0 * SCENE_PI * phase);
}

static double GetFraction(double x)
{
	return x - (double)(int)x + (x < 0.0 ? 1.0 : 0.0);
}

static double SmoothStep(double t)
{
	t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
	return t * t * (3.0 - 2.0 * t);
}

// ---- Feet ------------------------------------------------------------------------------------------------------

/// How a foot is made: the joint that reaches for a place, and what it stands on.
typedef struct foot
{
	double joint[3];   // at rest, of the left side
	double ball[2];    // y and z of where it bends when the heel rises
	double heel;       // z of where it touches the ground first
	double heelRise;   // degrees at the end of a step
	double toeRise;    // and at its beginning
	double stride;     // half of the way on the ground, metres
	double lift;       // metres above it on the way back
	double groundPart; // of a cycle
} foot;

static const foot manFoot = { { 0.135, 0.085, -0.015 }, { 0.028, 0.105 }, -0.060, 42.0, 18.0, 0.27, 0.045, 0.62 };
static const foot handFoot = { { 0.26, 0.20, 0.56 }, { 0.03, 0.68 }, 0.56, 38.0, 0.0, 0.20, 0.10, 0.68 };
static const foot hindFoot = { { 0.26, 0.22, -0.54 }, { 0.03, -0.42 }, -0.54, 34.0, 0.0, 0.20, 0.08, 0.68 };

/// A foot at a moment.
typedef struct step
{
	double place[3]; // of its joint
	double pitch;    // degrees; positive: heel up
	double toes;     // degrees that toes turn against it
} step;

// Turn a foot that stands about its ball, or about its heel if the toes are up.
static step StandOn(const foot* f, double offset, double pitch)
{
	double sine = sceneSine(pitch * (SCENE_PI / 180.0)), cosine = sceneCosine(pitch * (SCENE_PI / 180.0));
	double pivot[2] = { pitch < 0.0 ? 0.0 : f->ball[0], pitch < 0.0 ? f->heel : f->ball[1] };
	double y = f->joint[1] - pivot[0], z = f->joint[2] - pivot[1];
	return (step){ { f->joint[0], pivot[0] + y * cosine - z * sine, pivot[1] + offset + y * sine + z * cosine }, pitch,
		pitch > 0.0 ? -pitch : 0.0 };
}

// On the ground a foot moves back evenly, as the ground does; in the air it goes ahead without a jolt.
static step MakeStep(const foot* f, double phase)
{
	double p = GetFraction(phase);
	if (p < f->groundPart)
	{
		double s = p / f->groundPart;
		double pitch = f->heelRise * SmoothStep((s - 0.55) / 0.5) - f->toeRise * (1.0 - SmoothStep(s / 0.18));
		return StandOn(f, f->stride * (1.0 - 2.0 * s), pitch);
	}
	double s = (p - f->groundPart) / (1.0 - f->groundPart);
	double slope = -2.0 * f->stride * (1.0 - f->groundPart) / f->groundPart;
	// Hermite's cubic from behind to ahead with the ground's speed at both ends.
	double offset = f->stride * (6.0 * s * s - 4.0 * s * s * s - 1.0) + slope * (2.0 * s * s * s - 3.0 * s * s + s);
	double start = f->heelRise * SmoothStep(0.9);
	double pitch = start * (1.0 - SmoothStep(1.5 * s)) - f->toeRise * SmoothStep((s - 0.45) / 0.55);
	step out = StandOn(f, offset, pitch);
	out.place[1] += f->lift * sceneSine(SCENE_PI * s);
	out.toes *= 1.0 - SmoothStep(2.0 * s);
	return out;
}

// ---- Curves ----------------------------------------------------------------------------------------------------

enum
{
	marks = 8
};

// A cubic spline through numbers at given phases, at rest at both ends.
static double Curve(const double times[marks], const double values[marks], double t)
{
	int i = 0;
	while (i < marks - 2 && times[i + 1] <= t)
	{
		++i;
	}
	double span = times[i + 1] - times[i], s = (t - times[i]) / span;
	double in = i > 0 ? (values[i + 1] - values[i - 1]) / (times[i + 1] - times[i - 1]) : 0.0;
	double out = i + 2 < marks ? (values[i + 2] - values[i]) / (times[i + 2] - times[i]) : 0.0;
	double rise = values[i + 1] - values[i];
	in *= span;
	out *= span;
	return values[i] + s * (in + s * (3.0 * rise - 2.0 * in - out + s * (in + out - 2.0 * rise)));
}

// ---- The man ---------------------------------------------------------------------------------------------------

static void StandMan(scenePosture* p, int side, const step* s)
{
	scenePosture_Reach(p, side, man_thigh, s->place, ahead, s->pitch);
	scenePosture_TurnSide(p, side, man_toes, xAxis, s->toes);
}

// Let an arm hang: degrees away from the body, forwards, and of the elbow.
static void HangArm(scenePosture* p, int side, double away, double forwards, double bend)
{
	scenePosture_TurnSide(p, side, man_collar, zAxis, -4.0);
	scenePosture_TurnSide(p, side, man_upperArm, zAxis, away - 41.0);
	scenePosture_TurnSide(p, side, man_upperArm, xAxis, -forwards);
	scenePosture_TurnSide(p, side, man_forearm, elbow, -bend);
	scenePosture_TurnSide(p, side, man_fingers, (const double[3]){ 0.0, 0.0, 1.0 }, -22.0);
	scenePosture_TurnSide(p, side, man_thumb, (const double[3]){ 0.0, 0.0, 1.0 }, -10.0);
}

// The trunk is a chain of three: each takes a third.
static void TurnTrunk(scenePosture* p, const double axis[3], double degrees)
{
	for (int joint = man_spine; joint <= man_chest; ++joint)
	{
		scenePosture_Turn(p, joint, axis, degrees / 3.0);
	}
}

void sceneIdleMan(double phase, scenePosture* p, double* weights)
{
	double breath = 0.5 - 0.5 * sceneCosine(2.0 * SCENE_PI * phase), sway = Wave(phase);
	p->move[0] = 0.012 * sway;
	p->move[1] = -0.012 + 0.004 * breath;
	p->move[2] = 0.004 * Wave(phase + 0.25);
	scenePosture_Turn(p, man_hips, zAxis, -1.2 * sway);
	TurnTrunk(p, zAxis, 1.6 * sway);
	TurnTrunk(p, xAxis, 1.0 - 2.5 * breath);
	TurnTrunk(p, yAxis, 2.0 * Wave(phase + 0.1));
	scenePosture_Turn(p, man_neck, xAxis, 1.0 + 1.5 * breath);
	scenePosture_Turn(p, man_head, yAxis, 5.0 * Wave(phase + 0.15));
	for (int side = 0; side < 2; ++side)
	{
		step s = StandOn(&manFoot, 0.0, 0.0);
		StandMan(p, side, &s);
		HangArm(p, side, 9.0 + 1.5 * breath, 2.0 + 1.5 * Wave(phase + 0.3), 16.0 + 2.0 * breath);
	}
	weights[0] = breath;
	weights[1] = 0.5 + 0.5 * Wave(phase - 0.1);
}

void sceneWalkMan(double phase, scenePosture* p, double* weights)
{
	double swing = sceneCosine(2.0 * SCENE_PI * phase), left = Wave(phase - 0.06);
	p->move[0] = 0.022 * left;
	p->move[1] = -0.030 + 0.013 * sceneCosine(4.0 * SCENE_PI * (phase - 0.33));
	scenePosture_Turn(p, man_hips, zAxis, 2.0 * left);
	scenePosture_Turn(p, man_hips, yAxis, -6.0 * swing);
	scenePosture_Turn(p, man_hips, xAxis, 2.0);
	TurnTrunk(p, yAxis, 13.0 * swing);
	TurnTrunk(p, zAxis, -3.0 * left);
	TurnTrunk(p, xAxis, 2.0);
	scenePosture_Turn(p, man_neck, yAxis, -4.0 * swing);
	scenePosture_Turn(p, man_head, yAxis, -3.0 * swing);
	scenePosture_Turn(p, man_head, xAxis, -2.0 + 1.0 * sceneCosine(4.0 * SCENE_PI * phase));
	for (int side = 0; side < 2; ++side)
	{
		step s = MakeStep(&manFoot, phase + 0.5 * side);
		double forwards = side == 0 ? -swing : swing;
		StandMan(p, side, &s);
		HangArm(p, side, 10.0, 2.0 + 24.0 * forwards, 24.0 + 14.0 * forwards);
	}
	weights[0] = 0.5 - 0.5 * swing;
	weights[2] = 0.2 + 0.2 * sceneCosine(4.0 * SCENE_PI * phase);
}

// Crouch a little, knee up, kick ahead, hold, knee, down.
void sceneKickMan(double phase, scenePosture* p, double* weights)
{
	static const double times[marks] = { 0.0, 0.18, 0.36, 0.48, 0.56, 0.72, 0.90, 1.0 };
	static const double footX[marks] = { 0.135, 0.13, 0.10, 0.07, 0.07, 0.10, 0.132, 0.135 };
	static const double footY[marks] = { 0.085, 0.17, 0.64, 1.02, 1.02, 0.56, 0.13, 0.085 };
	static const double footZ[marks] = { -0.015, -0.07, 0.30, 0.91, 0.91, 0.26, -0.02, -0.015 };
	static const double pitch[marks] = { 0.0, 10.0, 22.0, -58.0, -58.0, 15.0, 2.0, 0.0 };
	static const double moveX[marks] = { 0.0, 0.06, 0.09, 0.09, 0.09, 0.08, 0.03, 0.0 };
	static const double moveY[marks] = { -0.012, -0.04, -0.03, -0.02, -0.02, -0.035, -0.03, -0.012 };
	static const double moveZ[marks] = { 0.0, -0.01, 0.03, 0.10, 0.10, 0.03, 0.0, 0.0 };
	static const double lean[marks] = { 0.0, 3.0, -6.0, -24.0, -24.0, -6.0, 2.0, 0.0 };
	static const double yaw[marks] = { 0.0, -6.0, 2.0, 16.0, 16.0, 2.0, -3.0, 0.0 };
	static const double guard[marks] = { 0.0, 0.7, 1.0, 1.0, 1.0, 1.0, 0.35, 0.0 };
	static const double power[marks] = { 0.0, 0.2, 0.6, 1.0, 1.0, 0.5, 0.1, 0.0 };
	double raised = Curve(times, guard, phase), tilt = Curve(times, lean, phase), turn = Curve(times, yaw, phase);
	p->move[0] = Curve(times, moveX, phase);
	p->move[1] = Curve(times, moveY, phase);
	p->move[2] = Curve(times, moveZ, phase);
	scenePosture_Turn(p, man_hips, xAxis, tilt);
	scenePosture_Turn(p, man_hips, yAxis, turn);
	TurnTrunk(p, xAxis, -0.45 * tilt + 6.0 * raised);
	TurnTrunk(p, yAxis, -1.3 * turn);
	scenePosture_Turn(p, man_neck, xAxis, -0.3 * tilt);
	scenePosture_Turn(p, man_head, xAxis, -0.2 * tilt - 3.0 * raised);
	step standing = StandOn(&manFoot, 0.0, 0.0);
	StandMan(p, 0, &standing);
	const double place[3] = { Curve(times, footX, phase), Curve(times, footY, phase), Curve(times, footZ, phase) };
	step kicking = { { place[0], place[1], place[2] }, Curve(times, pitch, phase), 0.0 };
	StandMan(p, 1, &kicking);
	for (int side = 0; side < 2; ++side)
	{
		double forwards = side == 0 ? 42.0 : 30.0;
		HangArm(p, side, 9.0 + 10.0 * raised, 2.0 + forwards * raised, 16.0 + 84.0 * raised);
	}
	weights[0] = 0.4 * raised;
	weights[2] = Curve(times, power, phase);
}

// ---- The creature ----------------------------------------------------------------------------------------------

// @param fore 1 for a foreleg
static void StandCreature(scenePosture* p, int fore, int side, const step* s)
{
	scenePosture_Reach(p, side, fore ? creature_upperArm : creature_thigh, s->place, fore ? behind : ahead, s->pitch);
	for (int toe = 0; toe < 3; ++toe)
	{
		scenePosture_TurnSide(p, side, (fore ? creature_fingerA1 : creature_toeA1) + 2 * toe, xAxis, s->toes);
	}
}

// A wave that runs from the hips to the tip of the tail.
static void WaveTail(scenePosture* p, double phase, double degrees)
{
	for (int i = creature_tail1; i <= creature_tail9; ++i)
	{
		double more = 0.5 + 0.1 * (double)(i - creature_tail1);
		scenePosture_Turn(p, i, yAxis, more * degrees * Wave(phase - 0.07 * (double)(i - creature_tail1)));
	}
}

static void TurnNeck(scenePosture* p, const double axis[3], double degrees)
{
	for (int joint = creature_neck1; joint <= creature_neck4; ++joint)
	{
		scenePosture_Turn(p, joint, axis, degrees / 4.0);
	}
}

void sceneIdleCreature(double phase, scenePosture* p, double* weights)
{
	double breath = 0.5 - 0.5 * sceneCosine(2.0 * SCENE_PI * phase), sway = Wave(phase);
	p->move[0] = 0.010 * sway;
	p->move[1] = -0.020 + 0.006 * breath;
	WaveTail(p, phase, 7.0);
	TurnNeck(p, yAxis, 10.0 * Wave(phase + 0.1));
	TurnNeck(p, xAxis, 4.0 * Wave(phase + 0.3));
	scenePosture_Turn(p, creature_head, xAxis, -3.0 * Wave(phase + 0.3));
	scenePosture_Turn(p, creature_head, yAxis, 8.0 * Wave(phase + 0.05));
	scenePosture_Turn(p, creature_jaw, xAxis, 3.0 + 3.0 * breath);
	for (int leg = 0; leg < 4; ++leg)
	{
		step s = StandOn(leg < 2 ? &handFoot : &hindFoot, 0.0, 0.0);
		StandCreature(p, leg < 2, leg % 2, &s);
	}
	weights[0] = breath;
	weights[2] = 0.15 * breath;
}

// One foot after the other: left hind, left fore, right hind, right fore.
void sceneWalkCreature(double phase, scenePosture* p, double* weights)
{
	p->move[0] = 0.012 * Wave(phase - 0.09);
	p->move[1] = -0.040 + 0.008 * sceneCosine(4.0 * SCENE_PI * (phase - 0.2));
	scenePosture_Turn(p, creature_pelvis, yAxis, -2.5 * sceneCosine(2.0 * SCENE_PI * phase));
	for (int i = creature_spine1; i <= creature_chest; ++i)
	{
		scenePosture_Turn(p, i, yAxis, 1.8 * sceneCosine(2.0 * SCENE_PI * (phase - 0.05 * (double)i)));
	}
	WaveTail(p, phase, 9.0);
	TurnNeck(p, yAxis, -6.0 * Wave(phase + 0.15));
	TurnNeck(p, xAxis, 4.0 + 4.0 * Wave(2.0 * phase));
	scenePosture_Turn(p, creature_head, xAxis, -3.0 - 3.0 * Wave(2.0 * phase - 0.05));
	scenePosture_Turn(p, creature_jaw, xAxis, 4.0);
	for (int leg = 0; leg < 4; ++leg)
	{
		double shift = (leg < 2 ? -0.25 : 0.0) + (leg % 2 == 1 ? 0.5 : 0.0);
		step s = MakeStep(leg < 2 ? &handFoot : &hindFoot, phase + shift + 1.0);
		StandCreature(p, leg < 2, leg % 2, &s);
	}
	weights[0] = 0.5 + 0.5 * Wave(phase);
}

// Rise on three legs and strike ahead with the right foreleg, jaws open.
void sceneKickCreature(double phase, scenePosture* p, double* weights)
{
	static const double times[marks] = { 0.0, 0.20, 0.38, 0.50, 0.58, 0.74, 0.90, 1.0 };
	static const double footX[marks] = { 0.26, 0.26, 0.22, 0.12, 0.12, 0.20, 0.26, 0.26 };
	static const double footY[marks] = { 0.20, 0.42, 0.66, 0.90, 0.88, 0.58, 0.28, 0.20 };
	static const double footZ[marks] = { 0.56, 0.52, 0.70, 1.36, 1.36, 0.76, 0.57, 0.56 };
	static const double pitch[marks] = { 0.0, 30.0, 50.0, -40.0, -40.0, 35.0, 4.0, 0.0 };
	static const double moveX[marks] = { 0.0, 0.05, 0.07, 0.07, 0.07, 0.05, 0.02, 0.0 };
	static const double moveY[marks] = { -0.02, -0.06, -0.07, -0.06, -0.06, -0.06, -0.04, -0.02 };
	static const double moveZ[marks] = { 0.0, -0.10, -0.06, 0.06, 0.06, 0.0, 0.0, 0.0 };
	static const double lean[marks] = { 0.0, -3.0, -4.5, -4.5, -4.5, -4.0, -2.0, 0.0 };
	static const double neck[marks] = { 0.0, -26.0, -34.0, -20.0, -20.0, -16.0, -4.0, 0.0 };
	static const double rage[marks] = { 0.0, 0.5, 0.9, 1.0, 1.0, 0.6, 0.1, 0.0 };
	double fury = Curve(times, rage, phase), rise = Curve(times, neck, phase);
	p->move[0] = Curve(times, moveX, phase);
	p->move[1] = Curve(times, moveY, phase);
	p->move[2] = Curve(times, moveZ, phase);
	scenePosture_Turn(p, creature_pelvis, xAxis, Curve(times, lean, phase));
	TurnNeck(p, xAxis, rise);
	scenePosture_Turn(p, creature_head, xAxis, -0.9 * rise);
	scenePosture_Turn(p, creature_jaw, xAxis, 22.0 * fury);
	WaveTail(p, phase, 10.0 * fury);
	for (int leg = 0; leg < 4; ++leg)
	{
		step s = StandOn(leg < 2 ? &handFoot : &hindFoot, 0.0, 0.0);
		if (leg == 1)
		{
			s = (step){ { Curve(times, footX, phase), Curve(times, footY, phase), Curve(times, footZ, phase) },
				Curve(times, pitch, phase), -16.0 * fury };
		}
		StandCreature(p, leg < 2, leg % 2, &s);
	}
	weights[0] = 0.5 * fury;
	weights[1] = fury;
	weights[2] = 0.4 * fury;
}
