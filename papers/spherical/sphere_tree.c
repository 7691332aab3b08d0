// Making sphere trees: balls at rest, pruning, joint sets and their corners.
#include "base/vec.h"
#include "papers/common/ball.h"
#include "papers/spherical/sphere_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// While a tree is made.
typedef struct maker
{
	sphereTree* tree;
	simHoard hoard;       ///< all that follows
	sphereBall* rest;     ///< by number in the binary tree
	uint32_t* starts;     ///< of influences, by vertex
	uint16_t* transforms; ///< per influence
	float* weights;       ///< per influence
	uint32_t* quanta;     ///< per influence: weights in units of 1 / CORNER_ONE
	nodeVertices below;   ///< a node
	uint32_t* queue;      ///< (nodes)
	uint32_t* partStamp;  ///< (setCount): stamp of the node that a joint set was last seen below
} maker;

// ---- Balls -----------------------------------------------------------------------------------------------------

sphereBall sphereEnclose(const sphereBall* balls, size_t count)
{
	sphereBall sum = { .radius = 0.0 };
	const double part = 1.0 / (double)count;
	for (size_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			sum.center[k] += part * balls[i].center[k];
		}
	}
	for (size_t i = 0; i < count; ++i)
	{
		double reach = sqrt(sgDistance2(sum.center, balls[i].center)) + balls[i].radius;
		sum.radius = reach > sum.radius ? reach : sum.radius;
	}
	return sum;
}

static void GetVertex(const void* points, uint32_t i, double point[3])
{
	const maker* m = points;
	const float* p = m->tree->model->positions + 3 * (size_t)m->below.vertices[i];
	for (int k = 0; k < 3; ++k)
	{
		point[k] = (double)p[k];
	}
}

static void FitRest(maker* m, uint32_t whole)
{
	sphereBall* ball = m->rest + whole;
	double point[3];
	nodeVertices_Gather(&m->below, &m->tree->tree, whole);
	sgSmallestBall(GetVertex, m, m->below.count, ball->center);
	for (uint32_t i = 0; i < m->below.count; ++i)
	{
		GetVertex(m, i, point);
		ball->radius = fmax(ball->radius, sqrt(sgDistance2(ball->center, point)));
	}
}

// ---- Topology --------------------------------------------------------------------------------------------------

// List the children of a node that stay: those of pruned ones take their places.
static uint32_t ListChildren(const maker* m, uint32_t whole, double radius, uint32_t* out)
{
	const binaryTree* tree = &m->tree->tree;
	const binaryNode* node = tree->nodes + whole;
	double limit = m->tree->prune > 0.0 ? m->tree->prune * radius : INFINITY;
	uint32_t count = 0;
	for (uint32_t child = node->first; child < node->first + node->childCount; ++child)
	{
		if (tree->nodes[child].childCount > 0 && m->rest[child].radius > limit)
		{
			count += ListChildren(m, child, radius, out + count);
		}
		else
		{
			out[count++] = child;
		}
	}
	return count;
}

// Level by level: the list of nodes grows while it is worked through.
static void AddNodes(maker* m, uint32_t* children)
{
	sphereTree* tree = m->tree;
	tree->nodes[0] = (sphereNode){ .rest = m->rest[0], .whole = 0 };
	tree->nodeCount = 1;
	for (uint32_t i = 0; i < tree->nodeCount; ++i)
	{
		sphereNode* node = tree->nodes + i;
		const binaryNode* whole = tree->tree.nodes + node->whole;
		if (whole->childCount == 0)
		{
			node->leaf = whole->first;
			continue;
		}
		node->firstChild = tree->nodeCount;
		node->childCount = ListChildren(m, node->whole, node->rest.radius, children);
		tree->mostBalls = node->childCount > tree->mostBalls ? node->childCount : tree->mostBalls;
		for (uint32_t c = 0; c < node->childCount; ++c)
		{
			tree->nodes[tree->nodeCount++] =
			    (sphereNode){ .rest = m->rest[children[c]], .whole = children[c], .level = node->level + 1 };
		}
	}
}

// ---- Joint sets ------------------------------------------------------------------------------------------------

static bool IsSameSet(const sphereTree* tree, const sphereSet* set, const uint16_t* joints, uint32_t count)
{
	return set->jointCount == count && memcmp(tree->joints + set->firstJoint, joints, count * sizeof(uint16_t)) == 0;
}

// Influences of one vertex after the other.
static bool ListInfluences(maker* m)
{
	const snugModel* model = m->tree->model;
	sgLinear blend = sgLinear_Get(model);
	size_t room = blend.header->rows.entries, count = 0;
	m->starts = simHoard_Take(&m->hoard, (size_t)model->tree.vertexCount + 1, sizeof(uint32_t));
	m->transforms = simHoard_Take(&m->hoard, room, sizeof(uint16_t));
	m->weights = simHoard_Take(&m->hoard, room, sizeof(float));
	m->quanta = simHoard_Take(&m->hoard, room, sizeof(uint32_t));
	if (m->hoard.isShort)
	{
		return false;
	}
	for (uint32_t v = 0; v < model->tree.vertexCount; ++v)
	{
		sgRow row = sgRows_Get(&blend.rows, v);
		m->starts[v] = (uint32_t)count;
		for (uint32_t j = 0; j < row.count; ++j)
		{
			if (sgRow_Has(&row, 1, j))
			{
				m->transforms[count] = row.numbers[j];
				m->weights[count++] = row.values[j * SG_LANES];
			}
		}
	}
	m->starts[model->tree.vertexCount] = (uint32_t)count;
	return true;
}

static bool FindSets(maker* m)
{
	sphereTree* tree = m->tree;
	for (uint32_t v = 0; v < tree->model->tree.vertexCount; ++v)
	{
		const uint16_t* joints = m->transforms + m->starts[v];
		uint32_t count = m->starts[v + 1] - m->starts[v], set = 0;
		// Neighbours are alike, so the newest first.
		for (set = (uint32_t)tree->setCount; set > 0 && !IsSameSet(tree, tree->sets + set - 1, joints, count); --set)
		{
		}
		if (set == 0)
		{
			if (!simGrow(&tree->sets, &tree->setCapacity, tree->setCount + 1, sizeof(sphereSet)) ||
			    !simGrow(&tree->joints, &tree->jointCapacity, tree->jointCount + count, sizeof(uint16_t)))
			{
				return false;
			}
			tree->sets[tree->setCount++] = (sphereSet){ (uint32_t)tree->jointCount, count, v };
			memcpy(tree->joints + tree->jointCount, joints, count * sizeof(uint16_t));
			tree->mostJoints = count > tree->mostJoints ? count : tree->mostJoints;
			tree->jointCount += count;
			set = (uint32_t)tree->setCount;
		}
		tree->setOf[v] = set - 1;
	}
	return true;
}

// Weights as integers that sum to exactly CORNER_ONE: rounded down, and what that leaves goes to the largest.
static void Quantise(maker* m)
{
	for (uint32_t v = 0; v < m->tree->model->tree.vertexCount; ++v)
	{
		uint32_t first = m->starts[v], end = m->starts[v + 1], largest = first, rest = CORNER_ONE;
		double sum = 0.0;
		for (uint32_t k = first; k < end; ++k)
		{
			sum += (double)m->weights[k];
			largest = m->weights[k] > m->weights[largest] ? k : largest;
		}
		for (uint32_t k = first; k < end; ++k)
		{
			m->quanta[k] = (uint32_t)((double)m->weights[k] / sum * CORNER_ONE);
			rest -= m->quanta[k];
		}
		m->quanta[largest] += rest;
	}
}

static bool IsListed(const uint32_t* corner, uint32_t count, uint32_t corners[][CORNER_JOINTS], uint32_t cornerCount)
{
	for (uint32_t i = 0; i < cornerCount; ++i)
	{
		if (memcmp(corner, corners[i], count * sizeof(uint32_t)) == 0)
		{
			return true;
		}
	}
	return false;
}

// Corners of { low <= w <= high, sum w = CORNER_ONE }, each once: all weights but one are at a limit, and that one
// makes the sum what it must be. Bit k of `high`: weight k is at its greatest. Where the free one is at a limit too,
// the corner is met more than once.
static uint32_t ListCorners(
    const uint32_t* low, const uint32_t* high, uint32_t count, uint32_t corners[MAX_CORNERS][CORNER_JOINTS])
{
	uint32_t cornerCount = 0;
	for (uint32_t free = 0; free < count; ++free)
	{
		for (uint32_t highs = 0; highs < 1u << count; ++highs)
		{
			if ((highs >> free & 1) != 0)
			{
				continue;
			}
			uint32_t* corner = corners[cornerCount];
			int64_t rest = CORNER_ONE;
			for (uint32_t k = 0; k < count; ++k)
			{
				corner[k] = (highs >> k & 1) != 0 ? high[k] : low[k];
				rest -= k != free ? corner[k] : 0;
			}
			if (rest >= low[free] && rest <= high[free])
			{
				corner[free] = (uint32_t)rest;
				cornerCount += !IsListed(corner, count, corners, cornerCount);
			}
		}
	}
	return cornerCount;
}

// The corners of a part, as weights of its joints one corner after the other.
static bool AddCorners(sphereTree* tree, spherePart* part)
{
	uint32_t n = tree->sets[part->set].jointCount;
	uint32_t corners[MAX_CORNERS][CORNER_JOINTS];
	part->cornerCount = n;
	if (n <= CORNER_JOINTS)
	{
		uint32_t low[CORNER_JOINTS], high[CORNER_JOINTS];
		for (uint32_t j = 0; j < n; ++j)
		{
			low[j] = (uint32_t)tree->weights[part->firstWeight + j];
			high[j] = (uint32_t)tree->weights[part->firstWeight + n + j];
		}
		part->cornerCount = ListCorners(low, high, n, corners);
	}
	const size_t needed = tree->weightCount + (size_t)n * part->cornerCount;
	bool good = simGrow(&tree->weights, &tree->weightCapacity, needed, sizeof(double));
	for (uint32_t i = 0; good && i < n * part->cornerCount; ++i)
	{
		uint32_t corner = i / n, joint = i % n;
		tree->weights[tree->weightCount++] = n <= CORNER_JOINTS ? (double)corners[corner][joint] / CORNER_ONE
		                                     : corner == joint  ? 1.0
		                                                        : 0.0;
	}
	for (uint32_t i = 0; good && i < 3 * n; ++i)
	{
		tree->weights[part->firstWeight + i] /= CORNER_ONE;
	}
	return good;
}

// A part for every joint set below a node.
static bool ListParts(maker* m, sphereNode* node)
{
	sphereTree* tree = m->tree;
	node->firstPart = (uint32_t)tree->partCount;
	for (uint32_t i = 0; i < m->below.count; ++i)
	{
		uint32_t set = tree->setOf[m->below.vertices[i]];
		if (m->partStamp[set] == m->below.stamp)
		{
			continue;
		}
		if (!simGrow(&tree->parts, &tree->partCapacity, tree->partCount + 1, sizeof(spherePart)))
		{
			return false;
		}
		m->partStamp[set] = m->below.stamp;
		tree->parts[tree->partCount++] = (spherePart){ .set = set };
	}
	node->partCount = (uint32_t)tree->partCount - node->firstPart;
	return true;
}

// Least, greatest and mean weight of each joint of a part, in quanta.
static bool AddRanges(maker* m, spherePart* part)
{
	sphereTree* tree = m->tree;
	uint32_t n = tree->sets[part->set].jointCount, vertices = 0;
	if (!simGrow(&tree->weights, &tree->weightCapacity, tree->weightCount + 3 * (size_t)n, sizeof(double)))
	{
		return false;
	}
	double* w = tree->weights + tree->weightCount;
	part->firstWeight = (uint32_t)tree->weightCount;
	tree->weightCount += 3 * (size_t)n;
	for (uint32_t j = 0; j < n; ++j)
	{
		w[j] = INFINITY;
		w[n + j] = w[2 * n + j] = 0.0;
	}
	for (uint32_t i = 0; i < m->below.count; ++i)
	{
		uint32_t vertex = m->below.vertices[i];
		vertices += tree->setOf[vertex] == part->set;
		for (uint32_t j = 0; j < n && tree->setOf[vertex] == part->set; ++j)
		{
			double weight = (double)m->quanta[m->starts[vertex] + j];
			w[j] = fmin(w[j], weight);
			w[n + j] = fmax(w[n + j], weight);
			w[2 * n + j] += weight;
		}
	}
	for (uint32_t j = 0; j < n; ++j)
	{
		w[2 * n + j] /= (double)vertices;
	}
	return true;
}

static bool AddParts(maker* m, sphereNode* node)
{
	sphereTree* tree = m->tree;
	size_t balls = 0;
	nodeVertices_Gather(&m->below, &m->tree->tree, node->whole);
	bool good = ListParts(m, node);
	for (uint32_t i = 0; i < node->partCount && good; ++i)
	{
		spherePart* part = tree->parts + node->firstPart + i;
		good = AddRanges(m, part) && AddCorners(tree, part);
		balls += part->cornerCount;
	}
	tree->mostBalls = balls > tree->mostBalls ? balls : tree->mostBalls;
	return good;
}

// ---- Trees -----------------------------------------------------------------------------------------------------

static bool Make(maker* m)
{
	const snugModel* model = m->tree->model;
	uint32_t nodes = m->tree->tree.nodeCount;
	m->tree->nodes = simHoard_Take(&m->tree->hoard, nodes, sizeof(sphereNode));
	m->tree->setOf = simHoard_Take(&m->tree->hoard, model->tree.vertexCount, sizeof(uint32_t));
	m->rest = simHoard_Take(&m->hoard, nodes, sizeof(sphereBall));
	m->queue = simHoard_Take(&m->hoard, nodes, sizeof(uint32_t));
	if (m->tree->hoard.isShort || m->hoard.isShort || !nodeVertices_Create(&m->below, &m->tree->tree) ||
	    !ListInfluences(m) || !FindSets(m))
	{
		return false;
	}
	m->partStamp = simHoard_Take(&m->hoard, m->tree->setCount, sizeof(uint32_t));
	bool good = m->partStamp != NULL;
	for (uint32_t i = 0; good && i < m->tree->tree.nodeCount; ++i)
	{
		FitRest(m, i);
	}
	if (good)
	{
		Quantise(m);
		AddNodes(m, m->queue);
	}
	for (uint32_t i = 0; good && i < m->tree->nodeCount; ++i)
	{
		good = AddParts(m, m->tree->nodes + i);
	}
	return good;
}

sphereTree* sphereTree_Create(const snugModel* model, double prune)
{
	maker m = { .tree = calloc(1, sizeof(sphereTree)) };
	bool good = m.tree != NULL;
	if (good)
	{
		m.tree->model = model;
		m.tree->prune = prune;
		m.tree->mostBalls = 3; // a leaf's corners
		good = binaryTree_Create(&m.tree->tree, model) && Make(&m);
	}
	simHoard_Free(&m.hoard);
	nodeVertices_Free(&m.below);
	if (!good)
	{
		sphereTree_Destroy(m.tree);
	}
	return good ? m.tree : NULL;
}

void sphereTree_Destroy(sphereTree* tree)
{
	if (tree != NULL)
	{
		binaryTree_Free(&tree->tree);
		simHoard_Free(&tree->hoard);
		free(tree->sets);
		free(tree->joints);
		free(tree->parts);
		free(tree->weights);
		free(tree);
	}
}

uint32_t sphereTree_GetNodeCount(const sphereTree* tree)
{
	return tree->nodeCount;
}

uint32_t sphereTree_GetLevel(const sphereTree* tree, uint32_t node)
{
	return tree->nodes[node].level;
}

uint32_t sphereTree_GetWhole(const sphereTree* tree, uint32_t node)
{
	return tree->nodes[node].whole;
}

sphereBall sphereTree_GetRestBall(const sphereTree* tree, uint32_t node)
{
	return tree->nodes[node].rest;
}
