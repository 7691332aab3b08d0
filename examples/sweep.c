// sweep.c: a bullet that is in front of a wall in one frame and behind it in the next, and a body that stands on a
// floor and sinks: when do they meet? And simulations whose steps are as large as is safe, of one body and of several.
#include <snug/snug_queries.h>
#include <snug/snug_scene.h>
#include <stdbool.h>
#include <stdio.h>

static snugModel* MakeModel(const float* positions, uint32_t vertexCount, const uint32_t* triangles, uint32_t count)
{
	snugModelDef def = { 0 };
	def.positions = positions;
	def.vertexCount = vertexCount;
	def.triangles = triangles;
	def.triangleCount = count;
	snugModel* model = NULL;
	snugModel_Create(&def, &model);
	return model;
}

static snugBody* MakeBody(const snugModel* model, double x, double y, double z)
{
	snugBodyDef def = { 0 };
	def.model = model;
	snugBody* body = NULL;
	if (model != NULL && snugBody_Create(&def, &body) == snug_success)
	{
		const snugFrame frame = { { x, y, z }, { 0, 0, 0, 1 } };
		snugBody_SetFrame(body, &frame);
	}
	return body;
}

static void Print(const char* what, const snugSweepResult* result)
{
	static const char* const answers[] = { "free", "meets", "unsure" };
	printf("%s: %s, nothing before %.4f of the step\n", what, answers[result->answer], result->time);
}

static void Move(snugBody* body, double z)
{
	const snugFrame frame = { { 1, 2, z }, { 0, 0, 0, 1 } };
	snugBody_SetFrame(body, &frame);
}

// Fall from a height for a second, in steps that would miss the floor. Each goes as far as the way is proved to be
// free, less a thousandth: bodies that never touch need no push to part. What is fast does not pass, however long a
// step is.
static void Fall(snugBody* now, snugBody* next, snugBody* floor)
{
	const double step = 0.1;
	double z = 30.0, speed = 0.0;
	int stopped = 0;
	for (int i = 0; i < 40; ++i)
	{
		speed -= 9.81 * step;
		Move(now, z);
		Move(next, z + step * speed);
		const snugSweepResult result = snugSweep(now, next, floor, NULL, NULL);
		const bool isFree = result.status == snug_success && result.answer == snug_sweepFree;
		const double safe = isFree ? 1.0 : result.time - 0.001 > 0.0 ? result.time - 0.001 : 0.0;
		z += safe * step * speed;
		speed = isFree ? speed : -0.3 * speed; // your solver's business
		stopped += !isFree;
	}
	printf("falling: its tip is %s the floor after %d contacts\n", z - 1.0 > 0.0 ? "above" : "below", stopped);
}

// Two that fly at each other above the floor: how far may all of them go? The scene has them where they are now, and is
// told where they will be.
static void StepTogether(snugBody* bodies[3], snugBody* const ends[3])
{
	snugScene* scene = NULL;
	uint32_t id;
	const snugSceneDef none = { 0 };
	if (snugScene_Create(&none, &scene) != snug_success)
	{
		return;
	}
	for (int i = 0; i < 3; ++i)
	{
		snugSceneBodyDef def = { 0 };
		def.body = bodies[i];
		snugScene_Add(scene, &def, &id);
	}
	snugSceneSweep first;
	snugScene_Sweep(scene, ends, 3, NULL, &first);
	Print("together", &first.sweep);
	printf("bodies %u and %u meet first\n", (unsigned)first.a, (unsigned)first.b);
	snugScene_Destroy(scene);
}

int main(void)
{
	const float corners[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25f, 0.25f, -1 };
	const uint32_t faces[] = { 0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0 }; // its tip points down
	const float square[] = { -9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0 };
	const uint32_t halves[] = { 0, 1, 2, 0, 2, 3 };
	snugModel *spike = MakeModel(corners, 4, faces, 4), *plane = MakeModel(square, 4, halves, 2);
	snugBody* floor = MakeBody(plane, 0, 0, 0);
	snugBody *start = MakeBody(spike, 1, 2, 101), *end = MakeBody(spike, 1, 2, -99);
	if (floor == NULL || start == NULL || end == NULL)
	{
		return 1;
	}
	// From 100 above to 100 below: no frame shows a contact. Nobody passes an end for what rests.
	const snugSweepResult shot = snugSweep(start, end, floor, NULL, NULL);
	Print("bullet", &shot);

	// Its tip stands in the floor, and it goes down until its top comes to the floor, too: that is new.
	const snugFrame above = { { 1, 2, 0.5 }, { 0, 0, 0, 1 } }, below = { { 1, 2, -0.5 }, { 0, 0, 0, 1 } };
	snugBody_SetFrame(start, &above);
	snugBody_SetFrame(end, &below);
	snugSweepQuery query = { 0 };
	const snugSweepResult standing = snugSweep(start, end, floor, NULL, &query);
	Print("standing", &standing);
	query.newOnly = true;
	const snugSweepResult sinking = snugSweep(start, end, floor, NULL, &query);
	Print("sinking", &sinking);
	Fall(start, end, floor);

	Move(start, 5.0);
	Move(end, 2.0);
	snugBody *other = MakeBody(spike, 1, 2, 9), *otherEnd = MakeBody(spike, 1, 2, 2);
	snugBody* bodies[3] = { floor, start, other };
	snugBody* const ends[3] = { NULL, end, otherEnd };
	if (other != NULL && otherEnd != NULL)
	{
		StepTogether(bodies, ends);
	}
	snugBody_Destroy(other);
	snugBody_Destroy(otherEnd);
	snugBody_Destroy(start);
	snugBody_Destroy(end);
	snugBody_Destroy(floor);
	snugModel_Destroy(spike);
	snugModel_Destroy(plane);
	return 0;
}
