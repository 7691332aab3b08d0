// test/lab/test_truth.c: truth sets: exact answers against another oracle, files that are read back, scores of answers
// that are wrong on purpose, and files that were cut, damaged or made to do harm.

#include "lab/truth/exact.h"
#include "lab/truth/hard.h"
#include "lab/truth/score.h"
#include "lab/truth/sequence.h"

#include "geometry/triangle.h"
#include "rational.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Answers --------------------------------------------------------------------------------------------------------

// Three ways that share nothing: big integers, rationals, the library.
static void exact_answers_agree_with_rationals(void** state)
{
	(void)state;
	const int count = TestCount(1000);
	for (int f = 0; f < HARD_FAMILIES; ++f)
	{
		for (int i = 0; i < count; ++i)
		{
			const hardPair pair = hardMakePair(f, TestSeed(), (uint64_t)i);
			const bool expected = RationalIntersect(pair.a, pair.b);
			if (exactIntersect(pair.a, pair.b) != expected || exactIntersect(pair.b, pair.a) != expected ||
			    sgTriangles_Intersect(pair.a, pair.b) != expected)
			{
				fail_msg("SNUG_SEED=%llu, pair %d of '%s': expected %d", (unsigned long long)TestSeed(), i,
				    hardGetFamilyName(f), expected);
			}
		}
	}
}

// Coordinates from the smallest float to nearly the largest: all limbs are in use.
static void exact_answers_hold_at_the_ends_of_the_range(void** state)
{
	(void)state;
	static const float sizes[] = { 0x1p-149f, 0x1.8p-126f, 1.0f, 0x1.fffffep126f, 0.0f };
	sceneRandom random = { TestSeed() };
	int hits = 0, count = TestCount(3000);
	for (int n = 0; n < count; ++n)
	{
		hardPair pair;
		for (int i = 0; i < 18; ++i)
		{
			float* x = i < 9 ? &pair.a[i / 3][i % 3] : &pair.b[i / 3 - 3][i % 3];
			*x = sizes[sceneRandom_Int(&random, 0, 4)] * (float)sceneRandom_Int(&random, -1, 1);
		}
		const bool expected = RationalIntersect(pair.a, pair.b);
		hits += expected;
		assert_int_equal(exactIntersect(pair.a, pair.b), expected);
	}
	assert_in_range(hits, count / 20, count - count / 20);
}

static void hard_pairs_are_finite_and_of_both_kinds(void** state)
{
	(void)state;
	int kinds[2] = { 0, 0 };
	for (int f = 0; f < HARD_FAMILIES; ++f)
	{
		for (uint64_t i = 0; i < 500; ++i)
		{
			const hardPair pair = hardMakePair(f, 1, i), again = hardMakePair(f, 1, i), other = hardMakePair(f, 2, i);
			assert_memory_equal(&pair, &again, sizeof(pair));
			kinds[exactIntersect(pair.a, pair.b)]++;
			for (int k = 0; k < 9; ++k)
			{
				assert_true(isfinite(pair.a[k / 3][k % 3]) && isfinite(pair.b[k / 3][k % 3]));
			}
			if (f == 0)
			{
				assert_memory_not_equal(&pair, &other, sizeof(pair));
			}
		}
	}
	assert_true(kinds[0] > 1000 && kinds[1] > 1000);
}

// --- Files ----------------------------------------------------------------------------------------------------------

typedef struct Bytes
{
	uint8_t* data;
	size_t size;
} Bytes;

static Bytes TakeStream(FILE* stream)
{
	Bytes bytes = { NULL, 0 };
	fseek(stream, 0, SEEK_END);
	bytes.size = (size_t)ftell(stream);
	bytes.data = malloc(bytes.size + 1);
	assert_non_null(bytes.data);
	rewind(stream);
	assert_int_equal(fread(bytes.data, 1, bytes.size, stream), bytes.size);
	fclose(stream);
	return bytes;
}

static const uint64_t pairCount = 2 * HARD_FAMILIES;

static Bytes MakePairs(void)
{
	truthWriter w;
	FILE* stream = tmpfile();
	assert_non_null(stream);
	truthWriter_Begin(&w, stream, truth_pairs, 0, pairCount, HARD_FAMILIES);
	for (int f = 0; f < HARD_FAMILIES; ++f)
	{
		truthFamily family = { .first = 2 * (uint64_t)f, .count = 2 };
		snprintf(family.name, sizeof(family.name), "%s", hardGetFamilyName(f));
		truthWriter_Add(&w, &family, sizeof(family));
	}
	for (uint64_t i = 0; i < pairCount; ++i)
	{
		const hardPair pair = hardMakePair((int)i / 2, 1, i % 2);
		truthWriter_Add(&w, &pair, sizeof(pair));
	}
	assert_true(truthWriter_End(&w));
	return TakeStream(stream);
}

static Bytes MakeBits(const uint8_t* bits, uint64_t question)
{
	truthWriter w;
	FILE* stream = tmpfile();
	assert_non_null(stream);
	truthWriter_Begin(&w, stream, truth_pairAnswers, question, pairCount, 0);
	truthWriter_Add(&w, bits, pairCount / 8);
	assert_true(truthWriter_End(&w));
	return TakeStream(stream);
}

// A frame with each list of pairs.
static Bytes MakeLists(const snugPair* const* lists, const uint64_t* counts, uint64_t frames)
{
	truthWriter w;
	FILE* stream = tmpfile();
	assert_non_null(stream);
	truthWriter_Begin(&w, stream, truth_frameAnswers, 7, frames, 0);
	for (uint64_t f = 0; f < frames; ++f)
	{
		truthWriter_Add(&w, &counts[f], sizeof(counts[f]));
		truthWriter_Add(&w, lists[f], (size_t)counts[f] * sizeof(snugPair));
	}
	assert_true(truthWriter_End(&w));
	return TakeStream(stream);
}

static Bytes MakeSequence(int number, int frames)
{
	char error[160] = "";
	truthWriter w;
	FILE* stream = tmpfile();
	truthSequence* s = truthSequence_Create(number, frames);
	assert_non_null(stream);
	assert_non_null(s);
	assert_true(truthSequence_Begin(s, &w, stream));
	for (int f = 0; f < frames; ++f)
	{
		assert_true(truthSequence_WriteFrame(s, &w, f, error));
	}
	assert_true(truthWriter_End(&w));
	truthSequence_Destroy(s);
	return TakeStream(stream);
}

static truthFile Parse(const Bytes* bytes)
{
	truthFile file;
	char error[160];
	if (!truthFile_Parse(&file, bytes->data, bytes->size, error))
	{
		fail_msg("%s", error);
	}
	return file;
}

static void pairs_are_read_back(void** state)
{
	(void)state;
	Bytes bytes = MakePairs();
	truthFile file = Parse(&bytes);
	assert_int_equal(file.kind, truth_pairs);
	assert_int_equal(file.count, pairCount);
	assert_int_equal(file.familyCount, HARD_FAMILIES);
	assert_string_equal(truthFile_GetFamily(&file, 3).name, hardGetFamilyName(3));
	for (uint64_t i = 0; i < pairCount; ++i)
	{
		const hardPair pair = hardMakePair((int)i / 2, 1, i % 2);
		assert_memory_equal(&pair, file.pairs + i * sizeof(pair), sizeof(pair));
	}
	free(bytes.data);
}

// Whoever knows only the file finds the same pairs in its positions as its answers say.
static void frames_are_read_back(void** state)
{
	(void)state;
	char error[160] = "";
	const int frames = 2;
	truthSequence* s = truthSequence_Create(1, frames);
	truthWriter w;
	FILE* stream = tmpfile();
	uint64_t total = 0, found = 0;
	assert_non_null(s);
	assert_non_null(stream);
	truthWriter_Begin(&w, stream, truth_frameAnswers, 7, (uint64_t)frames, 0);
	for (int f = 0; f < frames; ++f)
	{
		assert_true(truthSequence_WriteAnswers(s, &w, f, &total, error));
	}
	assert_true(truthWriter_End(&w));
	Bytes question = MakeSequence(1, frames), answers = TakeStream(stream);
	truthFile asked = Parse(&question), answered = Parse(&answers);
	assert_int_equal(asked.count, frames);
	assert_int_equal(asked.bodies[0].vertexCount, 6682);
	assert_int_equal(asked.bodies[1].triangleCount, 13590);
	const uint8_t *at = NULL, *pairs;
	uint64_t frame = 0;
	for (uint64_t count; (at = truthFile_NextFrame(&answered, at, &pairs, &count)) != NULL; ++frame)
	{
		for (uint64_t i = 0; i < count && i < 20; ++i)
		{
			snugPair pair;
			float corners[2][3][3];
			memcpy(&pair, pairs + i * sizeof(pair), sizeof(pair));
			for (int side = 0; side < 2; ++side)
			{
				const truthBody* body = asked.bodies + side;
				for (size_t c = 0; c < 3; ++c)
				{
					uint32_t vertex;
					size_t corner = 3 * (size_t)(side == 0 ? pair.a : pair.b) + c;
					memcpy(&vertex, body->triangles + corner * sizeof(vertex), sizeof(vertex));
					memcpy(corners[side][c], truthFile_GetPositions(&asked, frame, side) + 12 * (size_t)vertex, 12);
				}
			}
			assert_true(RationalIntersect(corners[0], corners[1]));
		}
		found += count;
	}
	assert_int_equal(frame, frames);
	assert_int_equal(found, total);
	assert_true(total > 100);
	truthSequence_Destroy(s);
	free(question.data);
	free(answers.data);
}

// --- Scores ---------------------------------------------------------------------------------------------------------

static void wrong_bits_are_counted(void** state)
{
	(void)state;
	uint8_t bits[4] = { 0x0f, 0xff, 0x00, 0x01 }, wrong[4];
	memcpy(wrong, bits, sizeof(bits));
	wrong[0] = (uint8_t)(wrong[0] & ~0x02); // pair 1: missed
	wrong[1] = (uint8_t)(wrong[1] & ~0x90); // pairs 12 and 15: missed
	wrong[2] |= 0x40;                       // pair 22: invented
	Bytes right = MakeBits(bits, 5), other = MakeBits(wrong, 5);
	truthFile a = Parse(&right), b = Parse(&other);
	truthScore same = truthScore_Pairs(&a, &a, 0, pairCount), score = truthScore_Pairs(&a, &b, 0, pairCount);
	truthScore part = truthScore_Pairs(&a, &b, 8, 8);
	assert_int_equal(same.wanted, 13);
	assert_int_equal(same.missed + same.invented, 0);
	assert_int_equal(score.missed, 3);
	assert_int_equal(score.invented, 1);
	assert_int_equal(part.missed, 2);
	assert_int_equal(part.invented, 0);
	free(right.data);
	free(other.data);
}

// In any order, and twice is once.
static void wrong_lists_are_counted(void** state)
{
	(void)state;
	static const snugPair first[] = { { 0, 1 }, { 2, 3 }, { 4, 5 } }, none[1], second[] = { { 7, 7 } };
	static const snugPair shuffled[] = { { 4, 5 }, { 0, 1 }, { 2, 3 }, { 0, 1 } };
	static const snugPair wrong[] = { { 9, 9 }, { 0, 1 }, { 1, 0 } };
	const snugPair *const wanted[] = { first, none, second }, *const good[] = { shuffled, none, second };
	const snugPair* const bad[] = { wrong, second, none };
	const uint64_t wantedCounts[] = { 3, 0, 1 }, goodCounts[] = { 4, 0, 1 }, badCounts[] = { 3, 1, 0 };
	Bytes files[3] = { MakeLists(wanted, wantedCounts, 3), MakeLists(good, goodCounts, 3),
		MakeLists(bad, badCounts, 3) };
	truthFile a = Parse(&files[0]), b = Parse(&files[1]), c = Parse(&files[2]);
	truthScore score;
	uint64_t worst;
	assert_true(truthScore_Frames(&score, &worst, &a, &b));
	assert_int_equal(score.missed + score.invented, 0);
	assert_int_equal(score.wanted, 4);
	assert_true(truthScore_Frames(&score, &worst, &a, &c));
	assert_int_equal(score.missed, 3);
	assert_int_equal(score.invented, 3);
	assert_int_equal(worst, 0);
	for (int i = 0; i < 3; ++i)
	{
		free(files[i].data);
	}
}

// --- Harm -----------------------------------------------------------------------------------------------------------

// As if it had always been so: the hash does not stand in the way.
static void Repair(Bytes* bytes)
{
	uint64_t hash = truthHash(TRUTH_HASH_START, bytes->data + 64, bytes->size - 64);
	memcpy(bytes->data + 16, &hash, sizeof(hash));
}

// Look at everything that a file gives.
static void Walk(const truthFile* file)
{
	volatile uint64_t sum = 0;
	for (uint64_t i = 0; file->kind == truth_pairAnswers && i < file->count; ++i)
	{
		sum += truthFile_GetBit(file, i);
	}
	for (uint32_t i = 0; file->kind == truth_pairs && i < file->familyCount; ++i)
	{
		sum += truthFile_GetFamily(file, i).count;
	}
	for (uint64_t f = 0; file->kind == truth_frames && f < file->count; ++f)
	{
		sum += truthFile_GetPositions(file, f, 1)[12 * (size_t)file->bodies[1].vertexCount - 1];
	}
	const uint8_t *at = NULL, *pairs;
	for (uint64_t count; file->kind == truth_frameAnswers && (at = truthFile_NextFrame(file, at, &pairs, &count));)
	{
		sum += count > 0 ? pairs[8 * count - 1] : 0;
	}
	(void)sum;
}

static Bytes MakeSample(int kind)
{
	static const snugPair some[] = { { 0, 1 }, { 2, 3 } };
	static const snugPair* const lists[] = { some, some, some };
	static const uint64_t counts[] = { 2, 0, 1 };
	static const uint8_t bits[4] = { 1, 2, 3, 4 };
	return kind == 0   ? MakePairs()
	       : kind == 1 ? MakeSequence(0, 1)
	       : kind == 2 ? MakeBits(bits, 3)
	                   : MakeLists(lists, counts, 3);
}

static void cut_files_are_refused(void** state)
{
	(void)state;
	for (int kind = 0; kind < 4; ++kind)
	{
		Bytes whole = MakeSample(kind);
		size_t step = whole.size > 5000 ? whole.size / 500 : 1;
		for (size_t size = 0; size < whole.size; size += step)
		{
			// In memory of exactly that size, so that a sanitizer sees what is read beyond it.
			Bytes cut = { malloc(size + 1), size };
			truthFile file;
			char error[160];
			assert_non_null(cut.data);
			memcpy(cut.data, whole.data, size);
			assert_false(truthFile_Parse(&file, cut.data, cut.size, error));
			assert_true(error[0] != '\0');
			if (size >= 64)
			{
				Repair(&cut);
				assert_false(truthFile_Parse(&file, cut.data, cut.size, error));
			}
			free(cut.data);
		}
		free(whole.data);
	}
}

static void damaged_files_are_refused(void** state)
{
	(void)state;
	Bytes bytes = MakeSample(0);
	truthFile file;
	char error[160];
	for (size_t i = 0; i < bytes.size; i += i < 64 ? 1 : 97)
	{
		// Of answers the question and the count may be any, of pairs too; the hash covers the rest.
		if (i >= 24 && i < 32)
		{
			continue;
		}
		bytes.data[i] ^= 0x40;
		assert_false(truthFile_Parse(&file, bytes.data, bytes.size, error));
		bytes.data[i] ^= 0x40;
	}
	assert_true(truthFile_Parse(&file, bytes.data, bytes.size, error));
	free(bytes.data);
}

// What gets in must hold together, whatever was changed.
static void changed_files_do_no_harm(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	int accepted = 0;
	for (int kind = 0; kind < 4; ++kind)
	{
		Bytes whole = MakeSample(kind);
		for (int n = 0; n < TestCount(kind == 1 ? 60 : 1500); ++n)
		{
			Bytes changed = { malloc(whole.size), whole.size };
			truthFile file;
			char error[160];
			assert_non_null(changed.data);
			memcpy(changed.data, whole.data, whole.size);
			for (int i = sceneRandom_Int(&random, 1, 4); i > 0; --i)
			{
				size_t range = sceneRandom_Int(&random, 0, 2) == 0 && whole.size > 400 ? 400 : whole.size;
				changed.data[sceneRandom_Next(&random) % range] = (uint8_t)(sceneRandom_Next(&random) >> 20);
			}
			Repair(&changed);
			if (truthFile_Parse(&file, changed.data, changed.size, error))
			{
				++accepted;
				Walk(&file);
			}
			free(changed.data);
		}
		free(whole.data);
	}
	assert_true(accepted > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_answers_agree_with_rationals),
		cmocka_unit_test(exact_answers_hold_at_the_ends_of_the_range),
		cmocka_unit_test(hard_pairs_are_finite_and_of_both_kinds),
		cmocka_unit_test(pairs_are_read_back),
		cmocka_unit_test(frames_are_read_back),
		cmocka_unit_test(wrong_bits_are_counted),
		cmocka_unit_test(wrong_lists_are_counted),
		cmocka_unit_test(cut_files_are_refused),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(changed_files_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
