#include "lab/bench/machine.h"
#include "lab/bench/report.h"

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

// How many characters of UTF-8.
static int Measure(const char* text)
{
	int width = 0;
	for (; *text != '\0'; ++text)
	{
		width += ((unsigned char)*text & 0xc0) != 0x80;
	}
	return width;
}

static int Larger(int a, int b)
{
	return a > b ? a : b;
}

/// A column as it is printed.
typedef struct column
{
	const char* key;
	int width;
	bool isText;  ///< to the left; numbers to the right
	bool isLabel; ///< says which row it is; see FindLabels
} column;

static column MakeColumn(const benchReport* report, int first, int end, const char* key)
{
	heading h = MakeHeading(key);
	column c = { .key = key, .width = Larger(Measure(h.lines[0]), Measure(h.lines[1])), .isText = true };
	benchKind kind = bench_text;
	char text[48];
	for (int i = end - 1; i >= first; --i)
	{
		const benchCell* cell = benchRow_Find(report->rows + i, key);
		benchFormatCell(cell, text);
		c.width = Larger(c.width, Measure(text));
		kind = cell != NULL ? cell->kind : kind;
	}
	c.isText = kind == bench_text;
	return c;
}

static void PrintPadded(const column* c, const char* text, bool isFirst, FILE* stream)
{
	int space = c->width - Measure(text);
	fprintf(stream, "%s%*s%s%*s", isFirst ? "" : "  ", c->isText ? 0 : space, "", text, c->isText ? space : 0, "");
}

// Some columns of all rows.
static void PrintBlock(
    const benchReport* report, int first, int end, const column* columns, const int* chosen, int count, FILE* stream)
{
	for (int line = 0; line < 2; ++line)
	{
		for (int c = 0; c < count; ++c)
		{
			const column* at = columns + chosen[c];
			PrintPadded(at, MakeHeading(at->key).lines[line], c == 0, stream);
		}
		fputc('\n', stream);
	}
	for (int i = first; i < end; ++i)
	{
		for (int c = 0; c < count; ++c)
		{
			char text[48];
			const column* at = columns + chosen[c];
			benchFormatCell(benchRow_Find(report->rows + i, at->key), text);
			PrintPadded(at, text, c == 0, stream);
		}
		fputc('\n', stream);
	}
}

#define LINE_WIDTH 100
#define LABEL_WIDTH 62

// Words in lines of LINE_WIDTH, the first of which has begun.
static void PrintWrapped(const char* text, int used, int indent, FILE* stream)
{
	for (bool isFirst = true; *text != '\0'; isFirst = false)
	{
		char word[200];
		size_t length = strcspn(text, " ");
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		text += length;
		text += strspn(text, " ");
		if (!isFirst && used + 1 + Measure(word) > LINE_WIDTH)
		{
			fprintf(stream, "\n%*s%s", indent, "", word);
			used = indent + Measure(word);
			continue;
		}
		fprintf(stream, "%s%s", isFirst ? "" : " ", word);
		used += Measure(word) + !isFirst;
	}
	fputc('\n', stream);
}

// Texts up to the method, or the first column if there is none; and counts before the first number.
static void FindLabels(const benchReport* report, int row, column* columns, int count)
{
	int last = 0;
	bool isBeforeNumbers = true;
	for (int c = 0; c < count; ++c)
	{
		last = strcmp(columns[c].key, "method") == 0 ? c : last;
	}
	for (int c = 0; c <= last && c < count; ++c)
	{
		const benchCell* cell = benchRow_Find(report->rows + row, columns[c].key);
		isBeforeNumbers = isBeforeNumbers && !(cell != NULL && cell->kind == bench_number);
		columns[c].isLabel = columns[c].isText || isBeforeNumbers;
	}
}

// Labels, the last of them if all would leave too little room.
static int ChooseLabels(const column* columns, int count, int chosen[BENCH_MAX_COLUMNS], int* width)
{
	int used = 0;
	*width = 0;
	for (int c = count - 1; c >= 0; --c)
	{
		if (columns[c].isLabel && (used == 0 || *width + columns[c].width <= LABEL_WIDTH))
		{
			*width += columns[c].width + 2;
			chosen[used++] = c;
		}
	}
	for (int i = 0; i < used / 2; ++i)
	{
		int swapped = chosen[i];
		chosen[i] = chosen[used - 1 - i];
		chosen[used - 1 - i] = swapped;
	}
	return used;
}

// As many columns side by side as fit, the others below, with the labels again.
static void PrintTable(const benchReport* report, int first, int end, FILE* stream)
{
	benchColumns keys = benchReport_GetColumns(report, first, end);
	column columns[BENCH_MAX_COLUMNS];
	bool isPrinted[BENCH_MAX_COLUMNS] = { false };
	for (int c = 0; c < keys.count; ++c)
	{
		columns[c] = MakeColumn(report, first, end, keys.keys[c]);
	}
	FindLabels(report, first, columns, keys.count);
	fputc('\n', stream);
	PrintWrapped(report->rows[first].table, 0, 2, stream);
	for (int left = keys.count, block = 0; left > 0; ++block)
	{
		int chosen[BENCH_MAX_COLUMNS], width = 0, count = ChooseLabels(columns, keys.count, chosen, &width), added = 0;
		for (int i = 0; i < count; ++i)
		{
			left -= !isPrinted[chosen[i]];
			isPrinted[chosen[i]] = true;
		}
		for (int c = 0; c < keys.count; ++c)
		{
			if (!isPrinted[c] && (added == 0 || width + columns[c].width <= LINE_WIDTH))
			{
				width += columns[c].width + 2;
				chosen[count++] = c;
				isPrinted[c] = true;
				--left;
				++added;
			}
		}
		fputs(block > 0 ? "\n" : "", stream);
		PrintBlock(report, first, end, columns, chosen, count, stream);
	}
}

static void PrintAimLine(const benchAim* aim, FILE* stream)
{
	char value[24] = "-", stretch[24] = "";
	if (!isnan(aim->value))
	{
		snprintf(value, sizeof(value), "%.*g", aim->value < 1e4 ? 4 : 8, aim->value);
	}
	if (!isnan(aim->stretch))
	{
		snprintf(stretch, sizeof(stretch), "%.4g %s", aim->stretch, benchAim_GetStretchWord(aim));
	}
	int used = fprintf(stream, "%8s %9s  %s %-7.4g %-13s ", benchAim_GetWord(aim), value,
	    aim->isAtLeast ? ">=" : "<=", aim->aim, stretch);
	PrintWrapped(aim->name, used, used, stream);
}

static void PrintAims(const benchReport* report, FILE* stream)
{
	fprintf(stream, "\nAims\n%8s %9s  %-10s %-13s %s\n", "", "value", "must reach", "then", "what");
	for (int i = 0; i < report->aimCount; ++i)
	{
		PrintAimLine(report->aims + i, stream);
	}
	fprintf(stream, "\n%d of %d aims are missed.\n", benchReport_CountMissed(report), report->aimCount);
}

void benchReport_PrintText(const benchReport* report, bool hasAims, FILE* stream)
{
	char verdict[320];
	int used = fprintf(stream, "%s: ", report->name);
	PrintWrapped(report->title, used, 2, stream);
	for (int first = 0, end; first < report->rowCount; first = end)
	{
		end = benchReport_GetTableEnd(report, first);
		PrintTable(report, first, end, stream);
	}
	benchReport_MakeVerdict(report, verdict, sizeof(verdict));
	if (verdict[0] != '\0')
	{
		fputc('\n', stream);
		PrintWrapped(verdict, 0, 0, stream);
	}
	if (hasAims)
	{
		PrintAims(report, stream);
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
	fputs(aim->isAtLeast ? ",\"atLeast\":true" : "", stream);
	if (!isnan(aim->stretch))
	{
		fputs(",\"then\":", stream);
		PrintNumber(aim->stretch, stream);
	}
	fprintf(stream, ",\"met\":%s}", isnan(aim->value) ? "null" : benchAim_IsMissed(aim) ? "false" : "true");
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
