// How characters move: angles per joint by sines, then the chain of joints.
#include "lab/scenes/character.h"
#include "lab/scenes/character_shapes.h"
#include "solvers/sine.h"

#include <math.h>
#include <string.h>

#define DEGREES (SCENE_PI / 180.0)

/// Degrees about x (nodding: positive is forwards and down), then y (turning to the left), then z (tilting to the
/// right), of each joint against its parent; and where the root goes.
typedef struct posture
{
	double angles[SCENE_MAX_JOINTS][3];
	double move[3];
} posture;

// ---- The chain of joints ---------------------------------------------------------------------------------------

static void Multiply(const double a[12], const double b[12], double out[12])
{
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 4; ++k)
		{
			double sum = k == 3 ? a[4 * i + 3] : 0.0;
			for (int j = 0; j < 3; ++j)
			{
				sum += a[4 * i + j] * b[4 * j + k];
			}
			out[4 * i + k] = sum;
		}
	}
}

// Turn about a point by three angles, one axis after the other.
static void MakeTurn(const double angles[3], const double about[3], double out[12])
{
	double sum[12] = { 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0 };
	for (int axis = 0; axis < 3; ++axis)
	{
		double sine = sceneSine(angles[axis] * DEGREES), cosine = sceneCosine(angles[axis] * DEGREES);
		int u = (axis + 1) % 3, v = (axis + 2) % 3;
		double turn[12] = { 0.0 }, product[12];
		turn[5 * axis] = 1.0;
		turn[5 * u] = turn[5 * v] = cosine;
		turn[4 * u + v] = -sine;
		turn[4 * v + u] = sine;
		Multiply(turn, sum, product);
		memcpy(sum, product, sizeof(sum));
	}
	for (int i = 0; i < 3; ++i)
	{
		sum[4 * i + 3] = about[i] - (sum[4 * i] * about[0] + sum[4 * i + 1] * about[1] + sum[4 * i + 2] * about[2]);
	}
	memcpy(out, sum, sizeof(sum));
}

// A joint turns about its rest position, then everything above it in the chain moves the result.
static void Pose(const sceneCharacter* character, const posture* p, float* matrices)
{
	double world[SCENE_MAX_JOINTS][12];
	for (uint32_t j = 0; j < character->weights.transformCount; ++j)
	{
		const sceneJoint* joint = character->joints + j;
		double turn[12];
		MakeTurn(p->angles[j], joint->position, turn);
		if (joint->parent >= 0)
		{
			Multiply(world[joint->parent], turn, world[j]);
		}
		else
		{
			memcpy(world[j], turn, sizeof(turn));
			for (int k = 0; k < 3; ++k)
			{
				world[j][4 * k + 3] += p->move[k];
			}
		}
		for (int i = 0; i < 12; ++i)
		{
			matrices[12 * (size_t)j + (size_t)i] = (float)world[j][i];
		}
	}
}

static void Turn(posture* p, int joint, double x, double y, double z)
{
	p->angles[joint][0] += x;
	p->angles[joint][1] += y;
	p->angles[joint][2] += z;
}

// A joint of one side: what it does about y and z is the other way round on the right.
static void TurnSide(const sceneCharacter* character, posture* p, int side, int joint, double x, double y, double z)
{
	double sign = side == 0 ? 1.0 : -1.0;
	Turn(p, joint + (side == 0 ? 0 : sceneGetAnatomy(character->kind)->leftJoints), x, sign * y, sign * z);
}

static double Wave(double phase, double shift)
{
	return sceneSine(2.0 * SCENE_PI * (phase + shift));
}

// ---- The man ---------------------------------------------------------------------------------------------------

static void WalkMan(const sceneCharacter* c, double phase, posture* p)
{
	for (int side = 0; side < 2; ++side)
	{
		double shift = 0.5 * side, swing = Wave(phase, shift), lift = Wave(phase, shift + 0.25);
		double knee = lift > 0.0 ? lift : 0.0;
		TurnSide(c, p, side, 13, -26.0 * swing, 0.0, 0.0); // thigh
		TurnSide(c, p, side, 14, 8.0 + 48.0 * knee, 0.0, 0.0);
		TurnSide(c, p, side, 15, -8.0 + 10.0 * swing, 0.0, 0.0);
		TurnSide(c, p, side, 16, swing < 0.0 ? 20.0 * swing : 0.0, 0.0, 0.0);
		TurnSide(c, p, side, 7, 0.0, 0.0, -6.0);
		TurnSide(c, p, side, 8, 24.0 * swing, 0.0, -26.0); // upper arm: down, and against the leg
		TurnSide(c, p, side, 9, -14.0 + 10.0 * swing, 0.0, -6.0);
		TurnSide(c, p, side, 11, 0.0, 0.0, -12.0);
	}
	Turn(p, 0, 2.0, 6.0 * Wave(phase, 0.0), 2.0 * Wave(phase, 0.25));
	Turn(p, 1, 1.0, -4.0 * Wave(phase, 0.0), 0.0);
	Turn(p, 2, 1.0, -4.0 * Wave(phase, 0.0), 0.0);
	Turn(p, 3, 1.0, -4.0 * Wave(phase, 0.0), 0.0);
	Turn(p, 5, -3.0, 5.0 * Wave(phase, 0.1), 0.0);
	p->move[1] = -0.02 - 0.015 * sceneCosine(4.0 * SCENE_PI * phase);
}

static void ContortMan(const sceneCharacter* c, double amount, posture* p)
{
	for (int side = 0; side < 2; ++side)
	{
		TurnSide(c, p, side, 13, -105.0 * amount, 25.0 * amount, 20.0 * amount);
		TurnSide(c, p, side, 14, 125.0 * amount, 0.0, 0.0);
		TurnSide(c, p, side, 15, -30.0 * amount, 0.0, 0.0);
		TurnSide(c, p, side, 7, 0.0, 0.0, 15.0 * amount);
		TurnSide(c, p, side, 8, -60.0 * amount, 0.0, 75.0 * amount);
		TurnSide(c, p, side, 9, -120.0 * amount, 40.0 * amount, 20.0 * amount);
		TurnSide(c, p, side, 10, 60.0 * amount, 0.0, 30.0 * amount);
		TurnSide(c, p, side, 11, 0.0, 0.0, -70.0 * amount);
	}
	Turn(p, 1, 25.0 * amount, 20.0 * amount, 10.0 * amount);
	Turn(p, 2, 25.0 * amount, 20.0 * amount, 10.0 * amount);
	Turn(p, 3, 20.0 * amount, 20.0 * amount, 10.0 * amount);
	Turn(p, 4, 10.0 * amount, 75.0 * amount, 0.0);
	Turn(p, 5, 10.0 * amount, 70.0 * amount, 0.0);
	Turn(p, 6, 25.0 * amount, 0.0, 0.0);
}

// ---- The creature ----------------------------------------------------------------------------------------------

static void WalkCreature(const sceneCharacter* c, double phase, posture* p)
{
	for (int leg = 0; leg < 4; ++leg)
	{
		int side = leg % 2, first = leg < 2 ? 20 : 29; // the diagonal pairs step together
		double shift = (leg == 0 || leg == 3) ? 0.0 : 0.5, swing = Wave(phase, shift), lift = Wave(phase, shift + 0.25);
		double knee = lift > 0.0 ? lift : 0.0, sign = leg < 2 ? -1.0 : 1.0;
		TurnSide(c, p, side, first, -22.0 * swing + 10.0 * sign * knee, 0.0, 0.0);
		TurnSide(c, p, side, first + 1, 38.0 * sign * knee, 0.0, 0.0);
		TurnSide(c, p, side, first + 2, -24.0 * sign * knee + 18.0 * swing, 0.0, 0.0);
		for (int toe = 3; toe < 9; ++toe)
		{
			TurnSide(c, p, side, first + toe, 14.0 * knee, 0.0, 0.0);
		}
	}
	for (int i = 1; i < 5; ++i)
	{
		Turn(p, i, 0.0, 4.0 * Wave(phase, 0.1 * i), 1.5 * Wave(phase, 0.0));
	}
	for (int i = 5; i < 9; ++i)
	{
		Turn(p, i, 5.0 * Wave(2.0 * phase, 0.1 * i), -5.0 * Wave(phase, 0.1 * i), 0.0);
	}
	for (int i = 11; i < 20; ++i)
	{
		Turn(p, i, 2.0, 9.0 * Wave(phase, -0.08 * i), 0.0);
	}
	Turn(p, 10, 6.0 + 6.0 * Wave(phase, 0.3), 0.0, 0.0);
	p->move[1] = -0.02 - 0.02 * sceneCosine(4.0 * SCENE_PI * phase);
}

// As in the paper's figure: a few joints turn far, the others not at all.
static void ContortCreature(const sceneCharacter* c, double amount, posture* p)
{
	for (int leg = 0; leg < 4; ++leg)
	{
		int side = leg % 2, first = leg < 2 ? 20 : 29;
		TurnSide(c, p, side, first, (leg == 0 ? -25.0 : leg == 3 ? 25.0 : 0.0) * amount, 0.0, 0.0);
		TurnSide(c, p, side, first + 1, (leg == 0 ? -50.0 : 0.0) * amount, 0.0, 0.0);
	}
	Turn(p, 5, 0.0, 90.0 * amount, 0.0);
	Turn(p, 9, 10.0 * amount, 0.0, 0.0);
	Turn(p, 10, 30.0 * amount, 0.0, 0.0);
	Turn(p, 11, 0.0, 25.0 * amount, 0.0);
}

// ---- Both ------------------------------------------------------------------------------------------------------

void sceneCharacter_Walk(const sceneCharacter* character, double phase, float* matrices)
{
	posture p = { .move = { 0.0, 0.0, 0.0 } };
	(character->kind == scene_man ? WalkMan : WalkCreature)(character, phase, &p);
	Pose(character, &p, matrices);
}

void sceneCharacter_Contort(const sceneCharacter* character, double amount, float* matrices)
{
	posture p = { .move = { 0.0, 0.0, 0.0 } };
	(character->kind == scene_man ? ContortMan : ContortCreature)(character, amount, &p);
	Pose(character, &p, matrices);
}

void sceneCharacter_Breathe(const sceneCharacter* character, double phase, float* amplitudes)
{
	for (uint32_t i = 0; i < character->targets.count; ++i)
	{
		amplitudes[i] = (float)(0.25 + 0.75 * Wave(phase, 0.17 * (double)i));
	}
}

// Men pass each other at arm's length less a little; creatures meet head on, hardly beside one another, so that in the
// middle one stands in the other.
void sceneCharacter_Meet(
    const sceneCharacter* character, int which, int frame, int frameCount, float* matrices, snugFrame* place)
{
	static const double strides[SCENE_CHARACTERS] = { 1.3, 1.1 };   // metres per cycle
	static const double ways[SCENE_CHARACTERS] = { 0.36, 2.0 };     // metres that each walks
	static const double begins[SCENE_CHARACTERS] = { -0.24, -1.0 }; // and from where, along its track
	static const double aside[SCENE_CHARACTERS] = { 0.54, 0.06 };   // metres between their tracks
	double u = frameCount > 1 ? (double)frame / (double)(frameCount - 1) : 0.5, way = ways[character->kind];
	sceneCharacter_Walk(character, u * way / strides[character->kind] + 0.31 * which, matrices);
	*place = (snugFrame){ .rotation = { 0.0, (double)which, 0.0, 1.0 - (double)which } };
	place->position[0] = (0.5 - (double)which) * aside[character->kind];
	place->position[2] = (1.0 - 2.0 * (double)which) * (begins[character->kind] + way * u);
}
