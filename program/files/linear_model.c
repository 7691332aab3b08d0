#include "program/files/linear_model.h"

#include "program/commands/terminal.h"
#include "program/files/output.h"

typedef struct listener
{
	const char* source;
	bool told;
} listener;

static void HearMessage(void* user, snugSeverity severity, const char* text)
{
	listener* l = user;
	l->told = l->told || severity == snug_error;
	cliError("%s%s: %s", severity == snug_error ? "" : "warning: ", l->source, text);
}

bool cliWriteLinearModel(const snugModelDef* wanted, const char* source, const char* path)
{
	listener l = { .source = source };
	snugModelDef def = *wanted;
	snugModel* model = NULL;
	def.deformer = snug_fields;
	def.messenger = (snugMessenger){ HearMessage, &l };
	def.progress = cliShowCertificates;
	def.progressUser = (void*)(uintptr_t)path;
	cliProgress("preparing %s ...", path);
	snugStatus status = snugModel_Create(&def, &model);
	if (status != snug_success)
	{
		if (!l.told)
		{
			cliError("%s: %s", source, snugGetStatusText(status));
		}
		return false;
	}
	cliProgress("writing %s ...", path);
	bool written = cliOutput_WriteModel(path, model);
	snugModel_Destroy(model);
	return written;
}

void cliShowWork(void* user, const char* what, uint64_t done, uint64_t total)
{
	if (total > 0)
	{
		cliProgress(
		    "%s: %s, %llu of %llu ...", (const char*)user, what, (unsigned long long)done, (unsigned long long)total);
	}
	else if (done > 0)
	{
		cliProgress("%s: %s, step %llu ...", (const char*)user, what, (unsigned long long)done);
	}
	else
	{
		cliProgress("%s: %s ...", (const char*)user, what);
	}
}

void cliShowCertificates(void* user, uint64_t done, uint64_t all)
{
	cliShowWork(user, "how far it may bend", done, all);
}
