// src/deform/rows/displacements.c: reading displacement fields. See displacements.h.
#include "deform/rows/displacements.h"

#include <math.h>
#include <string.h>

static bool IsZero(const float d[3])
{
	return d[0] == 0.0f && d[1] == 0.0f && d[2] == 0.0f;
}

static bool IsWithin(const float d[3])
{
	return fabsf(d[0]) <= SNUG_MAX_COORDINATE && fabsf(d[1]) <= SNUG_MAX_COORDINATE &&
	       fabsf(d[2]) <= SNUG_MAX_COORDINATE;
}

static snugStatus CheckDense(const snugModelDef* def, uint64_t* count)
{
	const snugFieldsDef* fields = &def->fields;
	for (uint32_t f = 0; f < fields->fieldCount; ++f)
	{
		for (uint32_t v = 0; v < def->vertexCount; ++v)
		{
			const float* d = fields->displacements + 3 * ((size_t)f * def->vertexCount + v);
			if (!IsWithin(d))
			{
				return sgFail(&def->messenger, snug_badInput,
				    "field %u: the displacement of vertex %u is not finite or too large", f, v);
			}
			*count += !IsZero(d);
		}
	}
	return snug_success;
}

static bool IsAmong(const uint16_t* list, uint64_t first, uint64_t end, uint16_t field)
{
	for (uint64_t i = first; i < end; ++i)
	{
		if (list[i] == field)
		{
			return true;
		}
	}
	return false;
}

static snugStatus CheckVertex(const snugModelDef* def, uint32_t v, uint64_t* count)
{
	const snugFieldsDef* fields = &def->fields;
	uint64_t first = fields->starts[v], end = fields->starts[v + 1];
	if (end < first || end - first > fields->fieldCount)
	{
		return sgFail(&def->messenger, snug_badInput, "vertex %u: its displacements are out of order or too many", v);
	}
	bool isAscending = true;
	for (uint64_t k = first; k < end; ++k)
	{
		if (fields->fields[k] >= fields->fieldCount)
		{
			return sgFail(&def->messenger, snug_badInput, "vertex %u: field %u of %u does not exist", v,
			    fields->fields[k], fields->fieldCount);
		}
		// Lists that ascend, as most do, repeat nothing.
		isAscending = isAscending && (k == first || fields->fields[k - 1] < fields->fields[k]);
		if (!isAscending && IsAmong(fields->fields, first, k, fields->fields[k]))
		{
			return sgFail(&def->messenger, snug_badInput, "vertex %u: field %u is listed twice", v, fields->fields[k]);
		}
		if (!IsWithin(fields->displacements + 3 * k))
		{
			return sgFail(&def->messenger, snug_badInput,
			    "field %u: the displacement of vertex %u is not finite or too large", fields->fields[k], v);
		}
		*count += !IsZero(fields->displacements + 3 * k);
	}
	return snug_success;
}

snugStatus sgFields_CheckDef(const snugModelDef* def, uint64_t* count)
{
	const snugFieldsDef* fields = &def->fields;
	*count = 0;
	if (fields->fieldCount < 1 || fields->fieldCount > UINT16_MAX)
	{
		return sgFail(
		    &def->messenger, snug_badInput, "%u displacement fields; 1 to 65535 are possible", fields->fieldCount);
	}
	if (def->vertexCount > 0 && (fields->displacements == NULL || (fields->starts != NULL && fields->fields == NULL)))
	{
		return sgFail(&def->messenger, snug_badArgument, "displacement fields without displacements or numbers");
	}
	snugStatus status = fields->starts == NULL ? CheckDense(def, count) : snug_success;
	for (uint32_t v = 0; fields->starts != NULL && status == snug_success && v < def->vertexCount; ++v)
	{
		status = CheckVertex(def, v, count);
	}
	if (status == snug_success && *count > UINT32_MAX / 2)
	{
		return sgFail(&def->messenger, snug_outOfRange, "too many displacements in all");
	}
	return status;
}

static uint32_t Append(const sgDisplacements* out, uint32_t first, uint32_t end, uint16_t field, const float d[3])
{
	if (IsZero(d))
	{
		return end;
	}
	uint32_t place = end;
	for (; place > first && out->fields[place - 1] > field; --place)
	{
		out->fields[place] = out->fields[place - 1];
		memcpy(out->values + 3 * (size_t)place, out->values + 3 * (size_t)(place - 1), 3 * sizeof(float));
	}
	out->fields[place] = field;
	memcpy(out->values + 3 * (size_t)place, d, 3 * sizeof(float));
	return end + 1;
}

void sgFields_Read(const snugModelDef* def, const sgTree* tree, const sgDisplacements* out)
{
	const snugFieldsDef* fields = &def->fields;
	uint32_t end = 0;
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		uint32_t vertex = tree->vertexMap[v], first = end;
		out->starts[v] = first;
		for (uint32_t f = 0; fields->starts == NULL && f < fields->fieldCount; ++f)
		{
			const float* d = fields->displacements + 3 * ((size_t)f * def->vertexCount + vertex);
			end = Append(out, first, end, (uint16_t)f, d);
		}
		for (uint32_t k = fields->starts != NULL ? fields->starts[vertex] : 0;
		     fields->starts != NULL && k < fields->starts[vertex + 1]; ++k)
		{
			end = Append(out, first, end, fields->fields[k], fields->displacements + 3 * (size_t)k);
		}
	}
	out->starts[tree->vertexCount] = end;
}
