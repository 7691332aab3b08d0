#include "bench/embree_peer.h"

extern "C"
{
#include "geometry/triangle.h"
}

#include <algorithm>
#include <cstring>
#include <embree3/rtcore.h>
#include <mutex>
#include <new>

struct embreePeer
{
	bruteMesh meshes[EMBREE_MAX_BODIES];
	int count;
	embreeUpdate update;
	RTCDevice device;
	RTCScene scenes[EMBREE_MAX_BODIES];
	RTCGeometry geometries[EMBREE_MAX_BODIES];
};

namespace
{

// What one query gathers. Embree may call back from several threads; with one thread the lock is never contended
// and is taken once per batch of candidates.
struct Gathered
{
	const bruteMesh* meshes[2];
	snugPair* pairs;
	uint64_t capacity;
	uint64_t count;
	std::mutex lock;
};

void GetCorners(const bruteMesh& mesh, unsigned triangle, float corners[3][3])
{
	const uint32_t* t = mesh.triangles + 3 * size_t(triangle);
	for (int i = 0; i < 3; ++i)
	{
		std::memcpy(corners[i], mesh.positions + 3 * size_t(t[i]), 3 * sizeof(float));
	}
}

void BoundCorners(const float p[3][3], RTCBounds* bounds)
{
	bounds->lower_x = std::min({ p[0][0], p[1][0], p[2][0] });
	bounds->lower_y = std::min({ p[0][1], p[1][1], p[2][1] });
	bounds->lower_z = std::min({ p[0][2], p[1][2], p[2][2] });
	bounds->upper_x = std::max({ p[0][0], p[1][0], p[2][0] });
	bounds->upper_y = std::max({ p[0][1], p[1][1], p[2][1] });
	bounds->upper_z = std::max({ p[0][2], p[1][2], p[2][2] });
}

void BoundTriangle(const RTCBoundsFunctionArguments* arguments)
{
	float p[3][3];
	GetCorners(*static_cast<const bruteMesh*>(arguments->geometryUserPtr), arguments->primID, p);
	BoundCorners(p, arguments->bounds_o);
}

// Embree's leaves hold several primitives, and it reports all pairs of two leaves whose boxes overlap. Whoever uses it
// would look at the triangles' own boxes before a costly test, so we do.
bool BoxesOverlap(const float a[3][3], const float b[3][3])
{
	RTCBounds p, q;
	BoundCorners(a, &p);
	BoundCorners(b, &q);
	return p.lower_x <= q.upper_x && q.lower_x <= p.upper_x && p.lower_y <= q.upper_y && q.lower_y <= p.upper_y &&
	       p.lower_z <= q.upper_z && q.lower_z <= p.upper_z;
}

void CountBatch(void* user, RTCCollision*, unsigned count)
{
	Gathered& gathered = *static_cast<Gathered*>(user);
	std::lock_guard<std::mutex> guard(gathered.lock);
	gathered.count += count;
}

void TestBatch(void* user, RTCCollision* collisions, unsigned count)
{
	Gathered& gathered = *static_cast<Gathered*>(user);
	std::lock_guard<std::mutex> guard(gathered.lock);
	for (unsigned i = 0; i < count; ++i)
	{
		float a[3][3], b[3][3];
		GetCorners(*gathered.meshes[0], collisions[i].primID0, a);
		GetCorners(*gathered.meshes[1], collisions[i].primID1, b);
		if (BoxesOverlap(a, b) && sgTriangles_Intersect(a, b))
		{
			if (gathered.count < gathered.capacity)
			{
				gathered.pairs[gathered.count] = snugPair{ collisions[i].primID0, collisions[i].primID1 };
			}
			gathered.count++;
		}
	}
}

// User geometries need these to be valid; no ray is ever traced.
void Intersect(const RTCIntersectFunctionNArguments*)
{
}

void Occlude(const RTCOccludedFunctionNArguments*)
{
}

void BuildScene(embreePeer* peer, int side)
{
	bool refit = peer->update == embree_refit;
	RTCScene scene = rtcNewScene(peer->device);
	rtcSetSceneFlags(scene, refit ? RTC_SCENE_FLAG_DYNAMIC : RTC_SCENE_FLAG_NONE);
	rtcSetSceneBuildQuality(scene, refit ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_HIGH);
	RTCGeometry geometry = rtcNewGeometry(peer->device, RTC_GEOMETRY_TYPE_USER);
	rtcSetGeometryUserPrimitiveCount(geometry, peer->meshes[side].triangleCount);
	rtcSetGeometryUserData(geometry, &peer->meshes[side]);
	rtcSetGeometryBoundsFunction(geometry, BoundTriangle, nullptr);
	rtcSetGeometryIntersectFunction(geometry, Intersect);
	rtcSetGeometryOccludedFunction(geometry, Occlude);
	rtcSetGeometryBuildQuality(geometry, refit ? RTC_BUILD_QUALITY_REFIT : RTC_BUILD_QUALITY_HIGH);
	rtcCommitGeometry(geometry);
	rtcAttachGeometry(scene, geometry);
	rtcCommitScene(scene);
	peer->scenes[side] = scene;
	peer->geometries[side] = geometry;
}

void ReleaseScene(embreePeer* peer, int side)
{
	rtcReleaseGeometry(peer->geometries[side]);
	rtcReleaseScene(peer->scenes[side]);
}

} // namespace

extern "C"
{

bool embreePeer_IsAvailable(void)
{
	return true;
}

const char* embreePeer_GetVersion(void)
{
	return RTC_VERSION_STRING;
}

embreePeer* embreePeer_Create(const bruteMesh* meshes, int count, embreeUpdate update)
{
	embreePeer* peer = count <= EMBREE_MAX_BODIES ? new (std::nothrow) embreePeer{} : nullptr;
	if (peer == nullptr)
	{
		return nullptr;
	}
	std::copy(meshes, meshes + count, peer->meshes);
	peer->count = count;
	peer->update = update;
	peer->device = rtcNewDevice("threads=1,set_affinity=0");
	if (peer->device == nullptr)
	{
		delete peer;
		return nullptr;
	}
	for (int i = 0; i < count; ++i)
	{
		BuildScene(peer, i);
	}
	if (rtcGetDeviceError(peer->device) != RTC_ERROR_NONE)
	{
		embreePeer_Destroy(peer);
		return nullptr;
	}
	return peer;
}

void embreePeer_Destroy(embreePeer* peer)
{
	if (peer != nullptr)
	{
		for (int i = 0; i < peer->count; ++i)
		{
			ReleaseScene(peer, i);
		}
		rtcReleaseDevice(peer->device);
		delete peer;
	}
}

void embreePeer_Update(embreePeer* peer)
{
	for (int side = 0; side < peer->count; ++side)
	{
		if (peer->update == embree_rebuild)
		{
			ReleaseScene(peer, side);
			BuildScene(peer, side);
		}
		else
		{
			rtcCommitGeometry(peer->geometries[side]);
			rtcCommitScene(peer->scenes[side]);
		}
	}
}

uint64_t embreePeer_CountCandidates(embreePeer* peer, int a, int b)
{
	Gathered gathered = { { &peer->meshes[a], &peer->meshes[b] }, nullptr, 0, 0, {} };
	rtcCollide(peer->scenes[a], peer->scenes[b], CountBatch, &gathered);
	return gathered.count;
}

uint64_t embreePeer_Collide(embreePeer* peer, int a, int b, snugPair* pairs, uint64_t capacity)
{
	Gathered gathered = { { &peer->meshes[a], &peer->meshes[b] }, pairs, capacity, 0, {} };
	rtcCollide(peer->scenes[a], peer->scenes[b], TestBatch, &gathered);
	return gathered.count;
}
}
