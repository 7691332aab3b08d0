#include "papers/meshless/fish.h"

#include "base/vec.h"
#include "lab/scenes/random.h"
#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>

#define STEP (1.0 / (SIM_FISH_FPS * 16))
#define INFLUENCES 20.0
#define CHOICES 64                       // courses for each fish to choose from
#define WIDEST (0.075 * SIM_FISH_LENGTH) // of the bend, at the tail, to either side
#define WAVES 0.8                        // of the bend, on a fish
#define BEATS 1.0                        // per second
#define MUSCLE (2.0 * SCENE_PI * 1.5)    // radians per second
#define STEER (2.0 * SCENE_PI * 0.3)     // radians per second
#define HARDEST 1.0                      // metres per second squared
#define SETTLING 2.0                     // seconds before the start, until bodies bend as their muscles want
#define SPINE 7                          // points of a fish, to see how far it is from another
#define MOMENT 1e-4                      // seconds, to see how fast a fish bends

static const simMaterial material = { .density = 1000.0, .young = 1e6, .poisson = 0.3, .bulk = 1e6, .damping = 1.0 };

// ---- Shape -----------------------------------------------------------------------------------------------------

// From 0 to 1 where x goes from 0 to 1, flat at both ends.
static double Rise(double x)
{
	double t = x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
	return t * t * (3.0 - 2.0 * t);
}

// From the unit sphere: a spindle, higher than wide, with a narrow root of the tail and a fin behind it.
static void Shape(float* p)
{
	double x = (double)p[0];
	double height = 0.12 + 0.18 * Rise((x + 0.75) / 0.9) + 0.5 * Rise((-0.72 - x) / 0.28);
	double width = 0.13 + 0.08 * Rise((x + 0.8) / 0.9);
	p[0] = (float)(0.5 * SIM_FISH_LENGTH * x);
	p[1] = (float)(width * (double)p[1]);
	p[2] = (float)(height * (double)p[2]);
}

sceneMesh simMakeFish(uint32_t vertexCount)
{
	sceneMesh mesh = sceneMakeRound(vertexCount);
	for (size_t i = 0; i < mesh.vertexCount; ++i)
	{
		Shape(mesh.positions + 3 * i);
	}
	return mesh;
}

// ---- Swimming --------------------------------------------------------------------------------------------------

// A circle within the box, less a fish's half. Its plane is tilted by less than 45 degrees, so a fish never stands on
// its head.
static simCourse MakeCourse(sceneRandom* random)
{
	const double room = 1.5 * SIM_FISH_LENGTH - 0.5 * SIM_FISH_LENGTH;
	double radius = sceneRandom_Range(random, 0.2, 0.55) * room;
	double tilt = sceneRandom_Range(random, -0.6, 0.6), turn = sceneRandom_Range(random, 0.0, 2.0 * SCENE_PI);
	double c = sceneCosine(turn), s = sceneSine(turn), ct = sceneCosine(tilt), st = sceneSine(tilt);
	simCourse course = { .along = { radius * c, radius * s, 0.0 },
		.across = { -radius * s * ct, radius * c * ct, radius * st },
		.turning = sceneRandom_Range(random, 0.4, 0.8),
		.phase = sceneRandom_Range(random, 0.0, 2.0 * SCENE_PI),
		.beat = sceneRandom_Range(random, 0.0, 2.0 * SCENE_PI) };
	course.turning = sceneRandom_Index(random, 2) == 0 ? course.turning : -course.turning;
	for (int k = 0; k < 3; ++k)
	{
		course.middle[k] = sceneRandom_Range(random, -1.0, 1.0) * (room - radius);
	}
	return course;
}

/// Where a fish that is not disturbed would be: columns are forwards, left and up.
typedef struct swimFrame
{
	double position[3], forwards[3], left[3], up[3];
} swimFrame;

static void Normalise(double v[3])
{
	double length = sqrt(sgDot(v, v));
	for (int k = 0; k < 3; ++k)
	{
		v[k] /= length;
	}
}

static swimFrame GetFrame(const simCourse* course, double time)
{
	static const double vertical[3] = { 0.0, 0.0, 1.0 };
	double angle = course->phase + course->turning * time, c = sceneCosine(angle), s = sceneSine(angle);
	swimFrame frame;
	for (int k = 0; k < 3; ++k)
	{
		frame.position[k] = course->middle[k] + c * course->along[k] + s * course->across[k];
		frame.forwards[k] = course->turning * (c * course->across[k] - s * course->along[k]);
	}
	Normalise(frame.forwards);
	sgCross(vertical, frame.forwards, frame.left);
	Normalise(frame.left);
	sgCross(frame.forwards, frame.left, frame.up);
	return frame;
}

// Where a node would be, as a displacement. The bend grows from nothing at the nose with the square of the distance,
// and cross-sections stay square to the bent spine.
static void GetGoal(
    const simCourse* course, const swimFrame* frame, double time, const double rest[3], double displacement[3])
{
	double behind = 0.5 - rest[0] / SIM_FISH_LENGTH; // 0 at the nose, 1 at the end of the tail
	double angle = course->beat + 2.0 * SCENE_PI * (BEATS * time - WAVES * behind);
	double bend = WIDEST * behind * behind * sceneSine(angle);
	double slope = 2.0 * WIDEST * behind * (SCENE_PI * WAVES * behind * sceneCosine(angle) - sceneSine(angle));
	slope /= SIM_FISH_LENGTH;
	double side = rest[1] / sqrt(1.0 + slope * slope);
	double ahead = rest[0] - slope * side, left = bend + side;
	for (int k = 0; k < 3; ++k)
	{
		displacement[k] =
		    frame->position[k] + ahead * frame->forwards[k] + left * frame->left[k] + rest[2] * frame->up[k] - rest[k];
	}
}

// Of all nodes: how far the fish is from where it would be, or how fast it is.
static void GetMean(const double (*vectors)[3], uint32_t count, double mean[3])
{
	mean[0] = mean[1] = mean[2] = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			mean[k] += vectors[i][k] / count;
		}
	}
}

// What the whole fish is accelerated by: softly to its course, and never so hard that it would go through another.
static void Steer(const simCourse* course, double time, const double offset[3], const double speed[3], double pull[3])
{
	double angle = course->phase + course->turning * time, c = sceneCosine(angle), s = sceneSine(angle);
	for (int k = 0; k < 3; ++k)
	{
		double goal = course->turning * (c * course->across[k] - s * course->along[k]);
		pull[k] = STEER * (STEER * offset[k] + 2.0 * (goal - speed[k]));
	}
	double length = sqrt(sgDot(pull, pull)), scale = length > HARDEST ? HARDEST / length : 1.0;
	for (int k = 0; k < 3; ++k)
	{
		pull[k] *= scale;
	}
}

// Each node keeps its place in the bent body, and all of them steer.
static void UseMuscles(simSchool* school, int number)
{
	simMeshless* body = &school->fish[number].body;
	const simCourse* course = &school->courses[number];
	swimFrame frame = GetFrame(course, body->time);
	double offset[3], speed[3], pull[3];
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		GetGoal(course, &frame, body->time, body->rest[i], school->offsets[i]);
		sgSubtract(school->offsets[i], body->displacement[i], school->offsets[i]);
	}
	GetMean((const double(*)[3])school->offsets, body->nodeCount, offset);
	GetMean((const double(*)[3])body->velocity, body->nodeCount, speed);
	Steer(course, body->time, offset, speed, pull);
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			double bend = MUSCLE * (school->offsets[i][k] - offset[k]) - 2.0 * (body->velocity[i][k] - speed[k]);
			body->external[i][k] += body->mass * (MUSCLE * bend + pull[k]);
		}
	}
}

// ---- School ----------------------------------------------------------------------------------------------------

static void GetSpine(const simCourse* course, double spine[SPINE][3])
{
	swimFrame frame = GetFrame(course, 0.0);
	for (int i = 0; i < SPINE; ++i)
	{
		const double rest[3] = { SIM_FISH_LENGTH * (0.5 - (double)i / (SPINE - 1)), 0.0, 0.0 };
		GetGoal(course, &frame, 0.0, rest, spine[i]);
		spine[i][0] += rest[0];
	}
}

// The least distance from the fish before, when all begin, squared.
static double GetStartRoom(const simSchool* school, int number, const simCourse* course)
{
	double least = INFINITY, own[SPINE][3], other[SPINE][3];
	GetSpine(course, own);
	for (int i = 0; i < number; ++i)
	{
		GetSpine(&school->courses[i], other);
		for (int k = 0; k < SPINE * SPINE; ++k)
		{
			double offset[3];
			sgSubtract(own[k / SPINE], other[k % SPINE], offset);
			least = fmin(least, sgDot(offset, offset));
		}
	}
	return least;
}

// Of some courses the one that begins farthest from the other fish: they are to meet, not to begin in each other.
static simCourse ChooseCourse(const simSchool* school, int number, sceneRandom* random)
{
	simCourse best = MakeCourse(random);
	for (int i = 1; i < CHOICES; ++i)
	{
		simCourse course = MakeCourse(random);
		best = GetStartRoom(school, number, &course) > GetStartRoom(school, number, &best) ? course : best;
	}
	return best;
}

// Let it swim for a while, as fast as it would be from the first.
static bool PlaceFish(simSchool* school, int number, simError* error)
{
	simMeshless* body = &school->fish[number].body;
	const simCourse* course = &school->courses[number];
	body->time = -SETTLING;
	swimFrame frame = GetFrame(course, body->time), next = GetFrame(course, body->time + MOMENT);
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		double later[3];
		GetGoal(course, &frame, body->time, body->rest[i], body->displacement[i]);
		GetGoal(course, &next, body->time + MOMENT, body->rest[i], later);
		for (int k = 0; k < 3; ++k)
		{
			body->velocity[i][k] = (later[k] - body->displacement[i][k]) / MOMENT;
		}
	}
	while (school->step > 0.5 * body->largestStep)
	{
		school->step *= 0.5;
	}
	bool good = simMeshless_ComputeForces(body, error);
	while (body->time < -0.5 * school->step && good)
	{
		UseMuscles(school, number);
		good = simMeshless_Step(body, school->step, error);
	}
	body->time = 0.0;
	return good;
}

bool simSchool_Create(simSchool* school, uint32_t vertexCount, uint32_t nodeCount, simError* error)
{
	sceneRandom random = { 7 };
	*school = (simSchool){ .step = STEP };
	school->offsets = malloc((size_t)nodeCount * sizeof(*school->offsets));
	bool good = (school->offsets != NULL || simError_SetMemory(error)) && simContacts_Create(&school->contacts, error);
	for (int i = 0; i < SIM_FISH_COUNT && good; ++i)
	{
		school->courses[i] = ChooseCourse(school, i, &random);
		good = simActor_Create(&school->fish[i], simMakeFish(vertexCount), nodeCount, INFLUENCES, &material, error) &&
		       PlaceFish(school, i, error);
	}
	if (!good)
	{
		simSchool_Free(school);
	}
	return good;
}

void simSchool_Free(simSchool* school)
{
	for (int i = 0; i < SIM_FISH_COUNT; ++i)
	{
		simActor_Free(&school->fish[i]);
	}
	simContacts_Free(&school->contacts);
	free(school->offsets);
	*school = (simSchool){ .step = 0.0 };
}

bool simSchool_Advance(simSchool* school, simError* error)
{
	int steps = (int)(1.0 / (SIM_FISH_FPS * school->step) + 0.5);
	for (int step = 0; step < steps; ++step)
	{
		if (!simActors_RespondAll(school->fish, SIM_FISH_COUNT, &school->contacts, error))
		{
			return false;
		}
		for (int i = 0; i < SIM_FISH_COUNT; ++i)
		{
			UseMuscles(school, i);
			if (!simMeshless_Step(&school->fish[i].body, school->step, error))
			{
				return false;
			}
		}
	}
	return true;
}
