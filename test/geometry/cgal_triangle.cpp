// test/geometry/cgal_triangle.cpp: the triangle test against CGAL's, with its exact kernel.
//
// CGAL asks for triangles with area, so the degenerate ones are left to test_triangle.c. SNUG_SEED and SNUG_TEST_SCALE
// are honoured as there.

#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/intersections.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

extern "C"
{
#include "geometry/triangle.h"
}

namespace
{

using Kernel = CGAL::Exact_predicates_exact_constructions_kernel;
using Triangle = Kernel::Triangle_3;

struct Pair
{
	float a[3][3];
	float b[3][3];
};

struct Source
{
	std::mt19937_64 bits;

	int Int(int low, int high)
	{
		return low + static_cast<int>(bits() % static_cast<unsigned>(high - low + 1));
	}

	float Float()
	{
		return static_cast<float>(Int(-(1 << 24), 1 << 24)) * 0x1p-24f;
	}
};

float* Coordinate(Pair& pair, int i)
{
	return i < 9 ? &pair.a[i / 3][i % 3] : &pair.b[i / 3 - 3][i % 3];
}

void Generic(Source& source, Pair& pair)
{
	for (int i = 0; i < 18; ++i)
	{
		*Coordinate(pair, i) = source.Float();
	}
}

void Grid(Source& source, Pair& pair)
{
	const int last = source.Int(1, 4);
	for (int i = 0; i < 18; ++i)
	{
		*Coordinate(pair, i) = static_cast<float>(source.Int(0, last));
	}
}

// In one lattice plane.
void Coplanar(Source& source, Pair& pair)
{
	int u[3], v[3];
	for (int k = 0; k < 3; ++k)
	{
		u[k] = source.Int(-2, 2);
		v[k] = source.Int(-2, 2);
	}
	for (int i = 0; i < 6; ++i)
	{
		const int f = source.Int(-3, 3), g = source.Int(-3, 3);
		for (int k = 0; k < 3; ++k)
		{
			*Coordinate(pair, 3 * i + k) = static_cast<float>(f * u[k] + g * v[k]);
		}
	}
}

// A corner of b on a, up to rounding.
void Touching(Source& source, Pair& pair)
{
	Generic(source, pair);
	const float f = static_cast<float>(source.Int(0, 4)) / 4, g = (1 - f) * static_cast<float>(source.Int(0, 4)) / 4;
	for (int k = 0; k < 3; ++k)
	{
		pair.b[0][k] = f * pair.a[0][k] + g * pair.a[1][k] + (1 - f - g) * pair.a[2][k];
	}
}

void SharedCorners(Source& source, Pair& pair)
{
	Generic(source, pair);
	const int count = source.Int(1, 3), shift = source.Int(0, 2);
	for (int i = 0; i < 3 * count; ++i)
	{
		pair.b[(i / 3 + shift) % 3][i % 3] = pair.a[i / 3][i % 3];
	}
}

void Place(Source& source, Pair& pair)
{
	static const float offsets[] = { 0, 0, 1, 1000, 0.1f };
	static const float scales[] = { 1, 1, 3.7f, 0x1p-60f, 1e20f };
	const float offset = offsets[source.Int(0, 4)], scale = scales[source.Int(0, 4)];
	const bool nudge = source.Int(0, 1) != 0;
	for (int i = 0; i < 18; ++i)
	{
		float* x = Coordinate(pair, i);
		*x = (*x + offset) * scale;
		*x = nudge && source.Int(0, 3) == 0 ? std::nextafter(*x, source.Int(0, 1) ? 1e38f : -1e38f) : *x;
	}
}

Triangle MakeTriangle(const float t[3][3])
{
	const auto point = [](const float* p) { return Kernel::Point_3(p[0], p[1], p[2]); };
	return Triangle(point(t[0]), point(t[1]), point(t[2]));
}

bool Check(const char* family, long number, unsigned long long seed, const Pair& pair, long* compared, long* hits)
{
	const Triangle a = MakeTriangle(pair.a), b = MakeTriangle(pair.b);
	if (a.is_degenerate() || b.is_degenerate())
	{
		return true;
	}
	const bool expected = CGAL::do_intersect(a, b);
	*compared += 1;
	*hits += expected;
	if (sgTriangles_Intersect(pair.a, pair.b) == expected && sgTriangles_Intersect(pair.b, pair.a) == expected)
	{
		return true;
	}
	std::printf("SNUG_SEED=%llu, case %ld of '%s': CGAL says %d\n", seed, number, family, expected);
	for (int i = 0; i < 6; ++i)
	{
		const float* p = i < 3 ? pair.a[i] : pair.b[i - 3];
		std::printf("  %c%d %a %a %a\n", i < 3 ? 'a' : 'b', i % 3, double(p[0]), double(p[1]), double(p[2]));
	}
	return false;
}

} // namespace

int main()
{
	static const struct
	{
		const char* name;
		void (*make)(Source& source, Pair& pair);
	} families[] = { { "generic", Generic }, { "grid", Grid }, { "coplanar", Coplanar }, { "touching", Touching },
		{ "shared corners", SharedCorners } };
	const char* seedText = std::getenv("SNUG_SEED");
	const char* scaleText = std::getenv("SNUG_TEST_SCALE");
	const unsigned long long seed = seedText ? std::strtoull(seedText, nullptr, 0) : 1;
	const long count = static_cast<long>(200000 * (scaleText ? std::strtod(scaleText, nullptr) : 1)) + 1;
	for (const auto& family : families)
	{
		Source source{ std::mt19937_64(seed) };
		long compared = 0, hits = 0;
		for (long i = 0; i < count; ++i)
		{
			Pair pair;
			family.make(source, pair);
			Place(source, pair);
			if (!Check(family.name, i, seed, pair, &compared, &hits))
			{
				return EXIT_FAILURE;
			}
		}
		std::printf("%s: %ld pairs, %ld of them intersect\n", family.name, compared, hits);
	}
	return EXIT_SUCCESS;
}
