// Keys of clips, and what they are at a time.
#include "lab/scenes/figure_motion.h"
#include "lab/scenes/figure_shapes.h"

#include <math.h>
#include <string.h>

typedef void motionFcn(double phase, scenePosture* p, double* weights);

/// Loops have as many keys as seconds need; what does not loop needs more where it is fast.
typedef struct motion
{
	const char* name;
	motionFcn* move;
	double seconds;
	uint32_t keyCount;
	bool isLoop;
} motion;

static const motion motions[SCENE_CHARACTERS][SCENE_CLIPS] = {
	[scene_man] = { [scene_idle] = { "idle", sceneIdleMan, 3.2, 17, true },
	    [scene_walk] = { "walk", sceneWalkMan, 1.125, 25, true },
	    [scene_kick] = { "kick", sceneKickMan, 1.6, 33, false } },
	[scene_creature] = { [scene_idle] = { "idle", sceneIdleCreature, 4.0, 17, true },
	    [scene_walk] = { "walk", sceneWalkCreature, 1.6, 33, true },
	    [scene_kick] = { "kick", sceneKickCreature, 1.6, 33, false } },
};

// ---- Keys ------------------------------------------------------------------------------------------------------

// The slope at a key is that of the line between its neighbours; a loop's last key is its first.
static void SetSlopes(const sceneClip* clip, bool isLoop, sceneKey* keys, size_t stride)
{
	uint32_t last = clip->keyCount - 1;
	double step = (double)clip->times[last] / (double)last;
	for (uint32_t i = 0; i <= last; ++i)
	{
		uint32_t before = i > 0 ? i - 1 : isLoop ? last - 1 : 0, after = i < last ? i + 1 : isLoop ? 1 : last;
		bool isEnd = !isLoop && (i == 0 || i == last);
		double rise = (double)keys[after * stride].value - (double)keys[before * stride].value;
		keys[i * stride].slope = isEnd ? 0.0f : (float)(rise / (2.0 * step));
	}
}

// A turn and its opposite in sign are the same: the one that is nearer to the key before.
static void SetRotation(sceneClip* clip, uint32_t joint, uint32_t key, const double turn[4])
{
	double dot = 0.0;
	for (int k = 0; k < 4 && key > 0; ++k)
	{
		dot += turn[k] * (double)clip->rotations[joint][key - 1][k].value;
	}
	for (int k = 0; k < 4; ++k)
	{
		clip->rotations[joint][key][k].value = (float)(dot < 0.0 ? -turn[k] : turn[k]);
	}
}

void sceneMakeClip(const sceneFigure* figure, sceneClipKind kind, sceneClip* clip)
{
	const motion* m = &motions[figure->character.kind][kind];
	const sceneFigureShape* shape = sceneGetFigureShape(figure->character.kind);
	uint32_t joints = figure->character.weights.transformCount;
	clip->name = m->name;
	clip->keyCount = m->keyCount;
	for (uint32_t i = 0; i < m->keyCount; ++i)
	{
		double weights[SCENE_MAX_TARGETS] = { 0.0 };
		// The last key of a loop is the first, to the bit.
		uint32_t at = m->isLoop && i + 1 == m->keyCount ? 0 : i;
		scenePosture p = scenePosture_Make(&figure->character, shape->leftJoints);
		clip->times[i] = (float)(m->seconds * (double)i / (double)(m->keyCount - 1));
		m->move((double)at / (double)(m->keyCount - 1), &p, weights);
		for (uint32_t j = 0; j < joints; ++j)
		{
			SetRotation(clip, j, i, p.turns[j]);
		}
		for (int k = 0; k < 3; ++k)
		{
			clip->moves[i][k].value = (float)p.move[k];
		}
		for (int k = 0; k < SCENE_MAX_TARGETS; ++k)
		{
			clip->weights[i][k].value = (float)weights[k];
		}
	}
	for (int k = 0; k < 4; ++k)
	{
		for (uint32_t j = 0; j < joints; ++j)
		{
			SetSlopes(clip, m->isLoop, &clip->rotations[j][0][k], 4);
		}
		SetSlopes(clip, m->isLoop, &clip->weights[0][k], SCENE_MAX_TARGETS);
	}
	for (int k = 0; k < 3; ++k)
	{
		SetSlopes(clip, m->isLoop, &clip->moves[0][k], 3);
	}
}

// ---- Poses -----------------------------------------------------------------------------------------------------

/// A time between two keys, or on one of them.
typedef struct moment
{
	uint32_t key, next;
	double part, span;
} moment;

static moment FindMoment(const sceneClip* clip, double time)
{
	uint32_t last = clip->keyCount - 1, key = 0;
	while (key < last && (double)clip->times[key + 1] <= time)
	{
		++key;
	}
	moment m = { key, key < last ? key + 1 : key, 0.0, 0.0 };
	double from = (double)clip->times[key];
	if (key < last && time > from)
	{
		m.span = (double)clip->times[key + 1] - from;
		m.part = (time - from) / m.span;
	}
	return m;
}

// Hermite's cubic, as glTF has it.
static double Sample(const moment* m, const sceneKey* keys, size_t stride)
{
	const sceneKey *a = keys + m->key * stride, *b = keys + m->next * stride;
	double t = m->part, t2 = t * t, t3 = t2 * t;
	return (2.0 * t3 - 3.0 * t2 + 1.0) * (double)a->value + (t3 - 2.0 * t2 + t) * m->span * (double)a->slope +
	       (3.0 * t2 - 2.0 * t3) * (double)b->value + (t3 - t2) * m->span * (double)b->slope;
}

double sceneFigure_GetDuration(const sceneFigure* figure, sceneClipKind clip)
{
	return (double)figure->clips[clip].times[figure->clips[clip].keyCount - 1];
}

void sceneFigure_Pose(const sceneFigure* figure, sceneClipKind kind, double time, float* matrices, float* amplitudes)
{
	const sceneClip* clip = figure->clips + kind;
	moment m = FindMoment(clip, time);
	scenePosture p = scenePosture_Make(&figure->character, 0);
	double worlds[SCENE_MAX_JOINTS][12];
	uint32_t joints = figure->character.weights.transformCount;
	for (uint32_t j = 0; j < joints; ++j)
	{
		double square = 0.0;
		for (int k = 0; k < 4; ++k)
		{
			p.turns[j][k] = Sample(&m, &clip->rotations[j][0][k], 4);
			square += p.turns[j][k] * p.turns[j][k];
		}
		for (int k = 0; k < 4; ++k)
		{
			p.turns[j][k] /= sqrt(square);
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		p.move[k] = Sample(&m, &clip->moves[0][k], 3);
	}
	scenePosture_GetMatrices(&p, worlds);
	for (size_t i = 0; i < 12 * (size_t)joints; ++i)
	{
		matrices[i] = (float)worlds[i / 12][i % 12];
	}
	for (uint32_t t = 0; t < figure->character.targets.count && amplitudes != NULL; ++t)
	{
		amplitudes[t] = (float)Sample(&m, &clip->weights[0][t], SCENE_MAX_TARGETS);
	}
}
