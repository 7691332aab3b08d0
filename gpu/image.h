// gpu/image.h: models as they lie on a device.
#ifndef SG_GPU_IMAGE_H
#define SG_GPU_IMAGE_H

#include "device.h"

/// A model's image, and the device memory that it is in.
typedef struct sgUploaded
{
	sgImage image; ///< all but its bodies and their poses: those are at rest
	void* memory;
	size_t bytes;
	uint32_t levels;      ///< below the root
	uint32_t mostCorners; ///< vertices of a cluster, at most
} sgUploaded;

/// @return snug_outOfMemory, or snug_badInput for a deformer that devices do not know
snugStatus sgImage_Upload(snugDevice* device, const snugModel* model, sgUploaded* out);
void sgUploaded_Release(sgUploaded* uploaded, snugDevice* device);

#endif
