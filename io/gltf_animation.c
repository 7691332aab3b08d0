// Animations. Accessors that several samplers share, as most files share their times, are decoded once.
//
// Kinder than the specification in two things that exporters write, and whose meaning is clear: two keys at the same
// time make a jump, where it wants times to ascend strictly; an interpolation of 0 is LINEAR, the first of the names.
#include "io/gltf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sampler
{
	gltfAccessor times, values;
	ioInterpolation interpolation;
	const float* timeData;
	const float* valueData;
} sampler;

// The floats of an accessor, kept for the next that wants them.
static const float* DecodeOnce(gltfReader* g, const gltfValue* place, const gltfAccessor* a)
{
	const float** slot = g->decoded + a->number;
	if (*slot == NULL)
	{
		size_t count = (size_t)a->count * (size_t)a->components;
		if (!gltfSpend(g, place, count, sizeof(float)))
		{
			return NULL;
		}
		float* values = ioAsset_Allocate(g->loader->asset, count, sizeof(float));
		if (values == NULL)
		{
			ioFailMemory(g->loader);
			return NULL;
		}
		if (!gltfReadFloats(g, a, values))
		{
			return NULL;
		}
		for (size_t i = 0; i < count; ++i)
		{
			if (!isfinite(values[i]))
			{
				gltfFail(g, place, "accessors[%u]: element %zu is not finite", a->number, i / (size_t)a->components);
				return NULL;
			}
		}
		*slot = values;
	}
	return *slot;
}

static bool ReadInterpolation(gltfReader* g, const gltfValue* place, ioInterpolation* interpolation)
{
	static const char* const names[] = { "LINEAR", "STEP", "CUBICSPLINE" };
	gltfValue member = gltfMember(place, "interpolation");
	const char* name;
	*interpolation = io_linear;
	if (json_is_integer(member.json) && json_integer_value(member.json) == 0)
	{
		gltfWarn(g, &member, "0 instead of a name, taken for LINEAR");
		return true;
	}
	if (!gltfReadString(g, place, "interpolation", &name))
	{
		return false;
	}
	for (int i = 0; name != NULL && i < 3; ++i)
	{
		if (strcmp(name, names[i]) == 0)
		{
			*interpolation = (ioInterpolation)i;
			return true;
		}
	}
	return name == NULL || gltfFail(g, &member, "unknown");
}

static bool CheckTimes(gltfReader* g, const gltfValue* place, const sampler* s)
{
	const float* times = s->timeData;
	if (g->ascending[s->times.number])
	{
		return true; // many samplers share their times: looked at once
	}
	g->ascending[s->times.number] = true;
	for (uint32_t i = 0; i < s->times.count; ++i)
	{
		if (i > 0 && times[i] < times[i - 1])
		{
			return gltfFail(g, place, "accessors[%u]: time %u is before the one before it", s->times.number, i);
		}
	}
	if (times[0] < 0.0f)
	{
		gltfWarn(g, place, "accessors[%u]: the first time is negative: %g", s->times.number, (double)times[0]);
	}
	return true;
}

static bool OpenSampler(gltfReader* g, const gltfValue* place, sampler* s)
{
	gltfValue input = gltfMember(place, "input"), output = gltfMember(place, "output");
	uint32_t times, values;
	if (!gltfExpectObject(g, place) || !ReadInterpolation(g, place, &s->interpolation) ||
	    !gltfReadIndex(g, place, "input", &g->accessors, true, &times) ||
	    !gltfReadIndex(g, place, "output", &g->accessors, true, &values) || !gltfOpenAccessor(g, times, &s->times) ||
	    !gltfOpenAccessor(g, values, &s->values))
	{
		return false;
	}
	if (s->times.components != 1 || s->times.type != gltf_float32)
	{
		return gltfFail(g, &input, "accessors[%u] is not a SCALAR of floats", times);
	}
	if (s->values.type == gltf_uint32 || (s->values.type != gltf_float32 && !s->values.normalized))
	{
		return gltfFail(g, &output, "accessors[%u] has neither floats nor normalized integers", values);
	}
	s->timeData = DecodeOnce(g, &input, &s->times);
	s->valueData = s->timeData != NULL ? DecodeOnce(g, &output, &s->values) : NULL;
	return s->valueData != NULL && CheckTimes(g, &input, s);
}

static const char* const pathNames[] = { "translation", "rotation", "scale", "weights" };

// KHR_animation_pointer: "/nodes/3/rotation". Materials, lights and the like are of no interest; what else moves nodes
// or meshes is named.
static bool ReadPointer(gltfReader* g, const gltfValue* target, uint32_t* node, ioPath* path, bool* ignored)
{
	gltfValue extensions = gltfMember(target, "extensions"), way = gltfMember(&extensions, "KHR_animation_pointer");
	gltfValue member = gltfMember(&way, "pointer");
	const char* text;
	*ignored = true;
	*node = IO_NONE;
	if (!gltfReadString(g, &way, "pointer", &text))
	{
		return false;
	}
	bool nodes = text != NULL && strncmp(text, "/nodes/", 7) == 0;
	if (!nodes)
	{
		bool meshes = text != NULL && strncmp(text, "/meshes/", 8) == 0;
		if (meshes)
		{
			gltfWarn(g, &member, "weights of a mesh in motion are not followed");
		}
		return text != NULL || gltfFail(g, &member, "missing");
	}
	uint64_t number = 0;
	const char* p = text + 7;
	for (; *p >= '0' && *p <= '9' && number < IO_NONE; ++p)
	{
		number = 10 * number + (uint64_t)(*p - '0');
	}
	if (p == text + 7 || number >= gltfLength(&g->nodes))
	{
		return gltfFail(g, &member, "there is no such node");
	}
	for (int i = 0; *p == '/' && i < 4; ++i)
	{
		if (strcmp(p + 1, pathNames[i]) == 0)
		{
			*node = (uint32_t)number;
			*path = (ioPath)i;
			*ignored = false;
			return true;
		}
	}
	bool visible = strcmp(p, "/extensions/KHR_node_visibility/visible") == 0;
	gltfWarn(g, &member,
	    visible ? "what is shown and hidden in motion is not followed: it stays as it is at rest"
	            : "only translation, rotation, scale and weights of a node are followed");
	return true;
}

static bool ReadPath(gltfReader* g, const gltfValue* target, uint32_t* node, ioPath* path, bool* ignored)
{
	gltfValue member = gltfMember(target, "path");
	const char* name;
	if (!gltfReadString(g, target, "path", &name))
	{
		return false;
	}
	for (int i = 0; name != NULL && i < 4; ++i)
	{
		if (strcmp(name, pathNames[i]) == 0)
		{
			*path = (ioPath)i;
			return true;
		}
	}
	if (name != NULL && strcmp(name, "pointer") == 0)
	{
		return ReadPointer(g, target, node, path, ignored);
	}
	return gltfFail(g, &member, name != NULL ? "unknown" : "missing");
}

// A node with a matrix may not be moved, says the specification; what is meant is clear if the matrix is a product of
// translation, rotation and scale: the channel replaces one of these.
static bool TakeApart(gltfReader* g, const gltfValue* place, uint32_t number)
{
	ioNode* node = (ioNode*)g->loader->asset->nodes + number; // it is ours as long as the file is read
	const double* m = node->matrix;
	double turn[9], scale[3];
	bool orthogonal = true;
	double determinant =
	    m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
	for (int k = 0; k < 3; ++k)
	{
		scale[k] = sqrt(m[k] * m[k] + m[4 + k] * m[4 + k] + m[8 + k] * m[8 + k]);
		scale[k] *= k == 0 && determinant < 0.0 ? -1.0 : 1.0;
		for (int row = 0; row < 3; ++row)
		{
			turn[3 * row + k] = m[4 * row + k] / scale[k];
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		int other = (k + 1) % 3;
		double cosine = turn[k] * turn[other] + turn[3 + k] * turn[3 + other] + turn[6 + k] * turn[6 + other];
		orthogonal = orthogonal && fabs(cosine) < 1e-4; // false of what was divided by 0, too
	}
	if (!orthogonal)
	{
		return gltfFail(
		    g, place, "moves nodes[%u], whose matrix is no product of translation, rotation and scale", number);
	}
	gltfWarn(g, place, "moves nodes[%u], which has a matrix: taken apart", number);
	ioQuaternionOf(turn, node->rotation);
	for (int k = 0; k < 3; ++k)
	{
		node->translation[k] = m[4 * k + 3];
		node->scale[k] = scale[k];
	}
	node->hasMatrix = false;
	return true;
}

// As many numbers per key as the path has, and keys for all times.
static bool SetKeys(gltfReader* g, const gltfValue* place, const sampler* s, ioChannel* channel)
{
	const ioAsset* asset = g->loader->asset;
	const ioNode* node = asset->nodes + channel->node;
	uint32_t targets = node->mesh != IO_NONE ? asset->meshes[node->mesh].targetCount : 0;
	bool weights = channel->path == io_weights;
	if (weights && targets == 0)
	{
		return gltfFail(g, place, "weights of nodes[%u], which has no morph targets", channel->node);
	}
	if (!weights && node->hasMatrix && !TakeApart(g, place, channel->node))
	{
		return false;
	}
	int components = weights ? 1 : channel->path == io_rotation ? 4 : 3;
	uint64_t perKey = (s->interpolation == io_cubicSpline ? 3 : 1) * (uint64_t)(weights ? targets : 1);
	if (s->values.components != components || s->values.count != s->times.count * perKey)
	{
		return gltfFail(g, place, "%u times and %llu values per time do not make accessors[%u]", s->times.count,
		    (unsigned long long)perKey, s->values.number);
	}
	channel->interpolation = s->interpolation;
	channel->keyCount = s->times.count;
	channel->width = weights ? targets : (uint32_t)components;
	channel->times = s->timeData;
	channel->values = s->valueData;
	return true;
}

// A sampler is opened by the channels that are followed: what shows a node or moves a material has values of any type.
static bool ReadChannel(gltfReader* g, const gltfValue* place, const gltfValue* samplers, ioChannel* channel)
{
	gltfValue target = gltfMember(place, "target");
	uint32_t number;
	sampler s;
	bool ignored = false;
	if (!gltfExpectObject(g, place) || !gltfExpectObject(g, &target) ||
	    !gltfReadIndex(g, place, "sampler", samplers, true, &number) ||
	    !gltfReadIndex(g, &target, "node", &g->nodes, false, &channel->node) ||
	    !ReadPath(g, &target, &channel->node, &channel->path, &ignored))
	{
		return false;
	}
	if (ignored || channel->node == IO_NONE)
	{
		channel->node = IO_NONE; // what an extension moves
		return true;
	}
	gltfValue samplerPlace = gltfElement(samplers, number);
	return OpenSampler(g, &samplerPlace, &s) && SetKeys(g, place, &s, channel);
}

// `moved` has per node and path the number of the last clip that moves it, plus 1.
static bool ReadChannels(gltfReader* g, const gltfValue* array, const gltfValue* samplers, uint32_t* moved,
    uint32_t clipNumber, ioClip* clip)
{
	size_t count = gltfLength(array);
	if (!gltfSpend(g, array, count, sizeof(ioChannel)))
	{
		return false;
	}
	ioChannel* channels = ioAsset_Allocate(g->loader->asset, count, sizeof(ioChannel));
	if (channels == NULL)
	{
		return ioFailMemory(g->loader);
	}
	clip->channels = channels;
	clip->start = INFINITY;
	for (size_t i = 0; i < count; ++i)
	{
		gltfValue place = gltfElement(array, i);
		ioChannel* channel = channels + clip->channelCount;
		if (!ReadChannel(g, &place, samplers, channel))
		{
			return false;
		}
		if (channel->node == IO_NONE)
		{
			continue;
		}
		uint32_t* last = moved + 4 * (size_t)channel->node + channel->path;
		if (*last == clipNumber + 1)
		{
			gltfWarn(g, &place, "moves the %s of nodes[%u] as another channel does: this one counts",
			    pathNames[channel->path], channel->node);
		}
		*last = clipNumber + 1;
		clip->start = fmin(clip->start, (double)channel->times[0]);
		clip->duration = fmax(clip->duration, (double)channel->times[channel->keyCount - 1]);
		clip->channelCount++;
	}
	clip->start = clip->channelCount > 0 ? clip->start : 0.0;
	return true;
}

static bool ReadClip(gltfReader* g, uint32_t number, uint32_t* moved, ioClip* clip)
{
	gltfValue place = gltfElement(&g->animations, number), channels, list;
	if (!gltfExpectObject(g, &place) || !gltfReadName(g, &place, &clip->name) ||
	    !gltfReadArray(g, &place, "channels", &channels) || !gltfReadArray(g, &place, "samplers", &list))
	{
		return false;
	}
	if (channels.json == NULL || list.json == NULL)
	{
		return gltfFail(g, channels.json == NULL ? &channels : &list, "missing");
	}
	if (clip->name[0] == '\0')
	{
		char text[16];
		snprintf(text, sizeof(text), "%u", number);
		clip->name = ioAsset_CopyName(g->loader->asset, text);
	}
	return clip->name != NULL ? ReadChannels(g, &channels, &list, moved, number, clip) : ioFailMemory(g->loader);
}

bool gltfReadAnimations(gltfReader* g)
{
	ioAsset* asset = g->loader->asset;
	size_t count = gltfLength(&g->animations);
	ioClip* clips = ioAsset_Allocate(asset, count, sizeof(ioClip));
	uint32_t* moved = calloc(4 * (size_t)asset->nodeCount + 1, sizeof(uint32_t));
	g->decoded = calloc(gltfLength(&g->accessors) + 1, sizeof(*g->decoded));
	g->ascending = calloc(gltfLength(&g->accessors) + 1, sizeof(bool));
	bool ready = clips != NULL && moved != NULL && g->decoded != NULL && g->ascending != NULL;
	bool read = ready || ioFailMemory(g->loader);
	asset->clips = clips;
	for (uint32_t i = 0; read && i < count; ++i)
	{
		read = ReadClip(g, i, moved, clips + i);
		asset->clipCount++;
	}
	free(moved);
	free((void*)g->decoded);
	free(g->ascending);
	return read;
}
