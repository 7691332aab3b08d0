// test/io/test_io.h: what the tests of the readers share.
#ifndef TEST_IO_H
#define TEST_IO_H

// cmocka.h needs these before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/asset.h"
#include "io_files.h"
#include "skip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is said of a folder: Windows does not even open it.
#if defined(_WIN32)
#define FOLDER_REFUSED "cannot open: Permission denied"
#else
#define FOLDER_REFUSED "cannot read: Is a directory"
#endif

// Warnings of the last load.
typedef struct Warnings
{
	int count;
	char first[512], last[512];
} Warnings;

static inline void KeepWarning(void* user, const char* text)
{
	Warnings* warnings = user;
	warnings->count++;
	snprintf(warnings->last, sizeof(warnings->last), "%s", text);
	if (warnings->count == 1)
	{
		memcpy(warnings->first, warnings->last, sizeof(warnings->first));
	}
}

static inline double TestScale(void)
{
	const char* text = getenv("SNUG_TEST_SCALE");
	return text != NULL && atof(text) > 0.0 ? atof(text) : 1.0;
}

// xorshift; the seed must not be 0
static inline uint32_t NextRandom(uint32_t* state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

// Uniform in [low, high).
static inline double RandomIn(uint32_t* state, double low, double high)
{
	return low + (high - low) * ((double)NextRandom(state) / 4294967296.0);
}

// The naive reference: an instance's vertices at a time, in double, computed with as little in common with io/pose.c as
// can be: 4x4 matrices, ancestors by walking up for every joint, keys by searching from the front, rotations of vectors
// by quaternion products, blending of matrices instead of points. See io_reference.c.
void ReferenceVertices(const ioAsset* asset, uint32_t clip, double time, uint32_t instance, double* positions);

// Compare ioPose_EvaluateVertices with the reference for all instances, at rest and at times of all clips.
// @return the largest difference, in relation to the size of the instance's rest mesh or of its pose, if that is larger
double CompareWithReference(const ioAsset* asset);

#endif
