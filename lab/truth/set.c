#include "lab/truth/set.h"

#include <stdarg.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "truth sets are written as memory has them");

#define HEADER_BYTES 64
#define FAMILY_BYTES 48
#define BODY_BYTES 64
#define PLACE_BYTES 56
#define VERSION 1
#define MAX_FAMILIES 1000

static const char magic[8] = "snugtrut";

// The header, byte by byte.
enum
{
	VERSION_OFFSET = 8,
	KIND_OFFSET = 12,
	HASH_OFFSET = 16,
	QUESTION_OFFSET = 24,
	COUNT_OFFSET = 32,
	PARTS_OFFSET = 40,
	ZERO_OFFSET = 44,
};

uint64_t truthHash(uint64_t hash, const void* bytes, size_t size)
{
	const uint8_t* at = bytes;
	for (size_t i = 0; i < size; ++i)
	{
		hash = (hash ^ at[i]) * 0x100000001b3u;
	}
	return hash;
}

// ---- Writing ---------------------------------------------------------------------------------------------------

static void MakeHeader(const truthWriter* w, uint8_t header[HEADER_BYTES])
{
	const uint32_t version = VERSION, kind = (uint32_t)w->kind;
	memset(header, 0, HEADER_BYTES);
	memcpy(header, magic, sizeof(magic));
	memcpy(header + VERSION_OFFSET, &version, sizeof(version));
	memcpy(header + KIND_OFFSET, &kind, sizeof(kind));
	memcpy(header + HASH_OFFSET, &w->hash, sizeof(w->hash));
	memcpy(header + QUESTION_OFFSET, &w->question, sizeof(w->question));
	memcpy(header + COUNT_OFFSET, &w->count, sizeof(w->count));
	memcpy(header + PARTS_OFFSET, &w->parts, sizeof(w->parts));
}

void truthWriter_Begin(
    truthWriter* writer, FILE* stream, truthKind kind, uint64_t question, uint64_t count, uint32_t parts)
{
	uint8_t header[HEADER_BYTES];
	*writer = (truthWriter){
		.stream = stream, .kind = kind, .question = question, .count = count, .hash = TRUTH_HASH_START, .parts = parts
	};
	MakeHeader(writer, header);
	writer->failed = fwrite(header, 1, HEADER_BYTES, stream) != HEADER_BYTES;
}

void truthWriter_Add(truthWriter* writer, const void* bytes, size_t size)
{
	writer->hash = truthHash(writer->hash, bytes, size);
	writer->failed = writer->failed || (size > 0 && fwrite(bytes, 1, size, writer->stream) != size);
}

bool truthWriter_End(truthWriter* writer)
{
	uint8_t header[HEADER_BYTES];
	MakeHeader(writer, header);
	return !writer->failed && fseek(writer->stream, 0, SEEK_SET) == 0 &&
	       fwrite(header, 1, HEADER_BYTES, writer->stream) == HEADER_BYTES && fseek(writer->stream, 0, SEEK_END) == 0;
}

// ---- Reading ---------------------------------------------------------------------------------------------------

/// What is left of a file.
typedef struct cursor
{
	const uint8_t *at, *end;
	char* error;
} cursor;

__attribute__((format(printf, 2, 3))) static bool Refuse(cursor* c, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(c->error, 160, format, arguments);
	va_end(arguments);
	return false;
}

// Take `count` items of a size; null, with the cursor's error set, if there are not so many.
static const uint8_t* Take(cursor* c, uint64_t count, uint64_t size, const char* what)
{
	const uint8_t* at = c->at;
	if (count > (uint64_t)(c->end - c->at) / size)
	{
		Refuse(c, "ends in the middle of %s", what);
		return NULL;
	}
	c->at += count * size;
	return at;
}

static uint32_t GetWord(const uint8_t* at, uint64_t i)
{
	uint32_t word;
	memcpy(&word, at + i * sizeof(word), sizeof(word));
	return word;
}

static uint64_t GetLong(const uint8_t* at)
{
	uint64_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

static bool AreFinite(const uint8_t* floats, uint64_t count)
{
	for (uint64_t i = 0; i < count; ++i)
	{
		// The exponent of what is not a number, or infinite.
		if ((GetWord(floats, i) & 0x7f800000u) == 0x7f800000u)
		{
			return false;
		}
	}
	return true;
}

static bool IsName(const char name[TRUTH_NAME])
{
	const char* zero = memchr(name, '\0', TRUTH_NAME);
	size_t length = zero != NULL ? (size_t)(zero - name) : TRUTH_NAME;
	for (size_t i = 0; i < length; ++i)
	{
		if (name[i] < ' ' || name[i] > '~')
		{
			return false;
		}
	}
	return length > 0 && length < TRUTH_NAME;
}

truthFamily truthFile_GetFamily(const truthFile* file, uint32_t family)
{
	truthFamily found;
	memcpy(&found, file->families + (size_t)family * FAMILY_BYTES, sizeof(found));
	return found;
}

static bool ParsePairs(truthFile* file, cursor* c, uint32_t parts)
{
	uint64_t next = 0;
	file->familyCount = parts;
	if (parts == 0 || parts > MAX_FAMILIES)
	{
		return Refuse(c, "has %u families", parts);
	}
	file->families = Take(c, parts, FAMILY_BYTES, "the families");
	for (uint32_t i = 0; i < parts && file->families != NULL; ++i)
	{
		truthFamily family = truthFile_GetFamily(file, i);
		if (!IsName(family.name) || family.first != next || family.count > file->count - next)
		{
			return Refuse(c, "family %u has no name, or is not where the one before it ends", i);
		}
		next += family.count;
	}
	if (file->families != NULL && next != file->count)
	{
		return Refuse(
		    c, "the families have %llu of %llu pairs", (unsigned long long)next, (unsigned long long)file->count);
	}
	file->pairs = file->families != NULL ? Take(c, file->count, 18 * sizeof(float), "the pairs") : NULL;
	if (file->pairs != NULL && !AreFinite(file->pairs, 18 * file->count))
	{
		return Refuse(c, "a coordinate is not finite");
	}
	return file->pairs != NULL;
}

static bool CheckBody(const truthBody* body, cursor* c)
{
	uint32_t before = 0;
	for (uint64_t i = 0; i < 3 * (uint64_t)body->triangleCount; ++i)
	{
		if (GetWord(body->triangles, i) >= body->vertexCount)
		{
			return Refuse(c, "%s: a triangle has a vertex that is not there", body->name);
		}
	}
	for (uint64_t i = 0; body->jointCount > 0 && i <= body->vertexCount; ++i)
	{
		uint32_t start = GetWord(body->starts, i);
		if (start < before || start > body->influenceCount || (i == 0 && start != 0) ||
		    (i == body->vertexCount && start != body->influenceCount))
		{
			return Refuse(
			    c, "%s: the influences of vertex %llu do not hold together", body->name, (unsigned long long)i);
		}
		before = start;
	}
	for (uint64_t i = 0; body->jointCount > 0 && i < body->influenceCount; ++i)
	{
		if (GetWord(body->joints, i) >= body->jointCount)
		{
			return Refuse(c, "%s: an influence is of a joint that is not there", body->name);
		}
	}
	bool isFinite = AreFinite(body->rest, 3 * (uint64_t)body->vertexCount) &&
	                (body->jointCount == 0 || AreFinite(body->weights, body->influenceCount));
	return isFinite || Refuse(c, "%s: a coordinate or a weight is not finite", body->name);
}

static bool ParseBody(truthBody* body, const uint8_t* entry, cursor* c)
{
	memcpy(body->name, entry, TRUTH_NAME);
	body->vertexCount = GetWord(entry + TRUTH_NAME, 0);
	body->triangleCount = GetWord(entry + TRUTH_NAME, 1);
	body->jointCount = GetWord(entry + TRUTH_NAME, 2);
	body->influenceCount = GetWord(entry + TRUTH_NAME, 3);
	if (!IsName(body->name) || body->vertexCount == 0 || (body->jointCount == 0 && body->influenceCount > 0))
	{
		return Refuse(c, "a body has no name or no vertices, or influences without joints");
	}
	body->rest = Take(c, body->vertexCount, 3 * sizeof(float), "a body");
	body->triangles = body->rest != NULL ? Take(c, body->triangleCount, 3 * sizeof(uint32_t), "a body") : NULL;
	bool good = body->triangles != NULL;
	if (good && body->jointCount > 0)
	{
		body->starts = Take(c, (uint64_t)body->vertexCount + 1, sizeof(uint32_t), "a body");
		body->joints = body->starts != NULL ? Take(c, body->influenceCount, sizeof(uint32_t), "a body") : NULL;
		body->weights = body->joints != NULL ? Take(c, body->influenceCount, sizeof(float), "a body") : NULL;
		good = body->weights != NULL;
	}
	return good && CheckBody(body, c);
}

// What a frame has of a body: where it is, its joints, its vertices.
static uint64_t GetPoseBytes(const truthBody* body)
{
	return PLACE_BYTES + 12 * sizeof(float) * (uint64_t)body->jointCount;
}

static uint64_t GetPartBytes(const truthBody* body)
{
	return GetPoseBytes(body) + 3 * sizeof(float) * (uint64_t)body->vertexCount;
}

const uint8_t* truthFile_GetPositions(const truthFile* file, uint64_t frame, int body)
{
	const uint8_t* part = file->frames + frame * file->frameBytes;
	part += body > 0 ? GetPartBytes(file->bodies) : 0;
	return part + GetPoseBytes(file->bodies + body);
}

static bool ParseFrames(truthFile* file, cursor* c, uint32_t parts)
{
	if (parts != TRUTH_BODIES)
	{
		return Refuse(c, "has %u bodies instead of two", parts);
	}
	const uint8_t* entries = Take(c, TRUTH_BODIES, BODY_BYTES, "the bodies");
	bool good = entries != NULL;
	for (int i = 0; i < TRUTH_BODIES && good; ++i)
	{
		good = ParseBody(file->bodies + i, entries + (size_t)i * BODY_BYTES, c);
		file->frameBytes += good ? GetPartBytes(file->bodies + i) : 0;
	}
	file->frames = good ? Take(c, file->count, file->frameBytes, "the frames") : NULL;
	for (uint64_t f = 0; f < file->count && file->frames != NULL; ++f)
	{
		for (int i = 0; i < TRUTH_BODIES; ++i)
		{
			if (!AreFinite(truthFile_GetPositions(file, f, i), 3 * (uint64_t)file->bodies[i].vertexCount))
			{
				return Refuse(c, "frame %llu: a coordinate is not finite", (unsigned long long)f);
			}
		}
	}
	return file->frames != NULL;
}

bool truthFile_GetBit(const truthFile* file, uint64_t pair)
{
	return (file->answers[pair / 8] >> (pair % 8) & 1) != 0;
}

static bool ParseBits(truthFile* file, cursor* c)
{
	file->answers = Take(c, file->count / 8 + (file->count % 8 != 0), 1, "the answers");
	return file->answers != NULL;
}

const uint8_t* truthFile_NextFrame(const truthFile* file, const uint8_t* at, const uint8_t** pairs, uint64_t* count)
{
	at = at != NULL ? at : file->answers;
	if (at == file->end)
	{
		return NULL;
	}
	*count = GetLong(at);
	*pairs = at + sizeof(uint64_t);
	return *pairs + *count * sizeof(snugPair);
}

static bool ParsePairLists(truthFile* file, cursor* c)
{
	file->answers = c->at;
	for (uint64_t f = 0; f < file->count; ++f)
	{
		const uint8_t* count = Take(c, 1, sizeof(uint64_t), "the answers");
		if (count == NULL || Take(c, GetLong(count), sizeof(snugPair), "the answers") == NULL)
		{
			return false;
		}
	}
	return true;
}

static bool ParseHeader(truthFile* file, const uint8_t* bytes, cursor* c, uint32_t* parts)
{
	uint32_t version = GetWord(bytes + VERSION_OFFSET, 0), kind = GetWord(bytes + KIND_OFFSET, 0);
	if (memcmp(bytes, magic, sizeof(magic)) != 0)
	{
		return Refuse(c, "is no file of a truth set");
	}
	if (version != VERSION || kind < truth_pairs || kind > truth_frameAnswers)
	{
		return Refuse(c, "has version %u and kind %u, which are not known", version, kind);
	}
	file->kind = (truthKind)kind;
	file->hash = GetLong(bytes + HASH_OFFSET);
	file->question = GetLong(bytes + QUESTION_OFFSET);
	file->count = GetLong(bytes + COUNT_OFFSET);
	*parts = GetWord(bytes + PARTS_OFFSET, 0);
	for (int i = ZERO_OFFSET; i < HEADER_BYTES; ++i)
	{
		if (bytes[i] != 0)
		{
			return Refuse(c, "has something in its header that is not known");
		}
	}
	return true;
}

bool truthFile_Parse(truthFile* file, const uint8_t* bytes, size_t size, char error[160])
{
	cursor c = { bytes + HEADER_BYTES, bytes + size, error };
	uint32_t parts = 0;
	*file = (truthFile){ .end = bytes + size };
	error[0] = '\0';
	if (size < HEADER_BYTES)
	{
		return Refuse(&c, "is too short for a file of a truth set");
	}
	if (!ParseHeader(file, bytes, &c, &parts))
	{
		return false;
	}
	if (truthHash(TRUTH_HASH_START, bytes + HEADER_BYTES, size - HEADER_BYTES) != file->hash)
	{
		return Refuse(&c, "is damaged: its hash is another");
	}
	bool good = file->kind == truth_pairs         ? ParsePairs(file, &c, parts)
	            : file->kind == truth_frames      ? ParseFrames(file, &c, parts)
	            : file->kind == truth_pairAnswers ? ParseBits(file, &c)
	                                              : ParsePairLists(file, &c);
	return good && (c.at == c.end || Refuse(&c, "has more after its end"));
}
