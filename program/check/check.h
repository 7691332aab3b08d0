// program/check/check.h: a run of `snug check`, for those who show it: as text, as JSON and CSV, as a page.
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "program/check/curves.h"
#include "program/check/ignored.h"
#include "program/check/kept.h"
#include "program/check/tally.h"

#include <stdio.h>

/// Versions of the JSON that `check` prints: docs/check-json.md. Raised when a field changes its meaning or goes.
#define CHECK_FRAME_VERSION 1
#define CHECK_SUMMARY_VERSION 2

typedef struct check
{
	cliSceneOptions sceneOptions;
	cliContactOptions contactOptions;
	FILE* out; ///< where JSON and CSV go
	bool json, csv, summary, byJoint, costs, failOnContact;
	int limit;  ///< pairs that JSON lists in all
	int method; ///< 0 ours, 1 brute
	int threads;
	int up;                        ///< axis that points up in pictures: 0 y, 1 z
	double fps, from, to;          ///< not a number if not given
	const char *html, *png;        ///< pages to write; nullable
	const char* curvePath;         ///< file for curves; nullable
	const char* ignorePath;        ///< file of joints that may touch; nullable
	double deeperThan, longerThan; ///< not a number if not given
	char* command;                 ///< to be typed again
	cliScene scene;
	cliRegions regions;
	cliIgnored ignored;
	cliTally tally;
	cliKept kept;        ///< frames that pages show, if any is to be written
	bool* isOpen;        ///< per body; null: nobody asks what is inside
	cliCurves curves;    ///< of all frames, if they are to be written
	uint64_t frameCount; ///< that were asked for
	uint64_t listed;     ///< pairs that JSON has listed, and vertices
	uint64_t listable;   ///< and how many there were
	bool outOfMemory;
} check;

bool checkIsAnimated(const check* c);

/// @return true if joints that touch may be of any file, so that their names do not say whose they are
bool checkNamesFiles(const check* c);

/// @return true if the run was interrupted before its last frame
bool checkIsCut(const check* c);

/// @return true if only some contacts count
bool checkIsSelective(const check* c);

/// Tables for people.
/// @{
void checkPrintFrame(const check* c, uint64_t frame, double time, const cliContacts* contacts);
void checkPrintSummary(const check* c);
/// @}

/// For programs. Frames are lines.
/// @{
void checkPrintJson(check* c, uint64_t frame, double time, const cliContacts* contacts);
void checkPrintJsonSummary(const check* c);
void checkPrintCsv(const check* c, uint64_t frame, double time, const cliContacts* contacts);
/// @}

/// A run with nothing asked for yet, whose JSON goes to a stream.
check checkMake(FILE* out);

/// Load, check, print and write, as the options in `c` say.
/// @return the exit code
int checkRun(check* c, int fileCount, char** paths);

/// The same, as arguments say, which are parsed in place. Frees `c`.
int checkCommand(check* c, int argumentCount, char** arguments);
void checkFree(check* c);

/// What a page shows: how many frames, for a page of a size that can be sent; and those that were kept, recorded.
/// @{
uint64_t checkCountShown(const check* c);
/// Prints what is wrong.
bool checkPrintRecording(const check* c, FILE* stream);
/// A picture of the worst frame.
/// @return a PNG file's bytes, to be freed; null after a message
uint8_t* checkDrawStill(const check* c, int width, int height, size_t* bytes);
/// @}

/// Write the page and the picture that were asked for. Prints what is wrong.
bool checkWritePages(const check* c);

#endif
