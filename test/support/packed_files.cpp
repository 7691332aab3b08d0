// test/support/packed_files.cpp: see packed_files.h.
#include "packed_files.h"

#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>

#include <cstring>

size_t PackDraco(bool edgebreaker, uint32_t vertexCount, const float* positions, const uint8_t* joints,
    uint32_t indexCount, const uint16_t* indices, uint8_t* bytes, size_t capacity)
{
	draco::Mesh mesh;
	mesh.set_num_points(vertexCount);
	mesh.SetNumFaces(indexCount / 3);
	for (uint32_t i = 0; i < indexCount / 3; ++i)
	{
		draco::Mesh::Face face;
		for (uint32_t k = 0; k < 3; ++k)
		{
			face[k] = draco::PointIndex(indices[3 * i + k]);
		}
		mesh.SetFace(draco::FaceIndex(i), face);
	}
	draco::GeometryAttribute place, joint;
	place.Init(draco::GeometryAttribute::POSITION, nullptr, 3, draco::DT_FLOAT32, false, 12, 0);
	joint.Init(draco::GeometryAttribute::GENERIC, nullptr, 4, draco::DT_UINT8, false, 4, 0);
	int placeId = mesh.AddAttribute(place, true, vertexCount), jointId = mesh.AddAttribute(joint, true, vertexCount);
	for (uint32_t i = 0; i < vertexCount; ++i)
	{
		mesh.attribute(placeId)->SetAttributeValue(draco::AttributeValueIndex(i), positions + 3 * i);
		mesh.attribute(jointId)->SetAttributeValue(draco::AttributeValueIndex(i), joints + 4 * i);
	}
	draco::Encoder encoder;
	draco::EncoderBuffer buffer;
	encoder.SetEncodingMethod(edgebreaker ? draco::MESH_EDGEBREAKER_ENCODING : draco::MESH_SEQUENTIAL_ENCODING);
	if (!encoder.EncodeMeshToBuffer(mesh, &buffer).ok() || buffer.size() > capacity)
	{
		return 0;
	}
	memcpy(bytes, buffer.data(), buffer.size());
	return buffer.size();
}
