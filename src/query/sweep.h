// src/query/sweep.h: what scenes share with snugSweep, and the list that snugSweepAll makes.
#ifndef SG_SWEEP_H
#define SG_SWEEP_H

#include "body/body.h"
#include "snug/snug_queries.h"

/// Contacts of features, each once, in the caller's memory: the first ones, if there is not room for all. Until the
/// list is finished it is a table by names: snugSweepContact.reserved has the first contact of each row, and the next
/// one of the same row.
typedef struct sgSweepList
{
	snugSweepContact* contacts; ///< (capacity)
	uint32_t capacity, count;
	uint32_t rows;   ///< of the table, no more than capacity
	bool isComplete; ///< none was left out
} sgSweepList;

sgSweepList sgSweepList_Begin(snugSweepContact* contacts, uint32_t capacity);

/// Add a contact, unless these features are there: whichever of their triangles is looked at, they meet in the same
/// way.
/// @return `limit`; or, if contacts had to be left out, the time of the last one that was not: what is later is of no
/// account
double sgSweepList_Add(sgSweepList* list, const snugSweepContact* contact, double limit);

/// Sort.
/// @param cutTime what may be left out otherwise is not before this; infinite: nothing
void sgSweepList_Finish(sgSweepList* list, double cutTime);

/// What is wrong with the numbers of a query, in words; null if nothing.
const char* sgSweep_FindFault(const snugSweepQuery* query);

/// What snugSweep finds, in the library's floating-point environment. Threads may ask about one body at a time, if
/// sgBody_Prepare has been called for it.
/// @param bodies as for snugSweep
/// @param origin that of the query is not looked at
/// @param limit contacts that are later are of no account, as if they were proved then
/// @param list nullable; receives all contacts
/// @param near receives when what is named comes so near, at the latest; infinite: that is not known, or nothing is
snugSweepResult sgSweep(snugBody* const bodies[4], const snugSweepQuery* query, const double origin[3], double limit,
    sgSweepList* list, double* near);

#endif
