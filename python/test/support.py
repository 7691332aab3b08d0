"""What the tests share: shapes, hashes, the program, and what may be missing."""
import functools
import importlib
import os
import unittest
from pathlib import Path

import numpy as np

import snugmesh as snug

SCALE = float(os.environ.get("SNUG_TEST_SCALE", "1"))
SEED = int(os.environ.get("SNUG_SEED", "1"))


def scaled(count):
    """A number of random cases."""
    return max(1, int(count * SCALE))


def is_required(name):
    """Whether SNUG_REQUIRE says that it must be there."""
    required = os.environ.get("SNUG_REQUIRE", "").split(",")
    return "all" in required or name in required


def skip(name, reason):
    """Skip, or fail where it must be there."""
    if is_required(name):
        raise AssertionError(f"{reason}, and SNUG_REQUIRE asks for it")
    raise unittest.SkipTest(reason)


def need(name):
    """A module of the group python-peers: tools/install-dependencies."""
    try:
        return importlib.import_module(name)
    except ImportError:
        skip("python-peers", f"no {name}: pip install {name}")


def need_path(variable, reason):
    path = os.environ.get(variable)
    if path is None or not Path(path).exists():
        skip("program", reason)
    return Path(path)


def need_program():
    return need_path("SNUG_PROGRAM", "no program: `make`")


def need_characters():
    return need_path("SNUG_CHARACTERS", "no characters: `make characters`")


def make_tube(around=12, along=24, joints=4, radius=0.25, length=2.0):
    """Vertices, faces, joints and weights of a tube along x, four influences a vertex."""
    u, v = np.meshgrid(np.arange(along + 1), np.arange(around), indexing="ij")
    angle = 2 * np.pi * v / around
    x = length * (u / along - 0.5)
    vertices = np.stack([x, radius * np.cos(angle), radius * np.sin(angle)], axis=-1).reshape(-1, 3)
    faces = []
    for i in range(along):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            faces += [[a, b, a + around], [b, b + around, a + around]]
    centers = length * ((np.arange(joints) + 0.5) / joints - 0.5)
    closeness = np.exp(-4 * (vertices[:, :1] - centers) ** 2)
    order = np.argsort(-closeness, axis=1)[:, :4]
    weights = np.take_along_axis(closeness, order, axis=1)
    weights /= weights.sum(axis=1, keepdims=True)
    return (vertices.astype(np.float32), np.array(faces, np.uint32), order.astype(np.uint16), weights.astype(np.float32))


def make_tube_model(blending="linear", **options):
    vertices, faces, joints, weights = make_tube(**options)
    return snug.Model(vertices, faces, joints=joints, weights=weights, joint_count=4, blending=blending)


def make_spindle(around=12, along=24, length=2.0, radius=0.5):
    """Vertices and faces of a closed convex surface along x, whose triangles turn counterclockwise seen from outside."""
    angle = 2 * np.pi * np.arange(around) / around
    height = np.cos(np.pi * np.arange(1, along) / along)
    ring = np.stack([np.zeros(around), np.cos(angle), np.sin(angle)], axis=1)
    width = radius * np.sqrt(1 - height**2)
    rings = ring * width[:, None, None] + np.array([1, 0, 0]) * (length / 2 * height)[:, None, None]
    vertices = np.concatenate([rings.reshape(-1, 3), [[length / 2, 0, 0], [-length / 2, 0, 0]]])
    faces, last = [], (along - 2) * around
    for j in range(around):
        k = (j + 1) % around
        faces += [[len(vertices) - 2, j, k], [len(vertices) - 1, last + k, last + j]]
        for i in range(0, last, around):
            faces += [[i + j, i + around + j, i + k], [i + k, i + around + j, i + around + k]]
    return vertices.astype(np.float32), np.array(faces, np.uint32)


def bend(seed, joints=4, size=0.3):
    """Matrices (joints, 4, 4) that turn and move a little."""
    random = np.random.default_rng(seed)
    matrices = np.tile(np.eye(4), (joints, 1, 1))
    for matrix in matrices:
        axis = random.normal(size=3)
        axis /= np.linalg.norm(axis)
        angle = size * random.normal()
        k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        matrix[:3, :3] = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
        matrix[:3, 3] = 0.1 * random.normal(size=3)
    return matrices.astype(np.float32)


def hash_words(words, start=0xCBF29CE484222325):
    """FNV-1a over 32-bit words, as web/bench/native.c has it."""
    value = start
    for word in np.asarray(words, np.uint32).ravel().tolist():
        value = ((value ^ word) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


@functools.cache
def tetrahedron():
    positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.uint32)
    return snug.Model(positions, triangles)
