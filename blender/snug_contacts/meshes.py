"""Blender's meshes as models of snug: triangles, weights of bones, shape keys. Everything is read in bulk."""

from itertools import chain
from operator import attrgetter

import numpy as np


def read(collection, name, width=1, dtype=np.float32):
    """An attribute of all members of a collection: (n,) or (n, width)."""
    values = np.empty(len(collection) * width, dtype)
    collection.foreach_get(name, values)
    return values.reshape(-1, width) if width > 1 else values


def read_triangles(mesh):
    """Corners of triangles, and the face that each is a part of."""
    mesh.calc_loop_triangles()
    return read(mesh.loop_triangles, "vertices", 3, np.int32), read(mesh.loop_triangles, "polygon_index", 1, np.int32)


def read_rest(mesh):
    """Positions before shape keys and modifiers."""
    keys = mesh.shape_keys
    return read(keys.reference_key.data if keys else mesh.vertices, "co", 3)


def read_topology(mesh):
    """What stays the same as long as only vertices move."""
    return read(mesh.loops, "vertex_index", 1, np.int32), read(mesh.polygons, "loop_start", 1, np.int32)


class Groups:
    """Weights of all vertex groups, sparse and sorted by vertex."""

    def __init__(self, obj):
        self.of_vertex = [vertex.groups for vertex in obj.data.vertices]
        counts = np.fromiter(map(len, self.of_vertex), np.int64, len(self.of_vertex))
        elements = list(chain.from_iterable(self.of_vertex))
        self.vertex = np.repeat(np.arange(len(counts)), counts)
        self.group = np.fromiter(map(attrgetter("group"), elements), np.int64, len(elements))
        self.weight = np.fromiter(map(attrgetter("weight"), elements), np.float64, len(elements))
        self.vertex_count = len(counts)
        del self.of_vertex

    def mask(self, obj, name):
        """Weights of the group of this name, one per vertex, or None where there is none."""
        if name not in obj.vertex_groups:
            return None
        mine = self.group == obj.vertex_groups[name].index
        weights = np.zeros(self.vertex_count)
        weights[self.vertex[mine]] = self.weight[mine]
        return weights


def read_influences(obj, groups, bones, share):
    """Joints and weights as Blender's Armature modifier has them: starts, joints, weights.

    Joint i is bone i of `bones`; the last one stays with the object, and carries vertices without weights. share: how
    much of the modifier there is for each vertex, or None for all of it.
    """
    number = np.full(len(obj.vertex_groups) + 1, -1)
    for joint, bone in enumerate(bones):
        number[obj.vertex_groups[bone].index] = joint
    # Files have weights of groups that are gone; the last number is theirs.
    joints = number[np.minimum(groups.group, len(obj.vertex_groups))]
    mine = (joints >= 0) & (groups.weight != 0)
    vertex, joint, weight = groups.vertex[mine], joints[mine], groups.weight[mine]
    total = np.bincount(vertex, weight, groups.vertex_count)
    part = np.where(total > 0.0001, 1.0 if share is None else share, 0.0)  # as armature_deform.cc decides
    weight = weight * (part / np.where(total > 0, total, 1.0))[vertex]
    kept = weight > 0
    rest = np.flatnonzero(part < 1)
    vertex = np.concatenate([vertex[kept], rest])
    joint = np.concatenate([joint[kept], np.full(len(rest), len(bones))])
    weight = np.concatenate([weight[kept], 1 - part[rest]])
    order = np.argsort(vertex, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(vertex, minlength=groups.vertex_count))])
    return starts.astype(np.uint32), joint[order].astype(np.uint16), weight[order].astype(np.float32)


def read_fields(obj, groups):
    """Displacements of all shape keys, sparse, as snugmesh.Model takes them; the basis has none."""
    keys = obj.data.shape_keys.key_blocks
    vertices, numbers, moves = [], [], []
    positions = {}
    for number, key in enumerate(keys):
        for one in (key, key.relative_key):
            if one.name not in positions:
                positions[one.name] = read(one.data, "co", 3).astype(np.float64)
        move = positions[key.name] - positions[key.relative_key.name]
        mask = groups.mask(obj, key.vertex_group) if key.vertex_group else None
        if mask is not None:
            move *= mask[:, None]
        moved = np.flatnonzero(move.any(axis=1))
        if key == obj.data.shape_keys.reference_key:
            moved = moved[:0]
        vertices.append(moved)
        numbers.append(np.full(len(moved), number))
        moves.append(move[moved])
    vertices, numbers = np.concatenate(vertices), np.concatenate(numbers)
    order = np.argsort(vertices, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(vertices, minlength=len(obj.data.vertices)))])
    return {
        "fields": np.concatenate(moves)[order].astype(np.float32),
        "field_starts": starts.astype(np.uint32),
        "field_numbers": numbers[order].astype(np.uint16),
        "field_count": len(keys),
    }


def find_couples(starts, joints):
    """Pairs of joints that move a vertex together, each once: (n, 2)."""
    found = [np.empty((0, 2), np.int64)]
    counts = np.diff(starts.astype(np.int64))
    left = np.repeat(counts, counts) - (np.arange(len(joints)) - np.repeat(starts[:-1], counts))
    for distance in range(1, int(counts.max(initial=0))):
        place = np.flatnonzero(left > distance)
        pairs = np.stack([joints[place], joints[place + distance]], axis=1).astype(np.int64)
        found.append(np.unique(np.sort(pairs, axis=1), axis=0))
    return np.unique(np.concatenate(found), axis=0)
