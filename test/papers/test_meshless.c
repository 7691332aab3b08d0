// test/papers/test_meshless.c: elastic bodies against theory: rigid motions, momentum, energy, a beam's sag, free fall;
// forces against differences of the energy; what must be refused; and penalty forces between two bodies.
#include "failing_memory.h"
#include "lab/scenes/meshless.h"
#include "lab/scenes/random.h"
#include "papers/meshless/fish.h"
#include "papers/meshless/meshless.h"
#include "papers/meshless/response.h"
#include "papers/meshless/ring.h"
#include "papers/meshless/state.h"
#include "solvers/sine.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Bodies ----------------------------------------------------------------------------------------------------

#define YOUNG 2e5

static simMeshlessDef MakeDef(const float* nodes, uint32_t count, double volume)
{
	return (simMeshlessDef){
		.nodes = nodes,
		.nodeCount = count,
		.volume = volume,
		.density = 1000.0,
		.young = YOUNG,
		.poisson = 0.3,
		.bulk = YOUNG,
	};
}

static simMeshless Make(const simMeshlessDef* def)
{
	simMeshless body;
	simError error = { "" };
	if (!simMeshless_Create(&body, def, &error))
	{
		fail_msg("%s", error.text);
	}
	return body;
}

// Points of a grid about zero, along x first.
static float* MakeGrid(uint32_t x, uint32_t y, uint32_t z, double cell)
{
	float* nodes = malloc(3 * sizeof(float) * x * y * z);
	for (uint32_t i = 0; i < x * y * z; ++i)
	{
		nodes[3 * i] = (float)(cell * ((double)(i / (y * z)) - 0.5 * (double)(x - 1)));
		nodes[3 * i + 1] = (float)(cell * ((double)(i / z % y) - 0.5 * (double)(y - 1)));
		nodes[3 * i + 2] = (float)(cell * ((double)(i % z) - 0.5 * (double)(z - 1)));
	}
	return nodes;
}

static simMesh Borrow(const sceneMesh* mesh)
{
	return (simMesh){ mesh->positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount };
}

static simMeshless MakeBrain(sceneMeshless* scene, uint32_t frequency, uint32_t nodes)
{
	assert_true(sceneMeshless_Create(scene, sceneMakeBrain(frequency, 1), nodes, 20.0));
	simMesh mesh = Borrow(&scene->mesh);
	simMeshlessDef def = MakeDef(scene->nodes, nodes, simGetVolume(&mesh));
	return Make(&def);
}

static double Longest(const double (*vectors)[3], uint32_t count)
{
	double most = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			most = fmax(most, fabs(vectors[i][k]));
		}
	}
	return most;
}

static void RandomizeVelocities(simMeshless* body, uint64_t seed, double speed)
{
	sceneRandom random = { seed };
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			body->velocity[i][k] = sceneRandom_Range(&random, -speed, speed);
		}
	}
}

static void Advance(simMeshless* body, double step, int count)
{
	simError error = { "" };
	for (int i = 0; i < count; ++i)
	{
		if (!simMeshless_Step(body, step, &error))
		{
			fail_msg("step %d: %s", i, error.text);
		}
	}
}

// ---- Theory ----------------------------------------------------------------------------------------------------

static void Turn(simMeshless* body, sceneRandom* random)
{
	double q[4], move[3], r[3][3];
	RandomRotation(random, q);
	for (int i = 0; i < 3; ++i)
	{
		int j = (i + 1) % 3, k = (i + 2) % 3;
		move[i] = sceneRandom_Range(random, -2.0, 2.0);
		r[i][i] = 1.0 - 2.0 * (q[j] * q[j] + q[k] * q[k]);
		r[i][j] = 2.0 * (q[i] * q[j] - q[k] * q[3]);
		r[i][k] = 2.0 * (q[i] * q[k] + q[j] * q[3]);
	}
	for (uint32_t n = 0; n < body->nodeCount; ++n)
	{
		const double* x = body->rest[n];
		for (int k = 0; k < 3; ++k)
		{
			body->displacement[n][k] = r[k][0] * x[0] + r[k][1] * x[1] + r[k][2] * x[2] + move[k] - x[k];
		}
	}
}

static void assert_rigid(simMeshless* body)
{
	sceneRandom random = { TestSeed() };
	for (int i = 0; i < TestCount(20); ++i)
	{
		simError error = { "" };
		Turn(body, &random);
		assert_true(simMeshless_ComputeForces(body, &error));
		double scale = YOUNG * body->support * body->support;
		assert_true(Longest((const double(*)[3])body->force, body->nodeCount) < 1e-11 * scale);
		assert_true(simMeshless_GetEnergy(body).elastic < 1e-20 * scale * body->support);
	}
}

static void rigid_motions_give_no_force(void** state)
{
	(void)state;
	sceneMeshless scene;
	simMeshless body = MakeBrain(&scene, 10, 65);
	assert_int_equal(body.thinCount, 0);
	assert_rigid(&body);
	simMeshless_Free(&body);
	sceneMeshless_Free(&scene);
}

// Neighbours in a plane or on a line say nothing about what is across: that must not count as strain.
static void nor_do_those_of_flat_bodies(void** state)
{
	(void)state;
	static const uint32_t sizes[2][3] = { { 8, 7, 1 }, { 20, 1, 1 } };
	for (int i = 0; i < 2; ++i)
	{
		float* nodes = MakeGrid(sizes[i][0], sizes[i][1], sizes[i][2], 0.1);
		uint32_t count = sizes[i][0] * sizes[i][1] * sizes[i][2];
		for (uint32_t n = 0; n < count; ++n)
		{
			nodes[3 * n + 2] = 0.3f * nodes[3 * n] - 0.7f * nodes[3 * n + 1]; // tilted: flat but for rounding
		}
		simMeshlessDef def = MakeDef(nodes, count, 0.001 * (double)count);
		simMeshless body = Make(&def);
		assert_int_equal(body.thinCount, count);
		assert_rigid(&body);
		body.displacement[0][0] -= 0.01; // but stretching does
		simError error = { "" };
		assert_true(simMeshless_ComputeForces(&body, &error));
		assert_true(Longest((const double(*)[3])body.force, count) > 1e-4 * YOUNG * body.support * body.support);
		simMeshless_Free(&body);
		free(nodes);
	}
}

// The energy of a body that is stretched evenly is known: the law, times the volume of all nodes.
static void even_strain_has_the_energy_of_the_law(void** state)
{
	(void)state;
	sceneMeshless scene;
	simMeshless body = MakeBrain(&scene, 10, 65);
	static const double stretch[3] = { 1.2, 0.9, 1.05 };
	double volume = 0.0, trace = 0.0, squares = 0.0, determinant = stretch[0] * stretch[1] * stretch[2];
	for (int k = 0; k < 3; ++k)
	{
		double strain = 0.5 * (stretch[k] * stretch[k] - 1.0);
		trace += strain;
		squares += strain * strain;
	}
	for (uint32_t i = 0; i < body.nodeCount; ++i)
	{
		volume += body.volume[i];
		for (int k = 0; k < 3; ++k)
		{
			body.displacement[i][k] = (stretch[k] - 1.0) * body.rest[i][k];
		}
	}
	double lambda = YOUNG * 0.3 / (1.3 * 0.4), mu = YOUNG / 2.6;
	double density =
	    0.5 * lambda * trace * trace + mu * squares + 0.5 * YOUNG * (determinant - 1.0) * (determinant - 1.0);
	double found = simMeshless_GetEnergy(&body).elastic;
	assert_true(fabs(found / (volume * density) - 1.0) < 1e-9);
	simMeshless_Free(&body);
	sceneMeshless_Free(&scene);
}

// Forces are what the energy loses when a node moves.
static void forces_are_derivatives_of_the_energy(void** state)
{
	(void)state;
	sceneMeshless scene;
	simMeshless body = MakeBrain(&scene, 10, 65);
	sceneRandom random = { TestSeed() };
	const double step = 1e-5;
	for (uint32_t i = 0; i < 3 * body.nodeCount; ++i)
	{
		body.displacement[i / 3][i % 3] = sceneRandom_Range(&random, -0.02, 0.02);
	}
	simError error = { "" };
	assert_true(simMeshless_ComputeForces(&body, &error));
	double scale = Longest((const double(*)[3])body.force, body.nodeCount);
	for (uint32_t i = 0; i < 3 * body.nodeCount; ++i)
	{
		double* u = &body.displacement[i / 3][i % 3];
		double kept = *u;
		*u = kept + step;
		double above = simMeshless_GetEnergy(&body).elastic;
		*u = kept - step;
		double below = simMeshless_GetEnergy(&body).elastic;
		*u = kept;
		assert_true(fabs(body.force[i / 3][i % 3] + (above - below) / (2.0 * step)) < 1e-5 * scale);
	}
	simMeshless_Free(&body);
	sceneMeshless_Free(&scene);
}

static void momentum_is_kept(void** state)
{
	(void)state;
	sceneMeshless scene;
	simMeshless body = MakeBrain(&scene, 10, 65);
	RandomizeVelocities(&body, TestSeed(), 1.0);
	double linear[2][3], angular[2][3], scale = body.mass * (double)body.nodeCount;
	simMeshless_GetMomentum(&body, linear[0], angular[0]);
	Advance(&body, 0.5 * body.largestStep, 1000);
	simMeshless_GetMomentum(&body, linear[1], angular[1]);
	for (int k = 0; k < 3; ++k)
	{
		assert_true(fabs(linear[1][k] - linear[0][k]) < 1e-12 * scale);
		assert_true(fabs(angular[1][k] - angular[0][k]) < 1e-12 * scale);
	}
	assert_true(simMeshless_GetEnergy(&body).elastic > 0.01 * scale); // it was no rigid motion
	simMeshless_Free(&body);
	sceneMeshless_Free(&scene);
}

// Mean of kinetic and elastic energy over some steps: at an instant it swings, since velocities are half a step off.
static double MeanEnergy(simMeshless* body, double step, int count)
{
	double sum = 0.0;
	for (int i = 0; i < count; ++i)
	{
		Advance(body, step, 1);
		simEnergy energy = simMeshless_GetEnergy(body);
		sum += energy.kinetic + energy.elastic;
	}
	return sum / (double)count;
}

static void energy_does_not_grow(void** state)
{
	(void)state;
	sceneMeshless scene;
	simMeshless body = MakeBrain(&scene, 10, 65);
	RandomizeVelocities(&body, TestSeed(), 0.5);
	double step = 0.5 * body.largestStep;
	double before = MeanEnergy(&body, step, 500);
	Advance(&body, step, 9000);
	double after = MeanEnergy(&body, step, 500);
	assert_true(fabs(after / before - 1.0) < 0.005);
	simMeshless_Free(&body);
	sceneMeshless_Free(&scene);
}

// Damping takes away what theory says: all velocities fall alike where there are no forces.
static void damping_slows_down(void** state)
{
	(void)state;
	float* nodes = MakeGrid(3, 3, 3, 0.1);
	simMeshlessDef def = MakeDef(nodes, 27, 0.027);
	def.damping = 2.0;
	simMeshless body = Make(&def);
	for (uint32_t i = 0; i < 27; ++i)
	{
		body.velocity[i][0] = 1.0;
	}
	Advance(&body, 1e-3, 500);
	double expected = pow(1.0 - 2e-3, 500.0);
	assert_true(fabs(body.velocity[13][0] / expected - 1.0) < 1e-9);
	simMeshless_Free(&body);
	free(nodes);
}

static void free_fall_is_a_parabola(void** state)
{
	(void)state;
	float* nodes = MakeGrid(3, 3, 3, 0.1);
	simMeshlessDef def = MakeDef(nodes, 27, 0.027);
	def.gravity[1] = -9.81;
	simMeshless body = Make(&def);
	Advance(&body, 1e-3, 100);
	// v after step n is n g dt, so u is the sum 1 + 2 + ... + n times g dt^2
	assert_true(fabs(body.displacement[5][1] + 9.81 * 1e-6 * 5050.0) < 1e-12);
	simEnergy energy = simMeshless_GetEnergy(&body);
	assert_true(energy.elastic < 1e-15);
	assert_true(fabs(energy.gravity + 27.0 * body.mass * 9.81 * 9.81 * 1e-6 * 5050.0) < 1e-9);
	simMeshless_Free(&body);
	free(nodes);
}

// A beam of 31 by 4 by 4 nodes, each in the middle of a cube of 5 cm, held at the first layer, under a weight that
// bends it by a two-hundredth of its length: Euler and Bernoulli's w x^2 (x^2 - 4 L x + 6 L^2) / (24 E I), from the
// held nodes to the end of the last cubes.
static void beam_sags_as_euler_and_bernoulli_say(void** state)
{
	(void)state;
	const uint32_t layers = 31, side = 4, layer = side * side;
	const double cell = 0.05, young = 1e6, gravity = 0.03;
	float* nodes = MakeGrid(layers, side, side, cell);
	simMeshlessDef def = MakeDef(nodes, layers * layer, (double)(layers * layer) * cell * cell * cell);
	def.young = young;
	def.bulk = 0.0;
	def.damping = 3.0;
	def.gravity[1] = -gravity;
	simMeshless body = Make(&def);
	const double still[3] = { 0.0, 0.0, 0.0 };
	for (uint32_t i = 0; i < layer; ++i)
	{
		simMeshless_Hold(&body, i, still);
	}
	Advance(&body, body.largestStep, (int)(8.0 / body.largestStep));
	double sag = 0.0, weight = 1000.0 * (double)layer * cell * cell * gravity;
	for (uint32_t i = 0; i < layer; ++i)
	{
		sag -= body.displacement[(layers - 1) * layer + i][1] / (double)layer;
	}
	double width = (double)side * cell, moment = width * width * width * width / 12.0;
	double length = ((double)layers - 0.5) * cell, x = (double)(layers - 1) * cell;
	double theory = weight * x * x * (x * x - 4.0 * length * x + 6.0 * length * length) / (24.0 * young * moment);
	if (!(fabs(sag / theory - 1.0) < 0.1))
	{
		fail_msg("sags by %g instead of %g", sag, theory);
	}
	assert_true(simMeshless_GetEnergy(&body).kinetic < 1e-9 * simMeshless_GetEnergy(&body).elastic);
	simMeshless_Free(&body);
	free(nodes);
}

static void held_nodes_go_where_they_are_told(void** state)
{
	(void)state;
	float* nodes = MakeGrid(4, 3, 3, 0.1);
	simMeshlessDef def = MakeDef(nodes, 36, 0.036);
	def.damping = 5.0;
	simMeshless body = Make(&def);
	for (int step = 1; step <= 3000; ++step)
	{
		double goal[3] = { 0.0, 0.1 * (double)(step < 1000 ? step : 1000) / 1000.0, 0.0 };
		for (uint32_t i = 0; i < 9; ++i)
		{
			simMeshless_Hold(&body, i, goal);
		}
		Advance(&body, 1e-3, 1);
		assert_true(body.displacement[4][1] == goal[1]);
	}
	assert_true(fabs(body.displacement[35][1] - 0.1) < 1e-3); // and the others come along
	simMeshless_Release(&body, 4);
	body.external[4][2] = 1.0;
	Advance(&body, 1e-3, 1);
	assert_true(body.displacement[4][2] > 0.0);
	assert_true(body.external[4][2] == 0.0);
	simMeshless_Free(&body);
	free(nodes);
}

// ---- What must be refused --------------------------------------------------------------------------------------

static void assert_refused(const simMeshlessDef* def, const char* why)
{
	simMeshless body;
	simError error = { "" };
	assert_false(simMeshless_Create(&body, def, &error));
	if (strstr(error.text, why) == NULL)
	{
		fail_msg("'%s' does not say '%s'", error.text, why);
	}
	assert_null(body.rest);
}

static void bad_bodies_are_named(void** state)
{
	(void)state;
	float* nodes = MakeGrid(4, 4, 4, 0.1);
	simMeshlessDef def = MakeDef(nodes, 64, 0.064);
	simMeshlessDef bad = def;
	bad.poisson = 0.5;
	assert_refused(&bad, "Poisson's ratio must be below 0.5");
	bad = def;
	bad.young = -1.0;
	assert_refused(&bad, "modulus cannot be -1");
	bad = def;
	bad.volume = NAN;
	assert_refused(&bad, "volume cannot be");
	bad = def;
	bad.nodeCount = 1;
	assert_refused(&bad, "two nodes");
	nodes[3 * 17] = 50.0f;
	assert_refused(&def, "node 17 sees no other");
	nodes[3 * 17] = INFINITY;
	assert_refused(&def, "node 17 has a coordinate");
	memset(nodes, 0, 64 * 3 * sizeof(float));
	assert_refused(&def, "sees no other");
	free(nodes);
}

static void bodies_in_parts_are_named(void** state)
{
	(void)state;
	float* nodes = MakeGrid(4, 4, 4, 0.1);
	simMeshlessDef def = MakeDef(nodes, 64, 0.064);
	for (int i = 40; i < 64; ++i)
	{
		nodes[3 * i + 2] += 30.0f;
	}
	assert_refused(&def, "falls into parts: node 40 and node 0");
	free(nodes);
}

static void inverted_nodes_are_named(void** state)
{
	(void)state;
	float* nodes = MakeGrid(4, 4, 4, 0.1);
	simMeshlessDef def = MakeDef(nodes, 64, 0.064);
	simMeshless body = Make(&def);
	simError error = { "" };
	for (uint32_t i = 0; i < 64; ++i)
	{
		body.displacement[i][0] = -2.0 * body.rest[i][0]; // a mirror image
	}
	assert_false(simMeshless_ComputeForces(&body, &error));
	assert_non_null(strstr(error.text, "node 0 is turned inside out"));
	simMeshless_Free(&body);
	free(nodes);
}

static void steps_that_are_too_large_are_refused(void** state)
{
	(void)state;
	float* nodes = MakeGrid(4, 4, 4, 0.1);
	simMeshlessDef def = MakeDef(nodes, 64, 0.064);
	simMeshless body = Make(&def);
	simError error = { "" };
	RandomizeVelocities(&body, 3, 0.01);
	assert_false(simMeshless_Step(&body, 1.001 * body.largestStep, &error));
	assert_non_null(strstr(error.text, "needs"));
	// Is the limit one? Just below it, energy stays; a fifth above, within a few hundred steps it explodes.
	double before = MeanEnergy(&body, body.largestStep, 200);
	Advance(&body, body.largestStep, 2000);
	assert_true(MeanEnergy(&body, body.largestStep, 200) < 1.1 * before);
	double limit = body.largestStep;
	body.largestStep *= 1.2 / 0.9;
	bool good = true;
	for (int i = 0; i < 2000 && good; ++i)
	{
		good = simMeshless_Step(&body, 1.2 / 0.9 * limit, &error);
	}
	assert_false(good);
	simMeshless_Free(&body);
	free(nodes);
}

static void failed_steps_leave_the_body_alone(void** state)
{
	(void)state;
	float* nodes = MakeGrid(4, 4, 4, 0.1);
	simMeshlessDef def = MakeDef(nodes, 64, 0.064);
	simMeshless body = Make(&def);
	simError error = { "" };
	RandomizeVelocities(&body, 5, 0.1);
	Advance(&body, body.largestStep, 10);
	double kept[2][3], force = body.force[9][1];
	memcpy(kept[0], body.displacement[9], sizeof(kept[0]));
	memcpy(kept[1], body.velocity[9], sizeof(kept[1]));
	body.external[9][1] = 1e9;
	assert_false(simMeshless_Step(&body, body.largestStep, &error));
	assert_non_null(strstr(error.text, "node 9 would move by"));
	assert_memory_equal(kept[0], body.displacement[9], sizeof(kept[0]));
	assert_memory_equal(kept[1], body.velocity[9], sizeof(kept[1]));
	assert_true(body.force[9][1] == force);
	body.external[9][1] = 0.0;
	Advance(&body, body.largestStep, 10);
	simMeshless_Free(&body);
	free(nodes);
}

static void lack_of_memory_is_an_error(void** state)
{
	(void)state;
	float* nodes = MakeGrid(4, 4, 4, 0.1);
	simMeshlessDef def = MakeDef(nodes, 64, 0.064);
	int failures = 0;
	for (bool good = false; !good; ++failures)
	{
		simMeshless body;
		simError error = { "" };
		callsBeforeFailure = failures;
		good = simMeshless_Create(&body, &def, &error);
		callsBeforeFailure = -1;
		assert_true(good || strstr(error.text, "memory") != NULL);
		simMeshless_Free(&body);
	}
	assert_true(failures > 15);
	free(nodes);
}

// ---- The same everywhere ---------------------------------------------------------------------------------------

static uint64_t Hash(uint64_t hash, const void* data, size_t size)
{
	const unsigned char* bytes = data;
	for (size_t i = 0; i < size; ++i)
	{
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	}
	return hash;
}

// The bits of a body after 300 steps, whatever compiler and optimisation.
static void bits_are_the_same_everywhere(void** state)
{
	(void)state;
	sceneMeshless scene;
	simMeshless body = MakeBrain(&scene, 10, 65);
	RandomizeVelocities(&body, 7, 0.3);
	Advance(&body, 1e-3, 300);
	uint64_t hash = Hash(0xcbf29ce484222325u, body.displacement, body.nodeCount * sizeof(*body.displacement));
	hash = Hash(hash, body.velocity, body.nodeCount * sizeof(*body.velocity));
	hash = Hash(hash, body.gradient, body.nodeCount * sizeof(*body.gradient));
	if (hash != 0xa7847b88940ca5c0u)
	{
		fail_msg("hash %016llx", (unsigned long long)hash);
	}
	simMeshless_Free(&body);
	sceneMeshless_Free(&scene);
}

// ---- States ----------------------------------------------------------------------------------------------------

// A body that is read goes on as the one that was written, bit for bit; damaged texts are refused, and say where.
static void states_are_gone_on_from(void** state)
{
	(void)state;
	float* nodes = MakeGrid(4, 4, 4, 0.1);
	simMeshlessDef def = MakeDef(nodes, 64, 0.064);
	simMeshless first = Make(&def), second = Make(&def);
	simError error = { "" };
	char text[16384], damaged[16384];
	RandomizeVelocities(&first, 11, 0.1);
	Advance(&first, 1e-3, 50);
	FILE* stream = fmemopen(text, sizeof(text), "w");
	assert_true(simState_Write(stream, &first));
	fclose(stream);
	stream = fmemopen(text, strlen(text), "r");
	assert_true(simState_Read(stream, &second, &error));
	fclose(stream);
	Advance(&first, 1e-3, 50);
	Advance(&second, 1e-3, 50);
	assert_memory_equal(first.displacement, second.displacement, 64 * sizeof(*first.displacement));
	assert_true(first.time == second.time);
	for (size_t length = 1; length + 8 < strlen(text); length += 37)
	{
		stream = fmemopen(text, length, "r");
		assert_false(simState_Read(stream, &second, &error));
		fclose(stream);
	}
	assert_non_null(strstr(error.text, "node 63"));
	sceneRandom random = { TestSeed() };
	for (int i = 0; i < TestCount(500); ++i)
	{
		memcpy(damaged, text, sizeof(text));
		for (int k = 0; k < 3; ++k)
		{
			damaged[sceneRandom_Index(&random, (uint32_t)strlen(text))] = (char)(32 + sceneRandom_Index(&random, 95));
		}
		stream = fmemopen(damaged, strlen(text), "r");
		bool good = simState_Read(stream, &second, &error);
		fclose(stream);
		assert_true(isfinite(simMeshless_GetEnergy(&second).elastic));
		assert_true(good || second.displacement[5][0] == 0.0);
	}
	simMeshless_Free(&first);
	simMeshless_Free(&second);
	free(nodes);
}

// ---- Scenes ----------------------------------------------------------------------------------------------------

// Kinetic and elastic, of all of them.
static double GetEnergy(const simActor* actors, int count)
{
	double sum = 0.0;
	for (int i = 0; i < count; ++i)
	{
		simEnergy energy = simMeshless_GetEnergy(&actors[i].body);
		sum += energy.kinetic + energy.elastic;
	}
	return sum;
}

// Figures have exactly as many vertices as asked for, are closed, and hang from the ring, apart; they come to touch.
// The ring alone drives them: once it stands still, they bump into each other and come to rest.
static void figures_hang_from_the_ring(void** state)
{
	(void)state;
	simRing ring;
	simError error = { "" };
	const simRingDef def = { .vertexCount = 657, .nodeCount = 60, .hasMany = true };
	uint64_t most = 0, stillMost = 0;
	double before = 0.0;
	assert_true(simRing_Create(&ring, &def, &error));
	const sceneMesh* mesh = &ring.figures[0].scene.mesh;
	assert_int_equal(mesh->vertexCount, 657);
	assert_int_equal(mesh->triangleCount, 2 * 657 - 4);
	simMesh borrowed = Borrow(mesh);
	assert_true(simGetVolume(&borrowed) > 0.5);
	assert_true(simActors_RespondAll(ring.figures, SIM_RING_FIGURES, &ring.contacts, &error));
	assert_int_equal(ring.contacts.count, 0);
	for (int frame = 0; frame < 90; ++frame)
	{
		if (!simRing_Advance(&ring, &error))
		{
			fail_msg("%s", error.text);
		}
		most = ring.contacts.count > most ? ring.contacts.count : most;
		if (frame == 29) // half a swing, so that the ring is where it began
		{
			ring.angle = 0.0;
		}
		double energy = GetEnergy(ring.figures, SIM_RING_FIGURES);
		assert_true(frame < 31 || energy < before);
		stillMost = frame > 31 && ring.contacts.count > stillMost ? ring.contacts.count : stillMost;
		before = energy;
	}
	assert_true(most > 10 && stillMost > 10);
	simRing_Free(&ring);
}

// Fish begin apart, stay in their box, meet, glance off and keep their volume; no meeting throws them about. None of
// their nodes has a flat neighbourhood.
static void fish_swim_and_meet(void** state)
{
	(void)state;
	simSchool school;
	simError error = { "" };
	uint64_t most = 0;
	assert_true(simSchool_Create(&school, 301, 60, &error));
	assert_int_equal(school.fish[0].scene.mesh.vertexCount, 301);
	assert_int_equal(school.fish[0].body.thinCount, 0);
	assert_true(simActors_RespondAll(school.fish, SIM_FISH_COUNT, &school.contacts, &error));
	assert_int_equal(school.contacts.count, 0);
	double energy = GetEnergy(school.fish, SIM_FISH_COUNT);
	for (int frame = 0; frame < 60; ++frame)
	{
		if (!simSchool_Advance(&school, &error))
		{
			fail_msg("%s", error.text);
		}
		most = school.contacts.count > most ? school.contacts.count : most;
		assert_true(GetEnergy(school.fish, SIM_FISH_COUNT) < 1.5 * energy); // they swim faster and slower
	}
	assert_true(most > 0 && most < 60);
	for (int i = 0; i < SIM_FISH_COUNT; ++i)
	{
		simActor* fish = &school.fish[i];
		assert_true(simActor_Pose(fish, true, &error));
		simMesh rest = Borrow(&fish->scene.mesh), now = rest;
		now.positions = fish->positions;
		double kept = simGetVolume(&now) / simGetVolume(&rest);
		assert_true(kept > 0.8 && kept < 1.25);
		for (size_t k = 0; k < 3 * (size_t)now.vertexCount; ++k)
		{
			assert_true(fabsf(fish->positions[k]) < 1.5f * (float)SIM_FISH_LENGTH);
		}
	}
	simSchool_Free(&school);
}

// ---- Responses -------------------------------------------------------------------------------------------------

/// A body with its surface, as a query sees it.
typedef struct actor
{
	sceneMeshless scene;
	simMeshless body;
	simSurface surface;
	snugModel* model;
	snugBody* posed;
	float* positions;
	snugMeshlessNode* nodes;
} actor;

static void MakeActor(actor* a, uint32_t frequency, uint32_t nodes, double x)
{
	sceneMesh mesh = sceneMakeSphere(frequency);
	sceneMesh_Translate(&mesh, x, 0.0, 0.0);
	assert_true(sceneMeshless_Create(&a->scene, mesh, nodes, 20.0));
	simMesh borrowed = Borrow(&a->scene.mesh);
	simMeshlessDef def = MakeDef(a->scene.nodes, nodes, simGetVolume(&borrowed));
	def.damping = 0.5;
	a->body = Make(&def);
	simError error = { "" };
	assert_true(simSurface_Create(&a->surface, &a->body, &a->scene.mesh, &a->scene.weights, &error));
	snugModelDef modelDef = sceneMakeBlendDef(&a->scene.mesh, &a->scene.weights, (snugTreeDef){ 0 });
	assert_int_equal(snugModel_Create(&modelDef, &a->model), snug_success);
	assert_int_equal(snugBody_Create(&(snugBodyDef){ .model = a->model }, &a->posed), snug_success);
	a->positions = malloc(3 * sizeof(float) * a->scene.mesh.vertexCount);
	a->nodes = malloc(nodes * sizeof(snugMeshlessNode));
	a->surface.positions = a->positions;
}

static void FreeActor(actor* a)
{
	simSurface_Free(&a->surface);
	simMeshless_Free(&a->body);
	sceneMeshless_Free(&a->scene);
	snugBody_Destroy(a->posed);
	snugModel_Destroy(a->model);
	free(a->positions);
	free(a->nodes);
}

static void PoseActor(actor* a)
{
	simMeshless_GetNodes(&a->body, a->nodes);
	assert_int_equal(snugBody_SetMeshlessNodes(a->posed, a->nodes, a->body.nodeCount), snug_success);
	assert_int_equal(snugBody_GetVertices(a->posed, NULL, a->positions, 0), snug_success);
}

static uint64_t Respond(actor* a, actor* b, uint32_t* pushed)
{
	static snugPair pairs[100000];
	PoseActor(a);
	PoseActor(b);
	snugResult result = snugCollide(a->posed, b->posed, &(snugQuery){ .pairs = pairs, .capacity = LENGTH_OF(pairs) });
	assert_true(result.count <= LENGTH_OF(pairs));
	*pushed = simRespond(&a->surface, &b->surface, pairs, result.count);
	return result.count;
}

static double SumForce(const simMeshless* body, int axis)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		sum += body->external[i][axis];
	}
	return sum;
}

// Two balls that overlap a little are pushed apart, one by as much as the other.
static void responses_are_mutual(void** state)
{
	(void)state;
	actor a, b;
	uint32_t pushed;
	MakeActor(&a, 12, 65, 0.0);
	MakeActor(&b, 10, 80, 1.97);
	assert_true(Respond(&a, &b, &pushed) > 20);
	assert_true(pushed > 10);
	double force = SumForce(&b.body, 0);
	assert_true(force > 0.0);
	for (int k = 0; k < 3; ++k)
	{
		assert_true(fabs(SumForce(&a.body, k) + SumForce(&b.body, k)) < 1e-12 * force);
	}
	assert_true(fabs(SumForce(&b.body, 1)) < 0.1 * force);
	// Asked again, the same again: nothing is left over.
	memset(a.body.external, 0, a.body.nodeCount * sizeof(*a.body.external));
	memset(b.body.external, 0, b.body.nodeCount * sizeof(*b.body.external));
	Respond(&a, &b, &pushed);
	assert_true(SumForce(&b.body, 0) == force);
	FreeActor(&a);
	FreeActor(&b);
}

static double GetPush(uint32_t frequency)
{
	actor a, b;
	uint32_t pushed;
	MakeActor(&a, frequency, 65, 0.0);
	MakeActor(&b, frequency, 65, 1.94);
	Respond(&a, &b, &pushed);
	double force = SumForce(&b.body, 0);
	FreeActor(&a);
	FreeActor(&b);
	return force;
}

// Pushes are shared out, so nine times as many vertices do not push nine times as hard.
static void finer_surfaces_are_not_harder(void** state)
{
	(void)state;
	double coarse = GetPush(10), fine = GetPush(30);
	assert_true(fine > 0.0 && fine < 2.0 * coarse);
}

// Two balls thrown at each other bounce, and lose energy in doing so.
static void bodies_bounce(void** state)
{
	(void)state;
	actor a, b;
	uint32_t pushed, most = 0;
	MakeActor(&a, 10, 65, 0.0);
	MakeActor(&b, 10, 65, 2.05);
	for (uint32_t i = 0; i < 65; ++i)
	{
		a.body.velocity[i][0] = 0.15;
		b.body.velocity[i][0] = -0.15;
	}
	double before = simMeshless_GetEnergy(&a.body).kinetic;
	for (int step = 0; step < 1500; ++step)
	{
		Respond(&a, &b, &pushed);
		most = pushed > most ? pushed : most;
		Advance(&a.body, 1e-3, 1);
		Advance(&b.body, 1e-3, 1);
	}
	double linear[3], angular[3];
	simMeshless_GetMomentum(&a.body, linear, angular);
	assert_true(most > 10);
	assert_true(linear[0] < 0.0);
	simEnergy after = simMeshless_GetEnergy(&a.body);
	assert_true(after.kinetic + after.elastic < before);
	FreeActor(&a);
	FreeActor(&b);
}

static void surfaces_need_their_body(void** state)
{
	(void)state;
	sceneMeshless scene;
	simMeshless body = MakeBrain(&scene, 6, 40);
	simSurface surface;
	simError error = { "" };
	scene.weights.transformCount = 39;
	assert_false(simSurface_Create(&surface, &body, &scene.mesh, &scene.weights, &error));
	assert_non_null(strstr(error.text, "carried by 39 nodes, but the body has 40"));
	scene.weights.transformCount = 40;
	for (int i = 0; i < 3; ++i)
	{
		callsBeforeFailure = i;
		assert_false(simSurface_Create(&surface, &body, &scene.mesh, &scene.weights, &error));
		assert_null(surface.loads);
	}
	callsBeforeFailure = -1;
	simMeshless_Free(&body);
	sceneMeshless_Free(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rigid_motions_give_no_force),
		cmocka_unit_test(nor_do_those_of_flat_bodies),
		cmocka_unit_test(even_strain_has_the_energy_of_the_law),
		cmocka_unit_test(forces_are_derivatives_of_the_energy),
		cmocka_unit_test(momentum_is_kept),
		cmocka_unit_test(energy_does_not_grow),
		cmocka_unit_test(damping_slows_down),
		cmocka_unit_test(free_fall_is_a_parabola),
		cmocka_unit_test(beam_sags_as_euler_and_bernoulli_say),
		cmocka_unit_test(held_nodes_go_where_they_are_told),
		cmocka_unit_test(bad_bodies_are_named),
		cmocka_unit_test(bodies_in_parts_are_named),
		cmocka_unit_test(inverted_nodes_are_named),
		cmocka_unit_test(steps_that_are_too_large_are_refused),
		cmocka_unit_test(failed_steps_leave_the_body_alone),
		cmocka_unit_test(lack_of_memory_is_an_error),
		cmocka_unit_test(bits_are_the_same_everywhere),
		cmocka_unit_test(states_are_gone_on_from),
		cmocka_unit_test(figures_hang_from_the_ring),
		cmocka_unit_test(fish_swim_and_meet),
		cmocka_unit_test(responses_are_mutual),
		cmocka_unit_test(finer_surfaces_are_not_harder),
		cmocka_unit_test(bodies_bounce),
		cmocka_unit_test(surfaces_need_their_body),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
