// Objects of an FBX file, the connections between them, and their properties.
#include "io/fbx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Messages --------------------------------------------------------------------------------------------------

// An object in a message: its name as far as it is plain.
static const char* Describe(const fbxReader* r, uint32_t object, char text[96])
{
	const fbxObject* o = r->objects + object;
	char name[64];
	size_t length = o->name.length < sizeof(name) - 1 ? o->name.length : sizeof(name) - 1;
	memcpy(name, o->name.text, length);
	name[length] = '\0';
	fbxText kind = o->record != 0 ? r->tree.records[o->record].name : (fbxText){ "root", 4 };
	int kindLength = (int)(kind.length % 24);
	// Few objects but models have names; the number is the one that connections use.
	int written = length > 0 ? snprintf(text, 96, "%.*s '%s'", kindLength, kind.text, name)
	                         : snprintf(text, 96, "%.*s %lld", kindLength, kind.text, (long long)o->id);
	for (int i = 0; i < written && i < 95; ++i)
	{
		text[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
	}
	return text;
}

bool fbxFail(const fbxReader* r, uint32_t object, const char* format, ...)
{
	char text[240], place[96];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return ioFail(r->loader, 0, "%s: %s", Describe(r, object, place), text);
}

void fbxWarn(const fbxReader* r, uint32_t object, const char* format, ...)
{
	char text[240], place[96];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ioWarn(r->loader, "%s: %s", Describe(r, object, place), text);
}

const char* fbxCopyName(const fbxReader* r, uint32_t object)
{
	fbxText name = r->objects[object].name;
	char text[256];
	size_t length = name.length < sizeof(text) - 1 ? name.length : sizeof(text) - 1;
	memcpy(text, name.text, length);
	text[length] = '\0';
	const char* copy = ioAsset_CopyName(r->loader->asset, text);
	if (copy == NULL)
	{
		ioFailMemory(r->loader);
	}
	return copy;
}

// ---- Objects ---------------------------------------------------------------------------------------------------

// Names are "Model::Arm" in text and "Arm", 0, 1, "Model" in binary files.
static fbxText StripClass(fbxText name)
{
	const char* zero = memchr(name.text, '\0', name.length);
	if (zero != NULL)
	{
		return (fbxText){ name.text, (size_t)(zero - name.text) };
	}
	for (size_t i = 0; i + 1 < name.length; ++i)
	{
		if (name.text[i] == ':' && name.text[i + 1] == ':')
		{
			return (fbxText){ name.text + i + 2, name.length - i - 2 };
		}
	}
	return name;
}

static fbxClass Classify(const fbxTree* tree, uint32_t record)
{
	static const struct
	{
		const char *record, *kind; // kind: null for any
		fbxClass class;
	} classes[] = { { "Model", NULL, fbx_model }, { "Geometry", "Mesh", fbx_geometry },
		{ "Geometry", "Shape", fbx_shape }, { "Deformer", "Skin", fbx_skin }, { "Deformer", "Cluster", fbx_cluster },
		{ "Deformer", "BlendShape", fbx_blendShape }, { "Deformer", "BlendShapeChannel", fbx_blendChannel },
		{ "AnimationStack", NULL, fbx_stack }, { "AnimationLayer", NULL, fbx_layer },
		{ "AnimationCurveNode", NULL, fbx_curveNode }, { "AnimationCurve", NULL, fbx_curve } };
	fbxText name = tree->records[record].name, kind = fbxGetValue(tree, record, 2).text;
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); ++i)
	{
		if (fbxText_Is(name, classes[i].record) && (classes[i].kind == NULL || fbxText_Is(kind, classes[i].kind)))
		{
			return classes[i].class;
		}
	}
	return fbx_other;
}

static int CompareObjects(const void* a, const void* b)
{
	const fbxObject *x = a, *y = b;
	return x->id != y->id ? (x->id < y->id ? -1 : 1) : (x->record > y->record) - (x->record < y->record);
}

static bool CollectObjects(fbxReader* r)
{
	const fbxTree* tree = &r->tree;
	uint32_t list = fbxFind(tree, 0, "Objects"), count = 1;
	for (uint32_t i = tree->records[list].firstChild; list != 0 && i != 0; i = tree->records[i].nextSibling)
	{
		++count;
	}
	r->objects = calloc(count, sizeof(fbxObject));
	if (r->objects == NULL)
	{
		return ioFailMemory(r->loader);
	}
	r->objects[r->objectCount++] = (fbxObject){ .id = 0, .name = { "", 0 } };
	for (uint32_t i = list != 0 ? tree->records[list].firstChild : 0; i != 0; i = tree->records[i].nextSibling)
	{
		fbxValue id = fbxGetValue(tree, i, 0), name = fbxGetValue(tree, i, 1);
		if (id.type == fbx_integer && id.integer != 0 && name.type == fbx_string)
		{
			r->objects[r->objectCount++] =
			    (fbxObject){ .id = id.integer, .record = i, .class = Classify(tree, i), .name = StripClass(name.text) };
		}
	}
	qsort(r->objects + 1, r->objectCount - 1, sizeof(fbxObject), CompareObjects);
	for (uint32_t i = 0; i < r->objectCount; ++i)
	{
		fbxObject* o = r->objects + i;
		o->firstLink = o->lastLink = o->firstOwner = o->lastOwner = o->index = IO_NONE;
		if (i > 1 && o->id == o[-1].id)
		{
			return fbxFail(r, i, "two objects have the number %lld", (long long)o->id);
		}
	}
	return true;
}

// The object with an id, or IO_NONE.
static uint32_t FindObject(const fbxReader* r, int64_t id)
{
	uint32_t low = 1, high = r->objectCount;
	while (id != 0 && low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (r->objects[middle].id < id)
		{
			low = middle + 1;
		}
		else
		{
			high = middle;
		}
	}
	return id == 0 ? 0 : low < r->objectCount && r->objects[low].id == id ? low : IO_NONE;
}

// ---- Connections -----------------------------------------------------------------------------------------------

static void AddLink(fbxReader* r, uint32_t child, uint32_t owner, fbxText property)
{
	uint32_t number = r->linkCount, last = r->objects[owner].lastLink;
	if (last != IO_NONE && r->links[last].child == child && r->links[last].property.length == property.length &&
	    memcmp(r->links[last].property.text, property.text, property.length) == 0)
	{
		return; // written twice
	}
	r->linkCount++;
	r->links[number] =
	    (fbxLink){ .child = child, .owner = owner, .property = property, .nextLink = IO_NONE, .nextOwner = IO_NONE };
	fbxObject *c = r->objects + child, *o = r->objects + owner;
	*(o->firstLink == IO_NONE ? &o->firstLink : &r->links[o->lastLink].nextLink) = number;
	o->lastLink = number;
	*(c->firstOwner == IO_NONE ? &c->firstOwner : &r->links[c->lastOwner].nextOwner) = number;
	c->lastOwner = number;
}

static bool CollectLinks(fbxReader* r)
{
	const fbxTree* tree = &r->tree;
	uint32_t list = fbxFind(tree, 0, "Connections"), count = 0;
	uint32_t first = list != 0 ? tree->records[list].firstChild : 0;
	for (uint32_t i = first; i != 0; i = tree->records[i].nextSibling)
	{
		++count;
	}
	r->links = calloc((size_t)count + 1, sizeof(fbxLink));
	if (r->links == NULL)
	{
		return ioFailMemory(r->loader);
	}
	for (uint32_t i = first; i != 0; i = tree->records[i].nextSibling)
	{
		fbxValue kind = fbxGetValue(tree, i, 0), property = fbxGetValue(tree, i, 3);
		uint32_t child = FindObject(r, fbxGetValue(tree, i, 1).integer);
		uint32_t owner = FindObject(r, fbxGetValue(tree, i, 2).integer);
		bool whole = fbxText_Is(kind.text, "OO");
		if (kind.type == fbx_string && (whole || fbxText_Is(kind.text, "OP")) && child != IO_NONE && owner != IO_NONE &&
		    child != 0)
		{
			AddLink(r, child, owner, !whole && property.type == fbx_string ? property.text : (fbxText){ "", 0 });
		}
	}
	return true;
}

uint32_t fbxNextChild(const fbxReader* r, uint32_t owner, fbxClass class, uint32_t* link)
{
	*link = *link == IO_NONE ? r->objects[owner].firstLink : r->links[*link].nextLink;
	// Curves are parts of properties; everything else here is part of an object.
	while (*link != IO_NONE && (r->objects[r->links[*link].child].class != class ||
	                               (class != fbx_curve && r->links[*link].property.length > 0)))
	{
		*link = r->links[*link].nextLink;
	}
	return *link != IO_NONE ? r->links[*link].child : IO_NONE;
}

uint32_t fbxNextOwner(const fbxReader* r, uint32_t child, fbxClass class, uint32_t* link)
{
	*link = *link == IO_NONE ? r->objects[child].firstOwner : r->links[*link].nextOwner;
	while (
	    *link != IO_NONE && (r->objects[r->links[*link].owner].class != class || r->links[*link].property.length > 0))
	{
		*link = r->links[*link].nextOwner;
	}
	return *link != IO_NONE ? r->links[*link].owner : IO_NONE;
}

// ---- Properties ------------------------------------------------------------------------------------------------

// Every object looks into them, so longer ones than any program writes are not used.
#define MAX_DEFAULTS 2000

static uint32_t FindDefaults(const fbxTree* tree, uint32_t template)
{
	uint32_t properties = fbxFind(tree, template, "Properties70"), count = 0;
	for (uint32_t i = tree->records[properties].firstChild; properties != 0 && i != 0; i = tree->records[i].nextSibling)
	{
		++count;
	}
	return count <= MAX_DEFAULTS ? properties : 0;
}

static void FindTemplates(fbxReader* r)
{
	static const char* const names[3] = { "Model", "AnimationCurveNode", "Deformer" };
	const fbxTree* tree = &r->tree;
	uint32_t list = fbxFind(tree, 0, "Definitions");
	for (uint32_t i = list != 0 ? tree->records[list].firstChild : 0; i != 0; i = tree->records[i].nextSibling)
	{
		uint32_t template = fbxFind(tree, i, "PropertyTemplate");
		for (int k = 0; k < 3 && template != 0; ++k)
		{
			if (fbxText_Is(fbxGetValue(tree, i, 0).text, names[k]))
			{
				r->templates[k] = FindDefaults(tree, template);
			}
		}
	}
	uint32_t settings = fbxFind(tree, 0, "GlobalSettings");
	r->settings = settings != 0 ? fbxFind(tree, settings, "Properties70") : 0;
}

static uint32_t FindIn(const fbxTree* tree, uint32_t properties, const char* name)
{
	uint32_t found = 0; // the last one counts
	for (uint32_t i = properties != 0 ? tree->records[properties].firstChild : 0; i != 0;
	     i = tree->records[i].nextSibling)
	{
		found = fbxText_Is(fbxGetValue(tree, i, 0).text, name) ? i : found;
	}
	return found;
}

uint32_t fbxFindProperty(const fbxReader* r, uint32_t object, const char* name)
{
	const fbxObject* o = r->objects + object;
	if (o->record == 0)
	{
		return FindIn(&r->tree, r->settings, name); // of the root: those of the file
	}
	uint32_t found = FindIn(&r->tree, fbxFind(&r->tree, o->record, "Properties70"), name);
	uint32_t defaults = o->class == fbx_model          ? r->templates[0]
	                    : o->class == fbx_curveNode    ? r->templates[1]
	                    : o->class == fbx_blendChannel ? r->templates[2]
	                                                   : 0;
	return found != 0 ? found : FindIn(&r->tree, defaults, name);
}

bool fbxGetVector(const fbxReader* r, uint32_t object, const char* name, const double absent[3], double vector[3])
{
	uint32_t property = fbxFindProperty(r, object, name);
	for (uint32_t k = 0; k < 3; ++k)
	{
		vector[k] = property != 0 ? fbxGetValue(&r->tree, property, 4 + k).number : absent[k];
		if (!(vector[k] >= -1e30 && vector[k] <= 1e30))
		{
			return fbxFail(r, object, "%s is not finite", name);
		}
	}
	return true;
}

double fbxGetNumber(const fbxReader* r, uint32_t object, const char* name, double absent)
{
	uint32_t property = fbxFindProperty(r, object, name);
	return property != 0 && r->tree.records[property].valueCount > 4 ? fbxGetValue(&r->tree, property, 4).number
	                                                                 : absent;
}

bool fbxReadObjects(fbxReader* r)
{
	FindTemplates(r);
	return CollectObjects(r) && CollectLinks(r);
}

void fbxFreeObjects(fbxReader* r)
{
	free(r->objects);
	free(r->links);
}
