// lab/truth/sequence.h: two bodies that deform and meet, frame by frame, with exact answers.
//
// The generated characters walk past and through one another, by two ways of skinning; meshless bodies of ten thousand
// vertices touch and interpenetrate. Positions are those that the library computes; the answers are of those floats, by
// exact arithmetic on every pair whose boxes overlap (exact.h) and by the library, and they must agree.
#ifndef TRUTH_SEQUENCE_H
#define TRUTH_SEQUENCE_H

#include "lab/truth/set.h"

#define TRUTH_SEQUENCES 4

typedef struct truthSequence truthSequence;

/// @return what its files are called
const char* truthSequence_GetName(int number);

/// @return null if there is no memory
truthSequence* truthSequence_Create(int number, int frameCount);
void truthSequence_Destroy(truthSequence* sequence);

/// Begin a file of questions, then write its frames one by one, then end it.
/// @return false, with a sentence, if something goes wrong
bool truthSequence_Begin(const truthSequence* sequence, truthWriter* writer, FILE* stream);
bool truthSequence_WriteFrame(truthSequence* sequence, truthWriter* writer, int frame, char error[160]);

/// The answers of a frame, by both methods.
/// @param pairs receives how many there are
bool truthSequence_WriteAnswers(
    truthSequence* sequence, truthWriter* writer, int frame, uint64_t* pairs, char error[160]);

#endif
