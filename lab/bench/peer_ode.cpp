// ODE: trimeshes with OPCODE's trees, which dGeomTriMeshDataUpdate refits, and its collider of two trimeshes. It makes
// contact points for physics, up to 65,535, and names the triangles that they are of: a pair that gives no point, since
// it merges those that are close, is one that it misses.
#include "lab/bench/peer.h"

#include <cstdarg>
#include <memory>
#include <new>
#include <ode/ode.h>
#include <vector>

namespace
{

const int mostContacts = 65535;

struct Side
{
	bruteMesh mesh;
	std::vector<dTriIndex> triangles;
	dTriMeshDataID data;
	dGeomID geom;
};

struct OdePeer
{
	std::vector<Side> sides;
	std::vector<dContactGeom> contacts;
};

// ODE prints when it has no room for more contacts; what it misses is counted.
void Ignore(int, const char*, va_list)
{
}

void Build(Side& side, const bruteMesh& mesh)
{
	size_t vertexCount = 0;
	side.mesh = mesh;
	for (size_t i = 0; i < 3 * size_t(mesh.triangleCount); ++i)
	{
		side.triangles.push_back(dTriIndex(mesh.triangles[i]));
		vertexCount = mesh.triangles[i] + size_t(1) > vertexCount ? mesh.triangles[i] + size_t(1) : vertexCount;
	}
	side.data = dGeomTriMeshDataCreate();
	dGeomTriMeshDataBuildSingle(side.data, mesh.positions, 3 * sizeof(float), int(vertexCount), side.triangles.data(),
	    int(side.triangles.size()), 3 * sizeof(dTriIndex));
	side.geom = dCreateTriMesh(nullptr, side.data, nullptr, nullptr, nullptr);
	dGeomTriMeshEnableTC(side.geom, dTriMeshClass, 0);
}

void Destroy(void* user)
{
	OdePeer* peer = static_cast<OdePeer*>(user);
	for (Side& side : peer->sides)
	{
		dGeomDestroy(side.geom);
		dGeomTriMeshDataDestroy(side.data);
	}
	delete peer;
	dCloseODE();
}

void* Create(const bruteMesh* meshes, int count)
{
	OdePeer* peer = new (std::nothrow) OdePeer;
	if (peer == nullptr)
	{
		return nullptr;
	}
	dInitODE2(0);
	dAllocateODEDataForThread(dAllocateMaskAll);
	dSetMessageHandler(Ignore);
	peer->contacts.resize(size_t(mostContacts));
	peer->sides.resize(size_t(count));
	for (int i = 0; i < count; ++i)
	{
		Build(peer->sides[size_t(i)], meshes[i]);
	}
	return peer;
}

void Update(void* user)
{
	for (Side& side : static_cast<OdePeer*>(user)->sides)
	{
		dGeomTriMeshDataUpdate(side.data);
		dGeomTriMeshSetData(side.geom, side.data);
	}
}

uint64_t Collide(void* user, int a, int b, bool firstOnly, snugPair* pairs, uint64_t capacity)
{
	OdePeer* peer = static_cast<OdePeer*>(user);
	const int most = firstOnly ? 1 : mostContacts;
	const int count = dCollide(
	    peer->sides[size_t(a)].geom, peer->sides[size_t(b)].geom, most, peer->contacts.data(), sizeof(dContactGeom));
	for (int i = 0; i < count && uint64_t(i) < capacity; ++i)
	{
		const dContactGeom& contact = peer->contacts[size_t(i)];
		pairs[i] = snugPair{ uint32_t(contact.side1), uint32_t(contact.side2) };
	}
	return uint64_t(count);
}

} // namespace

const benchPeer benchPeerOde = { "libode-dev", BENCH_ODE_VERSION, Create, Destroy, Update, Collide };
