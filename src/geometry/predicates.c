// src/geometry/predicates.c: the exact halves of the predicates, by floating-point expansions.
//
// An expansion is a sum of doubles, smallest first, whose significant bits do not overlap, so its sign is that of its
// last component. The algorithms are Shewchuk's (Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates, 1997): theorem 13 for Sum, theorem 19 for Scale. Sum asks that its operands are strongly
// nonoverlapping; the pairs that TwoSum gives are, and under round to nearest even Sum and Scale keep it so.
// Dropping zero components changes nothing.
//
// The determinants are expanded over the coordinates themselves, not over differences: a product of two floats
// has at most 48 significant bits and so is exact in double, while a difference of two floats need not be. The
// cancellation that differences avoid costs an exact method nothing. All values are sums of up to 24 triple
// products of floats, below 2^389 and multiples of 2^-447, so no operation leaves the range of normal doubles
// (UpperHalf multiplies by 2^27 + 1; there is room for that too).

#include "geometry/predicates.h"

#include <stdbool.h>

// 24 triple products, two components each.
enum
{
	maxComponents = 48
};

typedef struct Expansion
{
	int count;
	double components[maxComponents]; // [count], increasing magnitude, none zero
} Expansion;

// The rounded sum and its error, together exactly a + b (Knuth).
static inline double TwoSum(double a, double b, double* error)
{
	const double sum = a + b;
	const double fromB = sum - a;
	const double fromA = sum - fromB;
	*error = (a - fromA) + (b - fromB);
	return sum;
}

// The same, where |a| >= |b| (Dekker).
static inline double FastTwoSum(double a, double b, double* error)
{
	const double sum = a + b;
	*error = b - (sum - a);
	return sum;
}

// The rounded product and its error, where b is a float. Veltkamp's split leaves 26 significant bits in each half
// of a, so the half products have at most 50 bits and are exact, and their rounded sum is the rounded product.
static inline double TwoProduct(double a, float b, double* error)
{
	const double shifted = a * (0x1p27 + 1);
	const double upper = shifted - (shifted - a);
	return FastTwoSum(upper * b, (a - upper) * b, error);
}

static inline void Append(Expansion* e, double component)
{
	if (component != 0)
	{
		e->components[e->count++] = component;
	}
}

static inline int Sign(const Expansion* e)
{
	if (e->count == 0)
	{
		return 0;
	}
	return e->components[e->count - 1] > 0 ? 1 : -1;
}

// The sum of all components, from the smallest: the last one is off by less than a unit in its last place, since no two
// overlap, and adding the others rounds that much once more.
static inline double Value(const Expansion* e)
{
	double sum = 0;
	for (int i = 0; i < e->count; ++i)
	{
		sum += e->components[i];
	}
	return sum;
}

// e + f: the components of both, merged by magnitude, are added up from the smallest, and every rounding error
// becomes a component.
static void Sum(const Expansion* e, const Expansion* f, Expansion* sum)
{
	double total = 0, error;
	int i = 0, j = 0;
	sum->count = 0;
	while (i < e->count || j < f->count)
	{
		const bool takeE = j == f->count || (i < e->count && fabs(e->components[i]) < fabs(f->components[j]));
		total = TwoSum(total, takeE ? e->components[i++] : f->components[j++], &error);
		Append(sum, error);
	}
	Append(sum, total);
}

// e * b, two components for each of e's.
static void Scale(const Expansion* e, float b, Expansion* product)
{
	double total = 0, error;
	product->count = 0;
	for (int i = 0; i < e->count; ++i)
	{
		double lower;
		const double upper = TwoProduct(e->components[i], b, &lower);
		total = TwoSum(total, lower, &error);
		Append(product, error);
		total = FastTwoSum(upper, total, &error);
		Append(product, error);
	}
	Append(product, total);
}

// p[u] * q[v] - p[v] * q[u]. Swapping p and q negates it.
static Expansion Minor(const float* p, const float* q, int u, int v)
{
	double error;
	const double difference = TwoSum((double)p[u] * q[v], -((double)p[v] * q[u]), &error);
	Expansion minor = { .count = 0 };
	Append(&minor, error);
	Append(&minor, difference);
	return minor;
}

// (e + f + g) * b
static void ScaledSum(const Expansion* e, const Expansion* f, const Expansion* g, float b, Expansion* result)
{
	Expansion two, three;
	Sum(e, f, &two);
	Sum(&two, g, &three);
	Scale(&three, b, result);
}

// Subtracting the row of d from the others shows that det[a - d; b - d; c - d] is the determinant of the four rows
// (x, y, z, 1). Expanded along the column of z it is
//   az (bc + cd + db) - bz (ac + cd + da) + cz (ab + bd + da) - dz (ab + bc + ca),  pq = px qy - py qx.
static void Orient3D(const float a[3], const float b[3], const float c[3], const float d[3], Expansion* det)
{
	const Expansion ab = Minor(a, b, 0, 1), bc = Minor(b, c, 0, 1), cd = Minor(c, d, 0, 1);
	const Expansion da = Minor(d, a, 0, 1), ac = Minor(a, c, 0, 1), bd = Minor(b, d, 0, 1);
	const Expansion db = Minor(d, b, 0, 1), ca = Minor(c, a, 0, 1);
	Expansion first, second, ofAB, ofCD;
	ScaledSum(&bc, &cd, &db, a[2], &first);
	ScaledSum(&ac, &cd, &da, -b[2], &second);
	Sum(&first, &second, &ofAB);
	ScaledSum(&ab, &bd, &da, c[2], &first);
	ScaledSum(&ab, &bc, &ca, -d[2], &second);
	Sum(&first, &second, &ofCD);
	Sum(&ofAB, &ofCD, det);
}

int sgOrient3D_Exact(const float a[3], const float b[3], const float c[3], const float d[3])
{
	Expansion det;
	Orient3D(a, b, c, d, &det);
	return Sign(&det);
}

double sgOrient3D_ExactValue(const float a[3], const float b[3], const float c[3], const float d[3])
{
	Expansion det;
	Orient3D(a, b, c, d, &det);
	return Value(&det);
}

// det[a - c; b - c] = ab + bc + ca with the same minors.
static void Orient2D(const float* a, const float* b, const float* c, int u, int v, Expansion* det)
{
	const Expansion ab = Minor(a, b, u, v), bc = Minor(b, c, u, v), ca = Minor(c, a, u, v);
	Expansion two;
	Sum(&ab, &bc, &two);
	Sum(&two, &ca, det);
}

int sgOrient2D_Exact(const float* a, const float* b, const float* c, int u, int v)
{
	Expansion det;
	Orient2D(a, b, c, u, v, &det);
	return Sign(&det);
}

double sgOrient2D_ExactValue(const float* a, const float* b, const float* c, int u, int v)
{
	Expansion det;
	Orient2D(a, b, c, u, v, &det);
	return Value(&det);
}

// Terms are added to an expansion one by one; it stays nonoverlapping, in order of magnitude, so that the last
// component that is not zero has its sign.
// A double is cut into halves of at most 26 bits (Veltkamp), whose products with a float of 24 bits are exact.
int sgHalfSpace_ExactSide(const double normal[3], double offset, const float x[3])
{
	double terms[7] = { offset }, components[7];
	int sign = 0;
	for (int k = 0; k < 3; ++k)
	{
		const double wide = normal[k] * (0x1p27 + 1.0), high = wide - (wide - normal[k]);
		terms[2 * k + 1] = high * x[k];
		terms[2 * k + 2] = (normal[k] - high) * x[k];
	}
	for (int i = 0; i < 7; ++i)
	{
		double total = terms[i];
		for (int k = 0; k < i; ++k)
		{
			total = TwoSum(total, components[k], components + k);
		}
		components[i] = total;
	}
	for (int i = 0; i < 7; ++i)
	{
		sign = components[i] != 0.0 ? (components[i] > 0.0 ? 1 : -1) : sign;
	}
	return sign;
}
