// Animation stacks of an FBX file as clips. Every curve is a channel of one coordinate, as the file has it: three
// angles in degrees, not quaternions.
#include "io/fbx.h"
#include "io/grow.h"

#include <math.h>
#include <stdlib.h>

// A clip while its channels are found.
typedef struct clipReader
{
	fbxReader* r;
	uint32_t stack;
	ioChannel* channels;
	uint32_t count;
	size_t capacity;
	fbxExtent extent;
} clipReader;

static bool AddChannel(clipReader* c, ioChannel channel)
{
	if (!ioSpend(c->r->loader, 2 * sizeof(ioChannel)))
	{
		return fbxFail(c->r, c->stack, "too many curves for a file of %zu bytes", c->r->loader->count);
	}
	if (!ioGrow(&c->channels, &c->capacity, (size_t)c->count + 1, sizeof(ioChannel)))
	{
		return ioFailMemory(c->r->loader);
	}
	c->channels[c->count++] = channel;
	return true;
}

// ---- Transforms ------------------------------------------------------------------------------------------------

// A value that a curve node holds for a coordinate without a curve.
static bool AddConstant(clipReader* c, uint32_t curveNode, const char* name, double factor, ioChannel channel)
{
	uint32_t property = fbxFindProperty(c->r, curveNode, name);
	double value = property != 0 ? fbxGetValue(&c->r->tree, property, 4).number * factor : 0.0;
	float* key = property != 0 ? ioAsset_Allocate(c->r->loader->asset, 2, sizeof(float)) : NULL;
	if (property == 0)
	{
		return true; // as at rest
	}
	if (key == NULL)
	{
		return ioFailMemory(c->r->loader);
	}
	key[1] = (float)value;
	if (!isfinite(key[1]))
	{
		return fbxFail(c->r, curveNode, "%s is not finite", name);
	}
	channel.interpolation = io_step;
	channel.keyCount = 1;
	channel.times = key;
	channel.values = key + 1;
	return AddChannel(c, channel);
}

static uint32_t FindCurve(const fbxReader* r, uint32_t curveNode, const char* name)
{
	uint32_t link = IO_NONE, curve = fbxNextChild(r, curveNode, fbx_curve, &link);
	while (curve != IO_NONE && !fbxText_Is(r->links[link].property, name))
	{
		curve = fbxNextChild(r, curveNode, fbx_curve, &link);
	}
	return curve;
}

static bool ReadTransform(clipReader* c, uint32_t curveNode, uint32_t model, ioPath path)
{
	static const char* const names[3] = { "d|X", "d|Y", "d|Z" };
	double factor = path == io_translation ? c->r->unit : 1.0;
	for (uint32_t k = 0; k < 3; ++k)
	{
		ioChannel channel = { .node = c->r->objects[model].index, .path = path, .first = k, .width = 1 };
		uint32_t curve = FindCurve(c->r, curveNode, names[k]);
		bool read = curve != IO_NONE ? fbxReadCurve(c->r, curve, factor, &channel, &c->extent) &&
		                                   (channel.keyCount == 0 || AddChannel(c, channel))
		                             : AddConstant(c, curveNode, names[k], factor, channel);
		if (!read)
		{
			return false;
		}
	}
	return true;
}

// ---- Blend shapes ----------------------------------------------------------------------------------------------

// Give a channel to every node that has the mesh.
static bool AddForInstances(clipReader* c, uint32_t mesh, ioChannel channel)
{
	const ioAsset* asset = c->r->loader->asset;
	if (!ioSpend(c->r->loader, 8 * (uint64_t)asset->instanceCount))
	{
		return fbxFail(c->r, c->stack, "too many curves for a file of %zu bytes", c->r->loader->count);
	}
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		channel.node = asset->instances[i].node;
		if (asset->instances[i].mesh == mesh && !AddChannel(c, channel))
		{
			return false;
		}
	}
	return true;
}

// Weights of several shapes from one percentage.
static bool AddMixed(
    clipReader* c, uint32_t mesh, uint32_t target, const ioChannel* percent, const double* full, uint32_t count)
{
	ioChannel* channels = malloc(count * sizeof(ioChannel));
	bool added =
	    channels != NULL ? fbxMixChannel(c->r, c->stack, percent, full, count, channels) : ioFailMemory(c->r->loader);
	for (uint32_t k = 0; added && k < count; ++k)
	{
		channels[k].first = target + k;
		added = AddForInstances(c, mesh, channels[k]);
	}
	free(channels);
	return added;
}

static bool ReadPercent(clipReader* c, uint32_t curveNode, uint32_t blendChannel)
{
	fbxReader* r = c->r;
	uint32_t link = IO_NONE, blend = fbxNextOwner(r, blendChannel, fbx_blendShape, &link), count;
	link = IO_NONE;
	uint32_t geometry = blend != IO_NONE ? fbxNextOwner(r, blend, fbx_geometry, &link) : IO_NONE;
	uint32_t curve = FindCurve(r, curveNode, "d|DeformPercent"), target = r->objects[blendChannel].index;
	if (geometry == IO_NONE || curve == IO_NONE || target == IO_NONE)
	{
		return true; // of nothing that is shown
	}
	double* full = fbxReadFullWeights(r, blendChannel, &count);
	ioChannel channel = { .path = io_weights, .first = target, .width = 1 };
	bool read = full != NULL && fbxReadCurve(r, curve, count == 1 ? 1.0 / full[0] : 1.0, &channel, &c->extent);
	if (read && count > 0 && channel.keyCount > 0)
	{
		uint32_t mesh = r->objects[geometry].index;
		read = count == 1 ? AddForInstances(c, mesh, channel) : AddMixed(c, mesh, target, &channel, full, count);
	}
	free(full);
	return read;
}

// ---- Stacks ----------------------------------------------------------------------------------------------------

// Properties that move a node but are not followed.
static bool MattersElsewhere(fbxText property)
{
	static const char* const names[] = { "RotationOffset", "RotationPivot", "ScalingOffset", "ScalingPivot",
		"PreRotation", "PostRotation", "RotationOrder", "GeometricTranslation", "GeometricRotation",
		"GeometricScaling" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
	{
		if (fbxText_Is(property, names[i]))
		{
			return true;
		}
	}
	return false;
}

static bool ReadCurveNode(clipReader* c, uint32_t curveNode)
{
	static const char* const paths[3] = { "Lcl Translation", "Lcl Rotation", "Lcl Scaling" };
	const fbxReader* r = c->r;
	bool read = true;
	for (uint32_t i = r->objects[curveNode].firstOwner; read && i != IO_NONE; i = r->links[i].nextOwner)
	{
		const fbxLink* link = r->links + i;
		fbxClass class = r->objects[link->owner].class;
		for (int k = 0; k < 3 && class == fbx_model; ++k)
		{
			read =
			    read && (!fbxText_Is(link->property, paths[k]) || ReadTransform(c, curveNode, link->owner, (ioPath)k));
		}
		if (class == fbx_model && MattersElsewhere(link->property))
		{
			return fbxFail(r, link->owner, "%.*s is animated, which is not supported", (int)link->property.length,
			    link->property.text);
		}
		if (class == fbx_blendChannel && fbxText_Is(link->property, "DeformPercent"))
		{
			read = read && ReadPercent(c, curveNode, link->owner);
		}
	}
	return read;
}

static bool ReadLayer(clipReader* c, uint32_t layer)
{
	uint32_t link = IO_NONE;
	for (uint32_t n = fbxNextChild(c->r, layer, fbx_curveNode, &link); n != IO_NONE && c->extent.refusal == NULL;
	     n = fbxNextChild(c->r, layer, fbx_curveNode, &link))
	{
		if (!ReadCurveNode(c, n))
		{
			return false;
		}
	}
	return true;
}

// Read a stack's layers. `used` says whether it becomes a clip: one that moves nothing does not, nor one whose layers
// would have to be blended, or whose curves cannot be followed.
static bool ReadStack(clipReader* c, bool* used)
{
	uint32_t link = IO_NONE, moving = 0;
	*used = false;
	for (uint32_t l = fbxNextChild(c->r, c->stack, fbx_layer, &link); l != IO_NONE;
	     l = fbxNextChild(c->r, c->stack, fbx_layer, &link))
	{
		uint32_t before = c->count;
		if (!ReadLayer(c, l))
		{
			return false;
		}
		moving += c->count > before;
	}
	if (moving > 1)
	{
		fbxWarn(c->r, c->stack, "several layers move something, and how they blend is not read: left out");
	}
	*used = moving == 1 && c->extent.refusal == NULL;
	if (c->extent.refusal != NULL)
	{
		fbxWarn(c->r, c->stack, "%s: left out", c->extent.refusal);
	}
	return true;
}

static void Measure(ioClip* clip)
{
	clip->start = INFINITY;
	clip->duration = -INFINITY;
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		const ioChannel* channel = clip->channels + i;
		bool constant = channel->keyCount == 1 && channel->times[0] == 0.0f;
		clip->start = constant ? clip->start : fmin(clip->start, (double)channel->times[0]);
		clip->duration =
		    constant ? clip->duration : fmax(clip->duration, (double)channel->times[channel->keyCount - 1]);
	}
	clip->start = isfinite(clip->start) ? clip->start : 0.0;
	clip->duration = isfinite(clip->duration) ? clip->duration : 0.0;
}

static bool ReadClip(fbxReader* r, uint32_t stack, ioClip* clip, bool* used)
{
	clipReader c = { .r = r, .stack = stack, .extent = { NULL, -INFINITY, INFINITY } };
	bool read = ReadStack(&c, used);
	clip->channels = c.channels;
	clip->channelCount = c.count;
	Measure(clip);
	if (*used && (clip->start < c.extent.from || clip->duration > c.extent.to))
	{
		fbxWarn(r, stack, "curves repeat or go on beyond their keys, within the clip: left out");
		*used = false;
	}
	if (!*used)
	{
		free(c.channels);
		return read;
	}
	clip->name = ioAsset_Adopt(r->loader->asset, c.channels) ? fbxCopyName(r, stack) : NULL;
	return clip->name != NULL || ioFailMemory(r->loader);
}

bool fbxReadClips(fbxReader* r)
{
	ioAsset* asset = r->loader->asset;
	uint32_t count = 0;
	for (uint32_t i = 1; i < r->objectCount; ++i)
	{
		count += r->objects[i].class == fbx_stack;
	}
	ioClip* clips = ioAsset_Allocate(asset, count, sizeof(ioClip));
	asset->clips = clips;
	if (clips == NULL)
	{
		return ioFailMemory(r->loader);
	}
	for (uint32_t i = 1; i < r->objectCount; ++i)
	{
		bool used = false;
		if (r->objects[i].class == fbx_stack && !ReadClip(r, i, clips + asset->clipCount, &used))
		{
			return false;
		}
		asset->clipCount += used;
	}
	return true;
}
