// Nodes of an FBX file: models with all that their transforms are made of, the axes and units of the file, and the
// instances of meshes with their skins.
#include "io/fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double zeros[3] = { 0.0, 0.0, 0.0 }, ones[3] = { 1.0, 1.0, 1.0 };

// ---- Axes and units --------------------------------------------------------------------------------------------

// A row per axis of glTF, which says where it is in the file.
static bool ReadAxes(fbxReader* r)
{
	static const char* const names[3] = { "CoordAxis", "UpAxis", "FrontAxis" };
	static const char* const signs[3] = { "CoordAxisSign", "UpAxisSign", "FrontAxisSign" };
	bool used[3] = { false, false, false }, valid = true;
	memset(r->axes, 0, sizeof(r->axes));
	for (int row = 0; row < 3; ++row)
	{
		double axis = fbxGetNumber(r, 0, names[row], row), sign = fbxGetNumber(r, 0, signs[row], 1.0);
		bool good = (axis == 0.0 || axis == 1.0 || axis == 2.0) && (sign == 1.0 || sign == -1.0) && !used[(int)axis];
		valid = valid && good;
		if (good)
		{
			used[(int)axis] = true;
			r->axes[4 * row + (int)axis] = sign;
			r->turned = r->turned || (int)axis != row || sign < 0.0;
		}
	}
	return valid || ioFail(r->loader, 0, "GlobalSettings: CoordAxis, UpAxis and FrontAxis are not three axes");
}

// The clock: 46186158000 ticks a second, unless the header (since 1004) says that it is the new one.
static double ReadTicks(const fbxReader* r)
{
	const fbxTree* tree = &r->tree;
	uint32_t header = fbxFind(tree, 0, "FBXHeaderExtension"),
	         flags = header != 0 ? fbxFind(tree, header, "OtherFlags") : 0;
	uint32_t definition = flags != 0 ? fbxFind(tree, flags, "TCDefinition") : 0;
	uint32_t version = header != 0 ? fbxFind(tree, header, "FBXHeaderVersion") : 0;
	bool told = definition != 0 && version != 0 && fbxGetValue(tree, version, 0).integer >= 1004;
	bool old = told ? fbxGetValue(tree, definition, 0).integer == 127 : tree->version < 8000;
	return old ? 46186158000.0 : 141120000.0;
}

static bool ReadSettings(fbxReader* r)
{
	double centimetres = fbxGetNumber(r, 0, "UnitScaleFactor", 1.0);
	if (!(centimetres > 1e-9 && centimetres < 1e12))
	{
		return ioFail(r->loader, 0, "GlobalSettings: UnitScaleFactor is %g", centimetres);
	}
	r->unit = centimetres / 100.0;
	r->ticks = ReadTicks(r);
	return ReadAxes(r);
}

// ---- Transforms ------------------------------------------------------------------------------------------------

// Degrees about x, then y, then z: the order of everything but a model's own rotation.
static void TurnXyz(const double degrees[3], double out[9])
{
	double c[3], s[3];
	for (int k = 0; k < 3; ++k)
	{
		c[k] = cos(degrees[k] * IO_RADIANS);
		s[k] = sin(degrees[k] * IO_RADIANS);
	}
	const double x[9] = { 1, 0, 0, 0, c[0], -s[0], 0, s[0], c[0] }, y[9] = { c[1], 0, s[1], 0, 1, 0, -s[1], 0, c[1] };
	const double z[9] = { c[2], -s[2], 0, s[2], c[2], 0, 0, 0, 1 };
	double yx[9];
	ioMultiply3(y, x, yx);
	ioMultiply3(z, yx, out);
}

static bool ReadLength(const fbxReader* r, uint32_t model, const char* name, double vector[3])
{
	bool read = fbxGetVector(r, model, name, zeros, vector);
	for (int k = 0; k < 3; ++k)
	{
		vector[k] *= r->unit;
	}
	return read;
}

static bool ReadPivots(fbxReader* r, uint32_t model, ioPivots* p)
{
	double pre[3], post[3], turned[9];
	double order = fbxGetNumber(r, model, "RotationOrder", 0.0), inherit = fbxGetNumber(r, model, "InheritType", 1.0);
	if (!ReadLength(r, model, "RotationOffset", p->rotationOffset) ||
	    !ReadLength(r, model, "RotationPivot", p->rotationPivot) ||
	    !ReadLength(r, model, "ScalingOffset", p->scalingOffset) ||
	    !ReadLength(r, model, "ScalingPivot", p->scalingPivot) || !fbxGetVector(r, model, "PreRotation", zeros, pre) ||
	    !fbxGetVector(r, model, "PostRotation", zeros, post))
	{
		return false;
	}
	if (fbxGetNumber(r, model, "RotationActive", 1.0) == 0.0 ||
	    fbxGetNumber(r, model, "RotationSpaceForLimitOnly", 0.0) != 0.0)
	{
		// Then the order and both further rotations are without effect.
		memset(pre, 0, sizeof(pre));
		memset(post, 0, sizeof(post));
		order = 0.0;
	}
	if (!(order >= 0.0 && order < 6.0))
	{
		return fbxFail(r, model, "its order of rotation is number %g: only the six of three axes are read", order);
	}
	p->order = (ioRotationOrder)(int)order;
	p->inherit = inherit == 0.0 ? io_inheritByAxis : inherit == 2.0 ? io_inheritNoScale : io_inheritAll;
	TurnXyz(pre, p->preRotation);
	TurnXyz(post, turned);
	for (int i = 0; i < 9; ++i)
	{
		p->postRotation[i] = turned[i % 3 * 3 + i / 3];
	}
	return true;
}

static bool ReadModel(fbxReader* r, uint32_t model, ioNode* node)
{
	double turn[3];
	ioPivots* pivots = ioAsset_Allocate(r->loader->asset, 1, sizeof(ioPivots));
	node->name = fbxCopyName(r, model);
	node->mesh = node->skin = IO_NONE;
	node->pivots = pivots;
	if (pivots == NULL || node->name == NULL)
	{
		return ioFailMemory(r->loader);
	}
	if (!ReadLength(r, model, "Lcl Translation", node->translation) ||
	    !fbxGetVector(r, model, "Lcl Rotation", zeros, turn) ||
	    !fbxGetVector(r, model, "Lcl Scaling", ones, node->scale) || !ReadPivots(r, model, pivots))
	{
		return false;
	}
	memcpy(node->rotation, turn, sizeof(turn));
	return true;
}

// The matrix that a model's meshes have over its own transform. False if it is the identity.
static bool GetGeometric(const fbxReader* r, uint32_t model, double matrix[12])
{
	double move[3], turn[3], scale[3], turned[9];
	bool read = ReadLength(r, model, "GeometricTranslation", move) &&
	            fbxGetVector(r, model, "GeometricRotation", zeros, turn) &&
	            fbxGetVector(r, model, "GeometricScaling", ones, scale);
	TurnXyz(turn, turned);
	bool identity = true;
	for (int row = 0; row < 3; ++row)
	{
		for (int column = 0; column < 3; ++column)
		{
			matrix[4 * row + column] = turned[3 * row + column] * scale[column];
		}
		matrix[4 * row + 3] = move[row];
		identity = identity && move[row] == 0.0 && turn[row] == 0.0 && scale[row] == 1.0;
	}
	return read && !identity;
}

// ---- Nodes -----------------------------------------------------------------------------------------------------

// The model that a model is a part of: another one, or the root of the scene, or none.
static uint32_t FindParent(const fbxReader* r, uint32_t model)
{
	uint32_t link = IO_NONE;
	return fbxNextOwner(r, model, fbx_model, &link);
}

static bool IsPlaced(const fbxReader* r, uint32_t model)
{
	for (uint32_t i = r->objects[model].firstOwner; i != IO_NONE; i = r->links[i].nextOwner)
	{
		bool whole = r->links[i].property.length == 0;
		if (whole && (r->links[i].owner == 0 || r->objects[r->links[i].owner].class == fbx_model))
		{
			return true;
		}
	}
	return false;
}

static ioNode PlainNode(const char* name, uint32_t parent)
{
	ioNode node = { .name = name, .parent = parent, .mesh = IO_NONE, .skin = IO_NONE, .hasMatrix = true };
	node.rotation[3] = node.scale[0] = node.scale[1] = node.scale[2] = 1.0;
	return node;
}

// Meshes that models have: each becomes an instance, and a node of its own where it has a geometric transform or is
// not the model's only one.
static uint32_t CountInstances(const fbxReader* r, uint32_t* models)
{
	uint32_t instances = 0;
	*models = 0;
	for (uint32_t i = 1; i < r->objectCount; ++i)
	{
		*models += r->objects[i].class == fbx_model;
		for (uint32_t link = IO_NONE;
		     r->objects[i].class == fbx_model && fbxNextChild(r, i, fbx_geometry, &link) != IO_NONE;)
		{
			++instances;
		}
	}
	return instances;
}

static bool AddModels(fbxReader* r)
{
	ioAsset* asset = r->loader->asset;
	uint32_t root = IO_NONE;
	if (r->turned)
	{
		root = asset->nodeCount++;
		r->nodes[root] = PlainNode("axes", IO_NONE);
		memcpy(r->nodes[root].matrix, r->axes, sizeof(r->axes));
	}
	for (uint32_t i = 1; i < r->objectCount; ++i)
	{
		if (r->objects[i].class == fbx_model)
		{
			r->objects[i].index = asset->nodeCount++;
			if (!ReadModel(r, i, r->nodes + r->objects[i].index))
			{
				return false;
			}
		}
	}
	for (uint32_t i = 1; i < r->objectCount; ++i)
	{
		if (r->objects[i].class == fbx_model)
		{
			uint32_t parent = FindParent(r, i);
			r->nodes[r->objects[i].index].parent = parent != IO_NONE ? r->objects[parent].index : root;
		}
	}
	return true;
}

bool fbxReadNodes(fbxReader* r)
{
	ioAsset* asset = r->loader->asset;
	uint32_t models, instances;
	if (!ReadSettings(r))
	{
		return false;
	}
	instances = CountInstances(r, &models);
	size_t most = (size_t)models + instances + 1;
	if (!ioSpend(r->loader, most * (sizeof(ioNode) + sizeof(ioPivots) + 512)))
	{
		return ioFail(r->loader, 0, "too many models for a file of %zu bytes", r->loader->count);
	}
	r->nodes = ioAsset_Allocate(asset, most, sizeof(ioNode));
	asset->nodes = r->nodes;
	return r->nodes != NULL ? AddModels(r) : ioFailMemory(r->loader);
}

// ---- Instances -------------------------------------------------------------------------------------------------

static const double identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };

// A matrix of 16 numbers, translation last, into rows.
static bool ReadMatrix(const fbxReader* r, uint32_t cluster, const char* name, double matrix[12])
{
	uint32_t count = 0, record = fbxFind(&r->tree, r->objects[cluster].record, name);
	double* numbers = fbxReadNumbers(&r->tree, record, &count);
	if (numbers == NULL)
	{
		return false;
	}
	bool valid = count == 16;
	for (uint32_t i = 0; valid && i < 16; ++i)
	{
		valid = isfinite(numbers[i]) && fabs(numbers[i]) < 1e30;
		if (i % 4 < 3)
		{
			matrix[4 * (i % 4) + i / 4] = numbers[i] * (i / 4 == 3 ? r->unit : 1.0);
		}
	}
	free(numbers);
	return valid || fbxFail(r, cluster, "%s is not a matrix of 16 numbers", name);
}

static void MultiplyRows(const double a[12], const double b[12], double out[12])
{
	for (int i = 0; i < 12; ++i)
	{
		const double* row = a + i / 4 * 4;
		out[i] = row[0] * b[i % 4] + row[1] * b[4 + i % 4] + row[2] * b[8 + i % 4] + (i % 4 == 3 ? row[3] : 0.0);
	}
}

// A cluster's Transform is from the mesh's model to the joint, when it was bound; the geometric transform comes first.
static bool FillSkin(fbxReader* r, uint32_t skinObject, const ioNode* node, const double geometric[12],
    const ioAssetMesh* mesh, ioSkin* skin, uint32_t* joints, double* matrices)
{
	for (uint32_t link = IO_NONE, c = fbxNextChild(r, skinObject, fbx_cluster, &link); c != IO_NONE;
	     c = fbxNextChild(r, skinObject, fbx_cluster, &link))
	{
		uint32_t boneLink = IO_NONE, bone = fbxNextChild(r, c, fbx_model, &boneLink);
		double bind[12];
		if (bone == IO_NONE)
		{
			continue; // so are its weights
		}
		if (!ReadMatrix(r, c, "Transform", bind))
		{
			return false;
		}
		MultiplyRows(bind, geometric, matrices + 12 * (size_t)skin->jointCount);
		joints[skin->jointCount++] = r->objects[bone].index;
	}
	// Then comes the model itself, for vertices that are bound to no joint.
	if (mesh->maxJoint >= skin->jointCount)
	{
		memcpy(matrices + 12 * (size_t)skin->jointCount, geometric, 12 * sizeof(double));
		joints[skin->jointCount++] = (uint32_t)(node - r->nodes);
	}
	return true;
}

// A skin for one instance.
static bool AddSkin(fbxReader* r, uint32_t geometry, const ioNode* node, const double geometric[12], uint32_t* number)
{
	ioAsset* asset = r->loader->asset;
	uint32_t link = IO_NONE, skinObject = fbxNextChild(r, geometry, fbx_skin, &link), count = 1;
	*number = IO_NONE;
	const ioAssetMesh* mesh = asset->meshes + r->objects[geometry].index;
	if (skinObject == IO_NONE || mesh->influenceStart == NULL)
	{
		return true;
	}
	for (link = IO_NONE; fbxNextChild(r, skinObject, fbx_cluster, &link) != IO_NONE;)
	{
		++count;
	}
	if (!ioSpend(r->loader, count * (uint64_t)(4 + 96 + 96)))
	{
		return fbxFail(r, skinObject, "too many joints for a file of %zu bytes", r->loader->count);
	}
	uint32_t* joints = ioAsset_Allocate(asset, count, sizeof(uint32_t));
	double* matrices = ioAsset_Allocate(asset, count, 12 * sizeof(double));
	ioSkin* skin = (ioSkin*)asset->skins + asset->skinCount;
	skin->name = node->name;
	skin->joints = joints;
	skin->inverseBind = matrices;
	skin->firstJoint = asset->jointCount;
	if (joints == NULL || matrices == NULL)
	{
		return ioFailMemory(r->loader);
	}
	if (!FillSkin(r, skinObject, node, geometric, mesh, skin, joints, matrices))
	{
		return false;
	}
	asset->jointCount += skin->jointCount;
	*number = asset->skinCount++;
	return true;
}

// Where a mesh hangs: on the model, or on a node below it that has the geometric transform.
static uint32_t PlaceMesh(fbxReader* r, uint32_t model, const double geometric[12])
{
	ioAsset* asset = r->loader->asset;
	uint32_t number = r->objects[model].index;
	if (r->nodes[number].mesh == IO_NONE && memcmp(geometric, identity, sizeof(identity)) == 0)
	{
		return number;
	}
	uint32_t added = asset->nodeCount++;
	r->nodes[added] = PlainNode(r->nodes[number].name, number);
	memcpy(r->nodes[added].matrix, geometric, sizeof(identity));
	return added;
}

static bool AddInstance(fbxReader* r, uint32_t model, uint32_t geometry, ioInstance* instance)
{
	ioAsset* asset = r->loader->asset;
	uint32_t meshNumber = r->objects[geometry].index, skin;
	double geometric[12];
	if (!GetGeometric(r, model, geometric))
	{
		memcpy(geometric, identity, sizeof(identity));
	}
	const ioAssetMesh* mesh = asset->meshes + meshNumber;
	uint32_t number = PlaceMesh(r, model, geometric);
	ioNode* node = r->nodes + number;
	node->mesh = meshNumber;
	node->firstWeight = asset->weightCount;
	if (!ioSpend(r->loader, 16 * (uint64_t)mesh->targetCount))
	{
		return fbxFail(r, model, "too many blend shapes for a file of %zu bytes", r->loader->count);
	}
	asset->weightCount += mesh->targetCount;
	if (!AddSkin(r, geometry, r->nodes + r->objects[model].index, geometric, &skin))
	{
		return false;
	}
	node->skin = skin;
	const char* name = node->name[0] != '\0' ? node->name : mesh->name;
	*instance =
	    (ioInstance){ .name = name[0] != '\0' ? name : "model", .node = number, .mesh = meshNumber, .skin = skin };
	return true;
}

static bool AddInstances(fbxReader* r, ioInstance* instances)
{
	ioAsset* asset = r->loader->asset;
	for (uint32_t i = 1; i < r->objectCount; ++i)
	{
		uint32_t link = IO_NONE;
		for (uint32_t g = r->objects[i].class == fbx_model ? fbxNextChild(r, i, fbx_geometry, &link) : IO_NONE;
		     g != IO_NONE; g = fbxNextChild(r, i, fbx_geometry, &link))
		{
			if (asset->meshes[r->objects[g].index].mesh.triangleCount > 0 && IsPlaced(r, i))
			{
				if (!AddInstance(r, i, g, instances + asset->instanceCount))
				{
					return false;
				}
				asset->instanceCount++;
			}
		}
	}
	return true;
}

bool fbxReadInstances(fbxReader* r)
{
	ioAsset* asset = r->loader->asset;
	uint32_t models, count = CountInstances(r, &models), cyclic;
	ioInstance* instances = ioAsset_Allocate(asset, count, sizeof(ioInstance));
	asset->skins = ioAsset_Allocate(asset, count, sizeof(ioSkin));
	asset->instances = instances;
	if (instances == NULL || asset->skins == NULL)
	{
		return ioFailMemory(r->loader);
	}
	if (!AddInstances(r, instances) || !ioOrderNodes(r->loader, &cyclic))
	{
		return false;
	}
	if (cyclic != IO_NONE)
	{
		return ioFail(r->loader, 0, "Model '%.60s' is its own ancestor", r->nodes[cyclic].name);
	}
	return asset->instanceCount > 0 || ioFail(r->loader, 0, "no triangles in the scene");
}
