#include "io/decimal.h"
#include "io/obj.h"

static void WriteVertices(FILE* stream, const ioMesh* mesh)
{
	for (size_t i = 0; i < mesh->vertexCount; ++i)
	{
		fputs("v", stream);
		for (size_t k = 0; k < 3; ++k)
		{
			char text[IO_FLOAT_TEXT];
			ioPrintFloat(mesh->positions[3 * i + k], text);
			fputc(' ', stream);
			fputs(text, stream);
		}
		fputc('\n', stream);
	}
}

bool ioWriteObj(const char* path, const ioMesh* mesh, ioError* error)
{
	ioOutput output;
	if (!ioOutput_Open(&output, path, error))
	{
		return false;
	}
	WriteVertices(output.stream, mesh);
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corners = mesh->triangles + 3 * t;
		fprintf(output.stream, "f %lu %lu %lu\n", corners[0] + 1ul, corners[1] + 1ul, corners[2] + 1ul);
	}
	return ioOutput_Commit(&output, error);
}
