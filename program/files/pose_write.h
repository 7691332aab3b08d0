// program/files/pose_write.h: the bodies of a stage as a file of triangles.
#ifndef CLI_POSE_WRITE_H
#define CLI_POSE_WRITE_H

#include "program/files/stage.h"

#include <stdio.h>

typedef enum cliMeshFormat
{
	cli_obj, ///< text that reads back bit for bit; a group per body
	cli_ply, ///< binary, little endian; bodies are listed in comments
	cli_glb, ///< binary glTF: a node and a mesh per body
} cliMeshFormat;
#define CLI_MESH_FORMATS "obj|ply|glb"

/// Write all bodies, one after the other. On failure the stage's error says why; of the stream's errors nothing is
/// said.
bool cliWritePose(cliStage* stage, cliMeshFormat format, FILE* stream);

#endif
