#include "papers/bdtree/bd_tree.h"

#include "deform/fields/fields.h"
#include "geometry/eigen.h"
#include "geometry/triangle.h"
#include "solvers/hoard.h"
#include "tree/leaf_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Four numbers that are computed together.
typedef float four __attribute__((vector_size(16), aligned(4)));

/// A sphere: its centre and radius. A box: its centre in the first, its half sides in the second.
typedef struct volume
{
	four center, half;
} volume;

// A node has as many terms as there are fields, and one for what it is at rest. Of spheres a term is (x, y, z, r): the
// mean, and how far vertices go from it. Of boxes it is two: (x, y, z, 0) and (half x, half y, half z, 0).
struct bdTree
{
	binaryTree tree;
	bdTreeDef def;
	uint32_t fieldCount; ///< none for rigid models
	uint32_t width;      ///< of a term: fours
	simHoard hoard;      ///< all that follows
	four* terms;         ///< (nodes, fieldCount + 1, width)
	four (*axes)[3];     ///< (nodes) of oriented boxes; else null
	four* vertices;      ///< (vertices, fieldCount + 1): rest position and displacements
	float* stretches;    ///< (nodes): the greatest |U_i|
	double restReach;    ///< greatest |coordinate| at rest
	double* most;        ///< (fieldCount) greatest displacement
};

struct bdBody
{
	const bdTree* tree;
	sgPlacement placement;
	uint32_t version;
	simHoard hoard;      ///< all that follows
	four* factors;       ///< (fieldCount, width): what terms are multiplied by, q for centres and |q| for extents
	volume* volumes;     ///< (nodes) placed
	four (*axes)[3];     ///< (nodes) of oriented boxes, placed; else null
	uint32_t* opened;    ///< (nodes): version of its children's volumes
	four* positions;     ///< (vertices) placed
	uint32_t* evaluated; ///< (vertices): version of its position
	double slack;        ///< how far volumes and vertices may be off, together
	binaryCounters counters;

	// For temporal updates.
	volume* computed;   ///< (nodes) as it was computed, body space
	double* computedAt; ///< (nodes) travel when it was computed; negative: never
	float* amplitudes;  ///< (fieldCount)
	double travel;      ///< length of the way of all amplitudes so far
	uint64_t temporal;
};

// ---- Building --------------------------------------------------------------------------------------------------

static four* TermsOf(const bdTree* tree, uint32_t node)
{
	return tree->terms + (size_t)tree->width * (tree->fieldCount + 1) * node;
}

static four* VertexOf(const bdTree* tree, uint32_t vertex)
{
	return tree->vertices + (size_t)(tree->fieldCount + 1) * vertex;
}

// Fields that do not move a vertex are zero.
static void CopyVertices(bdTree* tree, const snugModel* model, const sgFields* fields)
{
	for (uint32_t v = 0; v < model->tree.vertexCount; ++v)
	{
		const float* p = model->positions + 3 * (size_t)v;
		four* out = VertexOf(tree, v);
		out[0] = (four){ p[0], p[1], p[2], 0.0f };
		sgRow row = tree->fieldCount > 0 ? sgRows_Get(&fields->rows, v) : (sgRow){ .count = 0 };
		for (uint32_t j = 0; j < row.count; ++j)
		{
			const float* d = row.values + 3 * j * SG_LANES;
			out[1 + row.numbers[j]] = (four){ d[0], d[SG_LANES], d[2 * SG_LANES], 0.0f };
		}
	}
}

static double AlongAxis(const four axis, const double d[3])
{
	return (double)axis[0] * d[0] + (double)axis[1] * d[1] + (double)axis[2] * d[2];
}

void bdTree_GetAxes(const bdTree* tree, uint32_t node, double axes[3][3])
{
	for (int i = 0; i < 9; ++i)
	{
		double entry = i % 4 == 0 ? 1.0 : 0.0;
		axes[i / 3][i % 3] = tree->axes != NULL ? (double)tree->axes[node][i / 3][i % 3] : entry;
	}
}

// The principal axes of rest positions.
static void FindAxes(bdTree* tree, uint32_t node, const nodeVertices* below)
{
	const four mean = TermsOf(tree, node)[0];
	double moment[3][3] = { { 0.0 } }, values[3], axes[3][3];
	for (uint32_t i = 0; i < below->count; ++i)
	{
		const four d = VertexOf(tree, below->vertices[i])[0] - mean;
		for (int k = 0; k < 9; ++k)
		{
			moment[k / 3][k % 3] += (double)d[k / 3] * (double)d[k % 3];
		}
	}
	sgEigen3(moment, values, axes);
	for (int a = 0; a < 3; ++a)
	{
		tree->axes[node][a] = (four){ (float)axes[a][0], (float)axes[a][1], (float)axes[a][2], 0.0f };
	}
}

// Enlarge extents so that they contain a point, given relative to their centre. A millionth covers float32.
static void Widen(const bdTree* tree, uint32_t node, four* term, const double offset[3])
{
	double d[3] = { offset[0], offset[1], offset[2] };
	for (int k = 0; k < 3 && tree->axes != NULL; ++k)
	{
		d[k] = AlongAxis(tree->axes[node][k], offset);
	}
	four* extents = term + tree->width - 1;
	double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
	for (int k = 0; k < (tree->width == 1 ? 1 : 3); ++k)
	{
		int place = tree->width == 1 ? 3 : k;
		float wanted = (float)((tree->width == 1 ? length : fabs(d[k])) * (1.0 + 1e-6));
		(*extents)[place] = wanted > (*extents)[place] ? wanted : (*extents)[place];
	}
}

// The spectral norm of the 3 by M matrix of a vertex' displacements.
static double GetStretch(const bdTree* tree, uint32_t vertex)
{
	double product[3][3] = { { 0.0 } }, values[3], vectors[3][3];
	for (uint32_t f = 0; f < tree->fieldCount; ++f)
	{
		const four d = VertexOf(tree, vertex)[1 + f];
		for (int i = 0; i < 9; ++i)
		{
			product[i / 3][i % 3] += (double)d[i / 3] * (double)d[i % 3];
		}
	}
	sgEigen3(product, values, vectors);
	return sqrt(values[0] > 0.0 ? values[0] : 0.0) * (1.0 + 1e-6);
}

static void BuildNode(bdTree* tree, uint32_t node, const nodeVertices* below)
{
	for (uint32_t f = 0; f <= tree->fieldCount; ++f)
	{
		four* term = TermsOf(tree, node) + (size_t)tree->width * f;
		double mean[3] = { 0.0, 0.0, 0.0 };
		for (uint32_t i = 0; i < 3 * below->count; ++i)
		{
			mean[i % 3] += (double)VertexOf(tree, below->vertices[i / 3])[f][i % 3];
		}
		for (int k = 0; k < 3; ++k)
		{
			(*term)[k] = (float)(mean[k] / (double)below->count);
		}
		if (f == 0 && tree->axes != NULL)
		{
			FindAxes(tree, node, below);
		}
		for (uint32_t i = 0; i < below->count; ++i)
		{
			const four x = VertexOf(tree, below->vertices[i])[f];
			double d[3];
			for (int k = 0; k < 3; ++k)
			{
				double* most = f == 0 ? &tree->restReach : tree->most + f - 1;
				*most = fmax(*most, fabs((double)x[k]));
				d[k] = (double)x[k] - (double)(*term)[k];
			}
			Widen(tree, node, term, d);
		}
	}
	for (uint32_t i = 0; i < below->count && tree->def.temporal > 0.0; ++i)
	{
		tree->stretches[node] = fmaxf(tree->stretches[node], (float)GetStretch(tree, below->vertices[i]));
	}
}

static bool Build(bdTree* tree, const snugModel* model)
{
	sgFields fields = { .header = NULL };
	if (model->deformBytes > 0)
	{
		fields = sgFields_Bind(model, model->deformData);
		tree->fieldCount = fields.header->fieldCount;
	}
	size_t terms = (size_t)tree->fieldCount + 1;
	tree->width = tree->def.kind == bd_spheres ? 1 : 2;
	tree->terms = simHoard_Take(&tree->hoard, terms * tree->width * tree->tree.nodeCount, sizeof(four));
	tree->vertices = simHoard_Take(&tree->hoard, terms * model->tree.vertexCount, sizeof(four));
	tree->stretches = simHoard_Take(&tree->hoard, tree->tree.nodeCount, sizeof(float));
	tree->most = simHoard_Take(&tree->hoard, terms, sizeof(double));
	if (tree->def.kind == bd_oriented)
	{
		tree->axes = simHoard_Take(&tree->hoard, tree->tree.nodeCount, sizeof(*tree->axes));
	}
	nodeVertices below = { .vertices = NULL };
	bool good = !tree->hoard.isShort && nodeVertices_Create(&below, &tree->tree);
	if (good)
	{
		CopyVertices(tree, model, &fields);
	}
	for (uint32_t node = 0; good && node < tree->tree.nodeCount; ++node)
	{
		nodeVertices_Gather(&below, &tree->tree, node);
		BuildNode(tree, node, &below);
	}
	nodeVertices_Free(&below);
	return good;
}

bdTree* bdTree_Create(const snugModel* model, const bdTreeDef* def)
{
	bdTree* tree = calloc(1, sizeof(bdTree));
	if (tree == NULL || !binaryTree_Create(&tree->tree, model))
	{
		free(tree);
		return NULL;
	}
	tree->def = *def;
	if (!Build(tree, model))
	{
		bdTree_Destroy(tree);
		return NULL;
	}
	return tree;
}

void bdTree_Destroy(bdTree* tree)
{
	if (tree != NULL)
	{
		binaryTree_Free(&tree->tree);
		simHoard_Free(&tree->hoard);
		free(tree);
	}
}

uint32_t bdTree_GetNodeCount(const bdTree* tree)
{
	return tree->tree.nodeCount;
}

uint32_t bdTree_GetLevel(const bdTree* tree, uint32_t node)
{
	return tree->tree.nodes[node].level;
}

double bdTree_GetGrowth(const bdTree* tree, uint32_t node)
{
	double sum = 0.0;
	for (uint32_t f = 0; f < tree->fieldCount && tree->width == 1; ++f)
	{
		double growth = (double)TermsOf(tree, node)[1 + f][3];
		sum += growth * growth;
	}
	return sqrt(sum);
}

// ---- Bodies ----------------------------------------------------------------------------------------------------

bdBody* bdBody_Create(const bdTree* tree)
{
	size_t nodes = tree->tree.nodeCount, vertices = tree->tree.model->tree.vertexCount;
	bdBody* bd = calloc(1, sizeof(bdBody));
	if (bd == NULL)
	{
		return NULL;
	}
	bd->tree = tree;
	bd->factors = simHoard_Take(&bd->hoard, (size_t)tree->width * tree->fieldCount, sizeof(four));
	bd->volumes = simHoard_Take(&bd->hoard, nodes, sizeof(volume));
	bd->axes = tree->axes != NULL ? simHoard_Take(&bd->hoard, nodes, sizeof(*bd->axes)) : NULL;
	bd->opened = simHoard_Take(&bd->hoard, nodes, sizeof(uint32_t));
	bd->positions = simHoard_Take(&bd->hoard, vertices, sizeof(four));
	bd->evaluated = simHoard_Take(&bd->hoard, vertices, sizeof(uint32_t));
	bd->computed = simHoard_Take(&bd->hoard, nodes, sizeof(volume));
	bd->computedAt = simHoard_Take(&bd->hoard, nodes, sizeof(double));
	bd->amplitudes = simHoard_Take(&bd->hoard, tree->fieldCount, sizeof(float));
	if (bd->hoard.isShort)
	{
		bdBody_Destroy(bd);
		return NULL;
	}
	for (size_t i = 0; i < nodes; ++i)
	{
		bd->computedAt[i] = -1.0;
	}
	return bd;
}

void bdBody_Destroy(bdBody* bd)
{
	if (bd != NULL)
	{
		simHoard_Free(&bd->hoard);
		free(bd);
	}
}

binaryCounters bdBody_GetCounters(const bdBody* bd)
{
	return bd->counters;
}

uint64_t bdBody_GetTemporalUpdates(const bdBody* bd)
{
	return bd->temporal;
}

// ---- Volumes ---------------------------------------------------------------------------------------------------

static inline volume Compute(const bdBody* bd, uint32_t node)
{
	const bdTree* tree = bd->tree;
	const four* terms = TermsOf(tree, node);
	volume v = { terms[0], terms[tree->width - 1] };
	for (uint32_t f = 0; f < tree->fieldCount && tree->width == 1; ++f)
	{
		v.center += bd->factors[f] * terms[1 + f];
	}
	for (uint32_t f = 0; f < tree->fieldCount && tree->width == 2; ++f)
	{
		v.center += bd->factors[2 * f] * terms[2 + 2 * f];
		v.half += bd->factors[2 * f + 1] * terms[3 + 2 * f];
	}
	return v;
}

void bdBody_Bound(const bdBody* bd, uint32_t node, double center[3], double extents[3])
{
	volume v = Compute(bd, node);
	for (int k = 0; k < 3; ++k)
	{
		center[k] = (double)v.center[k];
		extents[k] = (double)(bd->tree->width == 1 ? v.center[3] : v.half[k]);
	}
}

static void PlaceAxes(bdBody* bd, uint32_t node)
{
	for (int a = 0; a < 3; ++a)
	{
		const four axis = bd->tree->axes[node][a];
		bd->axes[node][a] = axis;
		for (int i = 0; i < 3 && !bd->placement.isIdentity; ++i)
		{
			const double d[3] = { (double)axis[0], (double)axis[1], (double)axis[2] };
			const double* r = bd->placement.rotation[i];
			bd->axes[node][a][i] = (float)(r[0] * d[0] + r[1] * d[1] + r[2] * d[2]);
		}
	}
}

// Turned and moved; the fourth number, a radius, stays, and so do half sides along axes that turn too.
static volume Place(const bdBody* bd, volume v)
{
	volume placed = { { 0.0f, 0.0f, 0.0f, v.center[3] }, { 0.0f, 0.0f, 0.0f, 0.0f } };
	for (int i = 0; i < 3; ++i)
	{
		placed.center[i] = (float)bd->placement.translation[i];
		for (int k = 0; k < 3; ++k)
		{
			float entry = (float)bd->placement.rotation[i][k];
			placed.center[i] += entry * v.center[k];
			placed.half[i] += fabsf(entry) * v.half[k];
		}
	}
	placed.half = bd->axes != NULL ? v.half : placed.half;
	return placed;
}

// What was computed in an earlier step and is enlarged, or computed anew.
static volume Keep(bdBody* bd, uint32_t node)
{
	const bdTree* tree = bd->tree;
	volume* kept = bd->computed + node;
	const double extent = (double)(tree->width == 1 ? kept->center[3] : kept->half[0]);
	double added = (double)tree->stretches[node] * (bd->travel - bd->computedAt[node]);
	if (bd->computedAt[node] < 0.0 || added > tree->def.temporal * extent)
	{
		*kept = Compute(bd, node);
		bd->computedAt[node] = bd->travel;
		return *kept;
	}
	++bd->temporal;
	--bd->counters.nodesRefitted;
	const float more = (float)(added * (1.0 + 1e-6));
	return (volume){ kept->center + (four){ 0.0f, 0.0f, 0.0f, more }, kept->half + (four){ more, more, more, 0.0f } };
}

static void Refit(bdBody* bd, uint32_t node)
{
	volume v = bd->tree->def.temporal > 0.0 ? Keep(bd, node) : Compute(bd, node);
	bd->volumes[node] = bd->placement.isIdentity ? v : Place(bd, v);
	if (bd->axes != NULL)
	{
		PlaceAxes(bd, node);
	}
	++bd->counters.nodesRefitted;
}

// Two spheres that lie side by side, term by term: neither sum has to wait for the other.
static void RefitTwo(bdBody* bd, uint32_t node)
{
	const bdTree* tree = bd->tree;
	const four *first = TermsOf(tree, node), *second = TermsOf(tree, node + 1);
	four a = first[0], b = second[0];
	for (uint32_t f = 0; f < tree->fieldCount; ++f)
	{
		const four factor = bd->factors[f];
		a += factor * first[1 + f];
		b += factor * second[1 + f];
	}
	bd->volumes[node].center = a;
	bd->volumes[node + 1].center = b;
	bd->counters.nodesRefitted += 2;
}

static inline void RefitChildren(bdBody* bd, uint32_t node)
{
	const binaryNode* parent = bd->tree->tree.nodes + node;
	if (bd->opened[node] == bd->version)
	{
		return;
	}
	bd->opened[node] = bd->version;
	if (parent->childCount == 2 && bd->tree->width == 1 && bd->tree->def.temporal == 0.0 && bd->placement.isIdentity)
	{
		RefitTwo(bd, parent->first);
		return;
	}
	for (uint32_t i = parent->first; i < parent->first + parent->childCount; ++i)
	{
		Refit(bd, i);
	}
}

// ---- Steps -----------------------------------------------------------------------------------------------------

// Let u = 2^-24 and reach be above every intermediate of evaluating a vertex, along any axis. A sum of M + 1 products
// is off by (M + 2) u reach: so are a vertex and a centre, and twice that is an extent. Over three axes that comes to
// less than 7 (M + 2) u reach, and comparing squares adds 4 u of distances that are below 4 reach: 16 (M + 4) u reach
// is more than all. Placing adds what it says, and 8 u of how far away bodies are.
static void Begin(bdBody* bd, const float* amplitudes)
{
	const bdTree* tree = bd->tree;
	double square = 0.0, reach = tree->restReach, far = 0.0;
	for (uint32_t f = 0; f < tree->fieldCount; ++f)
	{
		const float q = amplitudes[f], size = fabsf(q), change = q - bd->amplitudes[f];
		four* factor = bd->factors + (size_t)tree->width * f;
		factor[0] = (four){ q, q, q, size };
		if (tree->width == 2)
		{
			factor[1] = (four){ size, size, size, 0.0f };
		}
		square += (double)change * (double)change;
		bd->amplitudes[f] = q;
		reach += (double)size * tree->most[f];
	}
	for (int k = 0; k < 3; ++k)
	{
		far += fabs(bd->placement.translation[k]);
	}
	bd->travel += sqrt(square) * (1.0 + 1e-6);
	bd->slack = 16.0 * (tree->fieldCount + 4.0) * 0x1p-24 * reach + 2.0 * bd->placement.error + 8.0 * 0x1p-24 * far;
	bd->temporal = 0;
	bd->counters = (binaryCounters){ 0 };
	++bd->version;
	if (tree->tree.nodeCount > 0)
	{
		Refit(bd, 0);
	}
}

void bdBody_SetAmplitudes(bdBody* bd, const float* amplitudes)
{
	bd->placement = (sgPlacement){ .isIdentity = true };
	Begin(bd, amplitudes);
}

snugStatus bdBody_Follow(bdBody* bd, snugBody* body)
{
	static const double origin[3] = { 0.0, 0.0, 0.0 };
	snugCounters ignored = { 0 };
	sgBox root;
	snugStatus status = sgBody_MakePlacement(body, origin, &root, &bd->placement, &ignored);
	if (status == snug_success)
	{
		Begin(bd, bd->tree->fieldCount > 0 ? sgFieldsPose_Amplitudes(body->posed.pose) : NULL);
	}
	return status;
}

// ---- Triangles -------------------------------------------------------------------------------------------------

// Summed in the order of the library, and placed by it.
static void Evaluate(bdBody* bd, uint32_t vertex)
{
	static const uint32_t one[1 + SG_LANES] = { 0 };
	const four* terms = VertexOf(bd->tree, vertex);
	four x = terms[0];
	for (uint32_t f = 0; f < bd->tree->fieldCount; ++f)
	{
		x += bd->factors[(size_t)bd->tree->width * f] * terms[1 + f];
	}
	if (!bd->placement.isIdentity)
	{
		sgVertexBlock block;
		sgGetKernels()->leaves->gatherVertices((const float*)&x, one, 1, &block);
		sgGetKernels()->leaves->placeVertices(&block, 1, &bd->placement);
		x = (four){ block.coordinate[0][0], block.coordinate[1][0], block.coordinate[2][0], 0.0f };
	}
	bd->positions[vertex] = x;
	bd->evaluated[vertex] = bd->version;
	++bd->counters.verticesEvaluated;
}

static inline void GetCorners(bdBody* bd, uint32_t leaf, float corners[3][3])
{
	for (int c = 0; c < 3; ++c)
	{
		const uint32_t vertex = bd->tree->tree.corners[leaf][c];
		if (bd->evaluated[vertex] != bd->version)
		{
			Evaluate(bd, vertex);
		}
		memcpy(corners[c], bd->positions + vertex, sizeof(corners[c]));
	}
}

// ---- Queries ---------------------------------------------------------------------------------------------------

/// A query of two bodies.
typedef struct collision
{
	bdBody *a, *b;
	float slack;
	binaryPairs pairs;
} collision;

// Whether the projections on an axis overlap, given the distance of the centres along it. For the cross product of two
// axes, u of the first box and v of the second, the other two of each count.
static bool OverlapAlong(const float halfA[3], const float halfB[3], float dots[3][3], int u, int v, float distance)
{
	float reach = 0.0f;
	for (int k = 1; k < 3; ++k)
	{
		reach += halfA[(u + k) % 3] * dots[(u + 3 - k) % 3][v] + halfB[(v + k) % 3] * dots[u][(v + 3 - k) % 3];
	}
	return fabsf(distance) <= reach;
}

// Separating axes (Gottschalk et al. 1996): the faces' normals, and the cross products of edges. A hair on the cosines
// covers edges that are nearly parallel; half sides have the slack already.
static bool OverlapOriented(const volume* p, const four axesA[3], const volume* q, const four axesB[3], float slack)
{
	float dots[3][3], cosines[3][3], along[3], halfA[3], halfB[3];
	const four d = q->center - p->center;
	bool overlaps = true;
	for (int i = 0; i < 3; ++i)
	{
		along[i] = d[0] * axesA[i][0] + d[1] * axesA[i][1] + d[2] * axesA[i][2];
		halfA[i] = p->half[i] + slack;
		halfB[i] = q->half[i] + slack;
		for (int k = 0; k < 3; ++k)
		{
			const four product = axesA[i] * axesB[k];
			cosines[i][k] = product[0] + product[1] + product[2];
			dots[i][k] = fabsf(cosines[i][k]) + 2e-6f;
		}
	}
	for (int i = 0; i < 3 && overlaps; ++i)
	{
		const float b = d[0] * axesB[i][0] + d[1] * axesB[i][1] + d[2] * axesB[i][2];
		overlaps =
		    fabsf(along[i]) <= halfA[i] + halfB[0] * dots[i][0] + halfB[1] * dots[i][1] + halfB[2] * dots[i][2] &&
		    fabsf(b) <= halfB[i] + halfA[0] * dots[0][i] + halfA[1] * dots[1][i] + halfA[2] * dots[2][i];
	}
	for (int i = 0; i < 9 && overlaps; ++i)
	{
		const int u = i / 3, v = i % 3, n = (u + 1) % 3, o = (u + 2) % 3;
		overlaps = OverlapAlong(halfA, halfB, dots, u, v, along[o] * cosines[n][v] - along[n] * cosines[o][v]);
	}
	return overlaps;
}

static inline bool Overlap(const collision* c, const volume* p, const volume* q)
{
	if (c->a->axes != NULL)
	{
		return OverlapOriented(p, c->a->axes[p - c->a->volumes], q, c->b->axes[q - c->b->volumes], c->slack);
	}
	const four d = p->center - q->center;
	if (c->a->tree->width == 1)
	{
		const float reach = p->center[3] + q->center[3] + c->slack;
		return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= reach * reach;
	}
	const four reach = p->half + q->half + (four){ c->slack, c->slack, c->slack, 0.0f };
	return fabsf(d[0]) <= reach[0] && fabsf(d[1]) <= reach[1] && fabsf(d[2]) <= reach[2];
}

static inline float GetSize(const bdBody* bd, const volume* v)
{
	return bd->tree->width == 1 ? v->center[3]
	                            : v->half[0] * v->half[0] + v->half[1] * v->half[1] + v->half[2] * v->half[2];
}

static void TestTriangles(collision* c, uint32_t leafA, uint32_t leafB)
{
	float a[3][3], b[3][3];
	GetCorners(c->a, leafA, a);
	GetCorners(c->b, leafB, b);
	++c->a->counters.triangleTests;
	if (sgTriangles_Intersect((const float(*)[3])a, (const float(*)[3])b))
	{
		binaryPairs_Add(&c->pairs, c->a->tree->tree.triangles[leafA], c->b->tree->tree.triangles[leafB]);
	}
}

// As deep as both trees together.
static void Visit(collision* c, uint32_t nodeA, uint32_t nodeB)
{
	const binaryNode *a = c->a->tree->tree.nodes + nodeA, *b = c->b->tree->tree.nodes + nodeB;
	const volume *p = c->a->volumes + nodeA, *q = c->b->volumes + nodeB;
	++c->a->counters.volumeTests;
	if (!Overlap(c, p, q))
	{
		return;
	}
	if (a->childCount == 0 && b->childCount == 0)
	{
		TestTriangles(c, a->first, b->first);
		return;
	}
	if (b->childCount == 0 || (a->childCount > 0 && GetSize(c->a, p) >= GetSize(c->b, q)))
	{
		RefitChildren(c->a, nodeA);
		for (uint32_t i = a->first; i < a->first + a->childCount; ++i)
		{
			Visit(c, i, nodeB);
		}
		return;
	}
	RefitChildren(c->b, nodeB);
	for (uint32_t i = b->first; i < b->first + b->childCount; ++i)
	{
		Visit(c, nodeA, i);
	}
}

uint64_t bdCollide(bdBody* a, bdBody* b, snugPair* pairs, uint64_t capacity)
{
	collision c = { a, b, (float)((a->slack + b->slack) * (1.0 + 1e-6)), { pairs, capacity, 0 } };
	if (a->tree->tree.nodeCount > 0 && b->tree->tree.nodeCount > 0)
	{
		Visit(&c, 0, 0);
	}
	return c.pairs.count;
}

/// A query against a ball.
typedef struct search
{
	bdBody* bd;
	binaryBall ball;
	four center; ///< with minus the radius and all slack: spheres overlap if the length of the first three of a
	             ///< difference is at most the fourth
	binaryHits hits;
} search;

static inline bool ReachesBall(const search* s, uint32_t node)
{
	const volume* v = s->bd->volumes + node;
	four d = v->center - s->center;
	if (s->bd->tree->width == 2)
	{
		const double offset[3] = { (double)d[0], (double)d[1], (double)d[2] };
		for (int k = 0; k < 3; ++k)
		{
			const float along = s->bd->axes != NULL ? (float)AlongAxis(s->bd->axes[node][k], offset) : d[k];
			d[k] = fmaxf(0.0f, fabsf(along) - v->half[k]);
		}
		d[3] = -s->center[3];
	}
	d *= d;
	return d[0] + d[1] + d[2] <= d[3];
}

static void TestBall(search* s, uint32_t leaf)
{
	float corners[3][3];
	GetCorners(s->bd, leaf, corners);
	++s->bd->counters.triangleTests;
	if (binaryDistance2((const float(*)[3])corners, s->ball.center) <= s->ball.radius * s->ball.radius)
	{
		binaryHits_Add(&s->hits, s->bd->tree->tree.triangles[leaf]);
	}
}

static void VisitBall(search* s, uint32_t number)
{
	const binaryNode* node = s->bd->tree->tree.nodes + number;
	++s->bd->counters.volumeTests;
	if (!ReachesBall(s, number))
	{
		return;
	}
	if (node->childCount == 0)
	{
		TestBall(s, node->first);
		return;
	}
	RefitChildren(s->bd, number);
	for (uint32_t i = node->first; i < node->first + node->childCount; ++i)
	{
		VisitBall(s, i);
	}
}

// Of a ball far away, rounding its centre is what counts.
uint64_t bdCollideBall(bdBody* bd, const binaryBall* ball, uint32_t* triangles, uint64_t capacity)
{
	search s = { .bd = bd, .ball = *ball, .hits = { triangles, capacity, 0 } };
	double far = ball->radius;
	for (int k = 0; k < 3; ++k)
	{
		s.center[k] = (float)ball->center[k];
		far += fabs(ball->center[k]);
	}
	s.center[3] = -(float)((ball->radius + bd->slack + 8.0 * 0x1p-24 * far) * (1.0 + 1e-6));
	if (bd->tree->tree.nodeCount > 0)
	{
		VisitBall(&s, 0);
	}
	return s.hits.count;
}
