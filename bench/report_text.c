#include "bench/machine.h"
#include "bench/report.h"

#include <math.h>
#include <string.h>

// ---- Tables ----------------------------------------------------------------------------------------------------

// Headings go over two lines, broken at the space nearest the middle: most columns hold short numbers.
typedef struct heading
{
	char lines[2][48];
} heading;

static heading MakeHeading(const char* key)
{
	heading h = { { "", "" } };
	char text[48];
	benchFormatKey(key, text);
	size_t length = strlen(text), split = 0;
	for (size_t i = 1; i < length; ++i)
	{
		size_t distance = 2 * i > length ? 2 * i - length : length - 2 * i;
		size_t best = 2 * split > length ? 2 * split - length : length - 2 * split;
		if (text[i] == ' ' && (split == 0 || distance < best))
		{
			split = i;
		}
	}
	snprintf(h.lines[1], sizeof(h.lines[1]), "%s", text + (split > 0 ? split + 1 : 0));
	text[split] = '\0';
	snprintf(h.lines[0], sizeof(h.lines[0]), "%s", text);
	return h;
}

static int Larger(int a, size_t b)
{
	return a > (int)b ? a : (int)b;
}

// Texts to the left, numbers to the right.
static bool IsTextColumn(const benchReport* report, int first, int end, const char* key)
{
	for (int i = first; i < end; ++i)
	{
		const benchCell* cell = benchRow_Find(report->rows + i, key);
		if (cell != NULL)
		{
			return cell->kind == bench_text;
		}
	}
	return true;
}

static void PrintTable(const benchReport* report, int first, int end, FILE* stream)
{
	benchColumns columns = benchReport_GetColumns(report, first, end);
	int widths[BENCH_MAX_COLUMNS] = { 0 };
	char text[48];
	for (int c = 0; c < columns.count; ++c)
	{
		heading h = MakeHeading(columns.keys[c]);
		widths[c] = Larger(Larger(0, strlen(h.lines[0])), strlen(h.lines[1]));
		for (int i = first; i < end; ++i)
		{
			benchFormatCell(benchRow_Find(report->rows + i, columns.keys[c]), text);
			widths[c] = Larger(widths[c], strlen(text));
		}
		widths[c] = IsTextColumn(report, first, end, columns.keys[c]) ? -widths[c] : widths[c];
	}
	fprintf(stream, "\n%s\n", report->rows[first].table);
	for (int line = 0; line < 2; ++line)
	{
		for (int c = 0; c < columns.count; ++c)
		{
			fprintf(stream, "%s%*s", c > 0 ? "  " : "", widths[c], MakeHeading(columns.keys[c]).lines[line]);
		}
		fputc('\n', stream);
	}
	for (int i = first; i < end; ++i)
	{
		for (int c = 0; c < columns.count; ++c)
		{
			benchFormatCell(benchRow_Find(report->rows + i, columns.keys[c]), text);
			fprintf(stream, "%s%*s", c > 0 ? "  " : "", widths[c], text);
		}
		fputc('\n', stream);
	}
}

void benchReport_PrintText(const benchReport* report, FILE* stream)
{
	fprintf(stream, "%s: %s\n", report->name, report->title);
	for (int first = 0, end; first < report->rowCount; first = end)
	{
		end = benchReport_GetTableEnd(report, first);
		PrintTable(report, first, end, stream);
	}
	fprintf(stream, "\nAims\n%8s %10s %10s  %s\n", "", "value", "at most", "what");
	for (int i = 0; i < report->aimCount; ++i)
	{
		const benchAim* aim = report->aims + i;
		if (isnan(aim->value))
		{
			fprintf(stream, "%8s %10s %10.6g  %s\n", "skipped", "-", aim->aim, aim->name);
		}
		else
		{
			fprintf(stream, "%8s %10.*g %10.6g  %s\n", aim->value <= aim->aim ? "met" : "MISSED",
			    aim->value < 1e4 ? 4 : 8, aim->value, aim->aim, aim->name);
		}
	}
	fputc('\n', stream);
}

// ---- JSON ------------------------------------------------------------------------------------------------------

// Everything that is printed here is ASCII of our own, but for the processor's name.
static void PrintString(const char* text, FILE* stream)
{
	fputc('"', stream);
	for (; *text != '\0'; ++text)
	{
		if (*text == '"' || *text == '\\')
		{
			fputc('\\', stream);
		}
		fputc(*text >= ' ' && *text <= '~' ? *text : '?', stream);
	}
	fputc('"', stream);
}

static void PrintNumber(double number, FILE* stream)
{
	if (isfinite(number))
	{
		fprintf(stream, "%.6g", number);
	}
	else
	{
		fputs("null", stream);
	}
}

static void PrintRow(const benchRow* row, FILE* stream)
{
	fputs("{\"table\":", stream);
	PrintString(row->table, stream);
	for (int k = 0; k < row->cellCount; ++k)
	{
		const benchCell* cell = row->cells + k;
		fprintf(stream, ",\"%s\":", cell->key);
		if (cell->kind == bench_text)
		{
			PrintString(cell->text, stream);
		}
		else if (cell->kind == bench_count)
		{
			fprintf(stream, "%llu", (unsigned long long)cell->count);
		}
		else
		{
			PrintNumber(cell->number, stream);
		}
	}
	fputc('}', stream);
}

static void PrintMachine(FILE* stream)
{
	benchMachine machine = benchGetMachine();
	fputs("\"machine\":{\"processor\":", stream);
	PrintString(machine.processor, stream);
	fprintf(stream, ",\"cores\":%d,\"instructionSet\":\"%s\",\"compiler\":\"%s\",\"snug\":\"%s\",\"embree\":\"%s\"}",
	    machine.cores, machine.instructionSet, machine.compiler, machine.version, machine.embree);
}

static void PrintAim(const benchAim* aim, FILE* stream)
{
	fputs("{\"name\":", stream);
	PrintString(aim->name, stream);
	fputs(",\"value\":", stream);
	PrintNumber(aim->value, stream);
	fputs(",\"aim\":", stream);
	PrintNumber(aim->aim, stream);
	fprintf(stream, ",\"met\":%s}", isnan(aim->value) ? "null" : aim->value <= aim->aim ? "true" : "false");
}

void benchReport_PrintJson(const benchReport* report, FILE* stream)
{
	fprintf(stream, "{\"bench\":\"%s\",", report->name);
	PrintMachine(stream);
	fputs(",\"rows\":[", stream);
	for (int i = 0; i < report->rowCount; ++i)
	{
		fputs(i > 0 ? "," : "", stream);
		PrintRow(report->rows + i, stream);
	}
	fputs("],\"aims\":[", stream);
	for (int i = 0; i < report->aimCount; ++i)
	{
		fputs(i > 0 ? "," : "", stream);
		PrintAim(report->aims + i, stream);
	}
	fputs("]}\n", stream);
}
