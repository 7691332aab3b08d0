#include "bench/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void benchReport_Free(benchReport* report)
{
	free(report->rows);
	*report = (benchReport){ 0 };
}

benchRow* benchReport_AddRow(benchReport* report, const char* table)
{
	static benchRow spare; // so that callers need not care: the report is void anyway
	if (report->rowCount == report->rowCapacity)
	{
		int capacity = 2 * report->rowCapacity + 32;
		benchRow* rows = realloc(report->rows, (size_t)capacity * sizeof(benchRow));
		if (rows == NULL)
		{
			benchReport_Fail(report, "out of memory");
			spare.cellCount = 0;
			return &spare;
		}
		report->rows = rows;
		report->rowCapacity = capacity;
	}
	benchRow* row = report->rows + report->rowCount++;
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

void benchReport_AddAim(benchReport* report, double value, double aim, const char* format, ...)
{
	if (report->aimCount == BENCH_MAX_AIMS)
	{
		benchReport_Fail(report, "too many aims");
		return;
	}
	benchAim* added = report->aims + report->aimCount++;
	added->value = value;
	added->aim = aim;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(added->name, sizeof(added->name), format, arguments);
	va_end(arguments);
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
