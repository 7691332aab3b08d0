// One block with a Huffman code of its own. Matches are found through chains of earlier places with the same three
// bytes, and put off by a byte where the next place has a longer one.
#include "io/deflate.h"

#include <stdlib.h>
#include <string.h>

// ---- Bytes and bits --------------------------------------------------------------------------------------------

void ioPutByte(ioBytes* b, uint32_t value)
{
	if (b->count == b->capacity)
	{
		size_t capacity = 2 * b->capacity + 4096;
		uint8_t* data = realloc(b->data, capacity);
		if (data == NULL)
		{
			b->failed = true;
			return;
		}
		b->data = data;
		b->capacity = capacity;
	}
	b->data[b->count++] = (uint8_t)value;
}

void ioPutWord(ioBytes* b, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
	{
		ioPutByte(b, (value >> shift) & 0xffu);
	}
}

static void PutBits(ioBytes* b, uint32_t value, int count)
{
	b->bits |= (uint64_t)value << b->bitCount;
	b->bitCount += count;
	for (; b->bitCount >= 8; b->bitCount -= 8, b->bits >>= 8)
	{
		ioPutByte(b, (uint32_t)(b->bits & 0xffu));
	}
}

// ---- Huffman codes ---------------------------------------------------------------------------------------------

#define MAX_SYMBOLS 286
#define MAX_LENGTH 15

typedef struct code
{
	uint32_t frequencies[MAX_SYMBOLS];
	uint8_t lengths[MAX_SYMBOLS];
	uint16_t bits[MAX_SYMBOLS]; ///< in the order in which they are written
	int count;                  ///< of symbols
	int limit;                  ///< of lengths
} code;

typedef struct leaf
{
	uint32_t frequency;
	int symbol;
} leaf;

static int CompareLeaves(const void* first, const void* second)
{
	const leaf *x = first, *y = second;
	return x->frequency != y->frequency ? (x->frequency < y->frequency ? -1 : 1) : x->symbol - y->symbol;
}

// Depths of the leaves of Huffman's tree, whose leaves are sorted: the two lightest of leaves and joined nodes are
// joined, again and again. Counts of leaves per depth suffice: rarer symbols get longer codes.
static void CountDepths(const leaf* leaves, int count, int depths[2 * MAX_SYMBOLS])
{
	uint64_t weights[2 * MAX_SYMBOLS];
	int parents[2 * MAX_SYMBOLS];
	int nextLeaf = 0, nextNode = count, nodes = count;
	for (int i = 0; i < count; ++i)
	{
		weights[i] = leaves[i].frequency;
	}
	while (nodes < 2 * count - 1)
	{
		weights[nodes] = 0;
		for (int k = 0; k < 2; ++k)
		{
			bool takesLeaf = nextLeaf < count && (nextNode == nodes || weights[nextLeaf] <= weights[nextNode]);
			int child = takesLeaf ? nextLeaf++ : nextNode++;
			weights[nodes] += weights[child];
			parents[child] = nodes;
		}
		++nodes;
	}
	depths[nodes - 1] = 0;
	for (int i = nodes - 2; i >= 0; --i)
	{
		depths[i] = depths[parents[i]] + 1;
	}
}

// Lengths are at most `limit`: what is deeper is cut, and the room that this takes is given back by codes that become
// one longer (Kraft: the sum of 2^-length is 1).
static void LimitLengths(const code* c, const leaf* leaves, int count, const int* depths, uint8_t* lengths)
{
	int perLength[MAX_LENGTH + 1] = { 0 };
	uint32_t room = 0;
	for (int i = 0; i < count; ++i)
	{
		int depth = depths[i] < c->limit ? depths[i] : c->limit;
		perLength[depth]++;
		room += 1u << (c->limit - depth);
	}
	for (; room > 1u << c->limit; --room)
	{
		int length = c->limit - 1;
		while (perLength[length] == 0)
		{
			--length;
		}
		perLength[length]--;
		perLength[length + 1] += 2;
		perLength[c->limit]--;
	}
	// The most frequent leaf is the last.
	int next = count - 1;
	for (int length = 1; length <= c->limit; ++length)
	{
		for (int i = 0; i < perLength[length]; ++i)
		{
			lengths[leaves[next--].symbol] = (uint8_t)length;
		}
	}
}

static void AssignBits(code* c)
{
	uint32_t next = 0;
	for (int length = 1; length <= c->limit; ++length, next <<= 1)
	{
		for (int s = 0; s < c->count; ++s)
		{
			if (c->lengths[s] == length)
			{
				uint32_t reversed = 0;
				for (int i = 0; i < length; ++i)
				{
					reversed |= ((next >> i) & 1u) << (length - 1 - i);
				}
				c->bits[s] = (uint16_t)reversed;
				++next;
			}
		}
	}
}

static void BuildCode(code* c)
{
	leaf leaves[MAX_SYMBOLS];
	int depths[2 * MAX_SYMBOLS], count = 0;
	// A code needs two symbols.
	for (int s = 0; s < 2; ++s)
	{
		c->frequencies[s] += c->frequencies[s] == 0;
	}
	for (int s = 0; s < c->count; ++s)
	{
		if (c->frequencies[s] > 0)
		{
			leaves[count++] = (leaf){ c->frequencies[s], s };
		}
	}
	qsort(leaves, (size_t)count, sizeof(leaf), CompareLeaves);
	CountDepths(leaves, count, depths);
	memset(c->lengths, 0, sizeof(c->lengths));
	LimitLengths(c, leaves, count, depths, c->lengths);
	AssignBits(c);
}

static void PutSymbol(ioBytes* out, const code* c, int symbol)
{
	PutBits(out, c->bits[symbol], c->lengths[symbol]);
}

// ---- Matches ---------------------------------------------------------------------------------------------------

#define HASH_BITS 15
#define WINDOW 32768
#define MAX_CHAIN 96
#define MIN_MATCH 4
#define MAX_MATCH 258

typedef struct finder
{
	const uint8_t* data;
	size_t count;
	uint32_t* heads; ///< last place + 1 with each hash
	uint32_t* links; ///< per place modulo the window: the place + 1 before it with the same hash
} finder;

typedef struct match
{
	uint32_t length, distance; ///< length 0: none
} match;

static uint32_t Hash(const uint8_t* p)
{
	uint32_t word = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
	return word * 0x9e3779b1u >> (32 - HASH_BITS);
}

static void Insert(const finder* f, size_t i)
{
	if (i + 3 <= f->count)
	{
		uint32_t* head = f->heads + Hash(f->data + i);
		f->links[i % WINDOW] = *head;
		*head = (uint32_t)i + 1;
	}
}

static match FindMatch(const finder* f, size_t i)
{
	match best = { 0, 0 };
	size_t left = f->count - i, most = left < MAX_MATCH ? left : MAX_MATCH;
	if (left < 3)
	{
		return best;
	}
	uint32_t place = f->heads[Hash(f->data + i)];
	for (int step = 0; step < MAX_CHAIN && place > 0 && i - (place - 1) < WINDOW; ++step)
	{
		const uint8_t *a = f->data + (place - 1), *b = f->data + i;
		uint32_t length = 0;
		while (length < most && a[length] == b[length])
		{
			++length;
		}
		if (length >= MIN_MATCH && length > best.length)
		{
			best = (match){ length, (uint32_t)(i - (place - 1)) };
		}
		uint32_t before = f->links[(place - 1) % WINDOW];
		place = before < place ? before : 0;
	}
	return best;
}

// A token is a byte, or a match with the highest bit set: length and distance - 1.
static size_t FindTokens(const finder* f, uint32_t* tokens)
{
	size_t count = 0;
	for (size_t i = 0; i < f->count;)
	{
		match m = FindMatch(f, i);
		Insert(f, i);
		if (m.length > 0 && i + 1 < f->count && FindMatch(f, i + 1).length > m.length)
		{
			m.length = 0;
		}
		tokens[count++] = m.length > 0 ? 1u << 31 | m.length << 16 | (m.distance - 1) : f->data[i];
		for (uint32_t k = 1; k < m.length; ++k)
		{
			Insert(f, i + k);
		}
		i += m.length > 0 ? m.length : 1;
	}
	return count;
}

// Lengths 3 to 258 and distances 1 to 32768 are a class and some extra bits; classes come in groups of equal width.
typedef struct classed
{
	int symbol, extraBits;
	uint32_t extra;
} classed;

static classed ClassifyLength(uint32_t length)
{
	uint32_t l = length - 3;
	int bits = 0;
	while (l >> bits >= 8)
	{
		++bits;
	}
	return length == MAX_MATCH ? (classed){ 285, 0, 0 }
	                           : (classed){ 257 + 4 * bits + (int)(l >> bits), bits, l & ((1u << bits) - 1) };
}

static classed ClassifyDistance(uint32_t d)
{
	int bits = 0;
	while (d >> bits >= 4)
	{
		++bits;
	}
	return (classed){ 2 * bits + (int)(d >> bits), bits, d & ((1u << bits) - 1) };
}

// ---- Blocks ----------------------------------------------------------------------------------------------------

#define BLOCK_END 256

static void CountSymbols(const uint32_t* tokens, size_t count, code* bytes, code* distances)
{
	for (size_t i = 0; i < count; ++i)
	{
		if (tokens[i] >> 31)
		{
			bytes->frequencies[ClassifyLength(tokens[i] >> 16 & 0x1ffu).symbol]++;
			distances->frequencies[ClassifyDistance(tokens[i] & 0xffffu).symbol]++;
		}
		else
		{
			bytes->frequencies[tokens[i]]++;
		}
	}
	bytes->frequencies[BLOCK_END]++;
}

// The lengths of both codes, each behind the other, in a code of their own. Runs of zeros are shortened; others are
// rare.
static void PutCodes(ioBytes* out, const code* bytes, const code* distances)
{
	static const uint8_t order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
	uint8_t lengths[2 * MAX_SYMBOLS], symbols[2 * MAX_SYMBOLS], extra[2 * MAX_SYMBOLS];
	int total = bytes->count + distances->count, count = 0;
	code own = { .count = 19, .limit = 7 };
	memcpy(lengths, bytes->lengths, (size_t)bytes->count);
	memcpy(lengths + bytes->count, distances->lengths, (size_t)distances->count);
	for (int i = 0, run; i < total; i += run)
	{
		for (run = 1; lengths[i] == 0 && i + run < total && lengths[i + run] == 0 && run < 138; ++run)
		{
		}
		run = run < 3 ? 1 : run;
		symbols[count] = run == 1 ? lengths[i] : run < 11 ? 17 : 18;
		extra[count] = (uint8_t)(run == 1 ? 0 : run < 11 ? run - 3 : run - 11);
		own.frequencies[symbols[count++]]++;
	}
	BuildCode(&own);
	PutBits(out, (uint32_t)(bytes->count - 257), 5);
	PutBits(out, (uint32_t)(distances->count - 1), 5);
	PutBits(out, 19 - 4, 4);
	for (int i = 0; i < 19; ++i)
	{
		PutBits(out, own.lengths[order[i]], 3);
	}
	for (int i = 0; i < count; ++i)
	{
		PutSymbol(out, &own, symbols[i]);
		PutBits(out, extra[i], symbols[i] == 17 ? 3 : symbols[i] == 18 ? 7 : 0);
	}
}

static void PutTokens(ioBytes* out, const uint32_t* tokens, size_t count, const code* bytes, const code* distances)
{
	for (size_t i = 0; i < count; ++i)
	{
		if (tokens[i] >> 31)
		{
			classed l = ClassifyLength(tokens[i] >> 16 & 0x1ffu), d = ClassifyDistance(tokens[i] & 0xffffu);
			PutSymbol(out, bytes, l.symbol);
			PutBits(out, l.extra, l.extraBits);
			PutSymbol(out, distances, d.symbol);
			PutBits(out, d.extra, d.extraBits);
		}
		else
		{
			PutSymbol(out, bytes, (int)tokens[i]);
		}
	}
	PutSymbol(out, bytes, BLOCK_END);
	PutBits(out, 0, 7); // to the next byte
	out->bits = 0;
	out->bitCount = 0;
}

static uint32_t Adler(const uint8_t* data, size_t count)
{
	uint32_t a = 1, b = 0;
	for (size_t i = 0; i < count; ++i)
	{
		a = (a + data[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

void ioDeflate(ioBytes* out, const uint8_t* data, size_t count)
{
	finder f = { data, count, calloc((size_t)1 << HASH_BITS, sizeof(uint32_t)), calloc(WINDOW, sizeof(uint32_t)) };
	uint32_t* tokens = malloc((count + 1) * sizeof(uint32_t));
	out->failed = out->failed || f.heads == NULL || f.links == NULL || tokens == NULL || count > UINT32_MAX - 1;
	if (!out->failed)
	{
		code bytes = { .count = 286, .limit = MAX_LENGTH }, distances = { .count = 30, .limit = MAX_LENGTH };
		size_t tokenCount = FindTokens(&f, tokens);
		CountSymbols(tokens, tokenCount, &bytes, &distances);
		BuildCode(&bytes);
		BuildCode(&distances);
		ioPutByte(out, 0x78);
		ioPutByte(out, 0x01);
		PutBits(out, 5, 3); // the last block, with codes of its own
		PutCodes(out, &bytes, &distances);
		PutTokens(out, tokens, tokenCount, &bytes, &distances);
		ioPutWord(out, Adler(data, count));
	}
	free(f.heads);
	free(f.links);
	free(tokens);
}
