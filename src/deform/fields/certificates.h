// src/deform/fields/certificates.h: constants with which parts of a body that fields move are known not to meet
// themselves, from the amplitudes alone. docs/bounds/certificates.md has the theorem.
//
// A *region* is two inner nodes, or one and itself, whose rest boxes are near each other, in the order in which a walk
// over a tree and itself (query/neighbours.h) comes to them. Its *cells* are the pairs of their children. Over a
// cell, what a field leaves over of a linear map - the mean of the gradients of the two nodes - differs between two
// points by at most a constant times their distance at rest. A region has the greatest constant of each field, and a
// cell a part of them, the same for all fields.
//
// Gradients are not those of bounds (sgFieldFit), which have none along directions in which a node is thin. Here it
// costs nothing to go on along those as the node above does, and then a field that turns all of the body leaves
// nothing.
#ifndef SG_CERTIFICATES_H
#define SG_CERTIFICATES_H

#include "deform/fields/fields.h"

/// Parts of constants are steps of an eighth between powers of two: a code is the exponent and three bits of a float,
/// less those of 2^-15.
#define SG_CODE_BASE 896u
#define SG_CODE_ONE 120u   ///< all of them
#define SG_CODE_NEVER 127u ///< nothing is known

/// Start of the data; the arrays of sgCertificates follow.
typedef struct sgCertificatesHeader
{
	uint32_t regionCount;
	uint32_t constantCount; ///< of all regions together
	uint32_t gradientCount; ///< of all inner nodes together
	uint32_t reserved[13];
} sgCertificatesHeader;
SG_STORED(sgCertificatesHeader, 64);

typedef struct sgRegion
{
	uint32_t slot;      ///< of the second node
	uint32_t constants; ///< the first, in sgCertificates.constants: one for each field that either node's group has
	float error;        ///< the constant of rounding, for errors of length 1
	uint32_t reserved;
	uint64_t atRest; ///< cells that hold triangles that meet at rest: nothing is known of those
	uint8_t codes[SG_LANES][SG_LANES];
} sgRegion;
SG_STORED(sgRegion, 88);

/// How displacements change with the rest position: row by row.
typedef struct sgGradient
{
	float rows[3][3];
} sgGradient;
SG_STORED(sgGradient, 36);

/// What begins at a slot, and ends where that of the next one begins: nothing, unless it is an inner node's.
typedef struct sgCertified
{
	uint32_t regions;   ///< of which this is the first node
	uint32_t gradients; ///< of the fields of its group
} sgCertified;
SG_STORED(sgCertified, 8);

typedef struct sgCertificates
{
	const sgCertificatesHeader* header; ///< null: there are none
	const sgCertified* starts;          ///< (slots + 1)
	const sgRegion* regions;
	const float* constants;
	const sgGradient* gradients;
} sgCertificates;

#define SG_CERTIFICATES_ARRAYS 4
void sgCertificates_ListArrays(
    const snugModel* model, const sgCertificatesHeader* header, sgArray list[SG_CERTIFICATES_ARRAYS]);

/// The region of two nodes; null if there is none.
const sgRegion* sgCertificates_Find(const sgCertificates* certificates, uint32_t slotA, uint32_t slotB);

/// The fields of a region one after the other, ascending: those that its nodes' groups have.
typedef struct sgRegionFields
{
	const uint16_t* numbers[2]; ///< of each group: those that are left
	const uint16_t* ends[2];
	const sgGradient* gradients[2];
} sgRegionFields;

sgRegionFields sgRegionFields_Begin(
    const sgCertificates* certificates, const sgFields* fields, uint32_t slotA, uint32_t slotB);

/// Which field comes next, and its gradient: the mean of those of the two nodes.
/// @param gradient nullable: then there need not be any yet
/// @return SG_NONE: none
uint32_t sgRegionFields_Next(sgRegionFields* from, double gradient[3][3]);

/// How many they are; and how many gradients a slot has.
uint32_t sgRegionFields_Count(
    const sgCertificates* certificates, const sgFields* fields, uint32_t slotA, uint32_t slotB);
uint32_t sgCertificates_CountGradients(const snugModel* model, const sgFields* fields, uint32_t slot);

/// sgDeform.certify of fields.
/// @param error what evaluated positions are off by at most, as a length
uint64_t sgCertificates_Certify(const sgCertificates* certificates, const sgFields* fields, const float* amplitudes,
    double error, uint32_t slotA, uint32_t slotB, bool keepRest);

/// Make them. Tree, rest boxes, twins and fields of the model are ready.
snugStatus sgCertificates_Build(const snugModel* model, const sgFields* fields, void** data, size_t* bytes);

/// Whether data from a file have the size that their counts ask for, and all that code follows is right; numbers are
/// finite, and not negative.
/// @return null if all is well, or what is wrong
const char* sgCertificates_Check(const snugModel* model, const sgFields* fields, const void* data, size_t bytes);

sgCertificates sgCertificates_Bind(const snugModel* model, const void* data);

#endif
