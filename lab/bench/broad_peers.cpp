// See broad_peers.h. BENCH_FCL and BENCH_BULLET say which libraries there are.
#include "lab/bench/broad_peers.h"

#if BENCH_FCL
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/sphere.h>
#endif
#if BENCH_BULLET
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#endif
#include <cstddef>
#include <memory>
#include <vector>

struct broadPeer
{
	virtual ~broadPeer()
	{
	}
	virtual uint64_t Update(const float* boxes) = 0;
};

#if BENCH_FCL
// Objects are spheres in name only: the broad phase looks at the boxes that it is given.
struct FclPeer : broadPeer
{
	fcl::DynamicAABBTreeCollisionManager<double> manager;
	std::vector<std::shared_ptr<fcl::Sphere<double>>> shapes;
	std::vector<std::unique_ptr<fcl::CollisionObject<double>>> objects;
	bool isSetUp = false;

	explicit FclPeer(uint32_t count)
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

	uint64_t Update(const float* boxes) override
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
#endif

#if BENCH_BULLET
struct BulletPeer : broadPeer
{
	btDbvt tree;
	std::vector<btDbvtNode*> leaves;

	explicit BulletPeer(uint32_t count) : leaves(count, nullptr)
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

	uint64_t Update(const float* boxes) override
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
#endif

const char* broadPeer_GetName(broadPeerKind kind)
{
	return kind == broad_fcl ? "FCL" : "Bullet";
}

broadPeer* broadPeer_Create(broadPeerKind kind, uint32_t count)
{
	(void)count;
#if BENCH_FCL
	if (kind == broad_fcl)
	{
		return new FclPeer(count);
	}
#endif
#if BENCH_BULLET
	if (kind == broad_bullet)
	{
		return new BulletPeer(count);
	}
#endif
	return nullptr;
}

void broadPeer_Destroy(broadPeer* peer)
{
	delete peer;
}

uint64_t broadPeer_Update(broadPeer* peer, const float* boxes)
{
	return peer->Update(boxes);
}
