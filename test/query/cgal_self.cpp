// test/query/cgal_self.cpp: a body against itself, judged by CGAL at the positions that the library reports.
// usage: cgal_self [models]
//
// Without an argument the man and the creature of lab/scenes, in poses that are mixed of several of their clips, so
// that limbs go through one another; the morph targets of both and a ring with certificates, to the edge of these and
// beyond. With it, characters that others made, in all of their clips. CGAL finds pairs of boxes by its own search, and
// decides them in its exact kernel; a surface that is a mesh to it is given to its own function for self-intersections
// as well. It asks for triangles with area, so pairs with others are left to test_self.c.

#include "skip.h"

#include <CGAL/box_intersection_d.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/intersections.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

extern "C"
{
#include "lab/scenes/figure.h"
#include "snug/snug_io.h"
#include "snug/snug_queries.h"
}

namespace
{

namespace PMP = CGAL::Polygon_mesh_processing;

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Box = CGAL::Box_intersection_d::Box_with_info_d<double, 3, uint32_t>;
using Corners = std::array<std::size_t, 3>;
using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

/// A body at some positions. Twins are one vertex, as they are to the library.
struct Surface
{
	std::vector<Kernel::Point_3> points;
	std::vector<Corners> triangles;

	Kernel::Triangle_3 Triangle(uint32_t t) const
	{
		return { points[triangles[t][0]], points[triangles[t][1]], points[triangles[t][2]] };
	}

	bool IsDegenerate(uint32_t t) const
	{
		return Triangle(t).is_degenerate();
	}
};

Surface MakeSurface(const snugModel* model, const std::vector<float>& positions)
{
	const snugModelInfo info = snugModel_GetInfo(model);
	std::vector<uint32_t> twins(info.vertexCount), corners(3 * std::size_t(info.triangleCount));
	snugModel_GetTwins(model, twins.data());
	snugModel_GetTriangles(model, corners.data(), 0);
	Surface surface;
	for (std::size_t v = 0; v < info.vertexCount; ++v)
	{
		surface.points.emplace_back(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
	}
	for (std::size_t t = 0; t < info.triangleCount; ++t)
	{
		surface.triangles.push_back({ twins[corners[3 * t]], twins[corners[3 * t + 1]], twins[corners[3 * t + 2]] });
	}
	return surface;
}

// Whether two triangles meet beyond the corners that they share. What two convex sets share is convex: triangles that
// share a corner and more share a segment from there, which leaves one of them through the edge across.
bool MeetBeyond(const Surface& surface, uint32_t a, uint32_t b)
{
	const Corners &ofA = surface.triangles[a], &ofB = surface.triangles[b];
	std::vector<std::pair<int, int>> shared;
	for (int i = 0; i < 9; ++i)
	{
		if (ofA[std::size_t(i / 3)] == ofB[std::size_t(i % 3)])
		{
			shared.emplace_back(i / 3, i % 3);
		}
	}
	const auto point = [&](const Corners& corners, int i) { return surface.points[corners[std::size_t(i % 3)]]; };
	const auto across = [&](const Corners& corners, int i)
	{ return Kernel::Segment_3(point(corners, i + 1), point(corners, i + 2)); };
	if (shared.empty() || shared.size() == 3) // two with the same corners are never reported
	{
		return shared.empty() && CGAL::do_intersect(surface.Triangle(a), surface.Triangle(b));
	}
	if (shared.size() == 1)
	{
		return CGAL::do_intersect(surface.Triangle(a), across(ofB, shared[0].second)) ||
		       CGAL::do_intersect(surface.Triangle(b), across(ofA, shared[0].first));
	}
	const auto from = point(ofA, shared[0].first), to = point(ofA, shared[1].first);
	const auto restA = point(ofA, 3 - shared[0].first - shared[1].first);
	const auto restB = point(ofB, 3 - shared[0].second - shared[1].second);
	return CGAL::coplanar(from, to, restA, restB) &&
	       CGAL::coplanar_orientation(from, to, restA, restB) == CGAL::POSITIVE;
}

Pairs FindAll(const Surface& surface)
{
	std::vector<Box> boxes;
	for (uint32_t t = 0; t < surface.triangles.size(); ++t)
	{
		if (!surface.IsDegenerate(t))
		{
			boxes.emplace_back(surface.Triangle(t).bbox(), t);
		}
	}
	Pairs pairs;
	CGAL::box_self_intersection_d(boxes.begin(), boxes.end(),
	    [&](const Box& a, const Box& b)
	    {
		    if (MeetBeyond(surface, a.info(), b.info()))
		    {
			    pairs.emplace_back(std::min(a.info(), b.info()), std::max(a.info(), b.info()));
		    }
	    });
	std::sort(pairs.begin(), pairs.end());
	return pairs;
}

// The same by CGAL's own function, of what is a mesh to it.
bool FindAllOfMesh(const Surface& surface, Pairs* pairs)
{
	if (!PMP::is_polygon_soup_a_polygon_mesh(surface.triangles))
	{
		return false;
	}
	using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
	Mesh mesh;
	std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> found;
	PMP::polygon_soup_to_polygon_mesh(surface.points, surface.triangles, mesh); // faces in the order of triangles
	PMP::self_intersections(mesh, std::back_inserter(found));
	for (const auto& pair : found)
	{
		if (pair.first != pair.second) // a triangle without area is said to meet itself
		{
			const uint32_t a = pair.first, b = pair.second;
			pairs->emplace_back(std::min(a, b), std::max(a, b));
		}
	}
	std::sort(pairs->begin(), pairs->end());
	return true;
}

/// What was compared so far.
struct Score
{
	long poses, asMesh, pairs, notAtRest, certified;
};

Pairs Ask(snugBody* body, const Surface& surface, bool keepRest)
{
	snugQuery query = {};
	query.keepRest = keepRest;
	std::vector<snugPair> found(snugCollideSelf(body, &query).count);
	query.pairs = found.data();
	query.capacity = found.size();
	snugCollideSelf(body, &query);
	Pairs pairs;
	for (const snugPair& pair : found)
	{
		if (!surface.IsDegenerate(pair.a) && !surface.IsDegenerate(pair.b))
		{
			pairs.emplace_back(pair.a, pair.b);
		}
	}
	return pairs;
}

bool AreSame(const std::string& name, const char* what, const Pairs& expected, const Pairs& found)
{
	Pairs differ;
	std::set_symmetric_difference(
	    expected.begin(), expected.end(), found.begin(), found.end(), std::back_inserter(differ));
	if (!differ.empty())
	{
		std::printf("%s, %s: %zu pairs, %zu expected, %zu differ, of which %u %u is the first\n", name.c_str(), what,
		    found.size(), expected.size(), differ.size(), differ[0].first, differ[0].second);
	}
	return differ.empty();
}

// In body space, where a body is compared with itself.
bool Check(const std::string& name, snugBody* body, Score* score)
{
	const snugModel* model = snugBody_GetModel(body);
	const snugFrame identity = {};
	std::vector<float> positions(3 * std::size_t(snugModel_GetInfo(model).vertexCount)), rest(positions.size());
	if (snugBody_SetFrame(body, &identity) != snug_success ||
	    snugBody_GetVertices(body, nullptr, positions.data(), 0) != snug_success ||
	    snugModel_GetPositions(model, rest.data(), 0) != snug_success)
	{
		std::printf("%s: no positions\n", name.c_str());
		return false;
	}
	const Surface surface = MakeSurface(model, positions);
	const Pairs expected = FindAll(surface), atRest = FindAll(MakeSurface(model, rest)),
	            found = Ask(body, surface, true);
	Pairs ofMesh, expectedNew;
	std::set_difference(
	    expected.begin(), expected.end(), atRest.begin(), atRest.end(), std::back_inserter(expectedNew));
	const bool isMesh = FindAllOfMesh(surface, &ofMesh);
	score->poses += 1;
	score->asMesh += isMesh;
	score->pairs += long(expected.size());
	score->notAtRest += long(expectedNew.size());
	return AreSame(name, "all pairs", expected, found) && (!isMesh || AreSame(name, "as a mesh", ofMesh, found)) &&
	       AreSame(name, "not at rest", expectedNew, Ask(body, surface, false));
}

// Every joint is as in one of two clips, by chance, at a time of its own.
void MixPose(const sceneFigure& figure, std::mt19937_64& random, std::vector<float>* matrices, float* amplitudes)
{
	std::vector<float> other(matrices->size());
	for (std::vector<float>* pose : { matrices, &other })
	{
		const auto clip = sceneClipKind(random() % SCENE_CLIPS);
		const double time = sceneFigure_GetDuration(&figure, clip) * double(random() % 1000) / 999.0;
		sceneFigure_Pose(&figure, clip, time, pose->data(), amplitudes);
	}
	for (std::size_t j = 0; j < matrices->size() / 12; ++j)
	{
		if (random() % 2 == 0)
		{
			std::copy_n(other.begin() + std::ptrdiff_t(12 * j), 12, matrices->begin() + std::ptrdiff_t(12 * j));
		}
	}
}

// Fields alone, with certificates: where the body ceases to be known not to meet itself, and beyond.
bool CheckFields(const std::string& name, snugModelDef def, std::mt19937_64& random, int count, Score* score)
{
	snugModel* model = nullptr;
	snugBodyDef bodyDef = {};
	snugBody* body = nullptr;
	def.deformer = snug_fields;
	def.certificates = true;
	bool isGood = snugModel_Create(&def, &model) == snug_success;
	bodyDef.model = model;
	isGood = isGood && snugBody_Create(&bodyDef, &body) == snug_success;
	std::vector<float> direction(def.fields.fieldCount), amplitudes(direction.size());
	const auto isCertified = [&](double factor)
	{
		std::transform(
		    direction.begin(), direction.end(), amplitudes.begin(), [=](float d) { return float(factor * double(d)); });
		isGood = snugBody_SetAmplitudes(body, amplitudes.data(), def.fields.fieldCount) == snug_success && isGood;
		const snugCounters cost = snugCollideSelf(body, nullptr).counters;
		return cost.certified > 0 && cost.volumeTests == 0;
	};
	for (int n = 0; n < count && isGood; ++n)
	{
		std::generate(direction.begin(), direction.end(), [&] { return float(random() % 2001) * 1e-3f - 1.0f; });
		double known = 0.0, unknown = 64.0;
		for (int i = 0; i < 40; ++i)
		{
			const double factor = known > 0.0 ? 0.5 * (known + unknown) : 0.25 * unknown;
			(isCertified(factor) ? known : unknown) = factor;
		}
		for (double times : { 1.0, 1.5, 4.0, 30.0 })
		{
			score->certified += isCertified(times * known);
			isGood = isGood && Check(name + ", " + std::to_string(times) + " times what is certified", body, score);
		}
	}
	snugBody_Destroy(body);
	snugModel_Destroy(model);
	return isGood;
}

// A ring whose parts come nearer the axis and each other, by polynomials of their position.
bool CheckRing(unsigned long long seed, int count, Score* score)
{
	std::mt19937_64 random(seed);
	sceneMesh mesh = sceneMakeTorus(1.0, 0.4, 40, 24);
	std::vector<float> displacements;
	for (int field = 0; field < 3; ++field)
	{
		for (std::size_t v = 0; v < mesh.vertexCount; ++v)
		{
			const float *p = mesh.positions + 3 * v, x = p[0], y = p[1], z = p[2];
			const float d[3][3] = { { -x * x * x, 0.0f, x * y }, { y * z, -y * y * y, x * x },
				{ z * z, x * z, x * y } };
			displacements.insert(displacements.end(), d[field], d[field] + 3);
		}
	}
	snugModelDef def = {};
	def.positions = mesh.positions;
	def.vertexCount = mesh.vertexCount;
	def.triangles = mesh.triangles;
	def.triangleCount = mesh.triangleCount;
	def.fields.fieldCount = 3;
	def.fields.displacements = displacements.data();
	const bool isGood = CheckFields("ring, SNUG_SEED=" + std::to_string(seed), def, random, count, score);
	sceneMesh_Free(&mesh);
	return isGood;
}

bool CheckFigure(sceneCharacterKind kind, unsigned long long seed, int count, Score* score)
{
	std::mt19937_64 random(seed);
	sceneFigureDef def = {};
	def.kind = kind;
	sceneFigure figure;
	bool isGood = sceneFigure_Create(&figure, &def);
	for (int n = 0; n < count && isGood; ++n)
	{
		static const snugBlending blendings[] = { snug_blendLinear, snug_blendSpherical, snug_blendDualQuaternion };
		snugModelDef modelDef = sceneCharacter_MakeDef(&figure.character, blendings[n % 3]);
		const snugFieldsDef fields = sceneTargets_Get(&figure.character.targets);
		if (n % 2 == 0)
		{
			modelDef.fields = fields;
		}
		snugModel* model = nullptr;
		snugBodyDef bodyDef = {};
		snugBody* body = nullptr;
		std::vector<float> matrices(12 * std::size_t(figure.character.weights.transformCount)),
		    amplitudes(SCENE_MAX_TARGETS);
		MixPose(figure, random, &matrices, amplitudes.data());
		isGood = snugModel_Create(&modelDef, &model) == snug_success;
		bodyDef.model = model;
		isGood =
		    isGood && snugBody_Create(&bodyDef, &body) == snug_success &&
		    snugBody_SetJoints(body, matrices.data(), 0, figure.character.weights.transformCount) == snug_success &&
		    (n % 2 != 0 || snugBody_SetAmplitudes(body, amplitudes.data(), fields.fieldCount) == snug_success);
		isGood = isGood && Check(figure.character.name + std::string(", SNUG_SEED=") + std::to_string(seed) +
		                             ", pose " + std::to_string(n),
		                       body, score);
		snugBody_Destroy(body);
		snugModel_Destroy(model);
	}
	if (isGood)
	{
		snugModelDef modelDef = {};
		modelDef.positions = figure.character.mesh.positions;
		modelDef.vertexCount = figure.character.mesh.vertexCount;
		modelDef.triangles = figure.character.mesh.triangles;
		modelDef.triangleCount = figure.character.mesh.triangleCount;
		modelDef.fields = sceneTargets_Get(&figure.character.targets);
		isGood = CheckFields(figure.character.name + std::string(", targets"), modelDef, random, 1, score);
	}
	sceneFigure_Free(&figure);
	return isGood;
}

bool CheckActor(const std::string& name, const snugAsset* asset, snugBlending blending, int count, Score* score)
{
	snugActorDef def = {};
	def.blending = blending;
	snugActor* actor;
	bool isGood = snugActor_Create(asset, &def, &actor) == snug_success;
	uint32_t bodyCount = 0;
	snugBody* const* bodies = snugActor_GetBodies(actor, &bodyCount);
	for (uint32_t c = 0; c < snugAsset_GetInfo(asset).clipCount; ++c)
	{
		snugClip clip = {};
		snugAsset_GetClip(asset, c, &clip);
		for (int n = 0; n < count && isGood; ++n)
		{
			const double time = clip.start + (clip.end - clip.start) * (n + 1) / (count + 1);
			isGood = snugActor_SetTime(actor, c, time, nullptr) == snug_success;
			for (uint32_t b = 0; b < bodyCount && isGood; ++b)
			{
				isGood = Check(name + ", " + clip.name + " at " + std::to_string(time), bodies[b], score);
			}
		}
	}
	snugActor_Destroy(actor);
	return isGood;
}

// @return the exit code
int CheckModels(int count, Score* score)
{
	for (const char* file : { "mannequiny.glb", "makehuman.glb", "alien.glb", "fox.glb", "morph_stress_test.glb" })
	{
		const std::string path = std::string(MODELS_FOLDER) + "/" + file;
		snugAsset* asset;
		if (snugAsset_LoadFile(path.c_str(), nullptr, &asset) != snug_success)
		{
			return SkipOrFail("models", ("no " + path + " (set SNUG_MODELS)").c_str());
		}
		for (snugBlending blending : { snug_blendLinear, snug_blendDualQuaternion })
		{
			if (!CheckActor(file, asset, blending, count, score))
			{
				return EXIT_FAILURE;
			}
		}
		snugAsset_Destroy(asset);
	}
	return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv)
{
	const char *seedText = std::getenv("SNUG_SEED"), *scaleText = std::getenv("SNUG_TEST_SCALE");
	const unsigned long long seed = seedText ? std::strtoull(seedText, nullptr, 0) : 1;
	const double scale = scaleText ? std::strtod(scaleText, nullptr) : 1.0;
	Score score = {};
	int code = EXIT_SUCCESS;
	if (argc > 1 && std::string(argv[1]) == "models")
	{
		code = CheckModels(int(std::max(1.0, scale)), &score);
	}
	else
	{
		for (sceneCharacterKind kind : { scene_man, scene_creature })
		{
			code = CheckFigure(kind, seed, int(6 * scale) + 1, &score) ? code : EXIT_FAILURE;
		}
		code = CheckRing(seed, int(6 * scale) + 1, &score) && score.certified > 0 ? code : EXIT_FAILURE;
	}
	std::printf("%ld poses, %ld of them of a mesh, %ld known not to meet: %ld pairs, %ld of them not at rest\n",
	    score.poses, score.asMesh, score.certified, score.pairs, score.notAtRest);
	// Poses that meet nothing would judge nothing.
	return code == EXIT_SUCCESS && score.notAtRest < 10 * score.poses ? EXIT_FAILURE : code;
}
