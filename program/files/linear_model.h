// program/files/linear_model.h: displacement fields as a model file.
#ifndef CLI_LINEAR_MODEL_H
#define CLI_LINEAR_MODEL_H

#include "snug/snug.h"

/// A row of an option table: snugModelDef.certificates.
#define CLI_SELF_OPTION(target)                                                              \
	{                                                                                        \
		"--self", cli_flag, target, NULL, "store how far it may bend without meeting itself" \
	}

/// Make a model of deformer snug_fields and write it. Prints what is wrong.
/// @param source what messages begin with: the file that the mesh is from
bool cliWriteLinearModel(const snugModelDef* def, const char* source, const char* path);

/// How modes and reduce tell what they are doing: a simProgressFcn. The user is the file's name.
void cliShowWork(void* user, const char* what, uint64_t done, uint64_t total);

/// The same of certificates: a snugProgressFcn.
void cliShowCertificates(void* user, uint64_t done, uint64_t all);

#endif
