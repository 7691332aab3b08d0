// CGAL: an AABB tree of one mesh, built anew in every frame, since it has no refitting, and asked about the triangles
// of the other whose boxes reach into its own; exact predicates. Its box_intersection_d is no faster on these scenes.
// It asks for triangles with area: those without are left out.
#include "lab/bench/peer.h"

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/intersections.h>
#include <CGAL/version.h>
#include <memory>
#include <new>
#include <vector>

#define BENCH_TEXT(x) BENCH_TEXT_OF(x)
#define BENCH_TEXT_OF(x) #x

namespace
{

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Triangle = Kernel::Triangle_3;
using Iterator = std::vector<Triangle>::const_iterator;
using Primitive = CGAL::AABB_triangle_primitive<Kernel, Iterator>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;

struct Side
{
	bruteMesh mesh;
	std::vector<Triangle> triangles;
	std::vector<uint32_t> numbers; ///< of those with area
	CGAL::Bbox_3 box;
	std::unique_ptr<Tree> tree; ///< null until it is asked for
};

struct CgalPeer
{
	std::vector<Side> sides;
};

void Update(Side& side)
{
	const auto point = [&](uint32_t v)
	{
		const float* p = side.mesh.positions + 3 * size_t(v);
		return Kernel::Point_3(double(p[0]), double(p[1]), double(p[2]));
	};
	side.tree.reset();
	side.triangles.clear();
	side.numbers.clear();
	side.box = CGAL::Bbox_3();
	for (uint32_t i = 0; i < side.mesh.triangleCount; ++i)
	{
		const uint32_t* t = side.mesh.triangles + 3 * size_t(i);
		const Triangle triangle(point(t[0]), point(t[1]), point(t[2]));
		if (!triangle.is_degenerate())
		{
			side.triangles.push_back(triangle);
			side.numbers.push_back(i);
			side.box += triangle.bbox();
		}
	}
}

void Update(void* user)
{
	for (Side& side : static_cast<CgalPeer*>(user)->sides)
	{
		Update(side);
	}
}

void Destroy(void* user)
{
	delete static_cast<CgalPeer*>(user);
}

void* Create(const bruteMesh* meshes, int count)
{
	CgalPeer* peer = new (std::nothrow) CgalPeer;
	if (peer != nullptr)
	{
		peer->sides.resize(size_t(count));
		for (int i = 0; i < count; ++i)
		{
			peer->sides[size_t(i)].mesh = meshes[i];
		}
	}
	return peer;
}

uint64_t Collide(void* user, int a, int b, bool firstOnly, snugPair* pairs, uint64_t capacity)
{
	CgalPeer* peer = static_cast<CgalPeer*>(user);
	Side &first = peer->sides[size_t(a)], &second = peer->sides[size_t(b)];
	std::vector<Primitive::Id> found;
	uint64_t count = 0;
	if (first.triangles.empty() || second.triangles.empty())
	{
		return 0;
	}
	if (first.tree == nullptr)
	{
		first.tree = std::make_unique<Tree>(first.triangles.cbegin(), first.triangles.cend());
		first.tree->build();
	}
	for (size_t j = 0; j < second.triangles.size() && !(firstOnly && count > 0); ++j)
	{
		if (!CGAL::do_overlap(second.triangles[j].bbox(), first.box))
		{
			continue;
		}
		found.clear();
		first.tree->all_intersected_primitives(second.triangles[j], std::back_inserter(found));
		for (const Primitive::Id& id : found)
		{
			if (count < capacity)
			{
				pairs[count] = snugPair{ first.numbers[size_t(id - first.triangles.cbegin())], second.numbers[j] };
			}
			++count;
		}
	}
	return count;
}

} // namespace

const benchPeer benchPeerCgal = { "libcgal-dev", BENCH_TEXT(CGAL_VERSION), Create, Destroy, Update, Collide };
