// Two bumpy balls that are pushed apart. Each step asks where they meet, adds up the area vectors of the curves, and
// moves both along that by half of what the deepest curve needs. No solver, no margin: a few steps, and nothing
// touches.
#include <cmath>
#include <cstdio>
#include <snug/snug_queries.h>
#include <vector>

// A closed surface: rings of vertices between two poles. Seen from outside, triangles turn counterclockwise.
static snugModel* MakeBall(uint32_t rings, uint32_t around)
{
	std::vector<float> positions = { 0, 0, -1 };
	std::vector<uint32_t> triangles;
	for (uint32_t i = 1; i < rings; ++i)
		for (uint32_t j = 0; j < around; ++j)
		{
			double polar = 3.14159265 * i / rings, turn = 6.28318531 * j / around;
			double radius = 1.0 + 0.1 * std::sin(5.0 * turn) * std::sin(polar) * std::sin(4.0 * polar);
			positions.push_back((float)(radius * std::sin(polar) * std::cos(turn)));
			positions.push_back((float)(radius * std::sin(polar) * std::sin(turn)));
			positions.push_back((float)(-radius * std::cos(polar)));
		}
	positions.insert(positions.end(), { 0, 0, 1 });
	const uint32_t last = (rings - 1) * around + 1;
	for (uint32_t i = 0; i < rings; ++i)
		for (uint32_t j = 0; j < around; ++j)
		{
			uint32_t next = (j + 1) % around, below = 1 + (i - 1) * around, above = 1 + i * around;
			if (i > 0)
				triangles.insert(triangles.end(), { below + j, below + next, i + 1 < rings ? above + j : last });
			if (i + 1 < rings)
				triangles.insert(triangles.end(), { i > 0 ? below + next : 0, above + next, above + j });
		}
	snugModelDef def = {};
	def.positions = positions.data();
	def.vertexCount = (uint32_t)positions.size() / 3;
	def.triangles = triangles.data();
	def.triangleCount = (uint32_t)triangles.size() / 3;
	snugModel* model = nullptr;
	return snugModel_Create(&def, &model) == snug_success ? model : nullptr;
}

int main()
{
	snugBodyDef bodyDef = {};
	bodyDef.model = MakeBall(24, 36);
	snugBody* bodies[2];
	snugFrame frames[2] = { { { 0, 0, 0 }, { 0, 0, 0, 1 } }, { { 1.1, 0.5, 0.4 }, { 0, 0.6, 0, 0.8 } } };
	snugContactBufferDef bufferDef = {};
	bufferDef.capacity = 10000;
	snugContactBuffer* buffer;
	if (!bodyDef.model || snugBody_Create(&bodyDef, &bodies[0]) || snugBody_Create(&bodyDef, &bodies[1]) ||
	    snugContactBuffer_Create(&bufferDef, &buffer))
		return std::puts("no memory"), 1;
	snugContactQuery query = {};
	query.depths = true;
	for (int step = 0;; ++step)
	{
		for (int i = 0; i < 2; ++i)
			snugBody_SetFrame(bodies[i], &frames[i]);
		snugContactResult contacts = snugFindContacts(bodies[0], bodies[1], buffer, &query);
		double push[3] = {}, depth = 1e-3; // so that what only just touches parts as well
		for (uint32_t i = 0; i < contacts.curveCount; ++i)
		{
			depth = std::fmax(depth, contacts.depths[i]);
			for (int k = 0; k < 3; ++k)
				push[k] += contacts.curves[i].area[k];
		}
		double length = std::sqrt(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]);
		if (!contacts.complete || contacts.count == 0 || length == 0 || step == 50)
			break;
		std::printf("step %d: %u curves, area %.3f, depth %.3f\n", step, contacts.curveCount, length, depth);
		for (int k = 0; k < 3; ++k)
			for (int i = 0; i < 2; ++i)
				frames[i].position[k] += (i == 0 ? -0.25 : 0.25) * depth * push[k] / length;
	}
	snugDistanceResult distance = snugFindDistance(bodies[0], bodies[1], nullptr);
	std::printf("%s, apart by %.4f\n", distance.distance > 0 ? "free" : "still touching", distance.distance);
	snugContactBuffer_Destroy(buffer);
	for (snugBody* body : bodies)
		snugBody_Destroy(body);
	snugModel_Destroy(const_cast<snugModel*>(bodyDef.model));
}
