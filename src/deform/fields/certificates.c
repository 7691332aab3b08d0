// src/deform/fields/certificates.c: certificates as they are stored, checked and asked. See certificates.h.
#include "deform/fields/certificates.h"

#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

// ---- Data ----------------------------------------------------------------------------------------------------------

static uint64_t CountSlots(const snugModel* model)
{
	return (uint64_t)model->tree.groupCount * SG_LANES;
}

void sgCertificates_ListArrays(
    const snugModel* model, const sgCertificatesHeader* header, sgArray list[SG_CERTIFICATES_ARRAYS])
{
	const sgArray arrays[SG_CERTIFICATES_ARRAYS] = {
		{ SG_ARRAY(sgCertificates, starts, CountSlots(model) + 1) },
		{ SG_ARRAY(sgCertificates, regions, header->regionCount) },
		{ SG_ARRAY(sgCertificates, constants, header->constantCount), sgElements_floats, 0x1p126,
		    "a constant of its certificates is not finite" },
		{ SG_ARRAY(sgCertificates, gradients, header->gradientCount), sgElements_floats, 0x1p126,
		    "a gradient of its certificates is not finite" },
	};
	memcpy(list, arrays, sizeof(arrays));
}

sgCertificates sgCertificates_Bind(const snugModel* model, const void* data)
{
	sgCertificates certificates = { .header = data };
	sgArray list[SG_CERTIFICATES_ARRAYS];
	if (data != NULL)
	{
		sgCertificates_ListArrays(model, data, list);
		sgArrays_Bind(sizeof(sgCertificatesHeader), list, SG_CERTIFICATES_ARRAYS, data, &certificates);
	}
	return certificates;
}

// ---- Fields of a region ---------------------------------------------------------------------------------------------

sgRegionFields sgRegionFields_Begin(
    const sgCertificates* certificates, const sgFields* fields, uint32_t slotA, uint32_t slotB)
{
	sgRegionFields from;
	for (int side = 0; side < 2; ++side)
	{
		const uint32_t slot = side == 0 ? slotA : slotB;
		const sgFieldsGroup* group = fields->groups + slot / SG_LANES;
		from.numbers[side] = fields->groupFields + group->fields;
		from.ends[side] = from.numbers[side] + group->fieldCount;
		from.gradients[side] =
		    certificates->header != NULL ? certificates->gradients + certificates->starts[slot].gradients : NULL;
	}
	return from;
}

// Of a field that a group does not have, the gradient is zero.
uint32_t sgRegionFields_Next(sgRegionFields* from, double gradient[3][3])
{
	const uint32_t first = from->numbers[0] < from->ends[0] ? *from->numbers[0] : SG_NONE;
	const uint32_t second = from->numbers[1] < from->ends[1] ? *from->numbers[1] : SG_NONE;
	const uint32_t field = first < second ? first : second;
	for (int i = 0; i < 9 && gradient != NULL; ++i)
	{
		gradient[i / 3][i % 3] = 0.0;
	}
	for (int side = 0; side < 2 && field != SG_NONE; ++side)
	{
		if (field == (side == 0 ? first : second))
		{
			for (int i = 0; i < 9 && gradient != NULL; ++i)
			{
				gradient[i / 3][i % 3] += 0.5 * (double)from->gradients[side]->rows[i / 3][i % 3];
			}
			++from->numbers[side];
			++from->gradients[side];
		}
	}
	return field;
}

uint32_t sgRegionFields_Count(
    const sgCertificates* certificates, const sgFields* fields, uint32_t slotA, uint32_t slotB)
{
	sgRegionFields from = sgRegionFields_Begin(certificates, fields, slotA, slotB);
	uint32_t count = 0;
	while (sgRegionFields_Next(&from, NULL) != SG_NONE)
	{
		++count;
	}
	return count;
}

// ---- Asking --------------------------------------------------------------------------------------------------------

const sgRegion* sgCertificates_Find(const sgCertificates* certificates, uint32_t slotA, uint32_t slotB)
{
	for (uint32_t i = certificates->starts[slotA].regions; i < certificates->starts[slotA + 1].regions; ++i)
	{
		if (certificates->regions[i].slot == slotB)
		{
			return certificates->regions + i;
		}
	}
	return NULL;
}

// A lower bound of the least singular value of a matrix: of three positive numbers, here the inverse eigenvalues of
// L^T L, none is farther above the mean than the root of two deviations (Samuelson). Their sum and the sum of their
// squares are quotients of c0 = det L^T L, c1, the sum of the squares of all cofactors, and c2, the trace.
static double LeastStretch(const double m[3][3])
{
	double squares = 0.0, cofactors = 0.0, determinant = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		const double *u = m[(i + 1) % 3], *v = m[(i + 2) % 3];
		for (int k = 0; k < 3; ++k)
		{
			const double cofactor = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
			squares += m[i][k] * m[i][k];
			cofactors += cofactor * cofactor;
			determinant += i == 0 ? m[0][k] * cofactor : 0.0;
		}
	}
	const double slack = SG_MARGIN_CERTIFICATE * squares;
	const double least = fabs(determinant) - slack * sqrt(squares);
	if (!(least > 0.0))
	{
		return 0.0;
	}
	const double c0 = least * least, c1 = cofactors + slack * squares;
	const double c2 = squares * (1.0 - SG_MARGIN_CERTIFICATE);
	const double deviation = c1 * c1 * (1.0 + SG_MARGIN_CERTIFICATE) - 3.0 * c0 * c2;
	return sqrt(3.0 * c0 / (c1 + 2.0 * sqrt(deviation > 0.0 ? deviation : 0.0))) * (1.0 - SG_MARGIN_CERTIFICATE);
}

// The greatest code of which the part, times `sum`, is below `stretch`; SG_NONE: none.
static uint32_t GreatestCode(double stretch, double sum)
{
	const double part = stretch / sum;
	if (!(part > 0x1p-15))
	{
		return SG_NONE;
	}
	const float least = part < 1.0 ? sgRoundDown(part) : 1.0f;
	uint32_t bits;
	memcpy(&bits, &least, sizeof(bits));
	return (bits >> 20) - SG_CODE_BASE;
}

// Bit k of the mask: code k is at most `most`. All are below 128, so that none borrows from the next.
static uint64_t FindCodes(const sgRegion* region, uint32_t most)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t mask = 0;
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		uint64_t codes = 0;
		for (uint32_t k = 0; k < SG_LANES; ++k)
		{
			codes |= (uint64_t)region->codes[i][k] << (8 * k);
		}
		const uint64_t within = ((most | 0x80u) * ones - codes) >> 7 & ones;
		mask |= (within * 0x0102040810204080u >> 56) << (SG_LANES * i);
	}
	return mask;
}

uint64_t sgCertificates_Certify(const sgCertificates* certificates, const sgFields* fields, const float* amplitudes,
    double error, uint32_t slotA, uint32_t slotB, bool keepRest)
{
	const sgRegion* region = certificates->header != NULL ? sgCertificates_Find(certificates, slotA, slotB) : NULL;
	if (region == NULL)
	{
		return 0;
	}
	double map[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } }, gradient[3][3];
	double sum = error * SG_MARGIN_CERTIFIED_ERROR * (double)region->error + 0x1p-100, size = 3.0;
	sgRegionFields from = sgRegionFields_Begin(certificates, fields, slotA, slotB);
	const float* constants = certificates->constants + region->constants;
	for (uint32_t f; (f = sgRegionFields_Next(&from, gradient)) != SG_NONE; ++constants)
	{
		const double amplitude = (double)amplitudes[f];
		sum += fabs(amplitude) * (double)*constants;
		for (int i = 0; i < 9; ++i)
		{
			map[i / 3][i % 3] += amplitude * gradient[i / 3][i % 3];
			size += fabs(amplitude * gradient[i / 3][i % 3]);
		}
	}
	const double stretch = LeastStretch((const double(*)[3])map) - SG_MARGIN_CERTIFICATE * size;
	const uint32_t most = GreatestCode(stretch, SG_MARGIN_CERTIFIED * sum);
	const uint64_t known = most != SG_NONE ? FindCodes(region, most) : 0;
	return keepRest ? known & ~region->atRest : known;
}

// ---- From files -----------------------------------------------------------------------------------------------------

uint32_t sgCertificates_CountGradients(const snugModel* model, const sgFields* fields, uint32_t slot)
{
	return model->tree.nodes[slot].childCount > 0 ? fields->groups[slot / SG_LANES].fieldCount : 0;
}

// What begins at each slot follows from what begins at those before it.
static bool AreStartsGood(const snugModel* model, const sgFields* fields, const sgCertificates* certificates)
{
	uint64_t gradients = 0;
	bool isGood = certificates->starts[0].regions == 0;
	for (uint32_t slot = 0; slot < CountSlots(model); ++slot)
	{
		const sgCertified* start = certificates->starts + slot;
		isGood = isGood && start->gradients == gradients && start[1].regions >= start->regions;
		isGood = isGood && (start[1].regions == start->regions || model->tree.nodes[slot].childCount > 0);
		gradients += sgCertificates_CountGradients(model, fields, slot);
	}
	const sgCertified* end = certificates->starts + CountSlots(model);
	return isGood && end->gradients == gradients && gradients == certificates->header->gradientCount &&
	       end->regions == certificates->header->regionCount;
}

static bool IsRegionGood(const snugModel* model, const sgCertificates* certificates, const sgRegion* region)
{
	bool isGood = region->slot < CountSlots(model) && model->tree.nodes[region->slot].childCount > 0 &&
	              region->error >= 0.0f && region->error <= 0x1p126f && region->reserved == 0 &&
	              region->constants <= certificates->header->constantCount;
	for (int i = 0; i < SG_LANES * SG_LANES; ++i)
	{
		isGood = isGood && region->codes[i / SG_LANES][i % SG_LANES] <= SG_CODE_NEVER;
	}
	return isGood;
}

static const char* CheckRegions(const snugModel* model, const sgFields* fields, const sgCertificates* certificates)
{
	static const char fault[] = "a region of its certificates is wrong";
	uint64_t constants = 0;
	if (!AreStartsGood(model, fields, certificates))
	{
		return fault;
	}
	for (uint32_t slot = 0; slot < CountSlots(model); ++slot)
	{
		for (uint32_t i = certificates->starts[slot].regions; i < certificates->starts[slot + 1].regions; ++i)
		{
			const sgRegion* region = certificates->regions + i;
			if (region->constants != constants || !IsRegionGood(model, certificates, region))
			{
				return fault;
			}
			constants += sgRegionFields_Count(certificates, fields, slot, region->slot);
		}
	}
	bool isGood = constants == certificates->header->constantCount;
	for (uint32_t i = 0; isGood && i < constants; ++i)
	{
		isGood = certificates->constants[i] >= 0.0f;
	}
	return isGood ? NULL : fault;
}

const char* sgCertificates_Check(const snugModel* model, const sgFields* fields, const void* data, size_t bytes)
{
	sgArray list[SG_CERTIFICATES_ARRAYS];
	const sgCertificatesHeader* header = data;
	if (bytes >= sizeof(*header))
	{
		sgCertificates_ListArrays(model, header, list);
	}
	if (bytes < sizeof(*header) || !sgIsZero(header->reserved, sizeof(header->reserved)) ||
	    sgArrays_Bytes(sizeof(*header), list, SG_CERTIFICATES_ARRAYS) != bytes)
	{
		return "its certificates have a wrong size";
	}
	const sgCertificates certificates = sgCertificates_Bind(model, data);
	const char* fault = sgArrays_Check(list, SG_CERTIFICATES_ARRAYS, &certificates);
	return fault == NULL ? CheckRegions(model, fields, &certificates) : fault;
}
