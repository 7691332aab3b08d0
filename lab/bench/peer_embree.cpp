// Embree's rtcCollide, which finds pairs of primitives of two scenes whose boxes overlap, for user geometries only. Its
// trees are refitted (a dynamic scene, geometries of quality REFIT). The triangle test is the plain tree's, in double,
// which is quicker than an exact one. One thread, as we have; what rtcCollide calls back cannot end it, so that one
// pair costs as much as all of them but for their triangles.
#include "lab/bench/peer.h"

extern "C"
{
#include "papers/common/plain_tree.h"
}

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <embree3/rtcore.h>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace
{

struct EmbreePeer
{
	std::vector<bruteMesh> meshes;
	RTCDevice device;
	std::vector<RTCScene> scenes;
	std::vector<RTCGeometry> geometries;
};

// What one query gathers. Embree may call back from several threads; with one thread the lock is never contended
// and is taken once per batch of candidates.
struct Gathered
{
	const bruteMesh* meshes[2];
	snugPair* pairs;
	uint64_t capacity;
	uint64_t count;
	bool firstOnly;
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

void TestBatch(void* user, RTCCollision* collisions, unsigned count)
{
	Gathered& gathered = *static_cast<Gathered*>(user);
	std::lock_guard<std::mutex> guard(gathered.lock);
	for (unsigned i = 0; i < count && !(gathered.firstOnly && gathered.count > 0); ++i)
	{
		float a[3][3], b[3][3];
		GetCorners(*gathered.meshes[0], collisions[i].primID0, a);
		GetCorners(*gathered.meshes[1], collisions[i].primID1, b);
		if (BoxesOverlap(a, b) && plainTriangles_Intersect(a, b))
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

void BuildScene(EmbreePeer* peer, int side)
{
	RTCScene scene = rtcNewScene(peer->device);
	rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
	rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
	RTCGeometry geometry = rtcNewGeometry(peer->device, RTC_GEOMETRY_TYPE_USER);
	rtcSetGeometryUserPrimitiveCount(geometry, peer->meshes[size_t(side)].triangleCount);
	rtcSetGeometryUserData(geometry, &peer->meshes[size_t(side)]);
	rtcSetGeometryBoundsFunction(geometry, BoundTriangle, nullptr);
	rtcSetGeometryIntersectFunction(geometry, Intersect);
	rtcSetGeometryOccludedFunction(geometry, Occlude);
	rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
	rtcCommitGeometry(geometry);
	rtcAttachGeometry(scene, geometry);
	rtcCommitScene(scene);
	peer->scenes[size_t(side)] = scene;
	peer->geometries[size_t(side)] = geometry;
}

void Destroy(void* user)
{
	EmbreePeer* peer = static_cast<EmbreePeer*>(user);
	for (size_t i = 0; i < peer->scenes.size(); ++i)
	{
		rtcReleaseGeometry(peer->geometries[i]);
		rtcReleaseScene(peer->scenes[i]);
	}
	rtcReleaseDevice(peer->device);
	delete peer;
}

// Held to the instruction set that we are held to: SNUG_ISA names it.
std::string MakeConfiguration()
{
	const char* isa = std::getenv("SNUG_ISA");
	const bool isHeld = isa != nullptr && (std::strcmp(isa, "avx2") == 0 || std::strcmp(isa, "sse2") == 0);
	return std::string("threads=1,set_affinity=0") + (isHeld ? std::string(",isa=") + isa : "");
}

void* Create(const bruteMesh* meshes, int count)
{
	EmbreePeer* peer = new (std::nothrow) EmbreePeer{ { meshes, meshes + count }, nullptr, {}, {} };
	if (peer == nullptr)
	{
		return nullptr;
	}
	peer->device = rtcNewDevice(MakeConfiguration().c_str());
	if (peer->device == nullptr)
	{
		delete peer;
		return nullptr;
	}
	peer->scenes.resize(size_t(count));
	peer->geometries.resize(size_t(count));
	for (int i = 0; i < count; ++i)
	{
		BuildScene(peer, i);
	}
	if (rtcGetDeviceError(peer->device) != RTC_ERROR_NONE)
	{
		Destroy(peer);
		return nullptr;
	}
	return peer;
}

void Update(void* user)
{
	EmbreePeer* peer = static_cast<EmbreePeer*>(user);
	for (size_t side = 0; side < peer->scenes.size(); ++side)
	{
		rtcCommitGeometry(peer->geometries[side]);
		rtcCommitScene(peer->scenes[side]);
	}
}

uint64_t Collide(void* user, int a, int b, bool firstOnly, snugPair* pairs, uint64_t capacity)
{
	EmbreePeer* peer = static_cast<EmbreePeer*>(user);
	Gathered gathered = { { &peer->meshes[size_t(a)], &peer->meshes[size_t(b)] }, pairs, capacity, 0, firstOnly, {} };
	rtcCollide(peer->scenes[size_t(a)], peer->scenes[size_t(b)], TestBatch, &gathered);
	return gathered.count;
}

// ---- Rays ------------------------------------------------------------------------------------------------------

// A triangle mesh whose tree is refitted: a dynamic, robust scene, a geometry of quality REFIT whose vertices are ours.
struct EmbreeRays
{
	RTCDevice device;
	RTCScene scene;
	RTCGeometry geometry;
};

void DestroyRays(void* user)
{
	EmbreeRays* rays = static_cast<EmbreeRays*>(user);
	rtcReleaseGeometry(rays->geometry);
	rtcReleaseScene(rays->scene);
	rtcReleaseDevice(rays->device);
	delete rays;
}

void* CreateRays(const bruteMesh* mesh, uint32_t vertexCount)
{
	EmbreeRays* rays = new (std::nothrow) EmbreeRays{ rtcNewDevice("threads=1,set_affinity=0"), nullptr, nullptr };
	if (rays == nullptr || rays->device == nullptr)
	{
		delete rays;
		return nullptr;
	}
	rays->scene = rtcNewScene(rays->device);
	rtcSetSceneFlags(rays->scene, RTCSceneFlags(RTC_SCENE_FLAG_DYNAMIC | RTC_SCENE_FLAG_ROBUST));
	rtcSetSceneBuildQuality(rays->scene, RTC_BUILD_QUALITY_LOW); // else all is built anew
	rays->geometry = rtcNewGeometry(rays->device, RTC_GEOMETRY_TYPE_TRIANGLE);
	rtcSetGeometryBuildQuality(rays->geometry, RTC_BUILD_QUALITY_REFIT);
	rtcSetSharedGeometryBuffer(rays->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, mesh->positions, 0,
	    3 * sizeof(float), vertexCount);
	rtcSetSharedGeometryBuffer(rays->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->triangles, 0,
	    3 * sizeof(uint32_t), mesh->triangleCount);
	rtcCommitGeometry(rays->geometry);
	rtcAttachGeometry(rays->scene, rays->geometry);
	rtcCommitScene(rays->scene);
	if (rtcGetDeviceError(rays->device) != RTC_ERROR_NONE)
	{
		DestroyRays(rays);
		return nullptr;
	}
	return rays;
}

void UpdateRays(void* user)
{
	EmbreeRays* rays = static_cast<EmbreeRays*>(user);
	rtcUpdateGeometryBuffer(rays->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
	rtcCommitGeometry(rays->geometry);
	rtcCommitScene(rays->scene);
}

uint32_t CastRay(void* user, const float from[3], const float to[3])
{
	EmbreeRays* rays = static_cast<EmbreeRays*>(user);
	RTCIntersectContext context;
	rtcInitIntersectContext(&context);
	RTCRayHit ray;
	std::memset(&ray, 0, sizeof(ray));
	ray.ray.org_x = from[0];
	ray.ray.org_y = from[1];
	ray.ray.org_z = from[2];
	ray.ray.dir_x = to[0] - from[0];
	ray.ray.dir_y = to[1] - from[1];
	ray.ray.dir_z = to[2] - from[2];
	ray.ray.tfar = 1.0f;
	ray.ray.mask = ~0u;
	ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
	rtcIntersect1(rays->scene, &context, &ray);
	return ray.hit.geomID != RTC_INVALID_GEOMETRY_ID ? ray.hit.primID : BENCH_NO_TRIANGLE;
}

} // namespace

const benchPeer benchPeerEmbree = { "libembree-dev", RTC_VERSION_STRING, Create, Destroy, Update, Collide };
const benchRayPeer benchRaysEmbree = { RTC_VERSION_STRING, CreateRays, DestroyRays, UpdateRays, CastRay };
