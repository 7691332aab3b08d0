// papers/common/oracle.h: a blend body's vertices in a free body over the same tree: the oracle, and bottom-up
// refitting.
//
// A free body has the tightest boxes there are, and knows its vertices. Evaluated and refitted outside the timer it is
// the oracle: the same traversal, deformation for free. Evaluated and refitted inside, it is the classical bottom-up
// method. Evaluation uses the same vector kernels as queries and writes straight to where the free body keeps its
// positions, in the tree's own order: no copy, no check, nothing that could flatter the method it is compared with.
#ifndef PAPERS_ORACLE_H
#define PAPERS_ORACLE_H

#include "body/body.h"

typedef struct oracleBody
{
	snugModel* model;
	snugBody* body;
	bool borrowsModel;
} oracleBody;

/// Make a free model and body with the mesh and tree of a blend model's definition.
/// @param like the blend model: its tree must come out the same, else snug_badInput
snugStatus oracleBody_Create(oracleBody* oracle, const snugModelDef* def, const snugModel* like);

/// Make another body of an oracle's model, which must outlive it.
snugStatus oracleBody_CreateLike(oracleBody* oracle, const oracleBody* other);
void oracleBody_Destroy(oracleBody* oracle);

/// Evaluate all vertices of a posed blend body and make them the oracle's. The frame is copied too.
void oracleBody_Evaluate(oracleBody* oracle, snugBody* posed);

/// The same into an array: vertices in the order of the tree, relative to the frame.
void oracleEvaluate(snugBody* posed, float* positions);

/// The box of all vertices of a posed body, relative to its frame, by evaluating them: nothing is stored.
sgBox oracleOptimalBox(snugBody* posed);

#endif
