// src/query/sweep.c: when two bodies first meet on their way from one pose to another: a walk over two trees, the pairs
// of nodes that may meet first before the others.
//
// Each body is there twice, at the start and at the end of its step. Boxes and triangles go straight from one to the
// other, so between two nodes there is a time before which nothing below them meets. Whatever may be as early as the
// earliest contact so far is looked at; so the answer does not depend on the order, nor on how tight bounds are.
// docs/bounds/sweeps.md has the proofs.
#include "query/sweep.h"
#include "base/fpenv.h"
#include "base/vec.h"
#include "geometry/box_kernels.h"
#include "geometry/contact.h"
#include "geometry/margins.h"
#include "geometry/moving_kernels.h"
#include "geometry/triangle.h"
#include "query/near.h"
#include "query/stray.h"
#include "query/triangles.h"

#include <math.h>
#include <string.h>

#define MAX_CELLS 10000
#define EDGE_PAIRS 9
#define FEATURE_PAIRS (6 + EDGE_PAIRS)
#define LANES (2 * SG_LANES) // one more

/// A body on its way. One that rests has one view for both ends.
typedef struct Mover
{
	sgView views[2];
	sgBoxMotion motions[2]; ///< into the space of the first body's start
	int ends;               ///< 1: it rests
	sgBoxLanes moved[2];
} Mover;

/// Pairs of lanes that are still to be descended into, with times before which nothing below them meets.
typedef struct Level
{
	sgOpened a, b;
	uint64_t pairs, leaves; ///< the latter: both lanes are leaves
	float SG_ALIGN(32) times[SG_LANE_PAIRS];
} Level;

/// Two triangles on their way.
typedef struct Triangles
{
	float a[2][3][3], b[2][3][3]; ///< [start, end][corner][axis]
	uint32_t numberA, numberB;
	uint32_t namesA[3], namesB[3]; ///< of their corners: twins have one
} Triangles;

/// A contact of two triangles.
typedef struct Found
{
	sgMovingResult when;
	double proved; ///< they meet at this time or before; infinite: that is not certain
	double near;   ///< they come so near by this time, proved or not; infinite: the search was cut before it knew
	int features;  ///< which of FEATURE_PAIRS; that many: the triangles themselves, at the start
	Triangles triangles;
} Found;

typedef struct Search
{
	const sgKernels* kernels;
	double asked;  ///< the query's margin
	double stray;  ///< how far from straight the ways may be
	double bow;    ///< and how much less at both ends
	double margin; ///< both: on straight ways nothing is farther apart that meets
	double tolerance, maxTime;
	float boxMargin;
	bool newOnly;
	uint64_t steps, maxSteps;
	double limit;  ///< what is later is of no account
	double proved; ///< a contact is, up to this time; infinite: none. Of ways that stray, that of the earliest which is
	double provedTime; ///< when that is, at the earliest
	double nearUntil;  ///< of ways that stray: until when the first near miss lasts
	double cutTime;    ///< before which nothing was left out; infinite: nothing was left out at all
	Found first;       ///< the earliest; of equal ones that with the smallest numbers
	Found named;       ///< the first by `near`
	sgSweepList* list; ///< nullable: of all contacts
	snugCounters counters;
	Mover a, b;
	Level stack[SG_MAX_DEPTH + 2];
} Search;

// ---- Features of two triangles -------------------------------------------------------------------------------------

// Which of an edge's ends comes first: for both triangles that have it the same one, so that it meets others at the
// same times, bit for bit.
static int EdgeEnd(const uint32_t names[3], int edge, int end)
{
	const int next = (edge + 1) % 3;
	return (names[next] < names[edge]) == (end == 0) ? next : edge;
}

// All pairs of features: first the corners of a and the triangle b, then those of b and a, then edges.
static void FillLanes(const Triangles* triangles, sgMovingLanes lanes[2])
{
	int ends[3][4]; // of edges: from and to of a, from and to of b
	for (int e = 0; e < 3; ++e)
	{
		for (int i = 0; i < 2; ++i)
		{
			ends[e][i] = EdgeEnd(triangles->namesA, e, i);
			ends[e][2 + i] = EdgeEnd(triangles->namesB, e, i);
		}
	}
	for (int n = 0; n < 6; ++n)
	{
		const int s = n / 3, k = n % 3;
		double a[3], b[3], base[LANES], along[LANES], across[LANES];
		for (int i = 0; i < 3; ++i)
		{
			a[i] = (double)triangles->a[s][i][k];
			b[i] = (double)triangles->b[s][i][k];
		}
		for (int i = 0; i < 3; ++i)
		{
			base[i] = a[i] - b[0];
			along[i] = b[0] - b[1];
			across[i] = b[0] - b[2];
			base[3 + i] = b[i] - a[0];
			along[3 + i] = a[0] - a[1];
			across[3 + i] = a[0] - a[2];
		}
		for (int i = 0; i < LANES - 6; ++i) // the last one once more, for want of others
		{
			const int edge = i < EDGE_PAIRS ? i : EDGE_PAIRS - 1;
			const int *ofA = ends[edge / 3], *ofB = ends[edge % 3] + 2;
			base[6 + i] = a[ofA[0]] - b[ofB[0]];
			along[6 + i] = a[ofA[1]] - a[ofA[0]];
			across[6 + i] = b[ofB[0]] - b[ofB[1]];
		}
		for (int i = 0; i < 2; ++i)
		{
			memcpy(lanes[i].base[s][k], base + SG_LANES * i, sizeof(lanes[i].base[s][k]));
			memcpy(lanes[i].along[s][k], along + SG_LANES * i, sizeof(lanes[i].along[s][k]));
			memcpy(lanes[i].across[s][k], across + SG_LANES * i, sizeof(lanes[i].across[s][k]));
		}
	}
}

static sgMovingPair FeaturePair(const sgMovingLanes lanes[2], int number)
{
	sgMovingPair pair = { .isTriangle = number < 6 };
	const sgMovingLanes* own = lanes + number / SG_LANES;
	for (int n = 0; n < 6; ++n)
	{
		pair.base[n / 3][n % 3] = own->base[n / 3][n % 3][number % SG_LANES];
		pair.along[n / 3][n % 3] = own->along[n / 3][n % 3][number % SG_LANES];
		pair.across[n / 3][n % 3] = own->across[n / 3][n % 3][number % SG_LANES];
	}
	return pair;
}

static bool IsBefore(const Found* found, const Found* other)
{
	const Triangles *x = &found->triangles, *y = &other->triangles;
	if (found->when.time != other->when.time)
	{
		return found->when.time < other->when.time;
	}
	if ((found->features == FEATURE_PAIRS) != (other->features == FEATURE_PAIRS)) // what meets, not what nearly does
	{
		return found->features == FEATURE_PAIRS;
	}
	if (x->numberA != y->numberA || x->numberB != y->numberB)
	{
		return x->numberA != y->numberA ? x->numberA < y->numberA : x->numberB < y->numberB;
	}
	return found->features < other->features;
}

static void SetName(snugFeature* feature, snugFeatureKind kind, uint32_t first, uint32_t second)
{
	*feature = (snugFeature){ kind, first, second };
}

// What meets is called: a corner of one triangle and the other one, or two edges; or both triangles.
static void Name(const Found* found, snugSweepContact* contact)
{
	const Triangles* triangles = &found->triangles;
	const uint32_t *namesA = triangles->namesA, *namesB = triangles->namesB;
	const int number = found->features, edgeA = (number - 6) / 3, edgeB = (number - 6) % 3;
	contact->a = triangles->numberA;
	contact->b = triangles->numberB;
	SetName(&contact->featureA, snug_featureTriangle, contact->a, 0);
	SetName(&contact->featureB, snug_featureTriangle, contact->b, 0);
	if (number < 3)
	{
		SetName(&contact->featureA, snug_featureVertex, namesA[number], 0);
	}
	else if (number < 6)
	{
		SetName(&contact->featureB, snug_featureVertex, namesB[number - 3], 0);
	}
	else if (number < FEATURE_PAIRS)
	{
		SetName(
		    &contact->featureA, snug_featureEdge, namesA[EdgeEnd(namesA, edgeA, 0)], namesA[EdgeEnd(namesA, edgeA, 1)]);
		SetName(
		    &contact->featureB, snug_featureEdge, namesB[EdgeEnd(namesB, edgeB, 0)], namesB[EdgeEnd(namesB, edgeB, 1)]);
	}
}

// Triangles that are together at the start: a point of both, or what is half way between them.
static void DescribeStart(const Triangles* triangles, snugSweepContact* contact)
{
	const float(*a)[3] = triangles->a[0], (*b)[3] = triangles->b[0];
	const bool areApart = !sgTriangles_Intersect(a, b);
	double point[3];
	sgNearest nearest;
	if (areApart)
	{
		sgTriangles_Nearest(a, b, &nearest);
	}
	else
	{
		sgTriangles_CommonPoint(a, b, point);
	}
	for (int k = 0; k < 3; ++k)
	{
		contact->position[k] = (float)(areApart ? 0.5 * (nearest.a[k] + nearest.b[k]) : point[k]);
	}
	sgUnitNormal(b, contact->normal);
}

static double At(double start, double end, double t)
{
	return (1.0 - t) * start + t * end;
}

// Where the features are then. The normal is across both, the way that leads a away from b.
static void DescribeFeatures(const Found* found, snugSweepContact* contact)
{
	const Triangles* triangles = &found->triangles;
	sgMovingLanes lanes[2];
	FillLanes(triangles, lanes);
	const sgMovingPair pair = FeaturePair(lanes, found->features);
	const double t = found->when.time, u = found->when.u, v = found->when.v;
	const bool isOfB = found->features >= 3 && found->features < 6, isEdge = found->features >= 6;
	const int corner = isEdge ? EdgeEnd(triangles->namesA, (found->features - 6) / 3, 0) : found->features % 3;
	double along[3], across[3], pace[3], normal[3];
	for (int k = 0; k < 3; ++k)
	{
		const float(*own)[3][3] = isOfB ? triangles->b : triangles->a;
		along[k] = At(pair.along[0][k], pair.along[1][k], t);
		across[k] = At(pair.across[0][k], pair.across[1][k], t);
		const double vertex = At((double)own[0][corner][k], (double)own[1][corner][k], t);
		contact->position[k] = (float)(vertex + (isEdge ? u * along[k] : 0.0));
		pace[k] = pair.base[1][k] - pair.base[0][k] + u * (pair.along[1][k] - pair.along[0][k]) +
		          v * (pair.across[1][k] - pair.across[0][k]);
	}
	sgCross(along, across, normal);
	const double length = sqrt(sgDot(normal, normal)), sign = (sgDot(normal, pace) > 0.0) != isOfB ? -1.0 : 1.0;
	for (int k = 0; k < 3; ++k)
	{
		contact->normal[k] = length > 0.0 ? (float)(sign * normal[k] / length) : 0.0f;
	}
}

static void Describe(const Found* found, snugSweepContact* contact)
{
	Name(found, contact);
	contact->time = found->when.time;
	contact->isCertain = found->proved < INFINITY;
	contact->latest = contact->isCertain ? found->proved : found->when.latest;
	(found->features == FEATURE_PAIRS ? DescribeStart(&found->triangles, contact) : DescribeFeatures(found, contact));
}

static void Prove(Search* search, double time, double latest)
{
	const bool isFirst = time != search->provedTime ? time < search->provedTime : latest < search->proved;
	if (latest < INFINITY && (search->stray > 0.0 ? isFirst : latest < search->proved))
	{
		search->proved = latest;
		search->provedTime = time;
	}
}

// Ways that stray may be so near each other for long that nothing is proved. So what is later than a near miss is of no
// account then, and of contacts that are certain only one that begins by then counts: whatever the order.
static void Take(Search* search, const Found* found)
{
	Prove(search, found->when.time, found->proved);
	const double until = found->near > found->when.latest ? found->near : found->when.latest;
	if (search->stray > 0.0 && until < search->nearUntil)
	{
		search->nearUntil = until;
	}
	if (search->list == NULL)
	{
		const double latest = search->stray > 0.0 ? search->nearUntil : search->proved;
		search->limit = latest < search->limit ? latest : search->limit;
	}
	else
	{
		snugSweepContact contact = { .time = 0.0 };
		Describe(found, &contact);
		search->limit = sgSweepList_Add(search->list, &contact, search->limit);
	}
	if (IsBefore(found, &search->first))
	{
		search->first = *found;
	}
	const Found* named = &search->named;
	if (found->near < named->near || (found->near == named->near && IsBefore(found, named)))
	{
		search->named = *found;
	}
}

// Triangles at an end that share a point, or are within the margin.
static bool AreTogether(double margin, const Triangles* triangles, int end)
{
	const float(*a)[3] = triangles->a[end], (*b)[3] = triangles->b[end];
	sgNearest nearest;
	if (sgTriangles_Intersect(a, b) || margin == 0.0)
	{
		return sgTriangles_Intersect(a, b);
	}
	sgTriangles_Nearest(a, b, &nearest);
	return sqrt(nearest.distance2) <= margin;
}

// Features that may meet, one by one. Triangles of which that is unsure may meet by the exact test, if the step goes to
// the end.
static void LookAtFeature(
    Search* search, const Triangles* triangles, const sgMovingPair* pair, int number, double from, double to)
{
	const sgMovingQuery query = { .from = from,
		.to = to,
		.margin = search->margin,
		.stray = search->stray,
		.bow = search->bow,
		.tolerance = search->tolerance,
		.maxCells = MAX_CELLS };
	Found found = { .when = sgMovingPair_Search(pair, &query), .features = number, .triangles = *triangles };
	++search->counters.exactTests;
	search->steps += found.when.cells;
	if (found.when.answer == sg_movingFree || found.when.time > search->limit)
	{
		return;
	}
	found.proved = found.when.answer == sg_movingMeets ? found.when.latest : INFINITY;
	found.near = found.when.isCut ? found.proved : found.when.time;
	const bool isOpen = found.proved == INFINITY && (search->stray > 0.0 || search->proved == INFINITY);
	const bool isAtEnd =
	    (isOpen || found.near == INFINITY) && search->maxTime == 1.0 && AreTogether(search->asked, triangles, 1);
	found.near = isAtEnd && found.near == INFINITY ? 1.0 : found.near;
	Take(search, &found);
	if (isAtEnd)
	{
		Prove(search, found.when.time, 1.0); // by the triangles, if not by these features
	}
}

static void LookAtFeatures(Search* search, const Triangles* triangles)
{
	sgMovingLanes lanes[2];
	sgMovingTimes times[2];
	FillLanes(triangles, lanes);
	uint32_t left = 0;
	for (int i = 0; i < 2; ++i)
	{
		for (int lane = 0; lane < SG_LANES; ++lane)
		{
			times[i].from[lane] = 0.0;
			times[i].to[lane] = search->maxTime;
		}
		left |= search->kernels->moving->enterFeatures(lanes + i, i == 0 ? 6 : 0, search->margin, times + i)
		        << (SG_LANES * i);
	}
	for (left &= (1u << FEATURE_PAIRS) - 1; left != 0; left &= left - 1)
	{
		const int number = (int)sgLowestBit(left);
		const double from = times[number / SG_LANES].from[number % SG_LANES];
		if (from <= search->limit)
		{
			const sgMovingPair pair = FeaturePair(lanes, number);
			LookAtFeature(search, triangles, &pair, number, from, times[number / SG_LANES].to[number % SG_LANES]);
		}
	}
}

static void LookAtTriangles(Search* search, const Triangles* triangles, bool mayMeetAtStart)
{
	++search->counters.triangleTests;
	++search->steps;
	if (mayMeetAtStart && AreTogether(search->asked, triangles, 0))
	{
		const Found found = {
			.when = { .answer = sg_movingMeets }, .features = FEATURE_PAIRS, .triangles = *triangles
		};
		if (!search->newOnly)
		{
			Take(search, &found);
		}
		return;
	}
	const bool isStill = search->stray == 0.0 &&
	                     memcmp(triangles->a[0], triangles->a[1], sizeof(triangles->a[0])) == 0 &&
	                     memcmp(triangles->b[0], triangles->b[1], sizeof(triangles->b[0])) == 0;
	const bool isDecided = search->limit == 0.0 && search->list == NULL; // so soon that only the start counts
	if (!isStill && !isDecided)
	{
		LookAtFeatures(search, triangles);
	}
}

// ---- Nodes ---------------------------------------------------------------------------------------------------------

// The number that stands for a vertex and its twins. Those of free bodies may part on the way.
static uint32_t NameVertex(const Mover* mover, uint32_t vertex)
{
	const uint32_t twin = sgBody_FindTwin(mover->views[0].body, vertex);
	const bool stays = sgBody_FindTwin(mover->views[mover->ends - 1].body, vertex) == twin;
	return mover->views[0].tree->vertexMap[stays ? twin : vertex];
}

static void GetTriangle(
    Mover* mover, const sgKeptLeaf kept[2], uint32_t lane, float corners[2][3][3], uint32_t* number, uint32_t names[3])
{
	for (int end = 0; end < 2; ++end)
	{
		const int own = end < mover->ends ? end : 0;
		sgView_GetTriangle(mover->views + own, kept[own], lane, corners[end]);
	}
	const sgView* view = mover->views;
	const sgLeaf* leaf = sgView_Lanes(view, kept[0])->leaf;
	*number = sgView_TriangleNumber(view, kept[0], lane);
	for (int c = 0; c < 3; ++c)
	{
		names[c] = NameVertex(mover, view->tree->leafVertices[leaf->firstVertex + leaf->corners[c][lane]]);
	}
}

static sgMovingBoxes TriangleBoxes(const Mover* mover, const sgKeptLeaf kept[2])
{
	const int last = mover->ends - 1;
	return (sgMovingBoxes){ &sgView_Lanes(mover->views, kept[0])->boxes,
		&sgView_Lanes(mover->views + last, kept[last])->boxes };
}

// The search has taken as many steps as it may: what it would look at next is left out.
static bool IsCut(Search* search, double time)
{
	const bool isCut = search->maxSteps > 0 && search->steps >= search->maxSteps;
	search->cutTime = isCut && time < search->cutTime ? time : search->cutTime;
	return isCut;
}

static void LookAtLeaves(
    Search* search, const sgOpened* openedA, uint32_t laneA, const sgOpened* openedB, uint32_t laneB)
{
	sgKeptLeaf a[2], b[2];
	for (int end = 0; end < 2; ++end)
	{
		if (end < search->a.ends)
		{
			a[end] = sgView_Triangles(search->a.views + end, openedA, laneA, &search->counters);
		}
		if (end < search->b.ends)
		{
			b[end] = sgView_Triangles(search->b.views + end, openedB, laneB, &search->counters);
		}
	}
	float SG_ALIGN(32) times[SG_LANE_PAIRS];
	const uint32_t maskA = sgView_Lanes(search->a.views, a[0])->mask, maskB = sgView_Lanes(search->b.views, b[0])->mask;
	uint64_t pairs = search->kernels->moving->enterBoxes(TriangleBoxes(&search->a, a), maskA,
	                     TriangleBoxes(&search->b, b), search->boxMargin, sgRoundUp(search->limit), times) &
	                 sgMaskProduct(maskA, maskB);
	for (; pairs != 0; pairs &= pairs - 1)
	{
		const uint32_t pair = sgLowestBit(pairs);
		Triangles triangles;
		if ((double)times[pair] <= search->limit && !IsCut(search, (double)times[pair]))
		{
			GetTriangle(&search->a, a, pair / SG_LANES, triangles.a, &triangles.numberA, triangles.namesA);
			GetTriangle(&search->b, b, pair % SG_LANES, triangles.b, &triangles.numberB, triangles.namesB);
			LookAtTriangles(search, &triangles, times[pair] <= 0.0f);
		}
	}
}

// Boxes at both ends, in the space of the first body's start.
static sgMovingBoxes Bounds(Search* search, Mover* mover, const sgOpened* opened)
{
	const sgBoxLanes* boxes[2];
	for (int end = 0; end < mover->ends; ++end)
	{
		boxes[end] = sgView_Bounds(mover->views + end, opened, &search->counters);
		if (mover->motions[end].kind != sgMotion_none)
		{
			search->kernels->boxes->moveBoxes(boxes[end], mover->motions + end, mover->moved + end);
			boxes[end] = mover->moved + end;
		}
	}
	return (sgMovingBoxes){ boxes[0], boxes[mover->ends - 1] };
}

// The pair of lanes that may meet first, taken out; SG_LANE_PAIRS if none is within the limit.
static uint32_t TakeEarliest(Level* level, double limit)
{
	uint32_t best = SG_LANE_PAIRS;
	for (uint64_t rest = level->pairs; rest != 0; rest &= rest - 1)
	{
		const uint32_t pair = sgLowestBit(rest);
		const float time = level->times[pair];
		best = (double)time <= limit && (best == SG_LANE_PAIRS || time < level->times[best]) ? pair : best;
	}
	level->pairs &= best == SG_LANE_PAIRS ? 0 : ~((uint64_t)1 << best);
	return best;
}

// Look at what is below two nodes: a level of pairs to be taken, the earliest first.
static void Step(Search* search, uint32_t slotA, uint32_t slotB, Level* level)
{
	const sgOpened a = sgOpen(search->a.views[0].tree, slotA), b = sgOpen(search->b.views[0].tree, slotB);
	const sgMovingBoxes boxesA = Bounds(search, &search->a, &a), boxesB = Bounds(search, &search->b, &b);
	const uint64_t pairs = search->kernels->moving->enterBoxes(
	                           boxesA, a.set.mask, boxesB, search->boxMargin, sgRoundUp(search->limit), level->times) &
	                       sgMaskProduct(a.set.mask, b.set.mask);
	search->counters.volumeTests += sgCountBits(a.set.mask) * sgCountBits(b.set.mask);
	++search->steps;
	level->a = a;
	level->b = b;
	level->pairs = pairs;
	level->leaves = sgMaskProduct(a.set.leafMask, b.set.leafMask);
}

static void Descend(Search* search)
{
	int depth = 0;
	Step(search, 0, 0, search->stack);
	while (depth >= 0)
	{
		Level* level = search->stack + depth;
		const uint32_t pair = TakeEarliest(level, search->limit);
		if (pair == SG_LANE_PAIRS)
		{
			--depth;
		}
		else if (!IsCut(search, (double)level->times[pair]))
		{
			const uint32_t laneA = pair / SG_LANES, laneB = pair % SG_LANES;
			if ((level->leaves >> pair & 1) != 0)
			{
				LookAtLeaves(search, &level->a, laneA, &level->b, laneB);
				continue;
			}
			Step(search, level->a.set.group * SG_LANES + laneA, level->b.set.group * SG_LANES + laneB, level + 1);
			++depth;
		}
	}
}

// ---- The query -----------------------------------------------------------------------------------------------------

static snugStatus StartMover(
    Mover* mover, snugBody* start, snugBody* end, const double origin[3], sgBox roots[2], snugCounters* counters)
{
	mover->ends = end == NULL || end == start ? 1 : 2;
	snugStatus status = sgView_Start(mover->views, start, origin, roots, counters);
	if (status == snug_success && mover->ends == 2)
	{
		status = sgView_Start(mover->views + 1, end, origin, roots + 1, counters);
	}
	return status;
}

static void FinishMover(Mover* mover)
{
	for (int end = 0; end < mover->ends; ++end)
	{
		sgView_Finish(mover->views + end);
	}
}

static void FindMotions(const Mover* to, Mover* mover, const sgBox roots[2])
{
	const sgView* first = to->views;
	for (int end = 0; end < mover->ends; ++end)
	{
		const sgView* own = mover->views + end;
		mover->motions[end] = own == first ? (sgBoxMotion){ .kind = sgMotion_none }
		                                   : sgRelativeMotion(&first->body->frame, &first->placement, &own->body->frame,
		                                         &own->placement, roots + end);
	}
}

static void AddPlaced(const Mover* mover, const sgBox roots[2], sgBox* box)
{
	for (int end = 0; end < mover->ends; ++end)
	{
		const sgBox own = sgPlacement_BoundBox(&mover->views[end].placement, roots + end);
		sgBox_AddBox(box, &own);
	}
}

static double Extent(const sgBox* box)
{
	double extent = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		extent = sgMost(extent, (double)box->upper[k] - (double)box->lower[k]);
	}
	return extent;
}

// What came first need not be what is proved: it may have been a near miss. Of a search that was cut nothing is known
// at its time; so what is named is what comes so near first, if that is no later than what was looked at.
static void Conclude(const Search* search, snugSweepResult* result)
{
	const bool isProved = search->proved < INFINITY && search->provedTime <= search->nearUntil,
	           isFound = search->first.when.time < INFINITY;
	const bool isCut = search->cutTime <= search->limit;
	const Found* found = search->named.near <= search->limit ? &search->named : &search->first;
	result->answer = isProved ? snug_sweepMeets : isFound || isCut ? snug_sweepUnsure : snug_sweepFree;
	result->time = isFound ? search->first.when.time : search->maxTime;
	result->time = isCut && search->cutTime < result->time ? search->cutTime : result->time;
	result->latest = isProved ? search->proved : isFound && !isCut ? found->when.latest : search->maxTime;
	result->stray = search->stray;
	if (isFound)
	{
		snugSweepContact contact;
		Describe(found, &contact);
		result->a = contact.a;
		result->b = contact.b;
		result->featureA = contact.featureA;
		result->featureB = contact.featureB;
		memcpy(result->position, contact.position, sizeof(contact.position));
		memcpy(result->normal, contact.normal, sizeof(contact.normal));
	}
	if (search->list != NULL)
	{
		sgSweepList_Finish(search->list, search->cutTime);
		result->count = search->list->count;
		result->complete = search->list->isComplete;
	}
}

// Boxes that come so near are looked into. More than the margin: pairs of features that come within the tolerance may
// be unsure from then on, and whether they are must not depend on how tight boxes are.
static float ReachOfBoxes(const Search* search, double extent)
{
	const double reach = search->margin + 0.125 * search->stray + search->tolerance + 0x1p-40 * extent;
	return sgRoundUp(reach * (1.0 + SG_MARGIN_SHAPE_BOX));
}

static void AddStray(Search* search, Mover* mover, const sgBox roots[2])
{
	if (mover->ends == 2)
	{
		const sgStray stray = sgFindStray(mover->views, mover->views + 1, roots, &search->counters);
		search->stray += stray.most;
		search->bow += stray.bow;
	}
}

static snugStatus Start(Search* search, snugBody* const bodies[4], const snugSweepQuery* query, const double origin[3])
{
	sgBox rootsA[2], rootsB[2], around = sgBox_Empty();
	snugStatus status = StartMover(&search->a, bodies[0], bodies[1], origin, rootsA, &search->counters);
	if (status == snug_success)
	{
		status = StartMover(&search->b, bodies[2], bodies[3], origin, rootsB, &search->counters);
	}
	if (status == snug_success)
	{
		if (query->path == snug_pathTurning)
		{
			AddStray(search, &search->a, rootsA);
			AddStray(search, &search->b, rootsB);
		}
		search->margin = search->asked + search->stray;
		FindMotions(&search->a, &search->a, rootsA);
		FindMotions(&search->a, &search->b, rootsB);
		AddPlaced(&search->a, rootsA, &around);
		AddPlaced(&search->b, rootsB, &around);
		const double extent = Extent(&around);
		search->tolerance = query->tolerance > 0.0 ? query->tolerance : 0x1p-20 * extent;
		search->boxMargin = ReachOfBoxes(search, extent);
	}
	return status;
}

SG_NOINLINE snugSweepResult sgSweep(snugBody* const bodies[4], const snugSweepQuery* query, const double origin[3],
    double limit, sgSweepList* list, double* near)
{
	snugSweepResult result = { .a = SNUG_NONE, .b = SNUG_NONE };
	Search search; // not zeroed: most of it is scratch
	search.kernels = sgGetKernels();
	search.asked = query->margin;
	search.maxTime = query->maxTime > 0.0 ? query->maxTime : 1.0;
	search.newOnly = query->newOnly;
	search.stray = search.bow = 0.0;
	search.steps = 0;
	search.maxSteps = query->maxSteps;
	search.limit = limit < search.maxTime ? limit : search.maxTime;
	search.proved = search.provedTime = search.nearUntil = INFINITY;
	search.cutTime = search.first.when.time = search.named.near = search.named.when.time = INFINITY;
	search.list = list;
	search.counters = (snugCounters){ 0 };
	result.status = Start(&search, bodies, query, origin);
	if (result.status == snug_success)
	{
		if (bodies[0]->model->tree.triangleCount > 0 && bodies[2]->model->tree.triangleCount > 0)
		{
			Descend(&search);
		}
		FinishMover(&search.a);
		FinishMover(&search.b);
		Conclude(&search, &result);
	}
	*near = search.named.near <= search.limit ? search.named.near : INFINITY;
	result.counters = search.counters;
	return result;
}

const char* sgSweep_FindFault(const snugSweepQuery* query)
{
	const double most = (double)SNUG_MAX_COORDINATE;
	return !(query->margin >= 0.0 && query->margin <= most) ? "the margin is negative, not finite or too large"
	       : !(query->tolerance >= 0.0 && query->tolerance <= most)
	           ? "the tolerance is negative, not finite or too large"
	       : !(query->maxTime >= 0.0 && query->maxTime <= 1.0) ? "the time to look until is not from 0 to 1"
	                                                           : NULL;
}

// What is wrong with bodies, in words; null if nothing.
static const char* FindWrongBody(snugBody* const bodies[4])
{
	for (int i = 0; i < 4; i += 2)
	{
		if (bodies[i + 1] != NULL && bodies[i]->model != bodies[i + 1]->model)
		{
			return i == 0 ? "the first body has another model at the end than at the start"
			              : "the second body has another model at the end than at the start";
		}
	}
	return NULL;
}

static snugSweepResult Run(
    const char* function, snugBody* const bodies[4], const snugSweepQuery* query, sgSweepList* list)
{
	static const snugSweepQuery defaults = { .tolerance = 0.0 };
	snugSweepResult result = { .status = snug_badArgument, .answer = snug_sweepUnsure, .a = SNUG_NONE, .b = SNUG_NONE };
	snugBody *startA = bodies[0], *endA = bodies[1], *startB = bodies[2], *endB = bodies[3];
	query = query != NULL ? query : &defaults;
	SG_REQUIRE_IN(function, startA != NULL && startB != NULL && startA != startB, result);
	SG_REQUIRE_IN(function, endA != startB && endB != startA && (endA == NULL || endA != endB), result);
	SG_REQUIRE_RESERVED_IN(function, query, result);
	SG_REQUIRE_IN(function, sgIsFinitePoint(query->origin), result);
	SG_REQUIRE_IN(function, query->path == snug_pathStraight || query->path == snug_pathTurning, result);
	const char *wrong = FindWrongBody(bodies), *fault = wrong != NULL ? wrong : sgSweep_FindFault(query);
	if (fault != NULL)
	{
		result.status = sgFail(&startA->messenger, snug_badInput, "%s", fault);
		return result;
	}
	double near;
	sgFpEnv environment = sgFpEnv_Enter();
	result = sgSweep(bodies, query, query->origin, INFINITY, list, &near);
	sgFpEnv_Leave(environment);
	return result;
}

snugSweepResult snugSweep(
    snugBody* startA, snugBody* endA, snugBody* startB, snugBody* endB, const snugSweepQuery* query)
{
	snugBody* const bodies[4] = { startA, endA, startB, endB };
	return Run("snugSweep", bodies, query, NULL);
}

snugSweepResult snugSweepAll(snugBody* startA, snugBody* endA, snugBody* startB, snugBody* endB,
    const snugSweepQuery* query, snugSweepContact* contacts, uint64_t capacity)
{
	const snugSweepResult misuse = {
		.status = snug_badArgument, .answer = snug_sweepUnsure, .a = SNUG_NONE, .b = SNUG_NONE
	};
	SG_REQUIRE(contacts != NULL || capacity == 0, misuse);
	SG_REQUIRE(capacity < SNUG_NONE, misuse);
	snugBody* const bodies[4] = { startA, endA, startB, endB };
	sgSweepList list = sgSweepList_Begin(contacts, (uint32_t)capacity);
	return Run("snugSweepAll", bodies, query, &list);
}
