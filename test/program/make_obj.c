// test/program/make_obj.c: writes a generated mesh as an OBJ file: make_obj NAME OUT.obj. For the tests of the program.
#include "io/obj.h"
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

int main(int argumentCount, char** arguments)
{
	ioError error;
	if (argumentCount != 3)
	{
		fprintf(stderr, "usage: make_obj NAME OUT.obj\n");
		return 2;
	}
	sceneMesh mesh = MakeMesh(arguments[1]);
	ioMesh written = { mesh.positions, mesh.vertexCount, mesh.triangles, mesh.triangleCount };
	bool done = sceneMesh_IsValid(&mesh) && ioWriteObj(arguments[2], &written, &error);
	if (!done)
	{
		fprintf(stderr, "make_obj: %s\n", sceneMesh_IsValid(&mesh) ? error.text : "no such mesh");
	}
	sceneMesh_Free(&mesh);
	return done ? 0 : 1;
}
