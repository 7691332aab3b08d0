#include "cli/files.h"

#include "cli/terminal.h"

#include <string.h>

static void PrintMessage(void* user, snugSeverity severity, const char* text)
{
	cliBody* body = user;
	cliError("%s: %s%s", body->path, severity == snug_warning ? "warning: " : "", text);
	body->told = body->told || severity == snug_error;
}

// An OBJ file is one body, called as the file is without directory and ending.
static void SetName(cliBody* body, const char* path)
{
	const char* slash = strrchr(path, '/');
	const char* start = slash != NULL ? slash + 1 : path;
	const char* dot = strrchr(start, '.');
	size_t length = dot != NULL && dot > start ? (size_t)(dot - start) : strlen(start);
	length = length < sizeof(body->name) - 1 ? length : sizeof(body->name) - 1;
	memcpy(body->name, start, length);
	body->name[length] = '\0';
}

bool cliBody_Load(cliBody* body, const char* path)
{
	ioError error;
	body->path = path;
	SetName(body, path);
	if (!ioReadObj(path, &body->mesh, &error))
	{
		cliError("%s", error.text);
		return false;
	}
	snugMessenger messenger = { PrintMessage, body };
	snugModelDef def = { .positions = body->mesh.positions,
		.vertexCount = body->mesh.vertexCount,
		.triangles = body->mesh.triangles,
		.triangleCount = body->mesh.triangleCount,
		.messenger = messenger };
	snugStatus status = snugModel_Create(&def, &body->model);
	if (status == snug_success)
	{
		snugBodyDef bodyDef = { .model = body->model, .messenger = messenger };
		status = snugBody_Create(&bodyDef, &body->body);
	}
	return cliBody_Check(body, status);
}

bool cliBody_Check(cliBody* body, snugStatus status)
{
	if (status != snug_success && !body->told)
	{
		cliError("%s: %s", body->path, snugGetStatusText(status));
		body->told = true;
	}
	return status == snug_success;
}

void cliBody_Free(cliBody* body)
{
	snugBody_Destroy(body->body);
	snugModel_Destroy(body->model);
	ioMesh_Free(&body->mesh);
	memset(body, 0, sizeof(*body));
}
