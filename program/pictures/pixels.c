#include "program/pictures/pixels.h"

#include "io/png.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

pixels pixelsMake(int width, int height)
{
	return (pixels){ calloc((size_t)width * (size_t)height + 1, 4), width, height };
}

void pixelsFree(pixels* p)
{
	free(p->data);
	p->data = NULL;
}

// ---- Palettes --------------------------------------------------------------------------------------------------
// Median cut: a box around all colours is cut in two, across its longest side and with as many pixels on either side,
// then the box with the most to gain, until there are as many as a palette holds.

typedef struct tint
{
	uint8_t rgba[4];
	uint32_t pixels;
} tint;

typedef struct box
{
	int first, count; ///< tints
	int channel;      ///< with the longest side
	uint64_t weight;  ///< its length squared, times pixels
} box;

static uint32_t Pack(const uint8_t rgba[4])
{
	return (uint32_t)rgba[0] << 24 | (uint32_t)rgba[1] << 16 | (uint32_t)rgba[2] << 8 | rgba[3];
}

static int CompareWords(const void* first, const void* second)
{
	uint32_t x = *(const uint32_t*)first, y = *(const uint32_t*)second;
	return (x > y) - (x < y);
}

// What cannot be seen is black, and one colour.
static uint32_t GetWord(const uint8_t* pixel)
{
	return pixel[3] == 0 ? 0 : Pack(pixel);
}

// Colours that occur, sorted. @return how many
static int FindTints(const pixels* p, uint32_t* words, tint* tints)
{
	size_t total = (size_t)p->width * (size_t)p->height;
	int count = 0;
	for (size_t i = 0; i < total; ++i)
	{
		words[i] = GetWord(p->data + 4 * i);
	}
	qsort(words, total, sizeof(uint32_t), CompareWords);
	for (size_t i = 0; i < total; ++i)
	{
		if (i == 0 || words[i] != words[i - 1])
		{
			uint32_t w = words[i];
			words[count] = w;
			tints[count++] = (tint){ { (uint8_t)(w >> 24), (uint8_t)(w >> 16), (uint8_t)(w >> 8), (uint8_t)w }, 0 };
		}
		tints[count - 1].pixels++;
	}
	return count;
}

static box MeasureBox(const tint* tints, int first, int count)
{
	box b = { first, count, 0, 0 };
	uint64_t pixelCount = 0;
	int longest = 0;
	for (int k = 0; k < 4; ++k)
	{
		int least = 255, most = 0;
		for (int i = first; i < first + count; ++i)
		{
			least = tints[i].rgba[k] < least ? tints[i].rgba[k] : least;
			most = tints[i].rgba[k] > most ? tints[i].rgba[k] : most;
			pixelCount += k == 0 ? tints[i].pixels : 0;
		}
		if (most - least > longest)
		{
			longest = most - least;
			b.channel = k;
		}
	}
	b.weight = (uint64_t)(longest * longest) * pixelCount;
	return b;
}

static int Compare0(const void* x, const void* y)
{
	return ((const tint*)x)->rgba[0] - ((const tint*)y)->rgba[0];
}

static int Compare1(const void* x, const void* y)
{
	return ((const tint*)x)->rgba[1] - ((const tint*)y)->rgba[1];
}

static int Compare2(const void* x, const void* y)
{
	return ((const tint*)x)->rgba[2] - ((const tint*)y)->rgba[2];
}

static int Compare3(const void* x, const void* y)
{
	return ((const tint*)x)->rgba[3] - ((const tint*)y)->rgba[3];
}

// Tints of equal value may come in any order, which changes nothing that can be seen, but every run gives the same
// bytes only with the same sort: that of one C library.
static void CutBox(tint* tints, box* b, box* other)
{
	static int (*const compare[4])(const void*, const void*) = { Compare0, Compare1, Compare2, Compare3 };
	uint64_t total = 0, half = 0;
	int cut = 1;
	qsort(tints + b->first, (size_t)b->count, sizeof(tint), compare[b->channel]);
	for (int i = 0; i < b->count; ++i)
	{
		total += tints[b->first + i].pixels;
	}
	for (half = tints[b->first].pixels; cut < b->count - 1 && 2 * half < total; ++cut)
	{
		half += tints[b->first + cut].pixels;
	}
	*other = MeasureBox(tints, b->first + cut, b->count - cut);
	*b = MeasureBox(tints, b->first, cut);
}

static int CutBoxes(tint* tints, int tintCount, box* boxes)
{
	int count = 1;
	boxes[0] = MeasureBox(tints, 0, tintCount);
	while (count < IO_PNG_COLORS)
	{
		int best = 0;
		for (int i = 1; i < count; ++i)
		{
			best = boxes[i].weight > boxes[best].weight ? i : best;
		}
		if (boxes[best].weight == 0)
		{
			break;
		}
		CutBox(tints, boxes + best, boxes + count++);
	}
	return count;
}

static void Average(const tint* tints, const box* b, uint8_t color[4])
{
	uint64_t sums[4] = { 0 }, total = 0;
	for (int i = b->first; i < b->first + b->count; ++i)
	{
		for (int k = 0; k < 4; ++k)
		{
			sums[k] += (uint64_t)tints[i].rgba[k] * tints[i].pixels;
		}
		total += tints[i].pixels;
	}
	for (int k = 0; k < 4; ++k)
	{
		color[k] = (uint8_t)((sums[k] + total / 2) / total);
	}
}

// Which of the sorted words it is.
static size_t FindWord(const uint32_t* words, int count, uint32_t word)
{
	size_t low = 0, high = (size_t)count;
	while (high - low > 1)
	{
		size_t middle = (low + high) / 2;
		low = words[middle] <= word ? middle : low;
		high = words[middle] <= word ? high : middle;
	}
	return low;
}

uint8_t* pixelsEncode(const pixels* p, size_t* bytes)
{
	size_t total = (size_t)p->width * (size_t)p->height;
	uint32_t* words = malloc((total + 1) * sizeof(uint32_t));
	tint* tints = malloc((total + 1) * sizeof(tint));
	uint8_t *indices = malloc(total + 1), *ofWord = malloc(total + 1), *encoded = NULL;
	if (words != NULL && tints != NULL && indices != NULL && ofWord != NULL && total > 0)
	{
		box boxes[IO_PNG_COLORS];
		uint8_t palette[IO_PNG_COLORS][4];
		int tintCount = FindTints(p, words, tints), count = CutBoxes(tints, tintCount, boxes);
		for (int i = 0; i < count; ++i)
		{
			Average(tints, boxes + i, palette[i]);
			for (int k = boxes[i].first; k < boxes[i].first + boxes[i].count; ++k)
			{
				ofWord[FindWord(words, tintCount, Pack(tints[k].rgba))] = (uint8_t)i;
			}
		}
		for (size_t i = 0; i < total; ++i)
		{
			indices[i] = ofWord[FindWord(words, tintCount, GetWord(p->data + 4 * i))];
		}
		encoded =
		    ioEncodePng(indices, (uint32_t)p->width, (uint32_t)p->height, (const uint8_t(*)[4])palette, count, bytes);
	}
	free(words);
	free(tints);
	free(indices);
	free(ofWord);
	return encoded;
}
