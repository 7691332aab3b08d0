"""Models from other libraries' meshes, and results for other libraries' pictures. None of them is imported here."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import Body, Model

NO_TRIANGLE = 0xFFFFFFFF
"""What cast_rays and find_closest give where there is no triangle."""
NO_BODY = 0xFFFFFFFF
"""What Scene.cast_rays gives where there is no body."""


def convert_numbers(name: str, numbers: ArrayLike, dtype: type) -> NDArray[Any]:
    """Whole numbers of another type; nothing is rounded or wrapped on the way."""
    given = np.asarray(numbers)
    if given.size == 0:
        return given.astype(dtype)
    if given.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, not {given.dtype}")
    low, high = int(given.min()), int(given.max())
    if low < 0 or high > np.iinfo(dtype).max:
        raise ValueError(f"{name}: {low if low < 0 else high} is no number of something")
    return np.ascontiguousarray(given, dtype=dtype)


def model(
    vertices: ArrayLike,
    faces: ArrayLike,
    *,
    joints: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    fields: ArrayLike | None = None,
    **options: Any,
) -> Model:
    """A Model of anything that looks like arrays: lists, float64, int64.

    Positions, weights and fields are rounded to float32, once. Everything else is as for Model.

    >>> import snugmesh as snug
    >>> snug.model([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    <snugmesh.Model: rigid, 3 vertices, 1 triangles, 0 joints, 0 fields>

    With trimesh: ``snug.model(mesh.vertices, mesh.faces)``.
    """
    options = {name: value for name, value in options.items() if value is not None}
    for name, values in (("weights", weights), ("fields", fields)):
        if values is not None:
            options[name] = np.ascontiguousarray(values, dtype=np.float32)
    if joints is not None:
        options["joints"] = convert_numbers("joints", joints, np.uint16)
    positions = np.ascontiguousarray(vertices, dtype=np.float32)
    return Model(positions, convert_numbers("faces", faces, np.uint32), **options)


def mesh(body: Body) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Vertices as they are posed, and faces: what trimesh.Trimesh and polyscope.register_surface_mesh take.

    >>> import snugmesh as snug
    >>> vertices, faces = snug.mesh(snug.Body(snug.box()))
    >>> vertices.shape, faces.shape
    ((8, 3), (12, 3))

    ``trimesh.Trimesh(*snug.mesh(body), process=False)``; without ``process=False`` it renumbers the faces.
    """
    if not isinstance(body, Body):
        raise TypeError(f"body must be a snugmesh.Body, not {type(body)}")
    return body.vertices(), body.model.triangles()


def face_counts(pairs: NDArray[np.uint32], side: int, count: int) -> NDArray[np.int64]:
    """In how many of the pairs each of `count` faces is; side 0: of the first body, 1: of the second.

    >>> import numpy as np, snugmesh as snug
    >>> snug.face_counts(np.array([[2, 0], [2, 1]], np.uint32), 0, 4)
    array([0, 0, 2, 0])
    """
    if side not in (0, 1):
        raise ValueError("side must be 0, the first body, or 1, the second")
    if not 0 <= count <= 500_000_000:
        raise ValueError(f"count: a model has up to 500,000,000 faces, not {count}")
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"pairs must have the shape (n, 2), not {pairs.shape}")
    if len(pairs) and int(pairs[:, side].max()) >= count:
        raise ValueError(f"pairs name face {int(pairs[:, side].max())} of {count}: is it the other side?")
    return np.bincount(pairs[:, side].astype(np.int64), minlength=count)


def face_mask(pairs: NDArray[np.uint32], side: int, count: int) -> NDArray[np.bool_]:
    """Which of `count` faces are in some pair; side 0: of the first body, 1: of the second.

    >>> import numpy as np, snugmesh as snug
    >>> snug.face_mask(np.array([[2, 0], [2, 1]], np.uint32), 1, 4)
    array([ True,  True, False, False])

    trimesh: ``mesh.visual.face_colors[mask] = [255, 48, 32, 255]``. polyscope:
    ``surface.add_scalar_quantity("contact", mask.astype(float), defined_on="faces")``.
    """
    return face_counts(pairs, side, count) > 0


def frame(matrix: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The position and the quaternion of a rigid matrix, 4x4 or 3x4, for Body.set_frame.

    >>> import numpy as np, snugmesh as snug
    >>> position, rotation = snug.frame(np.eye(4))
    >>> rotation.tolist()
    [0.0, 0.0, 0.0, 1.0]
    >>> snug.frame(2 * np.eye(4))
    Traceback (most recent call last):
        ...
    ValueError: the matrix scales, shears or mirrors: a frame only turns and moves
    """
    m = np.asarray(matrix, dtype=np.float64)
    if m.shape not in ((3, 4), (4, 4)):
        raise ValueError(f"the matrix must have the shape (4, 4) or (3, 4), not {m.shape}")
    turn = m[:3, :3]
    if not np.allclose(turn.T @ turn, np.eye(3), atol=1e-5) or np.linalg.det(turn) < 0:
        raise ValueError("the matrix scales, shears or mirrors: a frame only turns and moves")
    # The largest of the four components first, so that nothing cancels (Shepperd 1978).
    squares = np.array([*(1 + 2 * np.diag(turn) - np.trace(turn)), 1 + np.trace(turn)])
    i = int(np.argmax(squares))
    s = 2 * np.sqrt(squares[i])
    q = np.empty(4)
    if i == 3:
        q[:3] = (turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1])
    else:
        j, k = (i + 1) % 3, (i + 2) % 3
        q[j], q[k], q[3] = turn[j, i] + turn[i, j], turn[k, i] + turn[i, k], turn[k, j] - turn[j, k]
    q /= s
    q[i] = s / 4
    return m[:3, 3].copy(), q / np.linalg.norm(q)


def box(half: float = 1.0, *, joints: int = 0) -> Model:
    """A cube about zero, to try things with. With two joints the second one carries its upper half.

    >>> import snugmesh as snug
    >>> snug.box(0.5).positions().max(axis=0)
    array([0.5, 0.5, 0.5], dtype=float32)
    """
    vertices = half * (2 * np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)]) - 1)
    faces = np.array(
        [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4]]
        + [[2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]]
    )
    if joints == 0:
        return model(vertices, faces)
    if joints != 2:
        raise ValueError("a box has no joints, or two")
    return model(vertices, faces, joints=np.arange(8).reshape(-1, 1) // 4, weights=np.ones((8, 1)))
