// test/geometry/cgal_triangle.cpp: the triangle test against CGAL's, with its exact kernel.
//
// Pairs are those of lab/truth/hard.h. CGAL asks for triangles with area, so the degenerate ones are left to
// test_triangle.c. SNUG_SEED and SNUG_TEST_SCALE are honoured as there.

#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/intersections.h>

#include <cstdio>
#include <cstdlib>

extern "C"
{
#include "geometry/triangle.h"
#include "lab/truth/hard.h"
}

namespace
{

using Kernel = CGAL::Exact_predicates_exact_constructions_kernel;
using Triangle = Kernel::Triangle_3;

Triangle MakeTriangle(const float t[3][3])
{
	const auto point = [](const float* p) { return Kernel::Point_3(p[0], p[1], p[2]); };
	return Triangle(point(t[0]), point(t[1]), point(t[2]));
}

bool Check(const char* family, long number, unsigned long long seed, const hardPair& pair, long* compared, long* hits)
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
	const char* seedText = std::getenv("SNUG_SEED");
	const char* scaleText = std::getenv("SNUG_TEST_SCALE");
	const unsigned long long seed = seedText ? std::strtoull(seedText, nullptr, 0) : 1;
	const long count = static_cast<long>(62500 * (scaleText ? std::strtod(scaleText, nullptr) : 1)) + 1;
	for (int family = 0; family < HARD_FAMILIES; ++family)
	{
		const char* name = hardGetFamilyName(family);
		long compared = 0, hits = 0;
		for (long i = 0; i < count; ++i)
		{
			const hardPair pair = hardMakePair(family, seed, static_cast<uint64_t>(i));
			if (!Check(name, i, seed, pair, &compared, &hits))
			{
				return EXIT_FAILURE;
			}
		}
		std::printf("%s: %ld pairs, %ld of them intersect\n", name, compared, hits);
	}
	return EXIT_SUCCESS;
}
