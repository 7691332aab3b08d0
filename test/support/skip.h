// test/support/skip.h: tests that cannot run for want of something say what, and are skipped; SNUG_REQUIRE makes them
// fail.
//
// SNUG_REQUIRE is `all`, or names what must be there, with commas: models,solvers. The names are those in
// CONTRIBUTING.md; skip.sh is the same for scripts.
#ifndef TEST_SKIP_H
#define TEST_SKIP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool IsRequired(const char* what)
{
	const char* list = getenv("SNUG_REQUIRE");
	size_t length = strlen(what);
	while (list != NULL && *list != '\0')
	{
		size_t own = strcspn(list, ",");
		if ((own == length && strncmp(list, what, own) == 0) || (own == 3 && strncmp(list, "all", own) == 0))
		{
			return true;
		}
		list += own + (list[own] == ',');
	}
	return false;
}

/// Say what is missing. @return the exit code that says skipped, or failed if it is required
static inline int SkipOrFail(const char* what, const char* reason)
{
	bool isRequired = IsRequired(what);
	printf("%s: %s: %s\n", isRequired ? "FAILED, since SNUG_REQUIRE asks for it" : "skipped", what, reason);
	return isRequired ? 1 : 77;
}

/// The folder of models that others made (docs/data.md): SNUG_MODELS, or where the laboratory looks.
#define MODELS_FOLDER (getenv("SNUG_MODELS") != NULL ? getenv("SNUG_MODELS") : SNUG_TEST_DIR "/../build/models")

/// Within a test of cmocka.
#define SKIP_WITHOUT(what, reason)          \
	do                                      \
	{                                       \
		if (SkipOrFail(what, reason) != 77) \
		{                                   \
			fail();                         \
		}                                   \
		skip();                             \
	} while (0)

#endif
