// src/base/checksum.h: a fast 64-bit checksum against accidents in files (not against forgery: loading checks all).
#ifndef SG_CHECKSUM_H
#define SG_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t sgChecksum(const void* data, size_t bytes);

#endif
