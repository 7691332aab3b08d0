// src/base/checksum.c: eight interleaved multiply-rotate lanes over little-endian words, then a final mix.
//
// Each lane step x -> rotate((x ^ word) * odd) is a bijection of the lane for a fixed word and of the word for a fixed
// lane, so any change confined to one word changes the result of its lane, and the final mix keeps lanes apart.
#include "base/checksum.h"

#include <string.h>

enum
{
	LANES = 8
};

static const uint64_t multiplier = 0x9e3779b97f4a7c15u;

static uint64_t Rotate(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static uint64_t Mix(uint64_t lane, uint64_t word)
{
	return Rotate((lane ^ word) * multiplier, 29);
}

uint64_t sgChecksum(const void* data, size_t bytes)
{
	const unsigned char* byte = data;
	uint64_t lane[LANES] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	size_t done = 0;
	for (; done + sizeof(lane) <= bytes; done += sizeof(lane))
	{
		uint64_t words[LANES];
		memcpy(words, byte + done, sizeof(words));
		for (int i = 0; i < LANES; ++i)
		{
			lane[i] = Mix(lane[i], words[i]);
		}
	}
	for (; done < bytes; ++done)
	{
		lane[done % LANES] = Mix(lane[done % LANES], byte[done]);
	}
	uint64_t sum = bytes;
	for (int i = 0; i < LANES; ++i)
	{
		sum = Mix(sum, lane[i] ^ (lane[i] >> 32));
	}
	return sum ^ (sum >> 31);
}
