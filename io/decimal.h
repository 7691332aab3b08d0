// io/decimal.h: decimal numbers to float32 and back, correctly rounded, whatever the locale.
//
// strtof and printf follow LC_NUMERIC: in a host that has set a German locale they would read 1.5 as 1. A reader that
// rounds through double would now and then be off by one unit in the last place, and then a file would not read back
// bit for bit.
#ifndef IO_DECIMAL_H
#define IO_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/// Longest number that is accepted, in characters.
#define IO_MAX_NUMBER 256

/// The float32 nearest to a decimal number, ties to even. Accepts an optional sign, digits with an optional point, and
/// an optional exponent; nothing else: no spaces, hexadecimals, infinities or NaNs.
/// @param length of the text, at most IO_MAX_NUMBER
/// @return false if the text is not such a number, or the number is too large for a finite float32
bool ioParseFloat(const char* text, size_t length, float* value);

/// Bytes that ioPrintFloat needs, the terminating zero included.
#define IO_FLOAT_TEXT 24

/// Print a finite number with nine significant digits, enough to read back the same bits.
/// @return length of the text
size_t ioPrintFloat(float value, char text[IO_FLOAT_TEXT]);

#endif
