// test/io/test_io_three.c: poses as three.js has them. Usage: test_io_three FILE.glb POSED
//
// Compares poses with those of three.js, which gltf_oracle/pose.mjs wrote, vertex by vertex, to 1e-5 of the model's
// size in that pose. three.js reads four influences per vertex: vertices with more are left out, and counted.
#include "io/asset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-5

typedef struct totals
{
	double worst; // of the size
	unsigned long compared, left;
	int poses;
} totals;

static uint32_t FindInstance(const ioAsset* asset, uint32_t node)
{
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		if (asset->instances[i].node == node)
		{
			return i;
		}
	}
	return IO_NONE;
}

static bool IsComparable(const ioAssetMesh* mesh, uint32_t vertex)
{
	return mesh->influenceStart == NULL || mesh->influenceStart[vertex + 1] - mesh->influenceStart[vertex] <= 4;
}

static void Compare(const ioAsset* asset, ioPose* pose, uint32_t clip, double time, uint32_t instance,
    const double* expected, totals* t)
{
	const ioAssetMesh* mesh = asset->meshes + asset->instances[instance].mesh;
	uint32_t count = mesh->mesh.vertexCount;
	float* found = malloc((size_t)count * 3 * sizeof(float));
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, worst = 0.0;
	ioPose_Evaluate(pose, clip, time);
	if (found == NULL || !ioPose_EvaluateVertices(pose, instance, found))
	{
		abort();
	}
	for (uint32_t v = 0; v < count; ++v)
	{
		bool comparable = IsComparable(mesh, v);
		t->compared += comparable;
		t->left += !comparable;
		for (size_t k = 0; k < 3; ++k)
		{
			size_t i = 3 * (size_t)v + k;
			low[k] = fmin(low[k], expected[i]);
			high[k] = fmax(high[k], expected[i]);
			double difference = fabs((double)found[i] - expected[i]);
			// A difference that is not a number must not be lost in fmax.
			worst = comparable && !(difference <= worst) ? difference : worst;
		}
	}
	double size = sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2));
	t->worst = !(worst / size <= t->worst) ? worst / size : t->worst;
	t->poses++;
	free(found);
}

static bool Report(const char* path, const ioAsset* asset, uint32_t clip, const totals* t)
{
	const char* name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
	bool agrees = t->worst <= TOLERANCE;
	printf("%-24s %-32s %2d poses  %8lu vertices compared, %lu left out  worst %.2e of the size%s\n", name,
	    clip != IO_NONE ? asset->clips[clip].name : "(rest)", t->poses, t->compared, t->left, t->worst,
	    agrees ? "" : "  TOO LARGE");
	return agrees;
}

static bool CompareFile(const char* path, const ioAsset* asset, ioPose* pose, FILE* file)
{
	uint32_t header[3], previous = IO_NONE;
	double time;
	totals t = { .worst = 0.0 };
	bool agrees = true;
	while (fread(header, sizeof(header), 1, file) == 1 && fread(&time, sizeof(time), 1, file) == 1)
	{
		if (header[0] != previous)
		{
			agrees = Report(path, asset, previous, &t) && agrees;
			t = (totals){ .worst = 0.0 };
		}
		previous = header[0];
		uint32_t instance = FindInstance(asset, header[1]);
		double* expected = malloc((size_t)header[2] * 3 * sizeof(double));
		if (expected == NULL || fread(expected, 24, header[2], file) != header[2] || instance == IO_NONE ||
		    asset->meshes[asset->instances[instance].mesh].mesh.vertexCount != header[2])
		{
			printf("%s: node %u has not the %u vertices of three.js\n", path, header[1], header[2]);
			free(expected);
			return false;
		}
		Compare(asset, pose, header[0], time, instance, expected, &t);
		free(expected);
	}
	return Report(path, asset, previous, &t) && agrees && t.poses > 0;
}

int main(int argumentCount, char** arguments)
{
	ioAsset asset;
	ioError error = { .text = "" };
	if (argumentCount != 3 || !ioLoad(arguments[1], NULL, &asset, &error))
	{
		printf("%s\n", error.text);
		return 2;
	}
	ioPose* pose = ioPose_Create(&asset);
	FILE* file = fopen(arguments[2], "rb");
	bool agrees = pose != NULL && file != NULL && CompareFile(arguments[1], &asset, pose, file);
	if (file != NULL)
	{
		fclose(file);
	}
	ioPose_Destroy(pose);
	ioAsset_Free(&asset);
	return agrees ? 0 : 1;
}
