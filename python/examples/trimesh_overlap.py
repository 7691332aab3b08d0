"""Two meshes of trimesh's, moved apart along the gradient of the volume in which they overlap.

usage: trimesh_overlap.py [A.ply B.ply]     needs trimesh; without files a ball and a torus
"""
import sys

import numpy as np
import trimesh

import snugmesh as snug
from snugmesh import overlap


def main():
    paths = sys.argv[1:]
    meshes = [trimesh.load(path, force="mesh") for path in paths]
    meshes = meshes or [trimesh.creation.icosphere(subdivisions=3), trimesh.creation.torus(1.0, 0.3).apply_translation([1.2, 0.1, 0.2])]
    a, b = (overlap.Surface(snug.model(mesh.vertices, mesh.faces)) for mesh in meshes)
    x, y = (np.array(mesh.vertices) for mesh in meshes)
    first = found = overlap.between(a, b, x, y)
    steps = 0
    while len(found.pairs) and steps < 100:
        slope = found.gradients[1].sum(axis=0)
        size = np.linalg.norm(slope)
        y = y - slope / size * min(1.5 * found.volume / size + 1e-6, 0.05)
        found, steps = overlap.between(a, b, x, y), steps + 1
    moved = np.linalg.norm(y[0] - meshes[1].vertices[0])
    print(f"volume {first.volume:.4f} in {len(first.pairs)} pairs; {len(found.pairs)} pairs after {steps} steps, moved by {moved:.3f}")


if __name__ == "__main__":
    main()
