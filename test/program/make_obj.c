// test/program/make_obj.c: writes a generated mesh as an OBJ file: make_obj NAME OUT.obj. For the tests of the program.
#include "lab/scenes/mesh.h"

#include <stdio.h>
#include <string.h>

static sceneMesh MakeMesh(const char* name)
{
	sceneMesh none = { NULL, 0, NULL, 0 };
	return strcmp(name, "blob") == 0          ? sceneMakeBlob(20, 1)
	       : strcmp(name, "torus") == 0       ? sceneMakeTorus(1.0, 0.4, 60, 30)
	       : strcmp(name, "box") == 0         ? sceneMakeVoxelBox(6, 5, 4, 0.25)
	       : strcmp(name, "cloth") == 0       ? sceneMakeCloth(3.0, 3.0, 40, 40)
	       : strcmp(name, "soup") == 0        ? sceneMakeSoup(3000, 0.2, 5)
	       : strcmp(name, "triangle") == 0    ? sceneMakeTriangle()
	       : strcmp(name, "beam") == 0        ? sceneMakeVoxelBox(20, 1, 1, 0.05)
	       : strcmp(name, "chair") == 0       ? sceneMakeChair(1)
	       : strcmp(name, "bridge") == 0      ? sceneMakeBridge(1)
	       : strcmp(name, "tetrahedron") == 0 ? sceneMakeTetrahedron()
	                                          : none;
}

static bool Write(const sceneMesh* mesh, const char* path)
{
	FILE* file = fopen(path, "w");
	for (size_t i = 0; file != NULL && i < mesh->vertexCount; ++i)
	{
		const float* p = mesh->positions + 3 * i;
		fprintf(file, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
	}
	for (size_t i = 0; file != NULL && i < mesh->triangleCount; ++i)
	{
		const uint32_t* corners = mesh->triangles + 3 * i;
		fprintf(file, "f %u %u %u\n", corners[0] + 1, corners[1] + 1, corners[2] + 1);
	}
	return file != NULL && fclose(file) == 0;
}

int main(int argumentCount, char** arguments)
{
	if (argumentCount != 3)
	{
		fprintf(stderr, "usage: make_obj NAME OUT.obj\n");
		return 2;
	}
	sceneMesh mesh = MakeMesh(arguments[1]);
	bool done = sceneMesh_IsValid(&mesh) && Write(&mesh, arguments[2]);
	if (!done)
	{
		fprintf(stderr, "make_obj: no such mesh, or %s cannot be written\n", arguments[2]);
	}
	sceneMesh_Free(&mesh);
	return done ? 0 : 1;
}
