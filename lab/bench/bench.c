#include "lab/bench/bench.h"

#include <string.h>

static const benchDef benches[] = {
	{ "peers", "blobs and characters: ours, other libraries and a plain tree, from joints to pairs", benchPeers,
	    .repeats = { 4, 30, 60 } },
	{ "scaling", "two meshless bodies of 3K to 3M vertices, the pairs held fixed: what a frame costs, by method",
	    benchScaling, .repeats = { 8, 8, 30 } },
	{ "crowd", "1 to 100,000 characters in a scene: all that touches; and which of as many boxes overlap", benchCrowd,
	    .repeats = { 5, 15, 15 } },
	{ "near", "men after posing: rays, distances, contacts on top of pairs", benchNear, .repeats = { 3, 20, 20 } },
	{ "self", "a man against himself: per triangle", benchSelf, .repeats = { 3, 20, 20 } },
	{ "sweep", "two characters from frame to frame: free, first contact, unsure; beside FCL", benchSweep,
	    .repeats = { 0 } },
#if BENCH_HAS_GPU
	{ "gpu", "men close together: a crowd on a GPU, or on this processor in place of one, and a scene", benchGpu,
	    .repeats = { 1, 3, 10 } },
#endif
	{ "load", "building and loading models, memory of bodies, setting vertices of free bodies", benchLoad,
	    .repeats = { 1, 3, 3 } },
	{ "truth", "hard pairs of triangles: what each library misses and invents", benchTruth,
	    .repeats = { 50, 500, 500 } },
	{ "papers", "every headline of the four papers: in print, by their method here, and ours, from these parts",
	    benchPapers, false, { 0 } },
	{ "meshless-fit", "meshless bodies: time to fit one box around everything, by Eq. (12), its volumes and ours",
	    benchMeshlessFit, true, { 0 } },
	{ "meshless-tightness", "meshless bodies: how large bounds are, by level of the tree", benchMeshlessTightness, true,
	    { 0 } },
	{ "brain", "a simulated brain, held and pulled at three strengths: how large bounds are, by level", benchBrain,
	    true, { 0 } },
	{ "ring", "six simulated figures on a ring that is turned to and fro: all pairs", benchRing, true, { 0 } },
	{ "fish", "two dozen simulated fish that swim and meet: all pairs", benchFish, true, { 0 } },
	{ "curtain", "a ball thrown at a curtain of 12 displacement fields: volume tests, time and tightness", benchCurtain,
	    true, { 0 } },
	{ "modal", "vibrating chairs and bridges: tightness by level, pairs in contact", benchModal, true, { 0 } },
	{ "chairs", "3,601 vibrating chairs that fall on a heap, or fewer: contact spheres, deformable and rigid",
	    benchChairs, true, { 0 } },
	{ "bridge", "a bridge that sways far, showered with fish: contact spheres against triangles, spheres of level 6",
	    benchBridge, true, { 0 } },
	{ "skin-tightness", "skins: how large balls are by level", benchSkinTightness, true, { 0 } },
	{ "skin-walk", "skins: walkers that meet, generated and real: posing and query, all pairs and yes/no",
	    benchSkinWalk, true, { 0 } },
	{ .name = NULL },
};

const benchDef* benchGetAll(void)
{
	return benches;
}

const benchDef* benchFind(const char* name)
{
	const benchDef* def = benches;
	while (def->name != NULL && strcmp(def->name, name) != 0)
	{
		++def;
	}
	return def->name != NULL ? def : NULL;
}

benchReport benchRun(const benchDef* def, const benchOptions* options)
{
	benchReport report = { .name = def->name, .title = def->title };
	benchOptions planned = *options;
	planned.repeats = def->repeats[options->full ? 2 : options->quick ? 0 : 1];
	def->run(&planned, &report);
	benchProgress(options, "");
	return report;
}

void benchProgress(const benchOptions* options, const char* text)
{
	if (options->progress)
	{
		fprintf(stderr, "\r\033[K%s", text);
		fflush(stderr);
	}
}
