// Embree's rays at a triangle mesh whose tree is refitted: a dynamic, robust scene, a geometry of quality REFIT whose
// vertices are ours. One thread, as we have.
#include "lab/bench/ray_peer.h"

#include <cmath>
#include <cstring>
#include <embree3/rtcore.h>
#include <new>

namespace
{

struct EmbreeRays
{
	RTCDevice device;
	RTCScene scene;
	RTCGeometry geometry;
};

void Destroy(void* user)
{
	EmbreeRays* rays = static_cast<EmbreeRays*>(user);
	rtcReleaseGeometry(rays->geometry);
	rtcReleaseScene(rays->scene);
	rtcReleaseDevice(rays->device);
	delete rays;
}

void* Create(const bruteMesh* mesh, uint32_t vertexCount)
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
		Destroy(rays);
		return nullptr;
	}
	return rays;
}

void Update(void* user)
{
	EmbreeRays* rays = static_cast<EmbreeRays*>(user);
	rtcUpdateGeometryBuffer(rays->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
	rtcCommitGeometry(rays->geometry);
	rtcCommitScene(rays->scene);
}

uint32_t Cast(void* user, const float from[3], const float to[3])
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

const benchRayPeer benchRaysEmbree = { RTC_VERSION_STRING, Create, Destroy, Update, Cast };
