// src/deform/skin/skins.h: what all skins have in common: their data are those of bounds/linear_bounds.h, then what a
// skin adds of its own, then those of morph targets, if there are any.
#ifndef SG_SKINS_H
#define SG_SKINS_H

#include "deform/bounds/linear_bounds_build.h"
#include "deform/fields/morph.h"

/// Write what was drafted, with room for what a skin adds behind those, and make morph targets.
snugStatus sgSkin_Write(const sgLinearDraft* draft, size_t ownBytes, void** data, size_t* bytes);

/// Whether what follows the first `end` bytes of a model's data, which are the skin's, may be morph targets or nothing;
/// and checking them.
bool sgSkin_FitsMorph(const snugModel* model, size_t end);
const char* sgSkin_CheckMorph(const snugModel* model, size_t end, void* scratch);

/// Of sgDeform.describe, what all skins have.
/// @param end as above
void sgSkin_Describe(const snugModel* model, size_t end, sgContents* contents);

/// How siblings are bounded: their family, if together. Alone, each has a record of its own.
const sgLinearFamily* sgSkin_FamilyOf(const sgLinear* blend, sgLaneSet set);
const sgLinearFamily* sgSkin_RecordOf(const sgTree* tree, const sgLinearFamily* first, sgLaneSet set, uint32_t lane);

#endif
