// FCL: a tree of axis-aligned boxes per mesh, in double, whose vertices are replaced and whose boxes are refitted from
// the leaves up, as its manual has it for deforming models. Boxes suit meshes that are not turned best: OBBRSS, its
// default, takes several times as long to refit. Its own triangle test.
#include "lab/bench/peer.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/fcl.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>
#include <memory>
#include <new>
#include <vector>

namespace
{

using Tree = fcl::BVHModel<fcl::AABBd>;

struct Side
{
	bruteMesh mesh;
	size_t vertexCount;
	std::vector<fcl::Vector3d> positions;
	std::unique_ptr<Tree> tree;
};

struct FclPeer
{
	std::vector<Side> sides;
};

// Vertices that triangles use: a mesh does not say how many it has.
size_t CountVertices(const bruteMesh& mesh)
{
	size_t count = 0;
	for (size_t i = 0; i < 3 * size_t(mesh.triangleCount); ++i)
	{
		count = mesh.triangles[i] + size_t(1) > count ? mesh.triangles[i] + size_t(1) : count;
	}
	return count;
}

void CopyPositions(Side& side)
{
	for (size_t i = 0; i < side.vertexCount; ++i)
	{
		const float* p = side.mesh.positions + 3 * i;
		side.positions[i] = fcl::Vector3d(double(p[0]), double(p[1]), double(p[2]));
	}
}

void Build(Side& side, const bruteMesh& mesh)
{
	std::vector<fcl::Triangle> triangles;
	side.mesh = mesh;
	side.vertexCount = CountVertices(mesh);
	side.positions.resize(side.vertexCount);
	CopyPositions(side);
	for (size_t i = 0; i < mesh.triangleCount; ++i)
	{
		const uint32_t* t = mesh.triangles + 3 * i;
		triangles.emplace_back(t[0], t[1], t[2]);
	}
	side.tree = std::make_unique<Tree>();
	side.tree->beginModel(int(mesh.triangleCount), int(side.vertexCount));
	side.tree->addSubModel(side.positions, triangles);
	side.tree->endModel();
}

void Destroy(void* user)
{
	delete static_cast<FclPeer*>(user);
}

void* Create(const bruteMesh* meshes, int count)
{
	FclPeer* peer = new (std::nothrow) FclPeer;
	if (peer != nullptr)
	{
		peer->sides.resize(size_t(count));
		for (int i = 0; i < count; ++i)
		{
			Build(peer->sides[size_t(i)], meshes[i]);
		}
	}
	return peer;
}

void Update(void* user)
{
	for (Side& side : static_cast<FclPeer*>(user)->sides)
	{
		CopyPositions(side);
		side.tree->beginReplaceModel();
		side.tree->replaceSubModel(side.positions);
		side.tree->endReplaceModel(true, true);
	}
}

// The traversal itself, since the public collide copies models of boxes that are not oriented in every call.
uint64_t Collide(void* user, int a, int b, bool firstOnly, snugPair* pairs, uint64_t capacity)
{
	FclPeer* peer = static_cast<FclPeer*>(user);
	fcl::CollisionRequestd request(firstOnly ? 1 : size_t(1) << 22, false);
	fcl::CollisionResultd result;
	fcl::Transform3d first = fcl::Transform3d::Identity(), second = first;
	fcl::detail::MeshCollisionTraversalNode<fcl::AABBd> node;
	fcl::detail::initialize(
	    node, *peer->sides[size_t(a)].tree, first, *peer->sides[size_t(b)].tree, second, request, result, true, true);
	fcl::detail::collide(&node);
	uint64_t count = result.numContacts();
	for (uint64_t i = 0; i < count && i < capacity; ++i)
	{
		const fcl::Contactd& contact = result.getContact(size_t(i));
		pairs[i] = snugPair{ uint32_t(contact.b1), uint32_t(contact.b2) };
	}
	return count;
}

// ---- Sweeps ----------------------------------------------------------------------------------------------------

// continuousCollide with its default solver, which tries so many times in turn, and a hundred times its default of ten.
// Conservative advancement, its other solver for meshes, is of no use here: version 0.7 lets two spheres of triangles
// pass through each other, head on, for every tolerance that was tried.
struct FclSweep
{
	std::unique_ptr<fcl::BVHModel<fcl::OBBRSSd>> trees[2];
};

void* CreateSweep(const bruteMesh meshes[2])
{
	FclSweep* peer = new (std::nothrow) FclSweep;
	for (int i = 0; peer != nullptr && i < 2; ++i)
	{
		Side side;
		side.mesh = meshes[i];
		side.vertexCount = CountVertices(meshes[i]);
		side.positions.resize(side.vertexCount);
		CopyPositions(side);
		std::vector<fcl::Triangle> triangles;
		for (size_t t = 0; t < meshes[i].triangleCount; ++t)
		{
			const uint32_t* corners = meshes[i].triangles + 3 * t;
			triangles.emplace_back(corners[0], corners[1], corners[2]);
		}
		peer->trees[i] = std::make_unique<fcl::BVHModel<fcl::OBBRSSd>>();
		peer->trees[i]->beginModel(int(triangles.size()), int(side.vertexCount));
		peer->trees[i]->addSubModel(side.positions, triangles);
		peer->trees[i]->endModel();
	}
	return peer;
}

void DestroySweep(void* user)
{
	delete static_cast<FclSweep*>(user);
}

double Sweep(void* user, const double from[3], const double to[3])
{
	FclSweep* peer = static_cast<FclSweep*>(user);
	fcl::Transform3d begin = fcl::Transform3d::Identity(), end = begin, rest = begin;
	begin.translation() = fcl::Vector3d(from[0], from[1], from[2]);
	end.translation() = fcl::Vector3d(to[0], to[1], to[2]);
	fcl::ContinuousCollisionRequestd request(1000, 1e-4, fcl::CCDM_TRANS);
	fcl::ContinuousCollisionResultd result;
	fcl::continuousCollide(peer->trees[0].get(), begin, end, peer->trees[1].get(), rest, rest, request, result);
	return result.is_collide ? result.time_of_contact : 2.0;
}

// ---- Boxes -----------------------------------------------------------------------------------------------------

// DynamicAABBTreeCollisionManager: update, then collide. Objects are spheres in name only: the broad phase looks at the
// boxes that it is given.
struct FclBoxes
{
	fcl::DynamicAABBTreeCollisionManager<double> manager;
	std::vector<std::shared_ptr<fcl::Sphere<double>>> shapes;
	std::vector<std::unique_ptr<fcl::CollisionObject<double>>> objects;
	bool isSetUp = false;

	explicit FclBoxes(uint32_t count)
	{
		for (uint32_t i = 0; i < count; ++i)
		{
			shapes.push_back(std::make_shared<fcl::Sphere<double>>(1.0));
			objects.emplace_back(new fcl::CollisionObject<double>(shapes.back()));
		}
	}

	static bool Count(fcl::CollisionObject<double>*, fcl::CollisionObject<double>*, void* count)
	{
		++*static_cast<uint64_t*>(count);
		return false;
	}

	uint64_t Update(const float* boxes)
	{
		for (size_t i = 0; i < objects.size(); ++i)
		{
			const float* b = boxes + 6 * i;
			shapes[i]->aabb_local =
			    fcl::AABB<double>(fcl::Vector3<double>(b[0], b[1], b[2]), fcl::Vector3<double>(b[3], b[4], b[5]));
			objects[i]->computeAABB();
		}
		if (!isSetUp)
		{
			std::vector<fcl::CollisionObject<double>*> all;
			for (auto& object : objects)
			{
				all.push_back(object.get());
			}
			manager.registerObjects(all);
			manager.setup();
			isSetUp = true;
		}
		manager.update();
		uint64_t count = 0;
		manager.collide(&count, Count);
		return count;
	}
};

void* CreateBoxes(uint32_t count)
{
	return new (std::nothrow) FclBoxes(count);
}

void DestroyBoxes(void* user)
{
	delete static_cast<FclBoxes*>(user);
}

uint64_t UpdateBoxes(void* user, const float* boxes)
{
	return static_cast<FclBoxes*>(user)->Update(boxes);
}

} // namespace

const benchPeer benchPeerFcl = { "libfcl-dev", FCL_VERSION, Create, Destroy, Update, Collide };
const benchSweepPeer benchSweepFcl = { FCL_VERSION, CreateSweep, DestroySweep, Sweep };
const benchBroadPeer benchBroadFcl = { "FCL", CreateBoxes, DestroyBoxes, UpdateBoxes };
