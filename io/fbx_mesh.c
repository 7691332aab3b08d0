// Meshes of an FBX file: control points, polygons, influences of clusters, blend shapes.
#include "io/fbx.h"

#include "io/weights.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Vertices and triangles ------------------------------------------------------------------------------------

// Lengths of the file as metres in floats, three for each point.
static bool ReadPositions(const fbxReader* r, uint32_t geometry, const char* name, float** positions, uint32_t* count)
{
	uint32_t numbers;
	double* values = fbxReadNumbers(&r->tree, fbxFind(&r->tree, r->objects[geometry].record, name), &numbers);
	*positions = NULL;
	if (values == NULL)
	{
		return false;
	}
	float* points = malloc(((size_t)numbers + 1) * sizeof(float));
	bool valid = numbers % 3 == 0;
	for (uint32_t i = 0; points != NULL && i < numbers; ++i)
	{
		points[i] = (float)(values[i] * r->unit);
		valid = valid && isfinite(points[i]);
	}
	free(values);
	if (points == NULL || !valid)
	{
		free(points);
		return points == NULL && valid ? ioFailMemory(r->loader)
		                               : fbxFail(r, geometry, "%s are not finite, or not three for each", name);
	}
	*positions = points;
	*count = numbers / 3;
	return true;
}

// Corners are vertex numbers; the last of a polygon is -1 minus its number.
static bool ReadPolygons(const fbxReader* r, uint32_t geometry, ioMeshBuilder* builder)
{
	uint32_t count, first = 0, previous = 0, corners = 0, left = 0, firstTriangle = 0;
	uint32_t record = fbxFind(&r->tree, r->objects[geometry].record, "PolygonVertexIndex");
	int64_t* indices = fbxReadIntegers(&r->tree, record, &count);
	bool read = indices != NULL;
	for (uint32_t i = 0; read && i < count; ++i)
	{
		int64_t vertex = indices[i] < 0 ? -1 - indices[i] : indices[i];
		if (vertex >= builder->mesh.vertexCount)
		{
			read = fbxFail(r, geometry, "corner %u: vertex number %lld is out of range: %u vertices", i,
			    (long long)vertex, builder->mesh.vertexCount);
			break;
		}
		uint32_t corner = (uint32_t)vertex;
		read = corners < 2 || ioMeshBuilder_AddTriangle(builder, first, previous, corner) || ioFailMemory(r->loader);
		first = corners == 0 ? corner : first;
		previous = corner;
		++corners;
		if (indices[i] < 0)
		{
			left += corners < 3;
			read = read && (ioMeshBuilder_EndPolygon(builder, firstTriangle) || ioFailMemory(r->loader));
			firstTriangle = builder->mesh.triangleCount;
			corners = 0;
		}
	}
	free(indices);
	if (read && left > 0)
	{
		fbxWarn(r, geometry, "%u points or lines, left out", left);
	}
	return read && (corners == 0 || fbxFail(r, geometry, "its last polygon has no end")) &&
	       ioMeshBuilder_Finish(builder, r->loader);
}

static bool ReadGeometry(fbxReader* r, uint32_t geometry, ioAssetMesh* mesh)
{
	ioAsset* asset = r->loader->asset;
	ioMeshBuilder builder = { .vertexCapacity = 0 };
	if (fbxFind(&r->tree, r->objects[geometry].record, "Shape") != 0)
	{
		return fbxFail(r, geometry, "blend shapes inside the mesh, as FBX 7.1 has them, are not read; export it anew");
	}
	mesh->name = fbxCopyName(r, geometry);
	if (mesh->name == NULL ||
	    !ReadPositions(r, geometry, "Vertices", &builder.mesh.positions, &builder.mesh.vertexCount))
	{
		return false;
	}
	if (!ReadPolygons(r, geometry, &builder))
	{
		ioMeshBuilder_Free(&builder);
		return false;
	}
	bool owned = ioAsset_Adopt(asset, builder.mesh.positions);
	owned = (builder.mesh.triangles == NULL || ioAsset_Adopt(asset, builder.mesh.triangles)) && owned;
	mesh->mesh = builder.mesh;
	return owned || ioFailMemory(r->loader);
}

// ---- Influences ------------------------------------------------------------------------------------------------

// What the clusters of a skin say, one weight after the other.
typedef struct influences
{
	uint32_t* vertices;
	uint16_t* joints;
	double* weights;
	uint32_t count, capacity, jointCount;
	ioWeightRepairs repairs;
} influences;

static void FreeInfluences(influences* i)
{
	free(i->vertices);
	free(i->joints);
	free(i->weights);
}

static bool Reserve(influences* i, uint32_t more)
{
	uint32_t wanted = i->count + more + 1;
	uint32_t* vertices = realloc(i->vertices, wanted * sizeof(uint32_t));
	i->vertices = vertices != NULL ? vertices : i->vertices;
	uint16_t* joints = realloc(i->joints, wanted * sizeof(uint16_t));
	i->joints = joints != NULL ? joints : i->joints;
	double* weights = realloc(i->weights, wanted * sizeof(double));
	i->weights = weights != NULL ? weights : i->weights;
	return vertices != NULL && joints != NULL && weights != NULL;
}

// Append the weights of a cluster.
static bool AddCluster(const fbxReader* r, uint32_t cluster, uint32_t vertexCount, const int64_t* indices,
    const double* weights, uint32_t count, influences* found)
{
	if (!Reserve(found, count))
	{
		return ioFailMemory(r->loader);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		double weight = weights[i];
		if (indices[i] < 0 || indices[i] >= vertexCount ||
		    !ioReadWeight(&found->repairs, (uint32_t)indices[i], &weight))
		{
			return fbxFail(
			    r, cluster, "weight %u, %g of vertex %lld, is out of range", i, weight, (long long)indices[i]);
		}
		if (weight >= (double)FLT_MIN) // less is lost as a float, and would leave a sum that scales nothing to 1
		{
			found->vertices[found->count] = (uint32_t)indices[i];
			found->joints[found->count] = (uint16_t)found->jointCount;
			found->weights[found->count++] = weight;
		}
	}
	return true;
}

static bool ReadCluster(const fbxReader* r, uint32_t cluster, uint32_t vertexCount, influences* found)
{
	const fbxTree* tree = &r->tree;
	uint32_t record = r->objects[cluster].record, indexCount, weightCount = 0, link = IO_NONE;
	fbxValue mode = fbxGetValue(tree, fbxFind(tree, record, "Mode"), 0);
	if (fbxFind(tree, record, "Mode") != 0 && fbxText_Is(mode.text, "Additive"))
	{
		return fbxFail(r, cluster, "an additive cluster: only those whose weights sum to 1 are read");
	}
	int64_t* indices = fbxReadIntegers(tree, fbxFind(tree, record, "Indexes"), &indexCount);
	double* weights = indices != NULL ? fbxReadNumbers(tree, fbxFind(tree, record, "Weights"), &weightCount) : NULL;
	bool read = weights != NULL;
	if (read && indexCount != weightCount)
	{
		read = fbxFail(r, cluster, "%u vertices, but %u weights", indexCount, weightCount);
	}
	if (read && fbxNextChild(r, cluster, fbx_model, &link) == IO_NONE)
	{
		fbxWarn(r, cluster, "it has no joint: %u weights are left out", weightCount);
	}
	else if (read)
	{
		read = AddCluster(r, cluster, vertexCount, indices, weights, indexCount, found);
		found->jointCount++;
	}
	free(indices);
	free(weights);
	return read;
}

// Weights of a vertex side by side, those of one joint added up, scaled to a sum of 1. A vertex without any is bound to
// the joint behind the last, which is the model itself; the skin has it only if there is such a vertex.
static bool SortInfluences(fbxReader* r, const influences* found, ioAssetMesh* mesh)
{
	ioAsset* asset = r->loader->asset;
	uint32_t vertexCount = mesh->mesh.vertexCount;
	uint32_t* start = ioAsset_Allocate(asset, (size_t)vertexCount + 1, sizeof(uint32_t));
	uint32_t* first = calloc((size_t)vertexCount + 2, sizeof(uint32_t)); // of a vertex among `order`
	uint32_t* order = malloc(((size_t)found->count + 1) * sizeof(uint32_t));
	uint16_t* joints = ioAsset_Allocate(asset, (size_t)found->count + vertexCount, sizeof(uint16_t));
	float* weights = ioAsset_Allocate(asset, (size_t)found->count + vertexCount, sizeof(float));
	bool ready = start != NULL && first != NULL && order != NULL && joints != NULL && weights != NULL;
	for (uint32_t i = 0; ready && i < found->count; ++i)
	{
		first[found->vertices[i] + 2]++;
	}
	for (uint32_t v = 0; ready && v < vertexCount; ++v)
	{
		first[v + 1] += first[v];
	}
	for (uint32_t i = 0; ready && i < found->count; ++i)
	{
		order[first[found->vertices[i] + 1]++] = i; // then first[v] and first[v + 1] are its ends
	}
	ioWeightRepairs repairs = found->repairs;
	uint32_t used = 0;
	bool anyUnbound = false;
	for (uint32_t v = 0; ready && v < vertexCount; ++v)
	{
		double sum = 0.0;
		start[v] = used;
		for (uint32_t i = first[v]; i < first[v + 1]; ++i)
		{
			uint16_t joint = found->joints[order[i]];
			bool again = used > start[v] && joints[used - 1] == joint; // a cluster that lists a vertex twice
			used += !again;
			joints[used - 1] = joint;
			weights[used - 1] = (again ? weights[used - 1] : 0.0f) + (float)found->weights[order[i]];
			sum += found->weights[order[i]];
		}
		if (used == start[v])
		{
			joints[used] = (uint16_t)found->jointCount;
			weights[used++] = 1.0f;
			sum = 1.0;
			anyUnbound = true;
		}
		ioScaleWeights(&repairs, v, weights + start[v], used - start[v], sum);
	}
	free(first);
	free(order);
	if (!ready)
	{
		return ioFailMemory(r->loader);
	}
	start[vertexCount] = used;
	char place[96];
	snprintf(place, sizeof(place), "Geometry '%.60s'", mesh->name);
	ioWarnOfWeights(r->loader, place, &repairs);
	mesh->influenceStart = start;
	mesh->joints = joints;
	mesh->weights = weights;
	mesh->maxJoint = found->jointCount - !anyUnbound;
	return true;
}

static bool ReadInfluences(fbxReader* r, uint32_t geometry, ioAssetMesh* mesh)
{
	uint32_t link = IO_NONE, skin = fbxNextChild(r, geometry, fbx_skin, &link), second = link;
	if (skin == IO_NONE)
	{
		return true;
	}
	if (fbxNextChild(r, geometry, fbx_skin, &second) != IO_NONE)
	{
		return fbxFail(r, geometry, "several skins: only one is read");
	}
	fbxValue kind = fbxGetValue(&r->tree, fbxFind(&r->tree, r->objects[skin].record, "SkinningType"), 0);
	if (kind.type == fbx_string && (fbxText_Is(kind.text, "DualQuaternion") || fbxText_Is(kind.text, "Blend")))
	{
		fbxWarn(r, skin, "made for dual quaternions; how joints are blended is not taken from the file");
	}
	influences found = { .count = 0 };
	bool read = true;
	link = IO_NONE;
	for (uint32_t c = fbxNextChild(r, skin, fbx_cluster, &link); read && c != IO_NONE;
	     c = fbxNextChild(r, skin, fbx_cluster, &link))
	{
		read = found.jointCount < 65535 ? ReadCluster(r, c, mesh->mesh.vertexCount, &found)
		                                : fbxFail(r, skin, "more than 65535 joints");
	}
	read = read && (found.count == 0 || SortInfluences(r, &found, mesh));
	FreeInfluences(&found);
	return read;
}

// ---- Blend shapes ----------------------------------------------------------------------------------------------

// The key nearest to a percentage on one side of it, without one of them. Number `count` is the mesh without any shape,
// at 0.
static uint32_t FindShape(const double* fullWeights, uint32_t count, double percent, bool above, uint32_t without)
{
	uint32_t found = IO_NONE;
	double best = INFINITY;
	for (uint32_t i = 0; i <= count; ++i)
	{
		double distance = (i < count ? fullWeights[i] : 0.0) - percent;
		distance = above ? distance : -distance;
		if (i != without && (above ? distance > 0.0 : distance >= 0.0) && distance < best)
		{
			best = distance;
			found = i;
		}
	}
	return found;
}

// Shapes lie on a line of percentages, and so does the mesh without any. Between two neighbours they are mixed; beyond
// the ends it goes on as between the last two.
void fbxMixShapes(
    double percent, double within, const double* fullWeights, uint32_t count, double* weights, double* rates)
{
	uint32_t low = FindShape(fullWeights, count, within, false, IO_NONE);
	uint32_t high = FindShape(fullWeights, count, within, true, IO_NONE);
	high = high != IO_NONE ? high : FindShape(fullWeights, count, within, false, low);
	low = low != IO_NONE ? low : FindShape(fullWeights, count, high < count ? fullWeights[high] : 0.0, true, IO_NONE);
	double a = low < count ? fullWeights[low] : 0.0, b = high < count ? fullWeights[high] : 0.0;
	double t = (percent - a) / (b - a);
	for (uint32_t i = 0; i < count; ++i)
	{
		double sign = i == high ? 1.0 : i == low ? -1.0 : 0.0;
		weights[i] = i == high ? t : i == low ? 1.0 - t : 0.0;
		if (rates != NULL)
		{
			rates[i] = sign / (b - a);
		}
	}
}

#define MAX_SHAPES 1000 // of one channel

double* fbxReadFullWeights(const fbxReader* r, uint32_t channel, uint32_t* count)
{
	uint32_t shapes = 0, given, link = IO_NONE;
	while (fbxNextChild(r, channel, fbx_shape, &link) != IO_NONE)
	{
		++shapes;
	}
	uint32_t record = fbxFind(&r->tree, r->objects[channel].record, "FullWeights");
	double* weights = fbxReadNumbers(&r->tree, record, &given);
	bool valid = weights != NULL;
	if (valid && shapes == 1 && (given != 1 || weights[0] == 0.0))
	{
		weights[0] = 100.0; // Blender writes weights of vertices here; there is room for one more than counted
		given = 1;
	}
	for (uint32_t i = 0; valid && i < shapes; ++i)
	{
		valid = i < given && weights[i] != 0.0 && fabs(weights[i]) < 1e9;
		for (uint32_t k = 0; valid && k < i && shapes <= MAX_SHAPES; ++k)
		{
			valid = weights[k] != weights[i];
		}
	}
	valid = valid && shapes <= MAX_SHAPES;
	if (weights != NULL && !valid)
	{
		fbxFail(r, channel, "FullWeights are not %u different percentages", shapes);
		free(weights);
		return NULL;
	}
	*count = shapes;
	return weights;
}

// Blender writes a percentage for each vertex of the shape where others write one for all.
static bool ScaleByVertex(const fbxReader* r, uint32_t channel, float* deltas, uint32_t count)
{
	uint32_t given;
	double* weights = fbxReadNumbers(&r->tree, fbxFind(&r->tree, r->objects[channel].record, "FullWeights"), &given);
	for (size_t i = 0; weights != NULL && given == count && count > 1 && i < 3 * (size_t)count; ++i)
	{
		float scaled = (float)((double)deltas[i] * weights[i / 3] / 100.0);
		deltas[i] = isfinite(scaled) ? scaled : 0.0f;
	}
	free(weights);
	return weights != NULL;
}

static bool ReadShape(fbxReader* r, uint32_t shape, const char* name, uint32_t vertexCount, ioMorphTarget* target)
{
	ioAsset* asset = r->loader->asset;
	uint32_t count, deltaCount = 0, kept = 0;
	float* deltas = NULL;
	int64_t* indices = fbxReadIntegers(&r->tree, fbxFind(&r->tree, r->objects[shape].record, "Indexes"), &count);
	if (indices == NULL || !ReadPositions(r, shape, "Vertices", &deltas, &deltaCount))
	{
		free(indices);
		return false;
	}
	uint32_t* vertices = ioAsset_Allocate(asset, count, sizeof(uint32_t));
	bool owned = ioAsset_Adopt(asset, deltas);
	bool valid = count == deltaCount;
	for (uint32_t i = 0; valid && owned && vertices != NULL && i < count; ++i)
	{
		valid = indices[i] >= 0 && indices[i] < vertexCount && (i == 0 || indices[i] > indices[i - 1]);
		if (valid &&
		    (deltas[3 * (size_t)i] != 0.0f || deltas[3 * (size_t)i + 1] != 0.0f || deltas[3 * (size_t)i + 2] != 0.0f))
		{
			vertices[kept] = (uint32_t)indices[i];
			memmove(deltas + 3 * (size_t)kept++, deltas + 3 * (size_t)i, 3 * sizeof(float));
		}
	}
	free(indices);
	if (!owned || vertices == NULL)
	{
		return ioFailMemory(r->loader);
	}
	*target = (ioMorphTarget){ .name = name, .vertices = vertices, .deltas = deltas, .count = kept };
	return valid ||
	       fbxFail(r, shape, "its vertices are out of range, do not ascend, or are not as many as displacements");
}

// The shapes of a channel, from target `first` on.
static bool ReadChannel(fbxReader* r, uint32_t channel, uint32_t vertexCount, ioMorphTarget* targets, float* weights)
{
	uint32_t count, link = IO_NONE, i = 0;
	const char* name = fbxCopyName(r, channel);
	double* full = name != NULL ? fbxReadFullWeights(r, channel, &count) : NULL;
	double* mixed = full != NULL ? malloc(((size_t)count + 1) * sizeof(double)) : NULL;
	double percent = fbxGetNumber(r, channel, "DeformPercent", 0.0);
	uint32_t old = fbxFind(&r->tree, r->objects[channel].record, "DeformPercent");
	percent =
	    fbxFindProperty(r, channel, "DeformPercent") == 0 && old != 0 ? fbxGetValue(&r->tree, old, 0).number : percent;
	bool read = mixed != NULL || (full != NULL && ioFailMemory(r->loader));
	if (read && !(fabs(percent) < 1e9))
	{
		read = fbxFail(r, channel, "DeformPercent is %g", percent);
	}
	if (read && count > 0)
	{
		fbxMixShapes(percent, percent, full, count, mixed, NULL);
	}
	for (uint32_t s = fbxNextChild(r, channel, fbx_shape, &link); read && s != IO_NONE;
	     s = fbxNextChild(r, channel, fbx_shape, &link), ++i)
	{
		weights[i] = (float)mixed[i];
		read = ReadShape(r, s, name, vertexCount, targets + i) &&
		       (count > 1 || ScaleByVertex(r, channel, (float*)targets[i].deltas, targets[i].count));
	}
	free(full);
	free(mixed);
	return read;
}

// Call for each channel of a mesh, in order.
static uint32_t NextChannel(const fbxReader* r, uint32_t geometry, uint32_t* blendLink, uint32_t* channelLink)
{
	for (;;)
	{
		uint32_t blend = *blendLink != IO_NONE ? r->links[*blendLink].child : IO_NONE;
		uint32_t channel = blend != IO_NONE ? fbxNextChild(r, blend, fbx_blendChannel, channelLink) : IO_NONE;
		if (channel != IO_NONE)
		{
			return channel;
		}
		*channelLink = IO_NONE;
		if (fbxNextChild(r, geometry, fbx_blendShape, blendLink) == IO_NONE)
		{
			return IO_NONE;
		}
	}
}

static bool ReadShapes(fbxReader* r, uint32_t geometry, ioAssetMesh* mesh)
{
	uint32_t count = 0, blendLink = IO_NONE, channelLink = IO_NONE, next = 0;
	for (uint32_t c = NextChannel(r, geometry, &blendLink, &channelLink); c != IO_NONE;
	     c = NextChannel(r, geometry, &blendLink, &channelLink))
	{
		if (r->objects[c].index != IO_NONE)
		{
			return fbxFail(r, c, "part of two meshes");
		}
		r->objects[c].index = count; // its first target
		for (uint32_t link = IO_NONE; fbxNextChild(r, c, fbx_shape, &link) != IO_NONE;)
		{
			++count;
		}
	}
	if (count == 0)
	{
		return true;
	}
	if (!ioSpend(r->loader, count * (uint64_t)(sizeof(ioMorphTarget) + sizeof(float))))
	{
		return fbxFail(r, geometry, "too many blend shapes for a file of %zu bytes", r->loader->count);
	}
	ioMorphTarget* targets = ioAsset_Allocate(r->loader->asset, count, sizeof(ioMorphTarget));
	float* weights = ioAsset_Allocate(r->loader->asset, count, sizeof(float));
	if (targets == NULL || weights == NULL)
	{
		return ioFailMemory(r->loader);
	}
	mesh->targets = targets;
	mesh->targetCount = count;
	mesh->targetWeights = weights;
	blendLink = channelLink = IO_NONE;
	for (uint32_t c = NextChannel(r, geometry, &blendLink, &channelLink); c != IO_NONE;
	     c = NextChannel(r, geometry, &blendLink, &channelLink))
	{
		next = r->objects[c].index;
		if (!ReadChannel(r, c, mesh->mesh.vertexCount, targets + next, weights + next))
		{
			return false;
		}
	}
	return true;
}

bool fbxReadMeshes(fbxReader* r)
{
	ioAsset* asset = r->loader->asset;
	uint32_t count = 0;
	for (uint32_t i = 1; i < r->objectCount; ++i)
	{
		count += r->objects[i].class == fbx_geometry;
	}
	r->meshes = ioAsset_Allocate(asset, count, sizeof(ioAssetMesh));
	asset->meshes = r->meshes;
	if (r->meshes == NULL)
	{
		return ioFailMemory(r->loader);
	}
	for (uint32_t i = 1; i < r->objectCount; ++i)
	{
		if (r->objects[i].class == fbx_geometry)
		{
			ioAssetMesh* mesh = r->meshes + asset->meshCount;
			r->objects[i].index = asset->meshCount++;
			if (!ReadGeometry(r, i, mesh) || !ReadInfluences(r, i, mesh) || !ReadShapes(r, i, mesh))
			{
				return false;
			}
		}
	}
	return true;
}
