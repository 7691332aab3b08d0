// program/commands/quote.h: a command line as it can be typed again.
#ifndef CLI_QUOTE_H
#define CLI_QUOTE_H

/// @param start what comes before the arguments
/// @return all of it, with what a shell would read otherwise in quotes; to be freed; null if there is no memory
char* cliQuoteCommand(const char* start, int count, char** arguments);

#endif
