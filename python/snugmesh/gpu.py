"""Crowds on a GPU: which of many thousand posed bodies touch, and with which triangles, all at once.

Poses come as tensors that are on the device, of torch, CuPy, JAX or anything else with DLPack or
``__cuda_array_interface__``, without a copy; results are tensors there. Pairs are those of `snugmesh.collide`, bit for bit.

>>> import numpy as np
>>> import snugmesh as snug
>>> from snugmesh import gpu
>>> crowd = gpu.crowd(gpu.Device("reference"), snug.box(), 3)
>>> frames = np.zeros((3, 7))
>>> frames[:, 0], frames[:, 6] = [0, 1.5, 9], 1
>>> crowd.set_poses(frames=frames)
>>> found = crowd.update()
>>> np.asarray(found.bodies).tolist(), len(np.asarray(found.triangles)) == int(np.asarray(found.offsets)[-1])
([[0, 1]], True)
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ._core import Crowd, Device, Found, Model, Tensor

__all__ = ["Crowd", "Device", "Exporter", "Found", "OnDevice", "Tensor", "crowd"]


class Exporter(Protocol):
    """What can be shown by DLPack: tensors of torch, JAX, CuPy and others."""

    def __dlpack_device__(self) -> tuple[Any, Any]: ...


class OnDevice(Protocol):
    """What can be shown by __cuda_array_interface__: arrays of CuPy, Numba, Warp and others."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


def crowd(
    device: Device,
    models: Model | Sequence[Model],
    counts: int | Sequence[int],
    *,
    groups: Sequence[int] | None = None,
    masks: Sequence[int] | None = None,
    origin: Sequence[float] | NDArray[np.float64] | None = None,
    nbytes: int = 0,
) -> Crowd:
    """A crowd: so many bodies of each model, at rest. Their numbers follow each other, model by model.

    Models are rigid, have fields, or have a skin that blends linearly. groups, masks: 32 bits for each model, as
    Scene.add has them for a body. nbytes: device memory for what is between; otherwise it is 64 KiB for each body, and
    more from one update to the next while they have to be done in portions.
    """
    models = [models] if isinstance(models, Model) else list(models)
    counts = [counts] if isinstance(counts, int) else list(counts)
    if len(models) != len(counts):
        raise ValueError(f"there are {len(counts)} counts for {len(models)} models")
    all_groups, all_masks = list(groups or [1] * len(models)), list(masks or [0xFFFFFFFF] * len(models))
    if len(all_groups) != len(models) or len(all_masks) != len(models) or 0 in all_groups + all_masks:
        raise ValueError("groups and masks must be 32 bits for each model, at least one of them set")
    members = tuple(zip(models, counts, all_groups, all_masks))
    return Crowd(device, members, origin=origin, nbytes=nbytes)
