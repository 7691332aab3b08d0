#include "program/commands/help.h"

#include "snug/snug.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 28
#define TEXT_COLUMNS 112

// Lines of the text are paragraphs and items of lists: each is wrapped. A hyphen alone would begin an item.
static void PrintWrapped(const char* text)
{
	int column = 0, indent = 0;
	while (*text != '\0')
	{
		const int length = (int)strcspn(text, " \n");
		indent = column > 0 ? indent : strncmp(text, "- ", 2) == 0 ? 2 : 0;
		const bool isBroken = column > 0 && column + 1 + length > TEXT_COLUMNS && strncmp(text, "- ", 2) != 0;
		printf("%s%*s%.*s", isBroken ? "\n" : column > 0 ? " " : "", isBroken ? indent : 0, "", length, text);
		column = isBroken ? indent + length : column + (column > 0) + length;
		text += length;
		text += *text == ' ';
		for (; *text == '\n'; ++text, column = 0)
		{
			putchar('\n');
		}
	}
}

// ---- Plain -----------------------------------------------------------------------------------------------------

// Long options get a line of their own, so that the column of explanations stays readable.
static void PrintOption(const char* name, const char* choices, const char* help)
{
	int length = printf("  %s%s%s", name, choices != NULL ? " " : "", choices != NULL ? choices : "");
	if (length > HELP_COLUMN - 2)
	{
		printf("\n");
		length = 0;
	}
	printf("%*s%s\n", HELP_COLUMN - length, "", help);
}

static void PrintPlain(const cliUsage* usage, const cliOption* options)
{
	printf("usage: snug %s %s\n\n", usage->command, usage->synopsis);
	PrintWrapped(usage->summary);
	printf("\n\noptions:\n");
	for (const cliOption* o = options; o->name != NULL; ++o)
	{
		PrintOption(o->name, o->choices, o->help);
	}
	PrintOption("--help", NULL, "this text");
	printf("\nexamples:\n%s\n", usage->examples);
}

// ---- Man page --------------------------------------------------------------------------------------------------

// Text in which troff finds no commands: backslashes and hyphens are escaped, and a line that begins with a point or a
// quotation mark is preceded by something of no width. A line that begins with a hyphen and a blank is one of a list.
static void PrintTroff(const char* text)
{
	bool lineStart = true;
	for (; *text != '\0'; ++text)
	{
		if (lineStart && (*text == '.' || *text == '\''))
		{
			fputs("\\&", stdout);
		}
		if (lineStart && *text == '\n')
		{
			fputs(".PP", stdout);
		}
		if (lineStart && strncmp(text, "- ", 2) == 0)
		{
			fputs(".IP \\(bu 2\n", stdout);
			text += 2;
		}
		fputs(*text == '\\' ? "\\e" : *text == '-' ? "\\-" : (char[]){ *text, '\0' }, stdout);
		lineStart = *text == '\n';
	}
}

static void PrintManOption(const char* name, const char* choices, const char* help)
{
	printf(".TP\n\\fB");
	PrintTroff(name);
	printf("\\fR");
	if (choices != NULL)
	{
		printf(" \\fI");
		PrintTroff(choices);
		printf("\\fR");
	}
	printf("\n");
	PrintTroff(help);
	printf("\n");
}

static void PrintMan(const cliUsage* usage, const cliOption* options)
{
	printf(".SS snug %s ", usage->command);
	PrintTroff(usage->synopsis);
	printf("\n");
	PrintTroff(usage->summary);
	printf("\n");
	for (const cliOption* o = options; o->name != NULL; ++o)
	{
		PrintManOption(o->name, o->choices, o->help);
	}
	printf(".PP\nExamples:\n.PP\n.nf\n");
	PrintTroff(usage->examples);
	printf("\n.fi\n");
}

// ---- Markdown --------------------------------------------------------------------------------------------------

// A cell of a table: a bar would end it.
static void PrintCell(const char* text)
{
	for (; *text != '\0'; ++text)
	{
		printf(*text == '|' ? "\\%c" : "%c", *text);
	}
}

static void PrintMarkdown(const cliUsage* usage, const cliOption* options)
{
	printf("\n## snug %s\n\n```\nsnug %s %s\n```\n\n", usage->command, usage->command, usage->synopsis);
	PrintWrapped(usage->summary);
	printf("\n\n| option | meaning |\n|---|---|\n");
	for (const cliOption* o = options; o->name != NULL; ++o)
	{
		printf("| `%s", o->name);
		if (o->choices != NULL)
		{
			printf(" ");
			PrintCell(o->choices);
		}
		printf("` | ");
		PrintCell(o->help);
		printf(" |\n");
	}
	printf("\n```sh\n");
	for (const char* p = usage->examples; *p != '\0';)
	{
		size_t length = strcspn(p, "\n");
		size_t indent = strspn(p, " ");
		printf("%.*s\n", (int)(length - indent), p + indent);
		p += length + (p[length] == '\n');
	}
	printf("```\n");
}

void cliPrintHelp(const cliUsage* usage, const cliOption* options, cliHelpStyle style)
{
	(style == cli_plainHelp ? PrintPlain : style == cli_manHelp ? PrintMan : PrintMarkdown)(usage, options);
}

// ---- The manual ------------------------------------------------------------------------------------------------

static const char purpose[] = "exact collision detection between deforming triangle meshes";

static const char description[] =
    "snug finds which triangles of meshes intersect, at rest or in every frame of an animation. A pair is reported if "
    "and only if the two closed triangles share a point, at the float32 positions that `snug pose` prints. Touching "
    "counts.\n\n"
    "It reads glTF 2.0 (.gltf, .glb), FBX (7.0 and later; in metres and y up once read), OBJ, PLY, STL, OFF and models "
    "packed by `snug pack` (.snug). Each instance of a mesh in a file is a body. Morph targets change its shape, then "
    "its joints move it or, if it has no skin, its node does.";

static const char exitCodes[] =
    "0 done; 1 bad input: one line on stderr names the file and what is wrong; 2 bad usage; 3 contact found and "
    "--fail-on-contact given; 130 interrupted.";

void cliPrintManualHead(const cliTopic* topics, int count, cliHelpStyle style)
{
	if (style == cli_manHelp)
	{
		printf(".TH SNUG 1 \"\" \"snug %s\" \"User Commands\"\n.SH NAME\nsnug \\- %s\n", snugGetVersion(), purpose);
		printf(".SH SYNOPSIS\n.B snug\n.I COMMAND\n[options]\n.SH DESCRIPTION\n");
		PrintTroff(description);
		printf("\n");
	}
	else
	{
		printf("# The program\n\n<!-- Written by `snug --markdown`: change program/ and run it again. -->\n\n");
		PrintWrapped(description);
		printf("\n\n| command | does |\n|---|---|\n");
	}
	for (int i = 0; i < count; ++i)
	{
		if (style == cli_manHelp)
		{
			PrintManOption(topics[i].name, NULL, topics[i].help);
		}
		else
		{
			printf("| [snug %s](%s#snug-%s) | %s |\n", topics[i].name, topics[i].isOfLab ? "lab.md" : "",
			    topics[i].name, topics[i].help);
		}
	}
	if (style == cli_manHelp)
	{
		printf(".SH COMMANDS\n");
	}
	else
	{
		printf("\nOptions may come anywhere, as `--name value` or `--name=value`; after `--` everything is a file.\n"
		       "Exit codes: ");
		PrintWrapped(exitCodes);
		putchar('\n');
	}
}

void cliPrintLabHead(void)
{
	printf("# Scenes, truth, benchmarks\n\n");
	printf("<!-- Written by `snug --markdown lab`: change lab/ or papers/ and run it again. -->\n\n");
	PrintWrapped(
	    "These commands start the program snug-lab, which `make` builds beside `snug`. The other commands are in "
	    "[the program](program.md).");
	putchar('\n');
}

void cliPrintManualTail(cliHelpStyle style)
{
	if (style == cli_manHelp)
	{
		printf(".SH EXIT STATUS\n");
		PrintTroff(exitCodes);
		printf("\n.SH ENVIRONMENT\n.TP\n\\fBSNUG_ISA\\fR\nthe instruction set to use, such as scalar. "
		       "Results do not depend on it.\n");
	}
}
