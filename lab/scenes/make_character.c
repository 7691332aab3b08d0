// Writes a figure as a GLB file: make_character man|creature OUT.glb [EDGE]. EDGE is about how long the
// sides of triangles are, in metres.
#include "lab/scenes/figure_asset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int Fail(const char* text)
{
	fprintf(stderr, "make_character: %s\n", text);
	return 1;
}

int main(int count, char** arguments)
{
	bool isMan = count > 2 && strcmp(arguments[1], "man") == 0;
	bool isCreature = count > 2 && strcmp(arguments[1], "creature") == 0;
	double edge = count > 3 ? strtod(arguments[3], NULL) : 0.0;
	if (count > 4 || !(isMan || isCreature) || (count > 3 && !(edge >= 0.001 && edge <= 0.05)))
	{
		fprintf(stderr, "usage: make_character man|creature OUT.glb [EDGE]\nEDGE: 0.001 to 0.05 metres\n");
		return 2;
	}
	sceneFigure figure;
	sceneFigureDef def = { .kind = isMan ? scene_man : scene_creature, .edge = edge };
	if (!sceneFigure_Create(&figure, &def))
	{
		return Fail("no memory");
	}
	ioAsset asset;
	ioLook look;
	ioError error = { .text = "no memory" };
	bool good = figureAsset_Make(&figure, &asset, &look);
	if (good)
	{
		good = ioWriteGlb(arguments[2], &asset, &look, &error);
		printf("%s: %u vertices, %u triangles, %u joints, %u clips\n", arguments[2], figure.character.mesh.vertexCount,
		    figure.character.mesh.triangleCount, asset.jointCount, asset.clipCount);
		ioAsset_Free(&asset);
	}
	sceneFigure_Free(&figure);
	return good ? 0 : Fail(error.text);
}
