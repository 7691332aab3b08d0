// src/query/sweep_list.c: see sweep.h.
#include "query/sweep.h"

#include <math.h>

#define FIRST_ROWS 16

enum
{
	firstOfRow, // places in snugSweepContact.reserved
	nextInRow
};

static int CompareFeatures(const snugFeature* x, const snugFeature* y)
{
	return x->kind != y->kind       ? (x->kind < y->kind ? -1 : 1)
	       : x->first != y->first   ? (x->first < y->first ? -1 : 1)
	       : x->second != y->second ? (x->second < y->second ? -1 : 1)
	                                : 0;
}

static int CompareNames(const snugSweepContact* x, const snugSweepContact* y)
{
	const int first = CompareFeatures(&x->featureA, &y->featureA);
	return first != 0 ? first : CompareFeatures(&x->featureB, &y->featureB);
}

static int Compare(const snugSweepContact* x, const snugSweepContact* y)
{
	return x->time != y->time ? (x->time < y->time ? -1 : 1) : CompareNames(x, y);
}

static uint32_t Mix(uint32_t hash, const snugFeature* feature)
{
	hash = (hash ^ (uint32_t)feature->kind) * 0x9e3779b1u;
	hash = (hash ^ feature->first ^ hash >> 15) * 0x85ebca77u;
	return (hash ^ feature->second ^ hash >> 13) * 0xc2b2ae3du;
}

static uint32_t RowOf(const sgSweepList* list, const snugSweepContact* contact)
{
	const uint32_t hash = Mix(Mix(1, &contact->featureA), &contact->featureB);
	return (hash ^ hash >> 16) % list->rows;
}

static uint32_t Find(const sgSweepList* list, const snugSweepContact* contact)
{
	uint32_t i = list->rows > 0 ? list->contacts[RowOf(list, contact)].reserved[firstOfRow] : SG_NONE;
	while (i != SG_NONE && CompareNames(list->contacts + i, contact) != 0)
	{
		i = list->contacts[i].reserved[nextInRow];
	}
	return i;
}

static void Link(sgSweepList* list, uint32_t i)
{
	snugSweepContact* row = list->contacts + RowOf(list, list->contacts + i);
	list->contacts[i].reserved[nextInRow] = row->reserved[firstOfRow];
	row->reserved[firstOfRow] = i;
}

static void Unlink(sgSweepList* list, uint32_t i)
{
	uint32_t* link = &list->contacts[RowOf(list, list->contacts + i)].reserved[firstOfRow];
	while (*link != i)
	{
		link = &list->contacts[*link].reserved[nextInRow];
	}
	*link = list->contacts[i].reserved[nextInRow];
}

// As many rows as there is room for, and as contacts are to come soon.
static void AddRows(sgSweepList* list)
{
	const uint32_t wanted = list->rows > 0 ? list->rows : FIRST_ROWS / 2;
	list->rows = wanted < list->capacity / 2 ? 2 * wanted : list->capacity;
	for (uint32_t i = 0; i < list->rows; ++i)
	{
		list->contacts[i].reserved[firstOfRow] = SG_NONE;
	}
	for (uint32_t i = 0; i < list->count; ++i)
	{
		Link(list, i);
	}
}

// In place of another one, or behind the last.
static void Put(sgSweepList* list, uint32_t i, const snugSweepContact* contact)
{
	const uint32_t row = list->contacts[i].reserved[firstOfRow];
	list->contacts[i] = *contact;
	list->contacts[i].reserved[firstOfRow] = row;
	Link(list, i);
}

static uint32_t FindLast(const sgSweepList* list)
{
	uint32_t last = 0;
	for (uint32_t i = 1; i < list->count; ++i)
	{
		last = Compare(list->contacts + last, list->contacts + i) < 0 ? i : last;
	}
	return last;
}

// There is no room for it but in the place of one that is later.
static double Replace(sgSweepList* list, const snugSweepContact* contact, double limit)
{
	list->isComplete = false;
	if (list->count == 0)
	{
		return limit;
	}
	const uint32_t last = FindLast(list);
	if (Compare(contact, list->contacts + last) < 0)
	{
		Unlink(list, last);
		Put(list, last, contact);
	}
	return list->contacts[FindLast(list)].time;
}

sgSweepList sgSweepList_Begin(snugSweepContact* contacts, uint32_t capacity)
{
	return (sgSweepList){ .contacts = contacts, .capacity = capacity, .isComplete = true };
}

double sgSweepList_Add(sgSweepList* list, const snugSweepContact* contact, double limit)
{
	const uint32_t known = Find(list, contact);
	if (known != SG_NONE)
	{
		snugSweepContact* there = list->contacts + known;
		const bool isSmaller = contact->a != there->a ? contact->a < there->a : contact->b < there->b;
		there->a = isSmaller ? contact->a : there->a;
		there->b = isSmaller ? contact->b : there->b;
		return limit;
	}
	if (list->count == list->capacity)
	{
		return Replace(list, contact, limit);
	}
	if (list->count == list->rows)
	{
		AddRows(list);
	}
	Put(list, list->count++, contact);
	return limit;
}

// A heap of contacts, the last one on top: [first, count).
static void Sink(snugSweepContact* contacts, uint32_t i, uint32_t count)
{
	const snugSweepContact moved = contacts[i];
	for (uint32_t child = 2 * i + 1; child < count; child = 2 * i + 1)
	{
		child += child + 1 < count && Compare(contacts + child, contacts + child + 1) < 0;
		if (Compare(contacts + child, &moved) <= 0)
		{
			break;
		}
		contacts[i] = contacts[child];
		i = child;
	}
	contacts[i] = moved;
}

void sgSweepList_Finish(sgSweepList* list, double cutTime)
{
	for (uint32_t i = list->count / 2; i-- > 0;)
	{
		Sink(list->contacts, i, list->count);
	}
	for (uint32_t i = list->count; i-- > 1;)
	{
		const snugSweepContact last = list->contacts[0];
		list->contacts[0] = list->contacts[i];
		list->contacts[i] = last;
		Sink(list->contacts, 0, i);
	}
	list->isComplete = list->isComplete && cutTime == (double)INFINITY;
	while (list->count > 0 && list->contacts[list->count - 1].time > cutTime)
	{
		--list->count;
	}
	for (uint32_t i = 0; i < list->count; ++i)
	{
		list->contacts[i].reserved[firstOfRow] = list->contacts[i].reserved[nextInRow] = 0;
	}
}
