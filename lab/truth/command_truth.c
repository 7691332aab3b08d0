// `snug truth`: writes a truth set, or scores a library's answers to one.
#include "io/load.h"
#include "lab/truth/exact.h"
#include "lab/truth/hard.h"
#include "lab/truth/score.h"
#include "lab/truth/sequence.h"
#include "program/check/brute.h"
#include "program/commands/commands.h"
#include "program/commands/options.h"
#include "program/commands/terminal.h"
#include "program/files/output.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PAIRS 100000
#define MAX_PAIRS 10000000
#define DEFAULT_FRAMES 12
#define MAX_FRAMES 10000

static const cliUsage usage = {
	.command = "truth",
	.synopsis = "[options] DIR\n       snug truth --score DIR ANSWERS ...",
	.summary =
	    "Write a truth set: pairs of triangles that are hard to decide - degenerate, touching, coplanar, nearly so, "
	    "with shared corners, far from the origin, tiny, huge - and bodies that deform and meet, frame by frame, with "
	    "the exact answers. Answers come from exact arithmetic and from the library; if they differ, none are written. "
	    "docs/truth.md has the format.\n\n"
	    "With --score: compare answers that another library gave with those of the set in DIR, and say how many "
	    "intersecting pairs it missed and how many it invented. The exit code is 1 if there are any.",
	.examples = "  snug truth truth\n  snug truth truth --pairs 10000000\n  snug truth --score truth mine.answers",
	.minArguments = 1,
	.maxArguments = INT_MAX,
	.argumentName = "DIR",
};

typedef struct truthOptions
{
	const char* directory;
	int pairs, frames, seed;
} truthOptions;

/// A file of the set, or answers to it.
typedef struct loaded
{
	char path[4096];
	uint8_t* bytes;
	size_t size;
	truthFile file;
} loaded;

static void MakePath(char path[4096], const char* directory, const char* name, const char* ending)
{
	snprintf(path, 4096, "%.3800s/%.200s%s", directory, name, ending);
}

// ---- Writing ---------------------------------------------------------------------------------------------------

static uint64_t CountOf(const truthOptions* o, int family)
{
	return (uint64_t)o->pairs / HARD_FAMILIES + ((uint64_t)family < (uint64_t)o->pairs % HARD_FAMILIES);
}

static void WriteFamilies(truthWriter* w, const truthOptions* o)
{
	uint64_t first = 0;
	for (int i = 0; i < HARD_FAMILIES; ++i)
	{
		truthFamily family = { .first = first, .count = CountOf(o, i) };
		snprintf(family.name, sizeof(family.name), "%s", hardGetFamilyName(i));
		truthWriter_Add(w, &family, sizeof(family));
		first += family.count;
	}
}

// Give a file its name if all of it was written.
static bool Finish(truthWriter* w, ioOutput* output, bool good)
{
	if (good && truthWriter_End(w))
	{
		return cliOutput_Commit(output);
	}
	if (good)
	{
		cliError("%s: cannot write", output->path);
	}
	ioOutput_Abandon(output);
	return false;
}

static bool WritePairs(const truthOptions* o, uint64_t* hash)
{
	char path[4096];
	ioOutput output;
	truthWriter w;
	MakePath(path, o->directory, "pairs", ".truth");
	if (!cliOutput_Open(&output, path))
	{
		return false;
	}
	truthWriter_Begin(&w, output.stream, truth_pairs, 0, (uint64_t)o->pairs, HARD_FAMILIES);
	WriteFamilies(&w, o);
	for (int family = 0; family < HARD_FAMILIES; ++family)
	{
		cliProgress("pairs: %s ...", hardGetFamilyName(family));
		for (uint64_t i = 0; i < CountOf(o, family); ++i)
		{
			const hardPair pair = hardMakePair(family, (uint64_t)o->seed, i);
			truthWriter_Add(&w, &pair, sizeof(pair));
		}
	}
	*hash = w.hash;
	return Finish(&w, &output, true);
}

// By the library, as a user would ask it.
static bool AskLibrary(const hardPair* pair, bool* intersect)
{
	static const uint32_t triangle[3] = { 0, 1, 2 };
	const bruteMesh a = { &pair->a[0][0], triangle, 1 }, b = { &pair->b[0][0], triangle, 1 };
	bruteResult result = bruteCollide(&a, &b);
	bool good = !result.outOfMemory;
	*intersect = result.count > 0;
	bruteResult_Free(&result);
	return good;
}

static bool DecidePair(int family, uint64_t number, const hardPair* pair, bool* answer)
{
	bool library;
	*answer = exactIntersect(pair->a, pair->b);
	if (!AskLibrary(pair, &library))
	{
		cliError("out of memory");
		return false;
	}
	if (library != *answer)
	{
		cliError("pair %llu of '%s': the library says %s and exact arithmetic %s; no answers are written",
		    (unsigned long long)number, hardGetFamilyName(family), library ? "yes" : "no", *answer ? "yes" : "no");
	}
	return library == *answer;
}

static bool DecideAll(const truthOptions* o, uint8_t* bits, uint64_t* hits)
{
	uint64_t at = 0;
	for (int family = 0; family < HARD_FAMILIES; ++family)
	{
		uint64_t count = CountOf(o, family), before = *hits;
		for (uint64_t i = 0; i < count; ++i, ++at)
		{
			const hardPair pair = hardMakePair(family, (uint64_t)o->seed, i);
			bool answer;
			if (i % 65536 == 0)
			{
				cliProgress("answers: %s, %llu of %d ...", hardGetFamilyName(family), (unsigned long long)at, o->pairs);
			}
			if (!DecidePair(family, i, &pair, &answer))
			{
				return false;
			}
			bits[at / 8] |= (uint8_t)(answer << at % 8);
			*hits += answer;
		}
		cliProgress("");
		printf("  %-22s %9llu pairs, %9llu intersect\n", hardGetFamilyName(family), (unsigned long long)count,
		    (unsigned long long)(*hits - before));
	}
	return true;
}

static bool WritePairAnswers(const truthOptions* o, uint64_t question, uint64_t hash)
{
	char path[4096];
	ioOutput output;
	truthWriter w;
	uint64_t hits = 0;
	size_t size = (size_t)o->pairs / 8 + 1;
	uint8_t* bits = calloc(size, 1);
	bool good = bits != NULL && DecideAll(o, bits, &hits);
	MakePath(path, o->directory, "pairs", ".answers");
	if (bits == NULL)
	{
		cliError("out of memory");
	}
	if (good && cliOutput_Open(&output, path))
	{
		truthWriter_Begin(&w, output.stream, truth_pairAnswers, question, (uint64_t)o->pairs, 0);
		truthWriter_Add(&w, bits, ((size_t)o->pairs + 7) / 8);
		hash = w.hash;
		good = Finish(&w, &output, true);
	}
	if (good)
	{
		printf("pairs: %d, %llu intersect, question %016llx, answers %016llx\n", o->pairs, (unsigned long long)hits,
		    (unsigned long long)question, (unsigned long long)hash);
	}
	free(bits);
	return good;
}

static bool WriteFrames(const truthOptions* o, truthSequence* s, int number, uint64_t* hash)
{
	char path[4096], error[160] = "";
	ioOutput output;
	truthWriter w;
	MakePath(path, o->directory, truthSequence_GetName(number), ".truth");
	if (!cliOutput_Open(&output, path))
	{
		return false;
	}
	bool good = truthSequence_Begin(s, &w, output.stream) || !w.failed;
	for (int f = 0; f < o->frames && good; ++f)
	{
		cliProgress("%s: frame %d of %d ...", truthSequence_GetName(number), f, o->frames);
		good = truthSequence_WriteFrame(s, &w, f, error);
	}
	cliProgress("");
	if (error[0] != '\0')
	{
		cliError("%s: %s", path, error);
	}
	*hash = w.hash;
	return Finish(&w, &output, good);
}

static bool WriteFrameAnswers(const truthOptions* o, truthSequence* s, int number, uint64_t question)
{
	char path[4096], error[160] = "";
	const char* name = truthSequence_GetName(number);
	ioOutput output;
	truthWriter w;
	uint64_t pairs = 0;
	bool good = true;
	MakePath(path, o->directory, name, ".answers");
	if (!cliOutput_Open(&output, path))
	{
		return false;
	}
	truthWriter_Begin(&w, output.stream, truth_frameAnswers, question, (uint64_t)o->frames, 0);
	for (int f = 0; f < o->frames && good; ++f)
	{
		cliProgress("%s: answers of frame %d of %d ...", name, f, o->frames);
		good = truthSequence_WriteAnswers(s, &w, f, &pairs, error);
	}
	cliProgress("");
	if (error[0] != '\0')
	{
		cliError("%s: %s", path, error);
	}
	uint64_t hash = w.hash;
	good = Finish(&w, &output, good);
	if (good)
	{
		printf("%s: %d frames, %llu pairs intersect, question %016llx, answers %016llx\n", name, o->frames,
		    (unsigned long long)pairs, (unsigned long long)question, (unsigned long long)hash);
	}
	return good;
}

static int WriteSet(const truthOptions* o)
{
	uint64_t question = 0;
	bool good = cliMakeDirectory(o->directory) && WritePairs(o, &question) && WritePairAnswers(o, question, 0);
	for (int i = 0; i < TRUTH_SEQUENCES && good; ++i)
	{
		truthSequence* s = truthSequence_Create(i, o->frames);
		if (s == NULL)
		{
			cliError("%s: out of memory", truthSequence_GetName(i));
		}
		good = s != NULL && WriteFrames(o, s, i, &question) && WriteFrameAnswers(o, s, i, question);
		truthSequence_Destroy(s);
	}
	return good ? CLI_DONE : CLI_BAD_INPUT;
}

// ---- Scoring ---------------------------------------------------------------------------------------------------

static void Unload(loaded* l)
{
	free(l->bytes);
	l->bytes = NULL;
}

static bool Load(loaded* l)
{
	char error[160];
	ioError ignored; // whatever it is: the path is what can be wrong
	l->bytes = ioReadFile(l->path, l->path, SIZE_MAX, &l->size, &ignored);
	if (l->bytes == NULL)
	{
		cliError("%s: cannot read", l->path);
		return false;
	}
	if (!truthFile_Parse(&l->file, l->bytes, l->size, error))
	{
		cliError("%s: %s", l->path, error);
		Unload(l);
		return false;
	}
	return true;
}

static bool HasEnding(const char* name, const char* ending)
{
	size_t length = strlen(name), tail = strlen(ending);
	return length > tail && length < 200 && strcmp(name + length - tail, ending) == 0;
}

// The question that answers are for, among the files of a directory.
static bool FindQuestion(const char* directory, const loaded* answers, loaded* question)
{
	DIR* stream = opendir(directory);
	bool found = false, good = stream != NULL;
	if (stream == NULL)
	{
		cliError("%s: cannot read the directory", directory);
	}
	for (const struct dirent* entry; good && !found && (entry = readdir(stream)) != NULL;)
	{
		if (!HasEnding(entry->d_name, ".truth"))
		{
			continue;
		}
		MakePath(question->path, directory, entry->d_name, "");
		good = Load(question);
		found = good && question->file.hash == answers->file.question;
		if (good && !found)
		{
			Unload(question);
		}
	}
	if (stream != NULL)
	{
		closedir(stream);
	}
	if (good && !found)
	{
		cliError("%s: answers a question %016llx, which %s does not have", answers->path,
		    (unsigned long long)answers->file.question, directory);
	}
	return found;
}

// The set's own answers to a question.
static bool FindAnswers(const loaded* question, loaded* wanted)
{
	uint64_t hash = question->file.hash;
	snprintf(wanted->path, sizeof(wanted->path), "%.*s.answers", (int)(strlen(question->path) - strlen(".truth")),
	    question->path);
	bool good = Load(wanted);
	if (good && (wanted->file.question != hash || wanted->file.count != question->file.count ||
	                (int)wanted->file.kind != (int)question->file.kind + 2))
	{
		cliError("%s: does not answer %s", wanted->path, question->path);
		Unload(wanted);
		good = false;
	}
	return good;
}

static void PrintScore(const char* what, const char* unit, const truthScore* score)
{
	printf("  %-22s %9llu %s, %9llu intersect, %llu missed, %llu invented\n", what, (unsigned long long)score->asked,
	    unit, (unsigned long long)score->wanted, (unsigned long long)score->missed,
	    (unsigned long long)score->invented);
}

static bool ScorePairs(const loaded* question, const loaded* wanted, const loaded* found, truthScore* score)
{
	for (uint32_t i = 0; i < question->file.familyCount; ++i)
	{
		truthFamily family = truthFile_GetFamily(&question->file, i);
		truthScore part = truthScore_Pairs(&wanted->file, &found->file, family.first, family.count);
		PrintScore(family.name, "pairs", &part);
	}
	*score = truthScore_Pairs(&wanted->file, &found->file, 0, wanted->file.count);
	return true;
}

static bool ScoreFrames(const loaded* wanted, const loaded* found, truthScore* score)
{
	uint64_t worst = 0;
	if (!truthScore_Frames(score, &worst, &wanted->file, &found->file))
	{
		cliError("out of memory");
		return false;
	}
	if (score->missed + score->invented > 0)
	{
		printf("  the worst frame is %llu\n", (unsigned long long)worst);
	}
	return true;
}

// @param wrong receives whether something was missed or invented
static bool Compare(const loaded* question, const loaded* wanted, const loaded* found, bool* wrong)
{
	bool arePairs = found->file.kind == truth_pairAnswers;
	truthScore score;
	if (found->file.kind != wanted->file.kind || found->file.count != wanted->file.count)
	{
		cliError("%s: answers another number of pairs or frames than %s asks for", found->path, question->path);
		return false;
	}
	printf("%s, to %s\n", found->path, question->path);
	bool good = arePairs ? ScorePairs(question, wanted, found, &score) : ScoreFrames(wanted, found, &score);
	if (good)
	{
		PrintScore("all", arePairs ? "pairs" : "frames", &score);
		*wrong = *wrong || score.missed + score.invented > 0;
	}
	return good;
}

static bool ScoreFile(const char* directory, const char* path, bool* wrong)
{
	loaded found = { .bytes = NULL }, question = { .bytes = NULL }, wanted = { .bytes = NULL };
	snprintf(found.path, sizeof(found.path), "%.4000s", path);
	bool good = Load(&found);
	if (good && found.file.kind != truth_pairAnswers && found.file.kind != truth_frameAnswers)
	{
		cliError("%s: holds questions, not answers", path);
		good = false;
	}
	good = good && FindQuestion(directory, &found, &question) && FindAnswers(&question, &wanted) &&
	       Compare(&question, &wanted, &found, wrong);
	Unload(&found);
	Unload(&question);
	Unload(&wanted);
	return good;
}

static int Score(int count, char** arguments)
{
	bool wrong = false, good = true;
	if (count < 2)
	{
		cliError("truth --score needs a directory and answers; see snug truth --help");
		return CLI_BAD_USAGE;
	}
	for (int i = 1; i < count; ++i)
	{
		good = ScoreFile(arguments[0], arguments[i], &wrong) && good;
	}
	return good && !wrong ? CLI_DONE : CLI_BAD_INPUT;
}

int cliTruth(int argumentCount, char** arguments)
{
	truthOptions o = { .pairs = DEFAULT_PAIRS, .frames = DEFAULT_FRAMES, .seed = 1 };
	bool score = false;
	const cliOption options[] = {
		{ "--pairs", cli_count, &o.pairs, "N", "how many pairs of triangles, up to 10000000; default 100000" },
		{ "--frames", cli_count, &o.frames, "N", "how many frames of each pair of bodies; default 12" },
		{ "--seed", cli_count, &o.seed, "N", "other pairs of triangles for every number; default 1" },
		{ "--score", cli_flag, &score, NULL, "compare answers with those of a set" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	if (parsed != cli_go)
	{
		return parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	}
	if (score)
	{
		return Score(argumentCount, arguments);
	}
	if (argumentCount > 1 || o.pairs > MAX_PAIRS || o.frames > MAX_FRAMES)
	{
		cliError(
		    "truth takes one directory, %d pairs and %d frames at most; see snug truth --help", MAX_PAIRS, MAX_FRAMES);
		return CLI_BAD_USAGE;
	}
	o.directory = arguments[0];
	return WriteSet(&o);
}
