#include "lab/bench/report.h"

#include "io/grow.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void benchReport_Free(benchReport* report)
{
	free(report->rows);
	*report = (benchReport){ 0 };
}

// Where the next row of a table goes: after its last one, or at the end.
static int FindPlace(const benchReport* report, const char* table)
{
	for (int i = report->rowCount; i > 0; --i)
	{
		if (strcmp(report->rows[i - 1].table, table) == 0)
		{
			return i;
		}
	}
	return report->rowCount;
}

benchRow* benchReport_AddRow(benchReport* report, const char* table)
{
	static benchRow spare; // so that callers need not care: the report is void anyway
	if (!ioGrow(&report->rows, &report->rowCapacity, (size_t)report->rowCount + 1, sizeof(benchRow)))
	{
		benchReport_Fail(report, "out of memory");
		spare.cellCount = 0;
		return &spare;
	}
	int place = FindPlace(report, table);
	benchRow* row = report->rows + place;
	memmove(row + 1, row, (size_t)(report->rowCount++ - place) * sizeof(benchRow));
	for (int i = 0; i < report->plotCount; ++i)
	{
		int moved = report->plots[i].firstRow >= place;
		report->plots[i].firstRow += moved;
		report->plots[i].endRow += moved;
	}
	row->table = table;
	row->cellCount = 0;
	return row;
}

static benchCell* AddCell(benchRow* row, const char* key, benchKind kind)
{
	int last = BENCH_MAX_CELLS - 1;
	benchCell* cell = row->cells + (row->cellCount < last ? row->cellCount++ : last);
	*cell = (benchCell){ .key = key, .kind = kind };
	return cell;
}

void benchRow_Text(benchRow* row, const char* key, const char* text)
{
	benchCell* cell = AddCell(row, key, bench_text);
	snprintf(cell->text, sizeof(cell->text), "%s", text);
}

void benchRow_Count(benchRow* row, const char* key, uint64_t count)
{
	AddCell(row, key, bench_count)->count = count;
}

void benchRow_Number(benchRow* row, const char* key, double number, int decimals)
{
	benchCell* cell = AddCell(row, key, bench_number);
	cell->number = number;
	cell->decimals = decimals;
}

void benchRow_Hash(benchRow* row, const char* key, uint64_t hash)
{
	benchCell* cell = AddCell(row, key, bench_text);
	snprintf(cell->text, sizeof(cell->text), "%016llx", (unsigned long long)hash);
}

static void AddAim(benchReport* report, benchAim aim, const char* format, va_list arguments)
{
	if (report->aimCount == BENCH_MAX_AIMS)
	{
		benchReport_Fail(report, "too many aims");
		return;
	}
	vsnprintf(aim.name, sizeof(aim.name), format, arguments);
	report->aims[report->aimCount++] = aim;
}

void benchReport_AddAim(benchReport* report, double value, double aim, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	AddAim(report, (benchAim){ .value = value, .aim = aim, .stretch = NAN }, format, arguments);
	va_end(arguments);
}

void benchReport_AimAtLeast(benchReport* report, double value, double aim, double stretch, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	AddAim(report, (benchAim){ .value = value, .aim = aim, .isAtLeast = true, .stretch = stretch }, format, arguments);
	va_end(arguments);
}

static bool Reaches(const benchAim* aim, double wanted)
{
	return aim->isAtLeast ? aim->value >= wanted : aim->value <= wanted;
}

bool benchAim_IsMissed(const benchAim* aim)
{
	return !isnan(aim->value) && !Reaches(aim, aim->aim);
}

const char* benchAim_GetWord(const benchAim* aim)
{
	return isnan(aim->value) ? "skipped" : benchAim_IsMissed(aim) ? "MISSED" : "met";
}

const char* benchAim_GetStretchWord(const benchAim* aim)
{
	return isnan(aim->value) || isnan(aim->stretch) ? "" : Reaches(aim, aim->stretch) ? "reached" : "not yet";
}

int benchReport_CountMissed(const benchReport* report)
{
	int missed = 0;
	for (int i = 0; i < report->aimCount; ++i)
	{
		missed += benchAim_IsMissed(report->aims + i);
	}
	return missed;
}

void benchReport_AddPlot(benchReport* report, const benchPlot* plot)
{
	if (report->plotCount < BENCH_MAX_PLOTS)
	{
		report->plots[report->plotCount++] = *plot;
	}
}

void benchReport_TakeRows(benchReport* report, benchReport* other)
{
	int first = report->rowCount;
	for (int i = 0; i < other->rowCount; ++i)
	{
		*benchReport_AddRow(report, other->rows[i].table) = other->rows[i];
	}
	for (int i = 0; i < other->plotCount; ++i)
	{
		other->plots[i].firstRow += first;
		other->plots[i].endRow += first;
		benchReport_AddPlot(report, &other->plots[i]);
	}
	if (other->failure[0] != '\0')
	{
		benchReport_Fail(report, "%s", other->failure);
	}
	benchReport_Free(other);
}

void benchReport_Fail(benchReport* report, const char* format, ...)
{
	if (report->failure[0] != '\0')
	{
		return;
	}
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(report->failure, sizeof(report->failure), format, arguments);
	va_end(arguments);
}

int benchReport_GetTableEnd(const benchReport* report, int firstRow)
{
	int end = firstRow;
	while (end < report->rowCount && strcmp(report->rows[end].table, report->rows[firstRow].table) == 0)
	{
		++end;
	}
	return end;
}

benchColumns benchReport_GetColumns(const benchReport* report, int firstRow, int endRow)
{
	benchColumns columns = { .count = 0 };
	for (int i = firstRow; i < endRow; ++i)
	{
		const benchRow* row = report->rows + i;
		for (int k = 0; k < row->cellCount; ++k)
		{
			int c = 0;
			while (c < columns.count && strcmp(columns.keys[c], row->cells[k].key) != 0)
			{
				++c;
			}
			if (c == columns.count && c < BENCH_MAX_COLUMNS)
			{
				columns.keys[columns.count++] = row->cells[k].key;
			}
		}
	}
	return columns;
}

const benchCell* benchRow_Find(const benchRow* row, const char* key)
{
	for (int k = 0; k < row->cellCount; ++k)
	{
		if (strcmp(row->cells[k].key, key) == 0)
		{
			return row->cells + k;
		}
	}
	return NULL;
}

const char* benchRow_GetText(const benchRow* row, const char* key)
{
	const benchCell* cell = benchRow_Find(row, key);
	return cell != NULL && cell->kind == bench_text ? cell->text : "";
}

double benchRow_GetNumber(const benchRow* row, const char* key)
{
	const benchCell* cell = benchRow_Find(row, key);
	return cell == NULL                 ? (double)NAN
	       : cell->kind == bench_number ? cell->number
	       : cell->kind == bench_count  ? (double)cell->count
	                                    : (double)NAN;
}

bool benchRow_IsSameScene(const benchRow* a, const benchRow* b)
{
	static const char* const texts[] = { "bodies", "scene", "skin", "query", "contact" };
	static const char* const counts[] = { "vertices", "nodes", "morphTargets" };
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i)
	{
		if (strcmp(benchRow_GetText(a, texts[i]), benchRow_GetText(b, texts[i])) != 0)
		{
			return false;
		}
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i)
	{
		double x = benchRow_GetNumber(a, counts[i]), y = benchRow_GetNumber(b, counts[i]);
		if (x != y && !(isnan(x) && isnan(y)))
		{
			return false;
		}
	}
	return strcmp(a->table, b->table) == 0;
}

void benchFormatKey(const char* key, char text[48])
{
	size_t used = 0;
	for (; *key != '\0' && used < 44; ++key)
	{
		if (*key >= 'A' && *key <= 'Z')
		{
			text[used++] = ' ';
			text[used++] = (char)(*key - 'A' + 'a');
		}
		else
		{
			text[used++] = *key;
		}
	}
	text[used] = '\0';
}

void benchFormatCell(const benchCell* cell, char text[48])
{
	if (cell == NULL || (cell->kind == bench_number && isnan(cell->number)))
	{
		snprintf(text, 48, "-");
	}
	else if (cell->kind == bench_text)
	{
		snprintf(text, 48, "%s", cell->text);
	}
	else if (cell->kind == bench_count)
	{
		snprintf(text, 48, "%llu", (unsigned long long)cell->count);
	}
	else
	{
		snprintf(text, 48, "%.*f", cell->decimals, cell->number);
	}
}
