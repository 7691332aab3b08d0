// program/files/scene.h: the bodies of all files of a command line, and how each is to be moved.
//
// Loading makes models, which are immutable: any number of threads may then each make a stage (program/files/stage.h)
// with bodies of their own. A file that is named twice is read once, and its models are shared.
#ifndef CLI_SCENE_H
#define CLI_SCENE_H

#include "io/cast.h"
#include "program/commands/options.h"
#include "program/files/track.h"

/// Options that check and pose have in common, so that they decide upon the same positions.
typedef struct cliSceneOptions
{
	cliVectors places, rotations;
	cliNumbers scales;      ///< per file; default 1
	cliNumbers offsets;     ///< seconds that a file's clip begins later; default 0
	cliTexts clips;         ///< one for all files, or one per file (program/files/clips.h); none: rest
	const char* amplitudes; ///< a track (program/files/track.h) for linear .snug files; null: rest
	double fps;             ///< of the track
	int blending;           ///< of skins, a snugBlending
	bool anyWeights;        ///< morph targets count even if their weights are zero throughout
	struct cliShelf* shelf; ///< nullable: what was read and made before (program/files/shelf.h)
	bool isAlone;           ///< of a file, make the model of one instance that stands alone, as `snug pack` writes it
	bool certificates;      ///< of that model: snugModelDef
	int threads;            ///< that make it: program/files/workers.h
	const char* only;       ///< name or number of that instance; null if there is but one
} cliSceneOptions;

/// Rows of an option table.
#define CLI_CLIP_OPTION(target, what)             \
	{                                             \
		"--clip", cli_texts, target, "NAME", what \
	}
#define CLI_PLACE_OPTIONS(options)                                                                               \
	{ "--offset", cli_numbers, &(options)->offsets, "S",                                                         \
		"start a file's clip this much later; once per file, in their order" },                                  \
	    { "--place", cli_vectors, &(options)->places, "x,y,z",                                                   \
		    "move a file's bodies; once per file, in their order" },                                             \
	    { "--rotate", cli_vectors, &(options)->rotations, "x,y,z",                                               \
		    "turn them first, in degrees about x, then y, then z; once per file" },                              \
	{                                                                                                            \
		"--scale", cli_numbers, &(options)->scales, "N", "make them N times as large before that; once per file" \
	}
#define CLI_AMPLITUDES_OPTION(target)                                                                    \
	{                                                                                                    \
		"--amplitudes", cli_text, target, "RUN.csv", "frames of .snug files that `snug reduce` has made" \
	}
#define CLI_BLENDING_OPTION(target)                                                              \
	{                                                                                            \
		"--blending", cli_choice, target, "linear|spherical|dual-quaternion",                    \
		    "how skins blend joints: by matrices, as glTF says, or by rotations; default linear" \
	}

/// What becomes a body: an instance of a mesh in a file.
typedef struct cliPart
{
	int file;
	const char* name;
	uint32_t instance; ///< of the file's asset, or IO_NONE
	bool isTracked;    ///< by the scene's track: the model of a .snug file
	const snugModel* model;
	const uint32_t* triangles;
	uint32_t vertexCount, triangleCount;
} cliPart;

/// What was made of a file: models of its instances, or a model.
typedef struct cliMade
{
	ioCast* cast;        ///< null for a .snug file, and for a model that stands alone
	snugModel* model;    ///< of those
	char* name;          ///< of the body of a .snug file
	uint32_t* triangles; ///< likewise
} cliMade;

typedef struct cliFile
{
	const char* path; ///< borrowed
	double scale;     ///< positive
	double offset;    ///< seconds after which its clip begins
	int original;     ///< number of the first file with this path and scale: it has the asset
	int twin;         ///< of the first of those with the same clip: it has what was made
	snugAsset* asset; ///< of an original; empty for a .snug file
	bool isShelved;   ///< the asset is borrowed
	cliMade made;     ///< of the asset or the .snug file
	bool isMadeShelved;
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
	int partCount;
	size_t partCapacity;
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

/// @defgroup part For program/files/scene.c and program/files/shelf.c
/// @{

/// Destroy what was made of a file.
void cliMade_Free(cliMade* made);
/// @return bytes of its models
size_t cliMade_GetBytes(const cliMade* made);
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
