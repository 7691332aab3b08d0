#include "lab/scenes/posture.h"

#include "base/vec.h"
#include "solvers/sine.h"

#include <math.h>
#include <string.h>

// ---- Quaternions -----------------------------------------------------------------------------------------------

static void Multiply(const double a[4], const double b[4], double out[4])
{
	double product[4] = { a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
		a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2], a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
		a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2] };
	memcpy(out, product, sizeof(product));
}

static void Invert(const double q[4], double out[4])
{
	for (int k = 0; k < 4; ++k)
	{
		out[k] = k < 3 ? -q[k] : q[k];
	}
}

static void Rotate(const double q[4], const double v[3], double out[3])
{
	double pure[4] = { v[0], v[1], v[2], 0.0 }, back[4], half[4], whole[4];
	Invert(q, back);
	Multiply(q, pure, half);
	Multiply(half, back, whole);
	memcpy(out, whole, 3 * sizeof(double));
}

// The least turn that brings one direction to another, which is not its opposite: half of both, as a quaternion.
static void MakeTurn(const double from[3], const double to[3], double out[4])
{
	double lengths = sqrt(sgDot(from, from) * sgDot(to, to)), square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		out[k] = from[(k + 1) % 3] * to[(k + 2) % 3] - from[(k + 2) % 3] * to[(k + 1) % 3];
	}
	out[3] = lengths + sgDot(from, to);
	for (int k = 0; k < 4; ++k)
	{
		square += out[k] * out[k];
	}
	for (int k = 0; k < 4; ++k)
	{
		out[k] /= sqrt(square);
	}
}

static void MakeAngle(const double axis[3], double degrees, double out[4])
{
	double half = degrees * (SCENE_PI / 360.0), sine = sceneSine(half) / sqrt(sgDot(axis, axis));
	for (int k = 0; k < 3; ++k)
	{
		out[k] = sine * axis[k];
	}
	out[3] = sceneCosine(half);
}

// ---- Postures --------------------------------------------------------------------------------------------------

scenePosture scenePosture_Make(const sceneCharacter* character, int leftJoints)
{
	scenePosture p = { .character = character, .leftJoints = leftJoints };
	for (int j = 0; j < SCENE_MAX_JOINTS; ++j)
	{
		p.turns[j][3] = 1.0;
	}
	return p;
}

void scenePosture_Turn(scenePosture* p, int joint, const double axis[3], double degrees)
{
	double turn[4];
	MakeAngle(axis, degrees, turn);
	Multiply(turn, p->turns[joint], p->turns[joint]);
}

void scenePosture_TurnSide(scenePosture* p, int side, int joint, const double axis[3], double degrees)
{
	const double mirrored[3] = { axis[0], -axis[1], -axis[2] };
	scenePosture_Turn(p, joint + side * p->leftJoints, side == 0 ? axis : mirrored, degrees);
}

// Where a joint is in the world, and how it is turned.
static void Follow(const scenePosture* p, int joint, double turn[4], double place[3])
{
	const sceneJoint* joints = p->character->joints;
	int parent = joints[joint].parent;
	memcpy(turn, p->turns[joint], 4 * sizeof(double));
	for (int k = 0; k < 3; ++k)
	{
		place[k] = joints[joint].position[k] + (parent < 0 ? p->move[k] : 0.0);
	}
	if (parent >= 0)
	{
		double above[4], corner[3], arm[3];
		Follow(p, parent, above, corner);
		for (int k = 0; k < 3; ++k)
		{
			arm[k] = joints[joint].position[k] - joints[parent].position[k];
		}
		Rotate(above, arm, arm);
		Multiply(above, turn, turn);
		for (int k = 0; k < 3; ++k)
		{
			place[k] = corner[k] + arm[k];
		}
	}
}

// The middle joint of a limb: on the circle around the line from its first to its last joint, where it bends to.
static void FindMiddle(
    const double first[3], const double last[3], const double bend[3], double upper, double lower, double middle[3])
{
	double line[3], side[3], square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		line[k] = last[k] - first[k];
	}
	double distance = sqrt(sgDot(line, line)), most = 0.9995 * (upper + lower);
	double length = distance < most ? distance : most;
	double along = (upper * upper - lower * lower + length * length) / (2.0 * length),
	       off = upper * upper - along * along;
	for (int k = 0; k < 3; ++k)
	{
		side[k] = bend[k] - line[k] * sgDot(bend, line) / (distance * distance);
		square += side[k] * side[k];
	}
	for (int k = 0; k < 3; ++k)
	{
		double out = off > 0.0 && square > 0.0 ? sqrt(off / square) * side[k] : 0.0;
		middle[k] = first[k] + along * line[k] / distance + out;
	}
}

static void SetWorldTurn(scenePosture* p, int joint, const double above[4], const double world[4])
{
	double back[4];
	Invert(above, back);
	Multiply(back, world, p->turns[joint]);
}

void scenePosture_Reach(scenePosture* p, int side, int joint, const double place[3], const double bend[3], double pitch)
{
	const sceneJoint* joints = p->character->joints + joint + side * p->leftJoints;
	double above[4], first[3], corner[3], last[3] = { side == 0 ? place[0] : -place[0], place[1], place[2] };
	double upper[3], lower[3], middle[3], turns[3][4];
	Follow(p, joints->parent, above, corner);
	for (int k = 0; k < 3; ++k)
	{
		first[k] = joints->position[k] - p->character->joints[joints->parent].position[k];
		upper[k] = joints[1].position[k] - joints[0].position[k];
		lower[k] = joints[2].position[k] - joints[1].position[k];
	}
	Rotate(above, first, first);
	for (int k = 0; k < 3; ++k)
	{
		first[k] += corner[k];
	}
	FindMiddle(first, last, bend, sqrt(sgDot(upper, upper)), sqrt(sgDot(lower, lower)), middle);
	for (int k = 0; k < 3; ++k)
	{
		last[k] -= middle[k];
		middle[k] -= first[k];
	}
	MakeTurn(upper, middle, turns[0]);
	MakeTurn(lower, last, turns[1]);
	MakeAngle((const double[3]){ 1.0, 0.0, 0.0 }, pitch, turns[2]);
	int number = joint + side * p->leftJoints;
	SetWorldTurn(p, number, above, turns[0]);
	SetWorldTurn(p, number + 1, turns[0], turns[1]);
	SetWorldTurn(p, number + 2, turns[1], turns[2]);
}

// A joint's matrix brings its place at rest to where it is.
void scenePosture_GetMatrices(const scenePosture* p, double (*matrices)[12])
{
	double turns[SCENE_MAX_JOINTS][4], places[SCENE_MAX_JOINTS][3];
	const sceneJoint* joints = p->character->joints;
	for (uint32_t j = 0; j < p->character->weights.transformCount; ++j)
	{
		int parent = joints[j].parent;
		double arm[3], rest[3];
		const float* from = p->character->jointPositions;
		for (int k = 0; k < 3; ++k)
		{
			rest[k] = (double)from[3 * j + (uint32_t)k];
			arm[k] = parent < 0 ? rest[k] + p->move[k] : (double)(float)(rest[k] - (double)from[3 * parent + k]);
		}
		memcpy(turns[j], p->turns[j], sizeof(turns[j]));
		memcpy(places[j], arm, sizeof(arm));
		if (parent >= 0)
		{
			Rotate(turns[parent], arm, arm);
			Multiply(turns[parent], p->turns[j], turns[j]);
			for (int k = 0; k < 3; ++k)
			{
				places[j][k] = places[parent][k] + arm[k];
			}
		}
		for (int column = 0; column < 3; ++column)
		{
			double axis[3] = { column == 0, column == 1, column == 2 };
			Rotate(turns[j], axis, axis);
			for (int row = 0; row < 3; ++row)
			{
				matrices[j][4 * row + column] = axis[row];
			}
		}
		for (int row = 0; row < 3; ++row)
		{
			matrices[j][4 * row + 3] = places[j][row] - sgDot(matrices[j] + 4 * row, rest);
		}
	}
}
