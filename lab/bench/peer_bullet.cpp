// Bullet: GImpact, its collider of deforming meshes. Each mesh has a quantized tree, which postUpdate and updateBound
// refit; the pairs of boxes that find_collision reports go to its triangle test without a margin. The stock algorithm
// (contactPairTest) does the same, and makes contact points on top, which takes longer.
#include "lab/bench/peer.h"

#include <btBulletCollisionCommon.h>
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletCollision/Gimpact/btTriangleShapeEx.h>
#include <memory>
#include <new>
#include <vector>

namespace
{

struct Side
{
	bruteMesh mesh;
	std::vector<btScalar> positions;
	std::vector<int> triangles;
	std::unique_ptr<btTriangleIndexVertexArray> array;
	std::unique_ptr<btGImpactMeshShape> shape;
};

struct BulletPeer
{
	std::vector<Side> sides;
};

void CopyPositions(Side& side)
{
	for (size_t i = 0; i < side.positions.size(); ++i)
	{
		side.positions[i] = btScalar(side.mesh.positions[i]);
	}
}

void Refit(Side& side)
{
	side.shape->postUpdate();
	side.shape->updateBound();
}

void Build(Side& side, const bruteMesh& mesh)
{
	size_t vertexCount = 0;
	side.mesh = mesh;
	for (size_t i = 0; i < 3 * size_t(mesh.triangleCount); ++i)
	{
		side.triangles.push_back(int(mesh.triangles[i]));
		vertexCount = mesh.triangles[i] + size_t(1) > vertexCount ? mesh.triangles[i] + size_t(1) : vertexCount;
	}
	side.positions.resize(3 * vertexCount);
	CopyPositions(side);
	side.array = std::make_unique<btTriangleIndexVertexArray>(int(mesh.triangleCount), side.triangles.data(),
	    int(3 * sizeof(int)), int(vertexCount), side.positions.data(), int(3 * sizeof(btScalar)));
	side.shape = std::make_unique<btGImpactMeshShape>(side.array.get());
	side.shape->setMargin(0);
	Refit(side);
}

void Destroy(void* user)
{
	delete static_cast<BulletPeer*>(user);
}

void* Create(const bruteMesh* meshes, int count)
{
	BulletPeer* peer = new (std::nothrow) BulletPeer;
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
	for (Side& side : static_cast<BulletPeer*>(user)->sides)
	{
		CopyPositions(side);
		Refit(side);
	}
}

bool Intersect(btPrimitiveTriangle& a, btPrimitiveTriangle& b)
{
	GIM_TRIANGLE_CONTACT contact;
	a.m_margin = b.m_margin = 0;
	a.buildTriPlane();
	b.buildTriPlane();
	return a.overlap_test_conservative(b) && a.find_triangle_collision_clip_method(b, contact) &&
	       contact.m_penetration_depth >= 0;
}

uint64_t Collide(void* user, int a, int b, bool firstOnly, snugPair* pairs, uint64_t capacity)
{
	BulletPeer* peer = static_cast<BulletPeer*>(user);
	btGImpactMeshShapePart* first = peer->sides[size_t(a)].shape->getMeshPart(0);
	btGImpactMeshShapePart* second = peer->sides[size_t(b)].shape->getMeshPart(0);
	const btTransform identity = btTransform::getIdentity();
	btPairSet candidates;
	uint64_t count = 0;
	first->lockChildShapes();
	second->lockChildShapes();
	btGImpactQuantizedBvh::find_collision(first->getBoxSet(), identity, second->getBoxSet(), identity, candidates);
	for (int i = 0; i < candidates.size() && !(firstOnly && count > 0); ++i)
	{
		const GIM_PAIR& candidate = candidates[i];
		btPrimitiveTriangle p, q;
		first->getPrimitiveTriangle(candidate.m_index1, p);
		second->getPrimitiveTriangle(candidate.m_index2, q);
		if (Intersect(p, q))
		{
			if (count < capacity)
			{
				pairs[count] = snugPair{ uint32_t(candidate.m_index1), uint32_t(candidate.m_index2) };
			}
			++count;
		}
	}
	first->unlockChildShapes();
	second->unlockChildShapes();
	return count;
}

// ---- Boxes -----------------------------------------------------------------------------------------------------

// btDbvt: each leaf updated, some of the tree optimised, then collideTT with itself.
struct BulletBoxes
{
	btDbvt tree;
	std::vector<btDbvtNode*> leaves;

	explicit BulletBoxes(uint32_t count) : leaves(count, nullptr)
	{
	}

	struct Counter : btDbvt::ICollide
	{
		uint64_t count = 0;
		void Process(const btDbvtNode* a, const btDbvtNode* b) override
		{
			count += a != b;
		}
	};

	uint64_t Update(const float* boxes)
	{
		for (size_t i = 0; i < leaves.size(); ++i)
		{
			const float* b = boxes + 6 * i;
			btDbvtVolume volume = btDbvtVolume::FromMM(btVector3(b[0], b[1], b[2]), btVector3(b[3], b[4], b[5]));
			if (leaves[i] == nullptr)
			{
				leaves[i] = tree.insert(volume, nullptr);
			}
			else
			{
				tree.update(leaves[i], volume);
			}
		}
		tree.optimizeIncremental(1 + static_cast<int>(leaves.size() / 100));
		Counter counter;
		tree.collideTT(tree.m_root, tree.m_root, counter);
		return counter.count;
	}
};

void* CreateBoxes(uint32_t count)
{
	return new (std::nothrow) BulletBoxes(count);
}

void DestroyBoxes(void* user)
{
	delete static_cast<BulletBoxes*>(user);
}

uint64_t UpdateBoxes(void* user, const float* boxes)
{
	return static_cast<BulletBoxes*>(user)->Update(boxes);
}

} // namespace

const benchPeer benchPeerBullet = { "libbullet-dev", BENCH_BULLET_VERSION, Create, Destroy, Update, Collide };
const benchBroadPeer benchBroadBullet = { "Bullet", CreateBoxes, DestroyBoxes, UpdateBoxes };
