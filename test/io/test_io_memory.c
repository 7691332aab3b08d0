// test/io/test_io_memory.c: every allocation of a load, an actor or a model fails once; that must then fail with a
// message or a status, leak nothing (the sanitizers' builds see that) and harm nothing.
#include "failing_memory.h"
#include "test_io.h"

#include "io/gltf_write.h"
#include "io/plain.h"

#include <snug/snug_io.h>

// Load and act with one allocation failing. Returns whether there were that many.
static bool LoadFailing(const Sample* sample, int call)
{
	ioAsset asset;
	ioError error;
	bool inFile = strcmp(sample->format, "obj") == 0;
	callsBeforeFailure = call;
	bool loaded = inFile ? ioLoad(sample->name, NULL, &asset, &error)
	                     : ioLoadMemory(sample->bytes.data, sample->bytes.count, sample->name, NULL, &asset, &error);
	bool isPast = callsBeforeFailure < 0; // the reader did without: it wanted to give memory back
	snugActor* actor = NULL;
	snugModel* model = NULL;
	snugStatus status = loaded ? snugActor_Create(&asset, NULL, &actor) : snug_success;
	snugStatus alone = loaded ? snugAsset_CreateModel(&asset, 0, NULL, &model) : snug_success;
	bool failed = callsBeforeFailure < 0;
	callsBeforeFailure = -1;
	if (!loaded)
	{
		assert_true(failed);
		assert_null(asset.blocks);
		if (strstr(error.text, "out of memory") == NULL || error.kind != io_noMemory)
		{
			fail_msg("allocation %d: %s", call, error.text);
		}
		return true;
	}
	assert_int_equal((status != snug_success) + (alone != snug_success), failed && !isPast ? 1 : 0);
	assert_true(status == snug_success || (status == snug_outOfMemory && actor == NULL));
	assert_true(alone == snug_success || (alone == snug_outOfMemory && model == NULL));
	snugActor_Destroy(actor);
	snugModel_Destroy(model);
	ioAsset_Free(&asset);
	return failed;
}

static void every_allocation_may_fail(void** state)
{
	(void)state;
	Sample samples[32];
	int count = MakeSamples(samples);
	for (int i = 0; i < count; ++i)
	{
		WriteFile(samples[i].name, samples[i].bytes.data, samples[i].bytes.count);
		int call = 0;
		while (LoadFailing(&samples[i], call))
		{
			++call;
		}
		assert_true(call > 5);
		remove(samples[i].name);
		Bytes_Free(&samples[i].bytes);
	}
}

// Make an asset plain and print it with one allocation failing. Returns whether there were that many.
static bool PrintFailing(const ioAsset* asset, int call, FILE* stream)
{
	ioAsset plain;
	ioError error;
	callsBeforeFailure = call;
	bool made = ioMakePlain(asset, "plain", &plain, &error);
	bool printed = made && ioPrintGlb(stream, "plain", &plain, NULL, &error);
	bool failed = callsBeforeFailure < 0;
	callsBeforeFailure = -1;
	assert_int_equal(printed, !failed);
	assert_true(printed || (strcmp(error.text, "plain: out of memory") == 0 && error.kind == io_noMemory));
	assert_true(made || plain.blocks == NULL);
	ioAsset_Free(&plain);
	return failed;
}

static void writing_may_lack_memory(void** state)
{
	(void)state;
	Sample samples[32];
	int count = MakeSamples(samples);
	for (int i = 0; i < count; ++i)
	{
		bool isTried = strcmp(samples[i].name, "text.fbx") == 0 || strcmp(samples[i].name, "troupe.glb") == 0;
		ioAsset asset;
		ioError error;
		if (isTried &&
		    ioLoadMemory(samples[i].bytes.data, samples[i].bytes.count, samples[i].name, NULL, &asset, &error))
		{
			FILE* stream = tmpfile();
			assert_non_null(stream);
			int call = 0;
			while (PrintFailing(&asset, call, stream))
			{
				++call;
			}
			assert_true(call > 20);
			fclose(stream);
			ioAsset_Free(&asset);
		}
		Bytes_Free(&samples[i].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(writing_may_lack_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
