#include "bench/bench.h"

#include <string.h>

static const benchDef benches[] = {
	{ "rigid", "rigid bodies that turn and move: query time by tree and contact; build time and memory", benchRigid },
	{ "free", "bodies whose vertices all move: refit and query time, partial refits, memory", benchFree },
	{ "papers", "every headline of the four papers: in print, by their method here, and ours; within two minutes",
	    benchPapers },
	{ "meshless-fit", "meshless bodies: time to fit one box around everything, by Eq. (12), its volumes and ours",
	    benchMeshlessFit },
	{ "meshless-tightness", "meshless bodies: how large bounds are, by level of the tree", benchMeshlessTightness },
	{ "brain", "a simulated brain, held and pulled at three strengths: how large bounds are, by level", benchBrain },
	{ "ring", "six simulated figures on a ring that is turned to and fro: all pairs, by the papers' methods and ours",
	    benchRing },
	{ "fish", "two dozen simulated fish that swim and meet: all pairs, by the papers' methods and ours", benchFish },
	{ "blend", "two and six meshless bodies in contact: posing and query, by each strategy, bound and method",
	    benchBlend },
	{ "scaling", "two meshless bodies of 3K to 3M vertices, the pairs held fixed: what a frame costs, by method",
	    benchScaling },
	{ "peers", "blobs and characters: ours, other libraries and a plain tree, from joints to pairs", benchPeers },
	{ "skin-tightness", "skins: how large balls are by level, and the choices of the skinning paper's sphere tree",
	    benchSkinTightness },
	{ "skin-walk", "skins: walkers that meet, generated and real: posing and query, all pairs and yes/no",
	    benchSkinWalk },
	{ "curtain", "a ball thrown at a curtain of 12 displacement fields: volume tests, time and tightness, by method",
	    benchCurtain },
	{ "modal", "vibrating chairs and bridges: tightness by level, pairs in contact", benchModal },
	{ "chairs", "3,601 vibrating chairs that fall on a heap, or fewer: contact spheres, deformable and rigid",
	    benchChairs },
	{ "bridge", "a bridge that sways far, showered with fish: contact spheres against triangles, spheres of level 6",
	    benchBridge },
	{ "crowd", "1 to 100,000 characters in a scene: posing and all that touches, on one thread and two", benchCrowd },
	{ "broad", "1,000 to 100,000 boxes that move: which overlap, by scenes' tree, FCL's and Bullet's", benchBroad },
	{ "near", "a posed man: rays after posing, one and a thousand, and the distance of two men", benchNear },
	{ "contacts", "two men in contact: what points and curves cost on top of pairs, and whether curves close",
	    benchContacts },
	{ "self", "a man against himself: per triangle", benchSelf },
	{ NULL, NULL, NULL },
};

const benchDef* benchGetAll(void)
{
	return benches;
}

const benchDef* benchFind(const char* name)
{
	for (const benchDef* def = benches; def->name != NULL; ++def)
	{
		if (strcmp(def->name, name) == 0)
		{
			return def;
		}
	}
	return NULL;
}

benchReport benchRun(const benchDef* def, const benchOptions* options)
{
	benchReport report = { .name = def->name, .title = def->title };
	def->run(options, &report);
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
