// src/body/together.c: displacing the vertices of several bodies of one model at once.
//
// Evaluating a vertex reads all that fields do to it: of 217 fields that move every one of 6,890 vertices 18 MB for
// each pose, and reading takes longer than adding. Sums of four poses fit in registers, so four poses are displaced
// while that is read once. What comes out waits in each body for its clusters to be evaluated: 12 bytes a vertex, which
// stay close to a core.
#include "base/fpenv.h"
#include "body/body.h"

size_t sgBody_DisplacedBytes(const snugBody* body)
{
	return body->displaced != NULL ? body->deform->displacedBytes(body->model) : 0;
}

static bool MakeRoom(snugBody* body, size_t bytes)
{
	if (body->displaced == NULL)
	{
		body->displaced = sgAllocate(&body->allocator, bytes);
	}
	return body->displaced != NULL;
}

// Fewer than SG_TOGETHER take as long: the first stands for those that are missing, and gets the same again.
static SG_NOINLINE void Displace(snugBody* const* bodies, uint32_t count)
{
	const void* poses[SG_TOGETHER];
	sgLaneFloats* out[SG_TOGETHER];
	for (uint32_t k = 0; k < SG_TOGETHER; ++k)
	{
		poses[k] = bodies[k < count ? k : 0]->posed.pose;
		out[k] = bodies[k < count ? k : 0]->displaced;
	}
	bodies[0]->deform->displace(bodies[0]->model, poses, out);
	for (uint32_t k = 0; k < count; ++k)
	{
		bodies[k]->posed.displaced = bodies[k]->displaced;
	}
}

static snugStatus DisplaceAll(snugBody* const* bodies, uint32_t count, size_t bytes)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!MakeRoom(bodies[i], bytes))
		{
			return sgFail(&bodies[i]->messenger, snug_outOfMemory, "no memory for displaced vertices");
		}
	}
	sgFpEnv environment = sgFpEnv_Enter();
	for (uint32_t first = 0; first < count; first += SG_TOGETHER)
	{
		Displace(bodies + first, count - first < SG_TOGETHER ? count - first : SG_TOGETHER);
	}
	sgFpEnv_Leave(environment);
	return snug_success;
}

snugStatus snugBody_DisplaceTogether(snugBody* const* bodies, uint32_t count)
{
	SG_REQUIRE(bodies != NULL || count == 0, snug_badArgument);
	for (uint32_t i = 0; i < count; ++i)
	{
		SG_REQUIRE(bodies[i] != NULL && bodies[i]->model == bodies[0]->model, snug_badArgument);
	}
	const sgDeform* deform = count > 0 ? bodies[0]->deform : NULL;
	const size_t bytes = deform != NULL && deform->displace != NULL ? deform->displacedBytes(bodies[0]->model) : 0;
	return bytes > 0 ? DisplaceAll(bodies, count, bytes) : snug_success;
}
