#include "lab/scenes/tubes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Stretches between two knots: at a vertex or two per stretch no picture shows them.
#define STEPS 8
// Of the heel and the sole where they meet the floor, in metres.
#define FLOOR_MELT 0.012
// Metres from the surface where no grid needs exact values: more than the coarsest cell, and than tubes melt.
#define FAR 0.12

// ---- Splines ---------------------------------------------------------------------------------------------------

// Catmull and Rom's spline through four numbers, between the two in the middle.
static double Curve(double a, double b, double c, double d, double t)
{
	double in = 0.5 * (c - a), out = 0.5 * (d - b), step = c - b;
	return b + t * (in + t * (3.0 * step - 2.0 * in - out + t * (in + out - 2.0 * step)));
}

// The knot between two others. Beyond the ends the tube goes on straight.
static sceneKnot GetKnot(const sceneLimb* tube, int span, double t)
{
	const sceneKnot* knots = tube->knots;
	int last = tube->knotCount - 1;
	sceneKnot out = knots[span];
	for (int i = 0; i < 5; ++i)
	{
		double four[4];
		for (int k = 0; k < 4; ++k)
		{
			int at = span + k - 1, inside = at < 0 ? 0 : at > last ? last : at;
			const sceneKnot* knot = knots + inside;
			four[k] = i < 3 ? knot->at[i] : i == 3 ? knot->radius : knot->depth;
		}
		four[0] = span == 0 ? 2.0 * four[1] - four[2] : four[0];
		four[3] = span + 1 == last ? 2.0 * four[2] - four[1] : four[3];
		double value = Curve(four[0], four[1], four[2], four[3], t);
		*(i < 3 ? out.at + i : i == 3 ? &out.radius : &out.depth) = value;
	}
	return out;
}

static sceneStretch MakeStretch(const sceneKnot* from, const sceneKnot* to)
{
	sceneStretch s = { .radius = from->radius,
		.widening = to->radius - from->radius,
		.depth = from->depth,
		.deepening = to->depth - from->depth };
	for (int k = 0; k < 3; ++k)
	{
		s.from[k] = from->at[k];
		s.along[k] = to->at[k] - from->at[k];
		s.square += s.along[k] * s.along[k];
	}
	s.length = sqrt(s.square);
	return s;
}

static const sceneBox emptyBox = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, 1.0 };

static void AddToBox(sceneBox* box, const sceneKnot* knot)
{
	double radius = knot->radius * (knot->depth > 1.0 ? knot->depth : 1.0);
	double flatness = knot->depth > 1.0 ? knot->depth : 1.0 / knot->depth;
	box->flatness = flatness > box->flatness ? flatness : box->flatness;
	for (int k = 0; k < 3; ++k)
	{
		box->lower[k] = knot->at[k] - radius < box->lower[k] ? knot->at[k] - radius : box->lower[k];
		box->upper[k] = knot->at[k] + radius > box->upper[k] ? knot->at[k] + radius : box->upper[k];
	}
}

// Of the distance.
static double GetSquare(const sceneBox* box, const double point[3])
{
	double square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double below = box->lower[k] - point[k], above = point[k] - box->upper[k], out = below > above ? below : above;
		square += out > 0.0 ? out * out : 0.0;
	}
	return square;
}

// Whether all that a box holds has values above a given one at a point. Values are distances to ellipses made round and
// shrunk, which takes no more than the flattest one's part of the distance to the box: the sphere around the ellipse is
// in it. A micrometre is for rounding.
static bool IsAbove(const sceneBox* box, const double point[3], double value)
{
	double square = GetSquare(box, point), needed = box->flatness * (value + 1e-6);
	return value <= 0.0 ? square > 0.0 : square > needed * needed;
}

bool sceneTubes_Add(sceneTubes* tubes, const sceneLimb* tube)
{
	uint32_t number = tubes->tubeCount, count = tubes->starts[number], more = STEPS * (uint32_t)(tube->knotCount - 1);
	sceneStretch* grown = realloc(tubes->stretches, (count + more) * sizeof(sceneStretch));
	if (grown == NULL)
	{
		return false;
	}
	double way = 0.0;
	tubes->stretches = grown;
	tubes->tubes[number] = *tube;
	tubes->boxes[number] = emptyBox;
	for (uint32_t i = 0; i < more; ++i)
	{
		int span = (int)(i / STEPS);
		sceneKnot from = GetKnot(tube, span, (double)(i % STEPS) / STEPS);
		sceneKnot to = GetKnot(tube, span, (double)(i % STEPS + 1) / STEPS);
		sceneStretch* s = grown + count + i;
		*s = MakeStretch(&from, &to);
		s->way = way;
		s->box = emptyBox;
		way += s->length;
		AddToBox(&s->box, &from);
		AddToBox(&s->box, &to);
		sceneBox* box = tubes->spans[number] + span;
		*box = i % STEPS == 0 ? emptyBox : *box;
		AddToBox(box, &from);
		AddToBox(box, &to);
		AddToBox(tubes->boxes + number, &from);
		AddToBox(tubes->boxes + number, &to);
	}
	tubes->starts[number + 1] = count + more;
	tubes->tubeCount = number + 1;
	return true;
}

void sceneTubes_Free(sceneTubes* tubes)
{
	free(tubes->stretches);
	*tubes = (sceneTubes){ 0 };
}

// ---- The field -------------------------------------------------------------------------------------------------

// The cross-section is an ellipse: it is made round, and the result shrunk so that it is never more than the distance.
// Gradient and way only if it is below `least`.
static double EvaluateStretch(
    const sceneStretch* s, const double flat[3], const double point[3], double least, double* gradient, double* way)
{
	double from[3], dot = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		from[k] = point[k] - s->from[k];
		dot += s->along[k] * from[k];
	}
	double t = s->square > 0.0 ? dot / s->square : 0.0;
	bool isBeside = t > 0.0 && t < 1.0;
	t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
	double depth = s->depth + t * s->deepening, across = 0.0, square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		from[k] -= t * s->along[k];
		across += from[k] * flat[k];
	}
	double push = across * (1.0 / depth - 1.0);
	for (int k = 0; k < 3; ++k)
	{
		double rounded = from[k] + push * flat[k];
		square += rounded * rounded;
	}
	double distance = sqrt(square), shrink = depth < 1.0 ? depth : 1.0;
	double value = shrink * (distance - (s->radius + t * s->widening));
	if (!(value < least))
	{
		return value;
	}
	double pull = push / depth + across * (1.0 / depth - 1.0);
	for (int k = 0; k < 3 && gradient != NULL; ++k)
	{
		double slope = distance > 0.0 ? (from[k] + pull * flat[k]) / distance : 0.0;
		gradient[k] = shrink * (slope - (isBeside ? s->widening * s->along[k] / s->square : 0.0));
	}
	*way = s->way + t * s->length;
	return value;
}

// A little more than the value at a point of one stretch: the middle one where the tube is nearest.
static double GetBound(const sceneTubes* tubes, uint32_t number, const double point[3])
{
	double nearest = INFINITY, way;
	int span = 0;
	for (int k = 0; k + 1 < tubes->tubes[number].knotCount; ++k)
	{
		double square = GetSquare(tubes->spans[number] + k, point);
		span = square < nearest ? k : span;
		nearest = square < nearest ? square : nearest;
	}
	const sceneStretch* s = tubes->stretches + tubes->starts[number] + STEPS * span + STEPS / 2;
	return EvaluateStretch(s, tubes->tubes[number].flat, point, -INFINITY, NULL, &way) + 1e-9;
}

// @return INFINITY, and nothing else, where the value is not below a limit
static double EvaluateTube(
    const sceneTubes* tubes, uint32_t number, const double point[3], double limit, double* gradient, double* way)
{
	double bound = GetBound(tubes, number, point), least = bound < limit ? bound : limit, slopes[3], at = 0.0;
	for (uint32_t i = tubes->starts[number]; i < tubes->starts[number + 1]; ++i)
	{
		uint32_t step = i - tubes->starts[number];
		if (step % STEPS == 0 && IsAbove(tubes->spans[number] + step / STEPS, point, least))
		{
			i += STEPS - 1;
			continue;
		}
		if (IsAbove(&tubes->stretches[i].box, point, least))
		{
			continue;
		}
		double* wanted = gradient != NULL ? slopes : NULL;
		double value = EvaluateStretch(tubes->stretches + i, tubes->tubes[number].flat, point, least, wanted, &at);
		if (value < least)
		{
			least = value;
			*way = at;
			for (int k = 0; k < 3 && gradient != NULL; ++k)
			{
				gradient[k] = slopes[k];
			}
		}
	}
	return least < limit ? least : INFINITY;
}

double sceneTubes_Locate(const sceneTubes* tubes, uint32_t tube, const double point[3], double* way)
{
	return EvaluateTube(tubes, tube, point, INFINITY, NULL, way);
}

double sceneTubes_GetWay(const sceneTubes* tubes, uint32_t tube, int knot)
{
	bool isLast = knot == tubes->tubes[tube].knotCount - 1;
	const sceneStretch* s = tubes->stretches + tubes->starts[tube] + STEPS * (uint32_t)knot - (isLast ? 1 : 0);
	return s->way + (isLast ? s->length : 0.0);
}

// The lesser of two numbers, and less than that where they are within `melt`: twice differentiable.
static double Melt(double a, double b, double melt, double* slopesA, const double* slopesB)
{
	double gap = a < b ? b - a : a - b, part = gap < melt ? 1.0 - gap / melt : 0.0;
	double ofOther = 0.5 * part * part, ofA = a < b ? 1.0 - ofOther : ofOther;
	for (int k = 0; k < 3 && slopesA != NULL; ++k)
	{
		slopesA[k] = ofA * slopesA[k] + (1.0 - ofA) * slopesB[k];
	}
	return (a < b ? a : b) - melt * part * part * part / 6.0;
}

double sceneTubes_Evaluate(const sceneTubes* tubes, const double point[3], double* gradient)
{
	double slopes[3], way, value = EvaluateTube(tubes, 0, point, INFINITY, gradient, &way);
	for (uint32_t i = 1; i < tubes->tubeCount; ++i)
	{
		// Farther than it melts it changes nothing.
		double melt = tubes->tubes[i].melt, limit = value + melt, next = INFINITY;
		if (!IsAbove(tubes->boxes + i, point, limit))
		{
			next = EvaluateTube(tubes, i, point, limit, gradient != NULL ? slopes : NULL, &way);
		}
		value = next < limit ? Melt(value, next, melt, gradient, slopes) : value;
	}
	if (tubes->hasFloor)
	{
		const double down[3] = { 0.0, 1.0, 0.0 };
		for (int k = 0; k < 3 && gradient != NULL; ++k)
		{
			gradient[k] = -gradient[k];
		}
		value = -Melt(-value, point[1], FLOOR_MELT, gradient, down);
		for (int k = 0; k < 3 && gradient != NULL; ++k)
		{
			gradient[k] = -gradient[k];
		}
	}
	return value;
}

// Newton's method along the gradient, which is not exact where the depth changes: a few steps more than it would take.
void sceneTubes_Project(const sceneTubes* tubes, double point[3])
{
	for (int i = 0; i < 5; ++i)
	{
		double gradient[3], value = sceneTubes_Evaluate(tubes, point, gradient), square = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			square += gradient[k] * gradient[k];
		}
		for (int k = 0; k < 3 && square > 0.01; ++k)
		{
			point[k] -= value * gradient[k] / square;
		}
		if (value < 1e-7 && value > -1e-7)
		{
			break;
		}
	}
}

void sceneTubes_GetNormal(const sceneTubes* tubes, const double point[3], double normal[3])
{
	const double step = 0.002;
	double square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double beside[3] = { point[0], point[1], point[2] };
		beside[k] += step;
		normal[k] = sceneTubes_Evaluate(tubes, beside, NULL);
		beside[k] -= 2.0 * step;
		normal[k] -= sceneTubes_Evaluate(tubes, beside, NULL);
		square += normal[k] * normal[k];
	}
	double length = sqrt(square);
	for (int k = 0; k < 3; ++k)
	{
		normal[k] = length > 0.0 ? normal[k] / length : (k == 1 ? 1.0 : 0.0);
	}
}

// ---- The mesh --------------------------------------------------------------------------------------------------

// Far from the surface anything will do that is not too much: half of the distance to the nearest box.
static double EvaluateAny(const void* body, const double point[3])
{
	const sceneTubes* tubes = body;
	double square = INFINITY;
	for (uint32_t i = 0; i < tubes->tubeCount; ++i)
	{
		for (int k = 0; k + 1 < tubes->tubes[i].knotCount && GetSquare(tubes->boxes + i, point) < square; ++k)
		{
			double next = GetSquare(tubes->spans[i] + k, point);
			square = next < square ? next : square;
		}
	}
	return square > FAR * FAR ? 0.5 * sqrt(square) : sceneTubes_Evaluate(tubes, point, NULL);
}

static void ProjectAny(const void* body, double point[3])
{
	sceneTubes_Project(body, point);
}

sceneMesh sceneTubes_MakeMesh(const sceneTubes* tubes, double cell)
{
	sceneField field = { .body = tubes,
		.evaluate = EvaluateAny,
		.project = ProjectAny,
		.lower = { INFINITY, INFINITY, INFINITY },
		.upper = { -INFINITY, -INFINITY, -INFINITY },
		.slope = 1.5 };
	for (uint32_t i = 0; i < tubes->tubeCount; ++i)
	{
		double margin = tubes->tubes[i].melt + 2.0 * cell;
		for (int k = 0; k < 3; ++k)
		{
			double lower = tubes->boxes[i].lower[k] - margin, upper = tubes->boxes[i].upper[k] + margin;
			field.lower[k] = lower < field.lower[k] ? lower : field.lower[k];
			field.upper[k] = upper > field.upper[k] ? upper : field.upper[k];
		}
	}
	return sceneField_MakeMesh(&field, cell);
}
