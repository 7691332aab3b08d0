// src/base/format.h: messages from formats, without stdio.
#ifndef SG_FORMAT_H
#define SG_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/// As vsnprintf, for what the core's messages use: %d %u %s %c %zu %llu %%, no widths, no precisions. Whatever else
/// follows a percent sign is copied as it is, and takes no argument.
/// @param size of `text`, at least 1; longer messages are cut off
void sgFormat(char* text, size_t size, const char* format, va_list arguments);

#endif
