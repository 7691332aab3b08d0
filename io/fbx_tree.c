// The tree of an FBX file: records, values, and arrays decoded when they are asked for.
#include "io/fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

bool fbxText_Is(fbxText text, const char* string)
{
	return text.length == strlen(string) && memcmp(text.text, string, text.length) == 0;
}

// ---- Growing ---------------------------------------------------------------------------------------------------

// Room for one more. What a file may claim is bounded by its size.
static bool Grow(const fbxTree* tree, void** array, uint32_t count, uint32_t* capacity, size_t size)
{
	if (count < *capacity)
	{
		return true;
	}
	uint32_t wanted = *capacity + *capacity / 2 + 256;
	if (!ioSpend(tree->loader, (wanted - *capacity) * (uint64_t)size) || wanted > IO_MAX_COUNT)
	{
		return ioFail(tree->loader, 0, "too many records for a file of %zu bytes", tree->loader->count);
	}
	void* grown = realloc(*array, wanted * size);
	if (grown == NULL)
	{
		return ioFailMemory(tree->loader);
	}
	*array = grown;
	*capacity = wanted;
	return true;
}

bool fbxAddRecord(fbxTree* tree, uint32_t parent, uint32_t* lastChild, fbxText name)
{
	void* array = tree->records;
	bool grown = Grow(tree, &array, tree->recordCount, &tree->recordCapacity, sizeof(fbxRecord));
	tree->records = array;
	if (!grown)
	{
		return false;
	}
	uint32_t number = tree->recordCount++;
	tree->records[number] = (fbxRecord){ .name = name, .firstValue = tree->valueCount };
	if (number > 0 && *lastChild == 0)
	{
		tree->records[parent].firstChild = number;
	}
	else if (number > 0)
	{
		tree->records[*lastChild].nextSibling = number;
	}
	*lastChild = number;
	return true;
}

bool fbxAddValue(fbxTree* tree, fbxValue value)
{
	void* array = tree->values;
	bool grown = Grow(tree, &array, tree->valueCount, &tree->valueCapacity, sizeof(fbxValue));
	tree->values = array;
	if (grown)
	{
		tree->values[tree->valueCount++] = value;
		tree->records[tree->recordCount - 1].valueCount++;
	}
	return grown;
}

void fbxTree_Free(fbxTree* tree)
{
	free(tree->records);
	free(tree->values);
	tree->records = NULL;
	tree->values = NULL;
}

bool fbxParse(fbxTree* tree)
{
	static const char magic[] = "Kaydara FBX Binary  ";
	const ioLoader* loader = tree->loader;
	uint32_t last = 0;
	if (!fbxAddRecord(tree, 0, &last, (fbxText){ "", 0 }))
	{
		return false;
	}
	bool binary = loader->count >= sizeof(magic) && memcmp(loader->bytes, magic, sizeof(magic)) == 0;
	if (!(binary ? fbxParseBinary(tree) : fbxParseText(tree)))
	{
		return false;
	}
	if (tree->version == 0)
	{
		return ioFail(loader, 0, "not an FBX file: no FBXVersion");
	}
	return tree->version >= 7000 || ioFail(loader, 0, "FBX %u.%u: only FBX 7.0 and later is read; export it anew",
	                                    tree->version / 1000, tree->version / 100 % 10);
}

// ---- Access ----------------------------------------------------------------------------------------------------

uint32_t fbxFind(const fbxTree* tree, uint32_t record, const char* name)
{
	uint32_t child = tree->records[record].firstChild;
	while (child != 0 && !fbxText_Is(tree->records[child].name, name))
	{
		child = tree->records[child].nextSibling;
	}
	return child;
}

fbxValue fbxGetValue(const fbxTree* tree, uint32_t record, uint32_t index)
{
	const fbxRecord* r = tree->records + record;
	return index < r->valueCount ? tree->values[r->firstValue + index] : (fbxValue){ .type = fbx_integer };
}

// ---- Numbers ---------------------------------------------------------------------------------------------------

// Digits without a point: 19 of them fit; the rest only shifts the point.
static size_t ParseDigits(fbxText text, size_t i, uint64_t* digits, int* exponent, int shift)
{
	for (; i < text.length && text.text[i] >= '0' && text.text[i] <= '9'; ++i)
	{
		bool fits = *digits <= (UINT64_MAX - 9) / 10;
		*digits = fits ? 10 * *digits + (uint64_t)(text.text[i] - '0') : *digits;
		*exponent += (fits ? 0 : 1) - shift;
	}
	return i;
}

static size_t ParseExponent(fbxText text, size_t i, int* exponent)
{
	bool negative = i < text.length && text.text[i] == '-';
	i += i < text.length && (text.text[i] == '-' || text.text[i] == '+');
	size_t first = i;
	int value = 0;
	for (; i < text.length && text.text[i] >= '0' && text.text[i] <= '9'; ++i)
	{
		value = value < 10000 ? 10 * value + (text.text[i] - '0') : value;
	}
	*exponent += negative ? -value : value;
	return i > first ? i : 0;
}

// Times a power of ten. Those up to 22 are exact, and no function of libm is asked, so that all machines agree.
static double Scale(double number, int exponent)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
		1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	for (; exponent > 22 && number > 0.0 && number < INFINITY; exponent -= 22)
	{
		number *= 1e22;
	}
	for (; exponent < -22 && number > 0.0; exponent += 22)
	{
		number /= 1e22;
	}
	return !(number > 0.0 && number < INFINITY) ? number
	       : exponent < 0                       ? number / powers[-exponent]
	                                            : number * powers[exponent];
}

bool fbxParseNumber(fbxText text, fbxValue* value)
{
	bool negative = text.length > 0 && text.text[0] == '-';
	size_t start = negative || (text.length > 0 && text.text[0] == '+') ? 1 : 0;
	uint64_t digits = 0;
	int exponent = 0;
	size_t i = ParseDigits(text, start, &digits, &exponent, 0);
	size_t figures = i - start;
	bool whole = i == text.length && exponent == 0;
	if (i < text.length && text.text[i] == '.')
	{
		size_t end = ParseDigits(text, i + 1, &digits, &exponent, 1);
		figures += end - i - 1;
		i = end;
	}
	if (figures > 0 && i < text.length && (text.text[i] == 'e' || text.text[i] == 'E'))
	{
		i = ParseExponent(text, i + 1, &exponent);
	}
	if (figures == 0 || i != text.length || text.length > 400)
	{
		return false; // also "nan" and "inf", which are no numbers here
	}
	double number = Scale((double)digits, exponent);
	number = negative ? -number : number;
	*value = (fbxValue){ .type = whole ? fbx_integer : fbx_number, .number = number };
	value->integer = whole ? ((int64_t)(negative ? 0 - digits : digits)) : fabs(number) < 9.0e18 ? (int64_t)number : 0;
	return true;
}

// ---- Arrays ----------------------------------------------------------------------------------------------------

static size_t ElementSize(char elements)
{
	return elements == 'd' || elements == 'l' ? 8 : elements == 'b' ? 1 : 4;
}

// The bytes of an array, which is `value`. Those of compressed ones are malloc'ed; free `owned` in any case.
static const uint8_t* Inflate(const fbxTree* tree, const fbxValue* value, uint8_t** owned)
{
	size_t size = value->count * ElementSize(value->elements);
	*owned = NULL;
	if (!value->deflated)
	{
		return (const uint8_t*)value->text.text;
	}
	uLongf inflated = (uLongf)size;
	*owned = malloc(size + 1);
	if (*owned == NULL)
	{
		ioFailMemory(tree->loader);
		return NULL;
	}
	if (uncompress(*owned, &inflated, (const Bytef*)value->text.text, (uLong)value->text.length) != Z_OK ||
	    inflated != size)
	{
		ioFail(tree->loader, 0, "an array of %u elements: its compressed data are damaged", value->count);
		return NULL; // the caller frees it
	}
	return *owned;
}

// One element of a binary array as both kinds of number.
static void GetElement(const uint8_t* bytes, char elements, size_t i, double* number, int64_t* integer)
{
	uint64_t bits = 0;
	size_t size = ElementSize(elements);
	for (size_t k = size; k-- > 0;)
	{
		bits = bits << 8 | bytes[size * i + k];
	}
	uint32_t half = (uint32_t)bits;
	float single;
	memcpy(&single, &half, sizeof(single));
	memcpy(number, &bits, sizeof(*number));
	*number = elements == 'f' ? (double)single : *number;
	if (elements == 'i' || elements == 'l' || elements == 'b')
	{
		*integer = elements == 'i' ? (int32_t)half : (int64_t)bits;
		*number = (double)*integer;
		return;
	}
	*integer = fabs(*number) < 9.0e18 ? (int64_t)*number : 0;
}

// Numbers in text, separated by commas.
static bool ReadTextArray(const fbxTree* tree, const fbxValue* value, double* numbers, int64_t* integers)
{
	const char *p = value->text.text, *end = p + value->text.length;
	for (uint32_t i = 0; i < value->count; ++i)
	{
		while (p < end && (*p == ',' || *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		{
			++p;
		}
		const char* start = p;
		while (p < end && *p != ',' && *p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')
		{
			++p;
		}
		fbxValue number;
		if (!fbxParseNumber((fbxText){ start, (size_t)(p - start) }, &number))
		{
			return ioFail(tree->loader, 0, "an array of %u elements: element %u is not a number", value->count, i);
		}
		if (numbers != NULL)
		{
			numbers[i] = number.number;
		}
		else
		{
			integers[i] = number.integer;
		}
	}
	return true;
}

static bool ReadBinaryArray(const fbxTree* tree, const fbxValue* value, double* numbers, int64_t* integers)
{
	uint8_t* owned;
	const uint8_t* bytes = Inflate(tree, value, &owned);
	for (uint32_t i = 0; bytes != NULL && i < value->count; ++i)
	{
		double number;
		int64_t integer;
		GetElement(bytes, value->elements, i, &number, &integer);
		if (numbers != NULL)
		{
			numbers[i] = number;
		}
		else
		{
			integers[i] = integer;
		}
	}
	free(owned);
	return bytes != NULL;
}

// Elements are 8 bytes of either kind.
static void* ReadArray(const fbxTree* tree, uint32_t record, bool isNumber, uint32_t* count)
{
	fbxValue value = fbxGetValue(tree, record, 0);
	bool empty = record == 0 || tree->records[record].valueCount == 0;
	*count = 0;
	if (!empty && value.type != fbx_array)
	{
		// Text files may write short ones as plain values.
		ioFail(tree->loader, 0, "%.*s is not an array", (int)(tree->records[record].name.length % 64),
		    tree->records[record].name.text);
		return NULL;
	}
	value.count = empty ? 0 : value.count;
	// Twice: once it may be inflated.
	if (!ioSpend(tree->loader, 16 * (uint64_t)value.count))
	{
		ioFail(tree->loader, 0, "too much data for a file of %zu bytes", tree->loader->count);
		return NULL;
	}
	void* elements = malloc(8 * ((size_t)value.count + 1));
	if (elements == NULL)
	{
		ioFailMemory(tree->loader);
		return NULL;
	}
	double* numbers = isNumber ? elements : NULL;
	int64_t* integers = isNumber ? NULL : elements;
	bool read = empty || (value.elements == 't' ? ReadTextArray(tree, &value, numbers, integers)
	                                            : ReadBinaryArray(tree, &value, numbers, integers));
	if (!read)
	{
		free(elements);
		return NULL;
	}
	*count = value.count;
	return elements;
}

double* fbxReadNumbers(const fbxTree* tree, uint32_t record, uint32_t* count)
{
	return ReadArray(tree, record, true, count);
}

int64_t* fbxReadIntegers(const fbxTree* tree, uint32_t record, uint32_t* count)
{
	return ReadArray(tree, record, false, count);
}
