// papers/bdtree/heap_pictures.h: pictures of worlds of bodies: what the camera sees, contacts as small balls, spheres
// of a level.
#ifndef PAPERS_HEAP_PICTURES_H
#define PAPERS_HEAP_PICTURES_H

#include "lab/scenes/mesh.h"
#include "papers/bdtree/world.h"

/// How a scene is seen.
typedef struct heapView
{
	float eye[3], target[3], vertical[3];
	float ground;
	float dot;      ///< radius of the balls that contacts are drawn as
	uint32_t level; ///< of spheres that are shown by growth
} heapView;

typedef struct heapScene
{
	simWorld* world;
	const heapView* view;
	const uint32_t* triangles; ///< of all bodies, which have one shape
	uint32_t triangleCount, vertexCount;
	contactSpheres* stage; ///< nullable
	snugBody* stageBody;
	const sceneMesh* stageMesh;
} heapScene;

typedef struct heapImage
{
	uint8_t* png; ///< to be freed; null: none
	size_t bytes;
	uint64_t culledBodies, culledTriangles; ///< outside of what the camera sees, so not drawn
} heapImage;

/// Count what is outside of the view, by root spheres and boxes.
bool heapCull(const heapScene* scene, heapImage* image);

/// All bodies within the view, the stage, and contacts.
/// @return false if there is no memory
bool heapDraw(const heapScene* scene, heapImage* image);

/// Of the body with the most neighbours: its spheres of the view's level by growth, its contact spheres by whether they
/// were updated in the last step; and those of the stage by growth, if there is one.
bool heapDrawDetails(const heapScene* scene, heapImage images[3]);

#endif
