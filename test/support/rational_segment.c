// test/support/rational_segment.c: see rational_segment.h.
//
// A triangle is a set of linear constraints on a point x: with area, n . (x - a) = 0 and three half spaces; a segment
// rs, (x - r) x (s - r) = 0 and 0 <= (x - r) . (s - r) <= (s - r)^2; a point, x = r. On a segment each constraint is
// f(t) = f(p) + t (f(q) - f(p)) >= 0, which keeps an interval of t. All of it in rationals.
#include "rational_segment.h"

#include "rational_vector.h"

// The interval of t that is left.
typedef struct Interval
{
	mpq_t low, high;
} Interval;

static struct
{
	Vector p, q, corner[3], edge[3], normal, inward, x;
	Interval interval;
	mpq_t atP, atQ, root;
} work;

// Keep the part of the interval where atP + t (atQ - atP) >= 0.
static bool Keep(const mpq_t atP, const mpq_t atQ)
{
	int order = mpq_cmp(atQ, atP);
	if (order == 0)
	{
		return mpq_sgn(atP) >= 0;
	}
	mpq_sub(work.root, atP, atQ);
	mpq_div(work.root, atP, work.root);
	if (order > 0 && mpq_cmp(work.root, work.interval.low) > 0)
	{
		mpq_set(work.interval.low, work.root);
	}
	if (order < 0 && mpq_cmp(work.root, work.interval.high) < 0)
	{
		mpq_set(work.interval.high, work.root);
	}
	return mpq_cmp(work.interval.low, work.interval.high) <= 0;
}

// Keep where direction . (x - from) >= 0, or = 0.
static bool KeepSide(const Vector* direction, const Vector* from, bool isPlane)
{
	Subtract(&work.x, &work.p, from);
	Dot(work.atP, direction, &work.x);
	Subtract(&work.x, &work.q, from);
	Dot(work.atQ, direction, &work.x);
	bool isLeft = Keep(work.atP, work.atQ);
	if (isLeft && isPlane)
	{
		mpq_neg(work.atP, work.atP);
		mpq_neg(work.atQ, work.atQ);
		isLeft = Keep(work.atP, work.atQ);
	}
	return isLeft;
}

static bool KeepTriangle(void)
{
	bool isLeft = KeepSide(&work.normal, &work.corner[0], true);
	for (int i = 0; i < 3 && isLeft; ++i)
	{
		Cross(&work.inward, &work.normal, &work.edge[i]);
		isLeft = KeepSide(&work.inward, &work.corner[i], false);
	}
	return isLeft;
}

// Keep where x is on the segment from corner i along edge i; a point where that has no length.
static bool KeepEdge(int i)
{
	bool isLeft = true;
	for (int k = 0; k < 3 && isLeft; ++k)
	{
		// Axis k, or, if there is an edge, what is at right angles to both.
		Vector* direction = &work.inward;
		for (int m = 0; m < 3; ++m)
		{
			mpq_set_ui(direction->c[m], m == k, 1);
		}
		if (!IsZero(&work.edge[i]))
		{
			Cross(&work.normal, &work.edge[i], direction);
			direction = &work.normal;
		}
		isLeft = KeepSide(direction, &work.corner[i], true);
	}
	isLeft = isLeft && KeepSide(&work.edge[i], &work.corner[i], false);
	for (int m = 0; m < 3; ++m)
	{
		mpq_neg(work.inward.c[m], work.edge[i].c[m]);
	}
	return isLeft && KeepSide(&work.inward, &work.corner[(i + 1) % 3], false);
}

static void Restart(void)
{
	mpq_set_ui(work.interval.low, 0, 1);
	mpq_set_ui(work.interval.high, 1, 1);
}

bool RationalSegmentHit(const float p[3], const float q[3], const float triangle[3][3], double* t)
{
	InitOnce(&work, sizeof(work));
	SetVector(&work.p, p);
	SetVector(&work.q, q);
	for (int i = 0; i < 3; ++i)
	{
		SetVector(&work.corner[i], triangle[i]);
	}
	for (int i = 0; i < 3; ++i)
	{
		Subtract(&work.edge[i], &work.corner[(i + 1) % 3], &work.corner[i]);
	}
	Cross(&work.normal, &work.edge[0], &work.edge[1]);
	Restart();
	if (!IsZero(&work.normal))
	{
		bool isHit = KeepTriangle();
		*t = mpq_get_d(work.interval.low);
		return isHit;
	}
	// Without area it is the union of its edges.
	bool isHit = false;
	for (int i = 0; i < 3; ++i)
	{
		Restart();
		if (KeepEdge(i))
		{
			double first = mpq_get_d(work.interval.low);
			*t = !isHit || first < *t ? first : *t;
			isHit = true;
		}
	}
	return isHit;
}

int RationalSide(const float p[3], const float a[3], const float b[3], const float c[3])
{
	InitOnce(&work, sizeof(work));
	SetVector(&work.corner[0], a);
	SetVector(&work.corner[1], b);
	SetVector(&work.corner[2], c);
	SetVector(&work.p, p);
	Subtract(&work.edge[0], &work.corner[1], &work.corner[0]);
	Subtract(&work.edge[1], &work.corner[2], &work.corner[0]);
	Subtract(&work.x, &work.p, &work.corner[0]);
	Cross(&work.normal, &work.edge[0], &work.edge[1]);
	Dot(work.root, &work.normal, &work.x);
	return mpq_sgn(work.root);
}

int RationalPlaneSide(const double normal[3], double offset, const float x[3])
{
	mpq_t sum, a, b;
	mpq_inits(sum, a, b, NULL);
	mpq_set_d(sum, offset);
	for (int k = 0; k < 3; ++k)
	{
		mpq_set_d(a, normal[k]);
		mpq_set_d(b, (double)x[k]);
		mpq_mul(a, a, b);
		mpq_add(sum, sum, a);
	}
	int sign = mpq_sgn(sum);
	mpq_clears(sum, a, b, NULL);
	return sign;
}
