// The FBX reader's way through a file: the tree, its objects, then nodes, meshes, instances and clips.
#include "io/fbx.h"

// Warn once of what is not followed, since it may move things.
static void WarnOfOthers(const fbxReader* r)
{
	static const struct
	{
		const char *record, *kind, *what;
	} others[] = { { "Constraint", NULL, "constraints are not evaluated" },
		{ "Geometry", "NurbsSurface", "NURBS surfaces are left out" },
		{ "Geometry", "NurbsCurve", "NURBS curves are left out" }, { "Geometry", "Patch", "patches are left out" },
		{ "Deformer", "VertexCacheDeformer", "vertex caches are not read" } };
	for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); ++k)
	{
		for (uint32_t i = 1; i < r->objectCount; ++i)
		{
			uint32_t record = r->objects[i].record;
			if (fbxText_Is(r->tree.records[record].name, others[k].record) &&
			    (others[k].kind == NULL || fbxText_Is(fbxGetValue(&r->tree, record, 2).text, others[k].kind)))
			{
				fbxWarn(r, i, "%s", others[k].what);
				break;
			}
		}
	}
}

bool ioReadFbx(ioLoader* loader)
{
	fbxReader r = { .loader = loader, .tree = { .loader = loader } };
	bool read = fbxParse(&r.tree) && fbxReadObjects(&r);
	if (read)
	{
		WarnOfOthers(&r);
	}
	read = read && fbxReadNodes(&r) && fbxReadMeshes(&r) && fbxReadInstances(&r) && fbxReadClips(&r);
	fbxFreeObjects(&r);
	fbxTree_Free(&r.tree);
	return read;
}
