// snug-import: decodes meshes that Draco has compressed. See import.h for what it reads and writes. It is C++, since
// Draco is.
#include "io/import.h"

#include <draco/compression/decode.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace
{

using Bytes = std::vector<uint8_t>;

struct Attribute
{
	uint32_t id, type, components;
};

// Ends the program with a line for the program that asked.
[[noreturn]] void Fail(const char* text)
{
	fputs(text, stdout);
	fflush(stdout);
	_exit(1);
}

void SetLimits()
{
	struct rlimit memory = { IMPORT_MAX_BYTES, IMPORT_MAX_BYTES }, time = { IMPORT_MAX_SECONDS, IMPORT_MAX_SECONDS };
	struct rlimit none = { 0, 0 };
	setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_CPU, &time);
	setrlimit(RLIMIT_CORE, &none);
	alarm(2 * IMPORT_MAX_SECONDS);
}

Bytes ReadAll()
{
	Bytes bytes;
	uint8_t part[65536];
	for (size_t count; (count = fread(part, 1, sizeof(part), stdin)) > 0;)
	{
		bytes.insert(bytes.end(), part, part + count);
	}
	return bytes;
}

uint32_t Take(const Bytes& bytes, size_t& next)
{
	uint32_t value;
	if (bytes.size() - next < 4)
	{
		Fail("a request that ends too early");
	}
	memcpy(&value, bytes.data() + next, 4);
	next += 4;
	return value;
}

// The answer is kept until all of it is there, so that an error can be told instead.
Bytes answer;

void Put(const void* data, size_t count)
{
	const uint8_t* bytes = static_cast<const uint8_t*>(data);
	answer.insert(answer.end(), bytes, bytes + count);
}

// One attribute of all points, as the type that was asked for.
template <typename T> void PutAttribute(const draco::Mesh& mesh, const draco::PointAttribute& attribute, int components)
{
	std::vector<T> values(static_cast<size_t>(components));
	for (draco::PointIndex i(0); i < mesh.num_points(); ++i)
	{
		const draco::AttributeValueIndex index = attribute.mapped_index(i);
		if (!attribute.ConvertValue<T>(index, static_cast<int8_t>(components), values.data()))
		{
			Fail("an attribute that cannot be converted");
		}
		Put(values.data(), values.size() * sizeof(T));
	}
}

void PutAs(const draco::Mesh& mesh, const Attribute& wanted)
{
	const draco::PointAttribute* attribute = mesh.GetAttributeByUniqueId(wanted.id);
	int components = static_cast<int>(wanted.components);
	if (attribute == nullptr || attribute->num_components() != components || components > 16)
	{
		Fail("an attribute is missing or of another size");
	}
	switch (wanted.type)
	{
		case 5120:
			return PutAttribute<int8_t>(mesh, *attribute, components);
		case 5121:
			return PutAttribute<uint8_t>(mesh, *attribute, components);
		case 5122:
			return PutAttribute<int16_t>(mesh, *attribute, components);
		case 5123:
			return PutAttribute<uint16_t>(mesh, *attribute, components);
		case 5125:
			return PutAttribute<uint32_t>(mesh, *attribute, components);
		case 5126:
			return PutAttribute<float>(mesh, *attribute, components);
		default:
			Fail("an attribute of an unknown type");
	}
}

// Decode one mesh of the request and write it.
void Convert(const Bytes& request, size_t& next)
{
	uint32_t size = Take(request, next);
	if (request.size() - next < size)
	{
		Fail("a request that ends too early");
	}
	draco::DecoderBuffer buffer;
	buffer.Init(reinterpret_cast<const char*>(request.data() + next), size);
	next += size;
	draco::Decoder decoder;
	auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
	if (!decoded.ok())
	{
		Fail("damaged data");
	}
	const draco::Mesh& mesh = *decoded.value();
	uint32_t vertexCount = mesh.num_points(), indexCount = 3 * mesh.num_faces(); // 2 GiB hold no more than 2^32 of them
	Put(&vertexCount, 4);
	Put(&indexCount, 4);
	for (draco::FaceIndex i(0); i < mesh.num_faces(); ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			uint32_t corner = mesh.face(i)[static_cast<size_t>(k)].value();
			Put(&corner, 4);
		}
	}
	for (uint32_t i = 0, count = Take(request, next); i < count; ++i)
	{
		Attribute wanted;
		wanted.id = Take(request, next);
		wanted.type = Take(request, next);
		wanted.components = Take(request, next);
		PutAs(mesh, wanted);
	}
}

} // namespace

int main()
{
	SetLimits();
	try
	{
		Bytes request = ReadAll();
		size_t next = 0;
		if (Take(request, next) != IMPORT_MAGIC)
		{
			Fail("a request of another kind");
		}
		uint32_t magic = IMPORT_MAGIC, count = Take(request, next);
		Put(&magic, 4);
		for (uint32_t i = 0; i < count; ++i)
		{
			Convert(request, next);
		}
		bool written = fwrite(answer.data(), 1, answer.size(), stdout) == answer.size() && fflush(stdout) == 0;
		return written ? 0 : 2;
	}
	catch (const std::exception&)
	{
		Fail("out of memory");
	}
}
