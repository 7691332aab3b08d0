// Who wins, in a sentence: over all scenes of a report, whose time of a frame is the least.
#include "lab/bench/report.h"

#include <math.h>
#include <string.h>

/// How often somebody was the fastest.
typedef struct tally
{
	int scenes, ours;
	const char* other;  ///< the fastest of some scene that ours lost
	double least, most; ///< the fastest of the others over ours
} tally;

// Rows without a time do not count, nor does the oracle: it has deformation for free.
static double GetTime(const benchRow* row)
{
	static const char* const keys[] = { "bestMs", "totalMs", "bestMicroseconds", "queryMs" };
	double time = NAN;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && isnan(time); ++i)
	{
		time = benchRow_GetNumber(row, keys[i]);
	}
	return strncmp(benchRow_GetText(row, "method"), "oracle", 6) == 0 ? (double)NAN : time;
}

static bool IsOurs(const benchRow* row)
{
	return strncmp(benchRow_GetText(row, "method"), "ours", 4) == 0;
}

static void AddScene(tally* t, const benchRow* rows, int count)
{
	double ours = INFINITY, others = INFINITY;
	const char* other = "";
	for (int i = 0; i < count; ++i)
	{
		double time = GetTime(rows + i);
		if (IsOurs(rows + i) && time < ours)
		{
			ours = time;
		}
		else if (!IsOurs(rows + i) && time < others)
		{
			others = time;
			other = benchRow_GetText(rows + i, "method");
		}
	}
	if (isfinite(ours) && isfinite(others))
	{
		double ratio = others / ours;
		++t->scenes;
		t->ours += ours <= others;
		t->other = ours <= others ? t->other : other;
		t->least = t->scenes == 1 ? ratio : fmin(t->least, ratio);
		t->most = t->scenes == 1 ? ratio : fmax(t->most, ratio);
	}
}

void benchReport_MakeVerdict(const benchReport* report, char* text, size_t size)
{
	tally t = { .scenes = 0 };
	for (int first = 0, end; first < report->rowCount; first = end)
	{
		for (end = first + 1; end < report->rowCount && benchRow_IsSameScene(report->rows + first, report->rows + end);)
		{
			++end;
		}
		AddScene(&t, report->rows + first, end - first);
	}
	text[0] = '\0';
	if (t.scenes > 0 && t.ours == t.scenes)
	{
		snprintf(text, size, "Ours is the fastest in all %d scenes, by %.3g to %.3g times the next.", t.scenes, t.least,
		    t.most);
	}
	else if (t.scenes > 0)
	{
		snprintf(text, size, "Ours is the fastest in %d of %d scenes, by up to %.3g times the next; %s beats it.",
		    t.ours, t.scenes, t.most, t.other);
	}
}
