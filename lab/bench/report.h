// lab/bench/report.h: what a benchmark found: rows of flat keys and values, and aims. Printed as tables, JSON or HTML.
//
// Keys are spelled out with their unit and are the same in all three forms; rows that belong to one table carry its
// name. An aim that could not be measured is "not measured" and null, never met.
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define BENCH_MAX_CELLS 28
#define BENCH_MAX_AIMS 128
#define BENCH_MAX_PLOTS 48

typedef enum benchKind
{
	bench_text,
	bench_count,
	bench_number,
} benchKind;

typedef struct benchCell
{
	const char* key; ///< borrowed: a literal
	benchKind kind;
	int decimals; ///< of a number, in tables
	double number;
	uint64_t count;
	char text[48];
} benchCell;

typedef struct benchRow
{
	const char* table; ///< heading of the table that the row is in; borrowed
	benchCell cells[BENCH_MAX_CELLS];
	int cellCount;
} benchRow;

/// What a value must reach.
typedef struct benchAim
{
	char name[160];
	double value;   ///< NaN if it was not measured
	double aim;     ///< met at this or less
	bool isAtLeast; ///< met at this or more, instead
	double stretch; ///< the same for what comes after that; NaN: nothing does
} benchAim;

typedef enum benchPlotKind
{
	bench_lines = 0, ///< a line per key; rows follow one another along the horizontal axis
	bench_logLines,  ///< a line per method, of one key over another, both axes logarithmic
} benchPlotKind;

/// Some columns of some rows as a plot, in the page after the rows' table.
typedef struct benchPlot
{
	benchPlotKind kind;
	int firstRow, endRow; ///< of one table
	char title[96];
	const char* unit;
	const char* across;      ///< name of the horizontal axis; with bench_logLines, the key along it
	double limit;            ///< values above are cut off; zero: none
	const char* const* keys; ///< ended by null; borrowed
} benchPlot;

typedef struct benchReport
{
	const char* name;
	const char* title;
	benchRow* rows;
	int rowCount;
	size_t rowCapacity;
	benchAim aims[BENCH_MAX_AIMS];
	int aimCount;
	benchPlot plots[BENCH_MAX_PLOTS];
	int plotCount;
	char failure[256]; ///< empty, or why the run as a whole is void
} benchReport;

void benchReport_Free(benchReport* report);

/// Rows of one table stay together, whatever comes between them.
/// @return a row to fill before the next one is added
benchRow* benchReport_AddRow(benchReport* report, const char* table);
void benchRow_Text(benchRow* row, const char* key, const char* text);
void benchRow_Count(benchRow* row, const char* key, uint64_t count);
void benchRow_Number(benchRow* row, const char* key, double number, int decimals);
void benchRow_Hash(benchRow* row, const char* key, uint64_t hash);

/// At most `aim`.
void benchReport_AddAim(benchReport* report, double value, double aim, const char* format, ...);

/// At least, and what comes after that; NaN: nothing does.
void benchReport_AimAtLeast(benchReport* report, double value, double aim, double stretch, const char* format, ...);

/// @return whether a value that was measured misses its aim
bool benchAim_IsMissed(const benchAim* aim);

/// @return how many aims were missed
int benchReport_CountMissed(const benchReport* report);

/// Those beyond BENCH_MAX_PLOTS are left out.
void benchReport_AddPlot(benchReport* report, const benchPlot* plot);

/// Add the rows and plots of another report, which is empty then; a failure of it is one of this.
void benchReport_TakeRows(benchReport* report, benchReport* other);

/// Keep the first reason.
void benchReport_Fail(benchReport* report, const char* format, ...);

/// Print all tables with their columns lined up, in lines of 100 characters at most, then who wins.
/// @param hasAims also what must be reached: for those who work on snug, not for those who read what it takes
void benchReport_PrintText(const benchReport* report, bool hasAims, FILE* stream);

/// Print one object on one line, aims included.
void benchReport_PrintJson(const benchReport* report, FILE* stream);

/// Print the part of a page that belongs to this report.
void benchReport_PrintHtml(const benchReport* report, bool hasAims, FILE* stream);

// For the printers.

#define BENCH_MAX_COLUMNS 32

/// The keys of all rows of one table, in the order of their first use.
typedef struct benchColumns
{
	const char* keys[BENCH_MAX_COLUMNS];
	int count;
} benchColumns;

benchColumns benchReport_GetColumns(const benchReport* report, int firstRow, int endRow);

/// @return one past the last row of the table that begins at a row
int benchReport_GetTableEnd(const benchReport* report, int firstRow);
const benchCell* benchRow_Find(const benchRow* row, const char* key);
const char* benchRow_GetText(const benchRow* row, const char* key); ///< empty if the row does not have it
double benchRow_GetNumber(const benchRow* row, const char* key);    ///< NaN if the row does not have it

/// Whether two rows can be compared: of the same bodies, by name or by size, one contact and one question.
bool benchRow_IsSameScene(const benchRow* a, const benchRow* b);

/// Who wins, in a sentence; empty where nobody is compared.
void benchReport_MakeVerdict(const benchReport* report, char* text, size_t size);

/// The word for an aim: "met", "MISSED" or "skipped"; and the one for what comes after it, empty if nothing does.
const char* benchAim_GetWord(const benchAim* aim);
const char* benchAim_GetStretchWord(const benchAim* aim);

/// A key as a heading: "queryMs" becomes "query ms".
void benchFormatKey(const char* key, char text[48]);
void benchFormatCell(const benchCell* cell, char text[48]);

#endif
