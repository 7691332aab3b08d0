#include "io/decimal.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// A decimal number taken apart: digits * 10^exponent, the digits without leading zeros.
typedef struct decimal
{
	char digits[IO_MAX_NUMBER];
	int count;
	int exponent;
	bool negative;
} decimal;

static bool IsDigit(char c)
{
	return c >= '0' && c <= '9';
}

// The exponent part, after its letter. Clamped: everything beyond is zero or infinite, whatever the digits.
static bool ParseExponent(const char* p, const char* end, int* exponent)
{
	bool negative = p < end && *p == '-';
	int value = 0;
	if (p < end && (*p == '-' || *p == '+'))
	{
		++p;
	}
	if (p == end)
	{
		return false;
	}
	for (; p < end; ++p)
	{
		if (!IsDigit(*p))
		{
			return false;
		}
		value = value < 10000 ? 10 * value + (*p - '0') : value;
	}
	*exponent = negative ? -value : value;
	return true;
}

static bool ParseDecimal(const char* p, const char* end, decimal* d)
{
	bool point = false, any = false;
	int exponent = 0, places = 0;
	d->count = 0;
	d->negative = p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
	{
		++p;
	}
	for (; p < end && (IsDigit(*p) || (*p == '.' && !point)); ++p)
	{
		if (*p == '.')
		{
			point = true;
			continue;
		}
		any = true;
		places += point;
		if (d->count > 0 || *p != '0')
		{
			d->digits[d->count++] = *p;
		}
	}
	if (!any || (p < end && *p != 'e' && *p != 'E') || (p < end && !ParseExponent(p + 1, end, &exponent)))
	{
		return false;
	}
	d->exponent = exponent - places;
	return true;
}

// For the few numbers that lie too near the middle between two floats: the C library reads all digits and rounds once,
// which takes longer. There is no point in the text, so that no locale matters.
static float ReadExactly(const decimal* d)
{
	char text[IO_MAX_NUMBER + 16];
	snprintf(text, sizeof(text), "%.*se%d", d->count, d->digits, d->exponent);
	return strtof(text, NULL);
}

// The first 19 digits times a power of ten, in double. Five errors at most (the digits left out, the
// conversion, two from powers above 10^22, the product), each below 2^-52 in relation: together below 2^-49.
static double Approximate(const decimal* d)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
		1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	uint64_t m = 0;
	int used = d->count < 19 ? d->count : 19;
	for (int i = 0; i < used; ++i)
	{
		m = 10 * m + (uint64_t)(d->digits[i] - '0');
	}
	int e = d->exponent + d->count - used;
	double value = (double)m, power = 1.0;
	for (int left = e < 0 ? -e : e; left > 0; left -= 22)
	{
		power *= powers[left < 22 ? left : 22];
	}
	return e < 0 ? value / power : value * power;
}

bool ioParseFloat(const char* text, size_t length, float* value)
{
	decimal d;
	if (length > IO_MAX_NUMBER || !ParseDecimal(text, text + length, &d))
	{
		return false;
	}
	int magnitude = d.count + d.exponent; // the number is in [10^(magnitude - 1), 10^magnitude)
	float nearest = 0.0f;
	if (d.count > 0 && magnitude > 39)
	{
		return false;
	}
	if (d.count > 0 && magnitude > -46)
	{
		// The number lies between these two. If both round to one float, so does the number.
		double middle = Approximate(&d);
		float lower = (float)(middle * (1.0 - 0x1p-49)), upper = (float)(middle * (1.0 + 0x1p-49));
		nearest = lower == upper ? lower : ReadExactly(&d);
	}
	*value = d.negative ? -nearest : nearest;
	return nearest <= FLT_MAX;
}

size_t ioPrintFloat(float value, char text[IO_FLOAT_TEXT])
{
	char printed[64];
	snprintf(printed, sizeof(printed), "%.9g", (double)value);
	// Whatever stands for the decimal point in this locale, of one byte or more, becomes a point.
	size_t length = 0;
	bool inside = false;
	for (const char* p = printed; *p != '\0' && length + 1 < IO_FLOAT_TEXT; ++p)
	{
		bool ours = IsDigit(*p) || *p == '-' || *p == '+' || *p == 'e';
		if (ours || !inside)
		{
			text[length++] = ours ? *p : '.';
		}
		inside = !ours;
	}
	text[length] = '\0';
	return length;
}
