// Let S be the scaling. What takes S x to S M x is S M S^-1: the linear part of M, and `factor` times its translation.
// Products of such matrices are of the same kind, so that it suffices to scale every translation: those of nodes,
// inverse bind matrices and channels, beside the positions and displacements of meshes.
//
// Arrays may be shared between meshes or channels, so each gets a copy, and nothing is scaled twice.
#include "program/files/scale.h"

#include "io/load.h"

#include <math.h>

// Assets are constant for those who use them. Nobody does yet.
#define EDITABLE(type, pointer) ((type*)(uintptr_t)(pointer))

typedef struct scaler
{
	ioAsset* asset;
	double factor;
	bool tooLarge, outOfMemory;
} scaler;

static const float* ScaleFloats(scaler* s, const float* from, size_t count)
{
	float* to = ioAsset_Allocate(s->asset, count + 1, sizeof(float));
	if (to == NULL)
	{
		s->outOfMemory = true;
		return from;
	}
	for (size_t i = 0; i < count; ++i)
	{
		to[i] = (float)(s->factor * (double)from[i]);
		s->tooLarge = s->tooLarge || !isfinite(to[i]);
	}
	return to;
}

static void ScaleMesh(scaler* s, ioAssetMesh* mesh)
{
	mesh->mesh.positions = EDITABLE(float, ScaleFloats(s, mesh->mesh.positions, 3 * (size_t)mesh->mesh.vertexCount));
	for (uint32_t i = 0; i < mesh->targetCount; ++i)
	{
		ioMorphTarget* target = EDITABLE(ioMorphTarget, mesh->targets + i);
		target->deltas = ScaleFloats(s, target->deltas, 3 * (size_t)target->count);
	}
}

static void ScaleMatrix(double factor, double matrix[12])
{
	matrix[3] *= factor;
	matrix[7] *= factor;
	matrix[11] *= factor;
}

// Nodes may share pivots, so each gets its own.
static void ScalePivots(scaler* s, ioNode* node)
{
	ioPivots* pivots = ioAsset_Allocate(s->asset, 1, sizeof(ioPivots));
	if (pivots == NULL)
	{
		s->outOfMemory = true;
		return;
	}
	*pivots = *node->pivots;
	for (int k = 0; k < 3; ++k)
	{
		pivots->rotationOffset[k] *= s->factor;
		pivots->rotationPivot[k] *= s->factor;
		pivots->scalingOffset[k] *= s->factor;
		pivots->scalingPivot[k] *= s->factor;
	}
	node->pivots = pivots;
}

static void ScaleNode(scaler* s, ioNode* node)
{
	ScaleMatrix(s->factor, node->matrix);
	for (int k = 0; k < 3; ++k)
	{
		node->translation[k] *= s->factor;
	}
	if (node->pivots != NULL)
	{
		ScalePivots(s, node);
	}
}

static void ScaleSkin(scaler* s, ioSkin* skin)
{
	double* matrices = ioAsset_Allocate(s->asset, 12 * (size_t)skin->jointCount + 1, sizeof(double));
	if (matrices == NULL)
	{
		s->outOfMemory = true;
		return;
	}
	for (size_t i = 0; i < 12 * (size_t)skin->jointCount; ++i)
	{
		matrices[i] = skin->inverseBind[i];
	}
	for (size_t i = 0; i < skin->jointCount; ++i)
	{
		ScaleMatrix(s->factor, matrices + 12 * i);
	}
	skin->inverseBind = matrices;
}

// Tangents are lengths per second: they are scaled with the values.
static void ScaleClip(scaler* s, const ioClip* clip)
{
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		ioChannel* channel = EDITABLE(ioChannel, clip->channels + i);
		size_t perKey = channel->interpolation == io_cubicSpline ? 3 : 1;
		if (channel->path == io_translation)
		{
			channel->values = ScaleFloats(s, channel->values, perKey * channel->width * channel->keyCount);
		}
	}
}

bool cliScaleAsset(ioAsset* asset, double factor, ioError* error, const char* path)
{
	scaler s = { .asset = asset, .factor = factor };
	for (uint32_t i = 0; i < asset->meshCount; ++i)
	{
		ScaleMesh(&s, EDITABLE(ioAssetMesh, asset->meshes + i));
	}
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		ScaleNode(&s, EDITABLE(ioNode, asset->nodes + i));
	}
	for (uint32_t i = 0; i < asset->skinCount; ++i)
	{
		ScaleSkin(&s, EDITABLE(ioSkin, asset->skins + i));
	}
	for (uint32_t i = 0; i < asset->clipCount; ++i)
	{
		ScaleClip(&s, asset->clips + i);
	}
	if (s.outOfMemory || s.tooLarge)
	{
		return ioError_Set(error, path, 0,
		    s.outOfMemory ? "out of memory" : "scaled by %g, positions are too large for float32", factor);
	}
	return true;
}
