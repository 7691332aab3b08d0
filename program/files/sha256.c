#include "program/files/sha256.h"

#include "program/commands/terminal.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64

typedef struct hash
{
	uint32_t state[8];
	uint64_t count; ///< bytes so far
	uint8_t block[BLOCK];
} hash;

static const uint32_t rounds[64] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
	0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138,
	0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70,
	0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
	0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
	0xa4506ceb, 0xbef9a3f7, 0xc67178f2 };

static uint32_t Turn(uint32_t x, int by)
{
	return x >> by | x << (32 - by);
}

static void Mix(hash* h)
{
	uint32_t w[64], s[8];
	for (int i = 0; i < 16; ++i)
	{
		const uint8_t* b = h->block + 4 * i;
		w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	}
	for (int i = 16; i < 64; ++i)
	{
		const uint32_t x = w[i - 15], y = w[i - 2];
		w[i] = w[i - 16] + (Turn(x, 7) ^ Turn(x, 18) ^ x >> 3) + w[i - 7] + (Turn(y, 17) ^ Turn(y, 19) ^ y >> 10);
	}
	memcpy(s, h->state, sizeof(s));
	for (int i = 0; i < 64; ++i)
	{
		const uint32_t a = s[0], e = s[4];
		const uint32_t t =
		    s[7] + (Turn(e, 6) ^ Turn(e, 11) ^ Turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + rounds[i] + w[i];
		const uint32_t u = (Turn(a, 2) ^ Turn(a, 13) ^ Turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof(uint32_t));
		s[4] += t;
		s[0] = t + u;
	}
	for (int i = 0; i < 8; ++i)
	{
		h->state[i] += s[i];
	}
}

static hash Begin(void)
{
	return (hash){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
		               0x5be0cd19 } };
}

static void Add(hash* h, const void* bytes, size_t count)
{
	const uint8_t* next = bytes;
	while (count > 0)
	{
		const size_t at = (size_t)(h->count % BLOCK), part = count < BLOCK - at ? count : BLOCK - at;
		memcpy(h->block + at, next, part);
		next += part;
		count -= part;
		h->count += part;
		if (h->count % BLOCK == 0)
		{
			Mix(h);
		}
	}
}

static void End(hash* h, char digest[65])
{
	const uint64_t bits = 8 * h->count;
	uint8_t length[8];
	const uint8_t one = 0x80, zero = 0;
	for (int i = 0; i < 8; ++i)
	{
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	}
	Add(h, &one, 1);
	while (h->count % BLOCK != BLOCK - 8)
	{
		Add(h, &zero, 1);
	}
	Add(h, length, 8);
	for (int i = 0; i < 8; ++i)
	{
		snprintf(digest + 8 * i, 9, "%08x", (unsigned)h->state[i]);
	}
}

void cliSha256(const void* bytes, size_t count, char digest[65])
{
	hash h = Begin();
	Add(&h, bytes, count);
	End(&h, digest);
}

bool cliSha256File(const char* path, char digest[65])
{
	FILE* file = fopen(path, "rb");
	hash h = Begin();
	char bytes[4096];
	if (file == NULL)
	{
		cliError("%s: cannot open: %s", path, strerror(errno));
		return false;
	}
	for (size_t got; (got = fread(bytes, 1, sizeof(bytes), file)) > 0;)
	{
		Add(&h, bytes, got);
	}
	const bool read = !ferror(file);
	if (!read)
	{
		cliError("%s: cannot be read", path);
	}
	fclose(file);
	End(&h, digest);
	return read;
}
