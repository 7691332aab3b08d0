// program/scene.h: the bodies of all files of a command line, and how each is to be moved.
//
// Loading makes models, which are immutable: any number of threads may then each make a stage (program/stage.h) with
// bodies of their own. A file that is named twice is read once, and its models are shared.
#ifndef CLI_SCENE_H
#define CLI_SCENE_H

#include "io/asset.h"
#include "program/options.h"
#include "program/track.h"
#include "snug/snug_bounds.h"

/// Options that check and pose have in common, so that they decide upon the same positions.
typedef struct cliSceneOptions
{
	cliVectors places, rotations;
	cliNumbers scales;      ///< per file; default 1
	cliNumbers offsets;     ///< seconds that a file's clip begins later; default 0
	cliTexts clips;         ///< one for all files, or one per file (program/clips.h); none: rest
	const char* amplitudes; ///< a track (program/track.h) for linear .snug files; null: rest
	double fps;             ///< of the track
	int deformer;           ///< as in CLI_DEFORMERS
	int bound;              ///< a snugBound
	int volume;             ///< a snugVolume
	int restVolume;         ///< a snugRestVolume
	bool boundLeaves;
	int strategy;           ///< a snugStrategy
	bool anyWeights;        ///< morph targets count even if their weights are zero throughout
	bool baked;             ///< one model that stands alone: what is not skinned is where its node puts it
	struct cliShelf* shelf; ///< nullable: what was read and made before (program/shelf.h)
	const char* only;       ///< if baked: name or number of the instance whose model is made; null if there is but one
} cliSceneOptions;

#define CLI_DEFORMERS "auto|blend|spherical|dualquat"
#define CLI_STRATEGIES "auto|on-demand|front|bottom-up"
#define CLI_BOUNDS "default|limited|program|local|zero-order|first-order|corners|interval|oriented|ball|mean-ball"
#define CLI_VOLUMES "box|14-dop|18-dop|26-dop|ball"
#define CLI_REST_VOLUMES "box|oriented-box|14-dop"

/// Rows of an option table.
#define CLI_BOUND_OPTIONS(options)                                                                                   \
	{ "--bound", cli_choice, &(options)->bound, CLI_BOUNDS,                                                          \
		"how nodes of bodies that deform are bounded, where they can be so: changes the speed, never the pairs" },   \
	    { "--volume", cli_choice, &(options)->volume, CLI_VOLUMES, "what they are bounded by; balls with corners" }, \
	    { "--rest-volume", cli_choice, &(options)->restVolume, CLI_REST_VOLUMES,                                     \
		    "and at rest, for limited and program" },                                                                \
	{                                                                                                                \
		"--bound-leaves", cli_flag, &(options)->boundLeaves, NULL,                                                   \
		    "bound leaves too, as the papers do, instead of evaluating their vertices"                               \
	}
#define CLI_CLIP_OPTION(target, what)             \
	{                                             \
		"--clip", cli_texts, target, "NAME", what \
	}
#define CLI_PLACE_OPTIONS(options)                                                                        \
	{ "--offset", cli_numbers, &(options)->offsets, "S",                                                  \
		"begin a file's clip so much later; the first is for the first file, and so on" },                \
	    { "--place", cli_vectors, &(options)->places, "x,y,z",                                            \
		    "move a file's bodies; likewise the first those of the first file" },                         \
	    { "--rotate", cli_vectors, &(options)->rotations, "x,y,z",                                        \
		    "turn them before, in degrees about x, then y, then z; likewise" },                           \
	{                                                                                                     \
		"--scale", cli_numbers, &(options)->scales, "N", "and make them N times as large first; likewise" \
	}
#define CLI_AMPLITUDES_OPTION(target)                                                                    \
	{                                                                                                    \
		"--amplitudes", cli_text, target, "RUN.csv", "frames of .snug files that `snug reduce` has made" \
	}
#define CLI_DEFORMER_OPTION(target)                                                                        \
	{                                                                                                      \
		"--deformer", cli_choice, target, CLI_DEFORMERS,                                                   \
		    "how skins blend their joints: their matrices, as glTF says (auto, blend), or their rotations" \
	}
#define CLI_STRATEGY_OPTION(target)                                                         \
	{                                                                                       \
		"--strategy", cli_choice, target, CLI_STRATEGIES,                                   \
		    "when bounds are computed: for what queries reach, have reached before, or all" \
	}

/// How a body gets from its model to the world, before its file is placed.
typedef enum cliMotion
{
	cli_still,    ///< not at all: positions are in the world already
	cli_framed,   ///< by its node, which turns and moves it
	cli_affine,   ///< by its node, as the one transform of a blend model
	cli_jointed,  ///< by its joints, those of a skin
	cli_morphed,  ///< by its morph targets, the fields of a linear model, and its node, which turns and moves it
	cli_morphing, ///< by its morph targets alone: where its node puts it is in the model
	cli_tracked,  ///< by the scene's track: a linear model without a file
	cli_vertices, ///< every vertex is evaluated and set: a free model
} cliMotion;

/// What becomes a body: an instance of a mesh in a file.
typedef struct cliPart
{
	int file;
	const char* name;
	uint32_t instance; ///< of the file's asset
	cliMotion motion;
	const snugModel* model; ///< null if the scene was to make only another one's
	const uint32_t* triangles;
	uint32_t vertexCount, triangleCount;
	uint32_t fieldCount; ///< morph targets in front of a skin
} cliPart;

typedef struct cliFile
{
	const char* path; ///< borrowed
	double scale;     ///< positive
	double offset;    ///< seconds after which its clip begins
	int original;     ///< number of the first file with this path and scale: it has the asset
	int twin;         ///< of the first of those with the same clip: it has the models
	int posed;        ///< of the first of those with the same offset: it has the pose
	ioAsset asset;    ///< empty for a .snug file
	bool isShelved;   ///< the asset is borrowed
	char* name;       ///< of the body of a .snug file
	uint32_t* triangles;
	uint32_t clip; ///< number, or IO_NONE for rest
	int firstPart, partCount;
	snugFrame frame;
} cliFile;

typedef struct cliScene
{
	const cliSceneOptions* options;
	cliFile* files;
	int fileCount;
	cliPart* parts;
	int partCount, partCapacity;
	snugModel** models; ///< all that must be destroyed
	int modelCount, modelCapacity;
	cliTrack track;         ///< empty if there is none
	uint64_t triangleCount; ///< of all parts
	char** warnings;        ///< what loading had to say
	int warningCount;
	bool told; ///< an error was printed already
} cliScene;

/// Bodies, and triangles of all of them, at most: files can ask for many with few bytes.
#define CLI_MAX_BODIES 65536
#define CLI_MAX_TRIANGLES 100000000u

/// @return false after a message if there are more places than files, or a scale is not positive
bool cliSceneOptions_Check(const cliSceneOptions* options, const char* command, int fileCount);

/// Read files and make their models. Prints errors and warnings. Free with cliScene_Free in any case.
bool cliScene_Load(cliScene* scene, const cliSceneOptions* options, int fileCount, char** paths);
void cliScene_Free(cliScene* scene);

/// The asset that a file's bodies are from.
const ioAsset* cliScene_GetAsset(const cliScene* scene, int file);

/// Whether something may move: a clip or a track was asked for.
bool cliSceneOptions_IsAnimated(const cliSceneOptions* options);

/// Time of the last key of a clip, the latest of all files that have one; or of the track's last frame.
double cliScene_GetDuration(const cliScene* scene);

/// Say so if a time that an option gives lies outside what the clips cover, where files keep their first or last pose.
void cliScene_WarnOfTime(const cliScene* scene, const char* option, double time);

/// "path" or, in files with several bodies, "path: 'name'": to begin a message about a body.
void cliScene_Describe(const cliScene* scene, int part, char* text, size_t size);

/// @defgroup part For program/scene_parts.c and program/scene.c
/// @{

/// Make the parts and models of a file whose asset was loaded and whose clip was chosen.
bool cliScene_AddParts(cliScene* scene, int file);
/// Take a model over; destroys it on failure.
bool cliScene_AddModel(cliScene* scene, snugModel* model);
cliPart* cliScene_AddPart(cliScene* scene);
/// Warnings are printed when all is loaded: if that fails, the error is the one line that counts.
void cliScene_Warn(cliScene* scene, const char* text);
/// Prints it, unless something was printed already.
/// @return false
bool cliScene_Fail(cliScene* scene, const char* path, const char* what);
/// Where the library's messages about a file go. The user is a cliTeller.
typedef struct cliTeller
{
	cliScene* scene;
	const char* path;
} cliTeller;
snugMessageFcn cliScene_Tell;

/// @}

#endif
