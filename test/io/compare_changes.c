// test/io/compare_changes.c: changes of what a file says are made while it is read: the linker sends some calls of the
// FBX reader here (--wrap).
#include "compare_changes.h"

#include "io/fbx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __real_fbxMixShapes(double percent, const double* fullWeights, uint32_t count, double* weights);
void __wrap_fbxMixShapes(double percent, const double* fullWeights, uint32_t count, double* weights);
double* __real_fbxReadNumbers(const fbxTree* tree, uint32_t record, uint32_t* count);
double* __wrap_fbxReadNumbers(const fbxTree* tree, uint32_t record, uint32_t* count);

static unsigned current; // changes of the file that is being read

const char* compareName(unsigned changes, char text[200])
{
	static const char* const names[compare_changes] = { "four influences", "pivots and inheritance", "blend shapes",
		"skins bound elsewhere", "jumps of curves", "up axis lost in motion", "vertices without joints" };
	text[0] = '\0';
	for (int i = 0; i < compare_changes; ++i)
	{
		if ((changes >> i & 1) != 0)
		{
			size_t used = strlen(text);
			snprintf(text + used, 200 - used, "%s%s", used > 0 ? " and " : "", names[i]);
		}
	}
	return text;
}

// ---- Matrices, 3 rows of 4 --------------------------------------------------------------------------------------

static void Multiply(const double a[12], const double b[12], double out[12])
{
	double product[12];
	for (int i = 0; i < 12; ++i)
	{
		const double* row = a + i / 4 * 4;
		product[i] = row[0] * b[i % 4] + row[1] * b[4 + i % 4] + row[2] * b[8 + i % 4] + (i % 4 == 3 ? row[3] : 0.0);
	}
	memcpy(out, product, sizeof(product));
}

static double Determinant(const double m[12])
{
	return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
	       m[2] * (m[4] * m[9] - m[5] * m[8]);
}

static void Invert(const double m[12], double out[12])
{
	double inverse[12], d = Determinant(m);
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			int a = (k + 1) % 3, b = (k + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
			inverse[4 * i + k] = (m[4 * a + c] * m[4 * b + e] - m[4 * a + e] * m[4 * b + c]) / d;
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		const double* row = inverse + 4 * i;
		inverse[4 * i + 3] = -(row[0] * m[3] + row[1] * m[7] + row[2] * m[11]);
	}
	memcpy(out, inverse, sizeof(inverse));
}

// ---- What the reader is told -------------------------------------------------------------------------------------

void __wrap_fbxMixShapes(double percent, const double* fullWeights, uint32_t count, double* weights)
{
	if ((current & compare_plainShapes) == 0)
	{
		__real_fbxMixShapes(percent, fullWeights, count, weights);
		return;
	}
	memset(weights, 0, count * sizeof(double));
	weights[0] = percent / 100.0;
}

// The inverse of a cluster's TransformLink in place of its Transform: as if the mesh were bound without any transform.
static void InvertLink(const fbxTree* tree, uint32_t record, double* numbers)
{
	uint32_t count = 0, link = tree->records[record].nextSibling;
	while (link != 0 && !fbxText_Is(tree->records[link].name, "TransformLink"))
	{
		link = tree->records[link].nextSibling;
	}
	double* columns = link != 0 ? __real_fbxReadNumbers(tree, link, &count) : NULL;
	double matrix[12];
	for (int i = 0; columns != NULL && count == 16 && i < 12; ++i)
	{
		matrix[i] = columns[4 * (i % 4) + i / 4];
	}
	free(columns);
	if (count == 16)
	{
		Invert(matrix, matrix);
		for (int i = 0; i < 12; ++i)
		{
			numbers[4 * (i % 4) + i / 4] = matrix[i];
		}
	}
}

double* __wrap_fbxReadNumbers(const fbxTree* tree, uint32_t record, uint32_t* count)
{
	double* numbers = __real_fbxReadNumbers(tree, record, count);
	fbxText name = record != 0 ? tree->records[record].name : (fbxText){ "", 0 };
	if (numbers != NULL && *count == 16 && (current & compare_boundAtRest) != 0 && fbxText_Is(name, "Transform"))
	{
		InvertLink(tree, record, numbers);
	}
	if (numbers != NULL && (current & compare_plainShapes) != 0 && fbxText_Is(name, "FullWeights") && *count > 0)
	{
		for (uint32_t i = 0; i < *count; ++i)
		{
			numbers[i] = 100.0 * (1.0 + 1e-9 * i); // all of it; different, as the reader wants them
		}
	}
	return numbers;
}

// ---- What was read -----------------------------------------------------------------------------------------------

// The four largest weights of each vertex, as three.js takes them from FBX; of glTF it takes the first four, which
// exporters sort. Of equal ones it keeps those that this way of sorting them in happens to keep.
static void KeepFourOf(const ioAssetMesh* mesh, uint32_t vertex)
{
	float *weights = (float*)mesh->weights, largest[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
	uint32_t first = mesh->influenceStart[vertex], end = mesh->influenceStart[vertex + 1];
	uint32_t places[4] = { IO_NONE, IO_NONE, IO_NONE, IO_NONE };
	double sum = 0.0;
	for (uint32_t i = first; i < end; ++i)
	{
		float weight = weights[i];
		uint32_t place = i;
		for (int k = 0; k < 4; ++k)
		{
			if (weight > largest[k])
			{
				float displaced = largest[k];
				uint32_t itsPlace = places[k];
				largest[k] = weight;
				places[k] = place;
				weight = displaced;
				place = itsPlace;
			}
		}
	}
	for (int k = 0; k < 4; ++k)
	{
		sum += (double)largest[k];
	}
	for (uint32_t i = first; i < end; ++i)
	{
		bool kept = i == places[0] || i == places[1] || i == places[2] || i == places[3];
		weights[i] = kept ? (float)((double)weights[i] / sum) : 0.0f;
	}
}

static void KeepFour(ioAsset* asset)
{
	for (uint32_t m = 0; m < asset->meshCount; ++m)
	{
		const ioAssetMesh* mesh = asset->meshes + m;
		for (uint32_t v = 0; mesh->influenceStart != NULL && v < mesh->mesh.vertexCount; ++v)
		{
			KeepFourOf(mesh, v);
		}
	}
}

// Vertices that no joint moves follow the mesh's node, which the reader has made the last joint; here the first one.
static void BindToFirst(ioAsset* asset)
{
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		const ioInstance* instance = asset->instances + i;
		const ioAssetMesh* mesh = asset->meshes + instance->mesh;
		const ioSkin* skin = instance->skin != IO_NONE ? asset->skins + instance->skin : NULL;
		for (uint32_t k = 0; skin != NULL && k < mesh->influenceStart[mesh->mesh.vertexCount]; ++k)
		{
			uint16_t* joint = (uint16_t*)mesh->joints + k;
			*joint = *joint + 1u == skin->jointCount && mesh->maxJoint == *joint ? 0 : *joint;
		}
	}
}

static void TurnShapesOff(ioAsset* asset)
{
	for (uint32_t m = 0; m < asset->meshCount; ++m)
	{
		const ioAssetMesh* mesh = asset->meshes + m;
		memset((float*)mesh->targetWeights, 0, mesh->targetCount * sizeof(float));
	}
	for (uint32_t n = 0; n < asset->nodeCount; ++n)
	{
		const ioNode* node = asset->nodes + n;
		if (node->weights != NULL)
		{
			memset((float*)node->weights, 0, asset->meshes[node->mesh].targetCount * sizeof(float));
		}
	}
}

// Bind matrices as if bound where the mesh is at rest: InvertLink left that out.
static void BindAtRest(ioAsset* asset, const ioPose* rest)
{
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		const ioInstance* instance = asset->instances + i;
		const ioSkin* skin = instance->skin != IO_NONE ? asset->skins + instance->skin : NULL;
		for (uint32_t k = 0; skin != NULL && k < skin->jointCount; ++k)
		{
			double* bind = (double*)skin->inverseBind + 12 * (size_t)k;
			Multiply(bind, ioPose_GetNodeMatrix(rest, instance->node), bind);
		}
	}
}

bool compareLoad(const char* path, unsigned changes, ioAsset* asset, ioError* error)
{
	current = changes;
	bool loaded = ioLoad(path, NULL, asset, error);
	current = 0;
	if (loaded && (changes & compare_fourInfluences) != 0)
	{
		KeepFour(asset);
	}
	if (loaded && (changes & compare_plainShapes) != 0)
	{
		TurnShapesOff(asset);
	}
	if (loaded && (changes & compare_firstJoint) != 0)
	{
		BindToFirst(asset);
	}
	if (loaded && (changes & compare_boundAtRest) != 0 && strcmp(asset->format, "FBX") == 0)
	{
		ioPose* rest = ioPose_Create(asset);
		BindAtRest(asset, rest);
		ioPose_Destroy(rest);
	}
	return loaded;
}

// ---- Clips -------------------------------------------------------------------------------------------------------

// What a clip moves of a node, as bits of ioPath. Axes that have no curve come as one key with the file's value.
static unsigned GetMoved(const ioClip* clip, uint32_t node)
{
	unsigned moved = 0;
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		moved |= clip->channels[i].node == node ? 1u << clip->channels[i].path : 0;
	}
	return moved;
}

// Axes without a curve take the value that three.js has at rest, not the file's.
static void FillAxes(const ioClip* clip, uint32_t node, ioPath path, const double before[3], const double now[3])
{
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		const ioChannel* c = clip->channels + i;
		if (c->node == node && c->path == path && c->width == 1 && c->keyCount == 1 && c->interpolation == io_step &&
		    fabs((double)c->values[0] - before[c->first]) < 1e-6 * (1.0 + fabs(before[c->first])))
		{
			*(float*)c->values = (float)now[c->first];
		}
	}
}

// Position, rotation and scale of a matrix; what else it has is lost.
typedef struct plainTransform
{
	double translation[3], quaternion[4], scale[3];
} plainTransform;

// As three.js does it, which matters where the matrix is not a rotation: then its length is not 1.
static void QuaternionOf(const double m[9], double q[4])
{
	double trace = m[0] + m[4] + m[8];
	int i = trace > 0.0 ? 3 : m[0] > m[4] && m[0] > m[8] ? 0 : m[4] > m[8] ? 1 : 2;
	int j = (i + 1) % 3, k = (i + 2) % 3;
	if (i == 3)
	{
		double s = 0.5 / sqrt(trace + 1.0);
		q[3] = 0.25 / s;
		q[0] = (m[7] - m[5]) * s;
		q[1] = (m[2] - m[6]) * s;
		q[2] = (m[3] - m[1]) * s;
	}
	else
	{
		double s = 2.0 * sqrt(1.0 + m[4 * i] - m[4 * j] - m[4 * k]);
		q[3] = (m[3 * k + j] - m[3 * j + k]) / s;
		q[i] = 0.25 * s;
		q[j] = (m[3 * i + j] + m[3 * j + i]) / s;
		q[k] = (m[3 * i + k] + m[3 * k + i]) / s;
	}
}

static plainTransform Decompose(const double m[12])
{
	plainTransform plain;
	double turn[9];
	for (int k = 0; k < 3; ++k)
	{
		plain.translation[k] = m[4 * k + 3];
		plain.scale[k] = sqrt(m[k] * m[k] + m[4 + k] * m[4 + k] + m[8 + k] * m[8 + k]);
	}
	plain.scale[0] *= Determinant(m) < 0.0 ? -1.0 : 1.0;
	for (int i = 0; i < 9; ++i)
	{
		turn[i] = m[4 * (i / 3) + i % 3] / plain.scale[i % 3];
	}
	QuaternionOf(turn, plain.quaternion);
	return plain;
}

static void Compose(const plainTransform* plain, double m[12])
{
	const double *q = plain->quaternion, *s = plain->scale, *t = plain->translation;
	const double matrix[12] = { (1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])) * s[0],
		2.0 * (q[0] * q[1] - q[3] * q[2]) * s[1], 2.0 * (q[0] * q[2] + q[3] * q[1]) * s[2], t[0],
		2.0 * (q[0] * q[1] + q[3] * q[2]) * s[0], (1.0 - 2.0 * (q[0] * q[0] + q[2] * q[2])) * s[1],
		2.0 * (q[1] * q[2] - q[3] * q[0]) * s[2], t[1], 2.0 * (q[0] * q[2] - q[3] * q[1]) * s[0],
		2.0 * (q[1] * q[2] + q[3] * q[0]) * s[1], (1.0 - 2.0 * (q[0] * q[0] + q[1] * q[1])) * s[2], t[2] };
	memcpy(m, matrix, sizeof(matrix));
}

// A matrix without its translation, and its columns divided by numbers.
static void ScaleColumns(const double m[12], const double divisors[3], double out[12])
{
	for (int i = 0; i < 12; ++i)
	{
		out[i] = i % 4 < 3 ? m[i] / divisors[i % 4] : 0.0;
	}
}

// A node of three.js.
typedef struct threeNode
{
	plainTransform local;
	double matrix[12], world[12];
} threeNode;

static const double identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
static const double ones[3] = { 1.0, 1.0, 1.0 };

// What three.js makes of a local transform and of what a node inherits: it takes the parent's scale out of the parent's
// local matrix as it has it, which is not the one that the file gives where the parent itself does not inherit all.
static void Inherit(
    const double local[12], const ioNode* node, ioInherit inherit, const threeNode* parent, threeNode* made)
{
	const double* above = parent != NULL ? parent->world : identity;
	double turn[12], shear[12], inverse[12], own[12], scale[12], world[12], columns[3];
	for (int k = 0; k < 3; ++k)
	{
		columns[k] = sqrt(above[k] * above[k] + above[4 + k] * above[4 + k] + above[8 + k] * above[8 + k]);
	}
	ScaleColumns(above, columns, turn);
	Invert(turn, inverse);
	ScaleColumns(above, ones, shear);
	Multiply(inverse, shear, shear);
	ScaleColumns(local, node->scale, own);
	ScaleColumns(identity, ones, scale);
	for (int k = 0; k < 3; ++k)
	{
		scale[5 * k] = node->scale[k];
	}
	if (inherit == io_inheritAll)
	{
		Multiply(shear, own, own);
	}
	else
	{
		const double* removed = inherit == io_inheritNoScale && parent != NULL ? parent->local.scale : ones;
		const double positive[3] = { fabs(removed[0]), fabs(removed[1]), fabs(removed[2]) };
		ScaleColumns(shear, positive, shear);
		Multiply(own, shear, own);
	}
	Multiply(turn, own, world);
	Multiply(world, scale, world);
	for (int k = 0; k < 3; ++k)
	{
		const double* row = above + 4 * k;
		world[4 * k + 3] = row[0] * local[3] + row[1] * local[7] + row[2] * local[11] + row[3];
	}
	Invert(above, inverse);
	Multiply(inverse, world, made->matrix);
	made->local = Decompose(made->matrix);
	Compose(&made->local, made->matrix);
	Multiply(above, made->matrix, made->world);
}

// The local transforms that the file gives, as if every node inherited all.
static void GetLocals(const ioAsset* asset, double (*locals)[12])
{
	ioInherit* kept = calloc(asset->nodeCount, sizeof(ioInherit));
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		ioPivots* pivots = (ioPivots*)asset->nodes[i].pivots;
		kept[i] = pivots != NULL ? pivots->inherit : io_inheritAll;
		if (pivots != NULL)
		{
			pivots->inherit = io_inheritAll;
		}
	}
	ioPose* pose = ioPose_Create(asset);
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		double inverse[12];
		uint32_t parent = asset->nodes[i].parent;
		Invert(parent != IO_NONE ? ioPose_GetNodeMatrix(pose, parent) : identity, inverse);
		Multiply(inverse, ioPose_GetNodeMatrix(pose, i), locals[i]);
	}
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		ioPivots* pivots = (ioPivots*)asset->nodes[i].pivots;
		if (pivots != NULL)
		{
			pivots->inherit = kept[i];
		}
	}
	ioPose_Destroy(pose);
	free(kept);
}

static void MakePlain(const ioClip* clip, uint32_t number, const plainTransform* plain, ioNode* node)
{
	unsigned moved = clip != NULL ? GetMoved(clip, number) : 0;
	if (moved != 0)
	{
		FillAxes(clip, number, io_translation, node->translation, plain->translation);
		FillAxes(clip, number, io_scale, node->scale, plain->scale);
	}
	memcpy(node->translation, plain->translation, sizeof(node->translation));
	memcpy(node->scale, plain->scale, sizeof(node->scale));
	if ((moved & 1u << io_rotation) != 0)
	{
		ioPivots* pivots = (ioPivots*)node->pivots;
		memset(pivots, 0, 12 * sizeof(double));
		pivots->inherit = io_inheritAll;
	}
	else
	{
		// scene.mjs scales them to length 1, once all are there.
		const double* q = plain->quaternion;
		double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
		node->pivots = NULL;
		for (int k = 0; k < 4; ++k)
		{
			node->rotation[k] = q[k] / length;
		}
	}
}

static void MakeAllPlain(ioAsset* asset, const ioClip* clip)
{
	threeNode* made = calloc(asset->nodeCount, sizeof(threeNode));
	double(*locals)[12] = calloc(asset->nodeCount, sizeof(*locals));
	GetLocals(asset, locals);
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		uint32_t number = asset->nodeOrder[i];
		ioNode* node = (ioNode*)asset->nodes + number;
		const ioInherit inherit = node->pivots != NULL ? node->pivots->inherit : io_inheritAll;
		Inherit(locals[number], node, inherit, node->parent != IO_NONE ? made + node->parent : NULL, made + number);
	}
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		if (asset->nodes[i].pivots != NULL)
		{
			MakePlain(clip, i, &made[i].local, (ioNode*)asset->nodes + i);
		}
	}
	free(made);
	free(locals);
}

// The turn of the axes is the node above all others, if there is one.
static ioNode* FindAxes(const ioAsset* asset)
{
	ioNode* first = (ioNode*)asset->nodes;
	return first->hasMatrix && first->parent == IO_NONE && strcmp(first->name, "axes") == 0 ? first : NULL;
}

static void LoseAxes(const ioAsset* asset, const ioClip* clip)
{
	ioNode* axes = FindAxes(asset);
	for (uint32_t i = 0; axes != NULL && i < asset->nodeCount; ++i)
	{
		if (asset->nodes[i].parent == 0 && (GetMoved(clip, i) & 1u << io_rotation) != 0)
		{
			memcpy(axes->matrix, identity, sizeof(identity));
		}
	}
}

void compareChangeClip(ioAsset* asset, const ioClip* clip, unsigned changes)
{
	if ((changes & compare_plainNodes) != 0)
	{
		MakeAllPlain(asset, clip);
	}
	if ((changes & compare_lostAxes) != 0 && clip != NULL)
	{
		LoseAxes(asset, clip);
	}
}

bool compareChooseKeys(const ioClip* clip, double time, int which)
{
	bool any = false;
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		const ioChannel* c = clip->channels + i;
		float* times = (float*)c->times;
		uint32_t first = 0, end;
		while (first < c->keyCount && (double)times[first] < time - 4e-5)
		{
			++first;
		}
		for (end = first; end < c->keyCount && (double)times[end] <= time + 4e-5; ++end)
		{
		}
		uint32_t chosen = which == 0 ? first : which == 1 ? first + (end - first) / 2 : end - 1;
		any = any || end > first + 1;
		for (uint32_t k = first; k < end && end > first + 1; ++k)
		{
			times[k] = (float)(time + (k < chosen ? -2e-5 : k > chosen ? 2e-5 : 0.0));
		}
	}
	return any;
}
