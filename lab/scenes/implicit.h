// lab/scenes/implicit.h: surfaces around skeletons: round cones that melt into one another, and a mesh of their skin.
//
// The mesh comes from surface nets (Gibson 1998): a vertex in every cell of a grid that the surface passes through, a
// pair of triangles across every edge of the grid that it cuts. The same bits everywhere (see mesh.h).
#ifndef SCENES_IMPLICIT_H
#define SCENES_IMPLICIT_H

#include "lab/scenes/mesh.h"

/// Whatever has an inside and an outside.
typedef struct sceneField
{
	const void* body;
	double (*evaluate)(const void* body, const double point[3]); ///< negative inside
	void (*project)(const void* body, double point[3]);          ///< brings a point near the surface onto it
	double lower[3], upper[3];                                   ///< the surface is well inside of this box
	double slope; ///< values differ by at most this much per unit of length, which saves work; 0: not known
} sceneField;

/// The surface of a field, with triangles about as large as cells of a grid; counterclockwise from outside.
sceneMesh sceneField_MakeMesh(const sceneField* field, double cell);

/// All points within a radius of a segment; the radius changes evenly from one end to the other.
typedef struct sceneShape
{
	uint32_t joint; ///< that carries it
	double ends[2][3];
	double radii[2];
	double depth; ///< how far it reaches along z, relative to its radius: below 1 is flat
} sceneShape;

/// @return how far a point is outside of a shape, about; negative inside
double sceneShape_Evaluate(const sceneShape* shape, const double point[3]);

/// Shapes that melt together where they are closer than `melt`.
typedef struct sceneImplicit
{
	const sceneShape* shapes; ///< borrowed
	uint32_t shapeCount;
	double melt;
} sceneImplicit;

/// The surface, with triangles about as large as cells of a grid.
sceneMesh sceneImplicit_MakeMesh(const sceneImplicit* body, double cell);

/// Split the longest edges of a mesh of the surface until it has so many vertices. Each new one brings two triangles.
/// @return false if there is no memory; the mesh is as good as before
bool sceneImplicit_Refine(const sceneImplicit* body, sceneMesh* mesh, uint32_t vertexCount);

#endif
