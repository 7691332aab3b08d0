"""Recorded people, as AMASS keeps them, as files and jobs for the program: `snug batch` says who meets whom, where and how deep.

    python3 -m snugmesh.sequences SMPLH.npz recordings/*.npz -o work     # work/NAME.gltf for each, and work/jobs.jsonl
    cd work && snug batch jobs.jsonl -o results

A recording is an .npz with poses (frames, 3 joints), trans (frames, 3), betas and mocap_framerate. Each becomes a glTF file,
with the shape in its mesh and the pose's bends as morph targets, which all of them share in one file of this folder. A job
asks about one person, or with --together about two recordings that follow each other, as two people in one room.
"""
from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .smpl import BodyModel, load, read_npz

__all__ = ["Recording", "load_recording", "save_gltf", "write_jobs"]

_BENDS = "bends.bin"
_NAMES = (
    "pelvis, left hip, right hip, spine 1, left knee, right knee, spine 2, left ankle, right ankle, spine 3, left foot, "
    "right foot, neck, left collar, right collar, head, left shoulder, right shoulder, left elbow, right elbow, left wrist, "
    "right wrist"
).split(", ")


class Recording(NamedTuple):
    """A person in motion."""

    betas: NDArray[np.float64]
    """(shapes,)"""
    pose: NDArray[np.float64]
    """(frames, joints, 3)"""
    translation: NDArray[np.float64]
    """(frames, 3)"""
    rate: float
    """frames per second"""


def load_recording(path: str | os.PathLike[str], body_model: BodyModel, *, rate: float | None = None) -> Recording:
    """A recording as AMASS has them, .npz, for a body model. rate: frames per second to keep; others are left out.

    More betas than the model has shapes are left out. For a model of 24 joints, which has no fingers, the 22 of the body are
    taken from more.
    """
    file = Path(path)
    arrays = read_npz(file, ("poses", "trans", "betas", "mocap_framerate", "mocap_frame_rate"))
    there = float(np.asarray(arrays.get("mocap_framerate", arrays.get("mocap_frame_rate", 30.0))).reshape(-1)[0])
    for name in ("poses", "trans", "betas"):
        if name not in arrays:
            raise ValueError(f"{file.name} has no {name}: is it a recording?")
        if arrays[name].dtype.kind not in "fiu" or not np.isfinite(arrays[name]).all():
            raise ValueError(f"{file.name}: {name} must be finite numbers")
    if not (np.isfinite(there) and there > 0):
        raise ValueError(f"{file.name}: {there} frames per second")
    joints, poses = body_model.joint_count, arrays["poses"]
    if poses.ndim == 2 and joints == 24 and poses.shape[1] > 72:
        poses = np.concatenate([poses[:, :66], np.zeros((len(poses), 6))], axis=1)
    if poses.ndim != 2 or poses.shape[1] != 3 * joints or len(poses) == 0:
        raise ValueError(f"{file.name}: poses must have the shape (frames, {3 * joints}), not {poses.shape}")
    if arrays["trans"].shape != (len(poses), 3):
        raise ValueError(f"{file.name}: trans must have the shape ({len(poses)}, 3), not {arrays['trans'].shape}")
    every = max(1, round(there / rate)) if rate else 1
    betas = np.asarray(arrays["betas"], np.float64).reshape(-1)[: body_model.shape_count]
    pose = poses[::every].astype(np.float64).reshape(-1, joints, 3)
    return Recording(betas, pose, arrays["trans"][::every].astype(np.float64), there / every)


class _Buffer:
    """A file of numbers, and what glTF says of each array in it."""

    def __init__(self, number: int, accessors: list[dict[str, Any]], views: list[dict[str, Any]]) -> None:
        self.number, self.accessors, self.views, self.data = number, accessors, views, bytearray()

    def add(self, array: NDArray[Any], kind: str, *, bounds: bool = False) -> int:
        code = {"f": 5126, "u": 5125 if array.dtype.itemsize == 4 else 5123}[array.dtype.kind]
        self.views.append({"buffer": self.number, "byteOffset": len(self.data), "byteLength": array.nbytes})
        self.data += np.ascontiguousarray(array).tobytes()
        self.data += bytes(-len(self.data) % 4)
        count = array.size if kind == "SCALAR" else len(array)
        accessor: dict[str, Any] = {"bufferView": len(self.views) - 1, "componentType": code, "count": count, "type": kind}
        if bounds:
            low, high = (np.atleast_1d(f(axis=0)).astype(float).tolist() for f in (array.min, array.max))
            accessor.update(min=low, max=high)
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def _share(body_model: BodyModel, buffer: _Buffer) -> dict[str, Any]:
    """What all recordings of a model have in common: triangles, weights, bends."""
    skin = body_model.skin
    sets = max(1, -(-int((skin > 0).sum(axis=1).max()) // 4))
    order = np.argsort(-skin, axis=1, kind="stable")[:, : 4 * sets]
    weights = np.take_along_axis(skin, order, axis=1)
    if order.shape[1] < 4 * sets:
        padding = ((0, 0), (0, 4 * sets - order.shape[1]))
        order, weights = np.pad(order, padding), np.pad(weights, padding)
    attributes = {}
    for k in range(sets):
        attributes[f"JOINTS_{k}"] = buffer.add(np.where(weights > 0, order, 0)[:, 4 * k : 4 * k + 4].astype(np.uint16), "VEC4")
        attributes[f"WEIGHTS_{k}"] = buffer.add(weights[:, 4 * k : 4 * k + 4].astype(np.float32), "VEC4")
    indices = buffer.add(body_model.model.triangles().astype(np.uint32).reshape(-1), "SCALAR")
    targets = [{"POSITION": buffer.add(bend, "VEC3", bounds=True)} for bend in body_model.bends]
    primitive: dict[str, Any] = {"attributes": attributes, "indices": indices}
    return {**primitive, "targets": targets} if targets else primitive


def save_gltf(path: str | os.PathLike[str], body_model: BodyModel, recording: Recording) -> None:
    """Write a recording as NAME.gltf, with NAME.bin, and bends.bin, which all recordings of a model have in common."""
    file = Path(path)
    if file.suffix != ".gltf":
        raise ValueError(f"{file.name} must end in .gltf")
    count, joints = len(recording.pose), body_model.joint_count
    posed = body_model.pose(recording.betas[None], recording.pose, recording.translation)
    fields = body_model.shape_count + body_model.expression_count
    rest, shaped = body_model.shape(recording.betas)
    accessors: list[dict[str, Any]] = []
    views: list[dict[str, Any]] = []
    own, common = _Buffer(0, accessors, views), _Buffer(1, accessors, views)
    primitive = _share(body_model, common)
    primitive["attributes"]["POSITION"] = own.add(shaped.astype(np.float32), "VEC3", bounds=True)
    bind = np.tile(np.eye(4, dtype=np.float32), (joints, 1, 1))
    bind[:, 3, :3] = -rest  # by columns
    times = own.add((np.arange(count) / recording.rate).astype(np.float32), "SCALAR", bounds=True)
    angle = np.linalg.norm(recording.pose, axis=-1, keepdims=True)
    turns = np.concatenate([recording.pose * (np.sinc(angle / (2 * np.pi)) / 2), np.cos(angle / 2)], axis=-1).astype(np.float32)
    moved = own.add((rest[0] + recording.translation).astype(np.float32), "VEC3")
    samplers = [{"input": times, "output": own.add(turns[:, j], "VEC4")} for j in range(joints)]
    targets = [{"node": j, "path": "rotation"} for j in range(joints)]
    samplers.append({"input": times, "output": moved})
    targets.append({"node": 0, "path": "translation"})
    mesh: dict[str, Any] = {"name": file.stem, "primitives": [primitive]}
    if len(body_model.bends):
        samplers.append({"input": times, "output": own.add(posed.amplitudes[:, fields:].reshape(-1), "SCALAR")})
        targets.append({"node": joints, "path": "weights"})
        mesh["weights"] = [0.0] * len(body_model.bends)
    nodes: list[dict[str, Any]] = []
    for j, parent in enumerate(body_model.parents):
        place = rest[j] - (rest[parent] if parent >= 0 else 0)
        children = [k for k, p in enumerate(body_model.parents) if p == j]
        name = _NAMES[j] if j < len(_NAMES) else f"joint {j}"
        nodes.append({"name": name, "translation": place.tolist(), **({"children": children} if children else {})})
    nodes.append({"name": file.stem, "mesh": 0, "skin": 0})
    document = {
        "asset": {"version": "2.0", "generator": "snugmesh"},
        "scene": 0,
        "scenes": [{"nodes": [0, joints]}],
        "nodes": nodes,
        "meshes": [mesh],
        "skins": [{"joints": list(range(joints)), "inverseBindMatrices": own.add(bind.reshape(joints, 16), "MAT4")}],
        "animations": [
            {
                "name": "recording",
                "samplers": samplers,
                "channels": [{"sampler": i, "target": target} for i, target in enumerate(targets)],
            }
        ],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [
            {"uri": file.with_suffix(".bin").name, "byteLength": len(own.data)},
            {"uri": _BENDS, "byteLength": len(common.data)},
        ],
    }
    shared = file.parent / _BENDS
    if not shared.exists():
        _write(shared, bytes(common.data))
    elif shared.read_bytes() != bytes(common.data):
        raise ValueError(f"{shared} is of another body model; write elsewhere")
    _write(file.with_suffix(".bin"), bytes(own.data))
    _write(file, json.dumps(document).encode())


def _write(path: Path, data: bytes) -> None:
    """Whole, or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.replace(path)


def write_jobs(
    folder: str | os.PathLike[str],
    body_model: BodyModel,
    paths: Sequence[str | os.PathLike[str]],
    *,
    together: bool = False,
    rate: float | None = None,
) -> Path:
    """Files for all recordings, and the jobs of them: folder/jobs.jsonl, for `snug batch` to be run in that folder. What is there
    already is not written again."""
    there = Path(folder)
    there.mkdir(parents=True, exist_ok=True)
    names = ["-".join(Path(path).with_suffix("").parts[-2:]).replace("/", "") for path in paths]
    if len(set(names)) < len(names):
        raise ValueError(f"two recordings would be called {max(names, key=names.count)}")
    if together and len(paths) % 2:
        raise ValueError(f"{len(paths)} recordings are no pairs of people")
    rates = []
    for name, path in zip(names, paths):
        recording = load_recording(path, body_model, rate=rate)
        rates.append(recording.rate)
        if not (there / f"{name}.gltf").exists():
            save_gltf(there / f"{name}.gltf", body_model, recording)
    asked = ["--clip", "recording", "--summary", "--by-joint"]
    lines = []
    for i in range(0, len(names), 2 if together else 1):
        group = names[i : i + 2] if together else names[i : i + 1]
        how = ["--contacts", f"{'+'.join(group)}.contacts.json"] if together else ["--self"]
        files = [f"{name}.gltf" for name in group]
        lines.append(json.dumps({"id": "+".join(group), "check": [*files, *asked, *how, "--fps", f"{rates[i]:g}"]}))
    _write(there / "jobs.jsonl", "".join(line + "\n" for line in lines).encode())
    return there / "jobs.jsonl"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m snugmesh.sequences", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("model", help="the body model, .npz or .pkl")
    parser.add_argument("recordings", nargs="+", help=".npz")
    parser.add_argument("-o", dest="folder", required=True, help="where files and jobs go")
    parser.add_argument("--rate", type=float, help="frames per second to keep; default all")
    parser.add_argument("--together", action="store_true", help="two recordings that follow each other are two people in one room")
    options = parser.parse_args(arguments)
    try:
        jobs = write_jobs(options.folder, load(options.model), options.recordings, together=options.together, rate=options.rate)
    except (OSError, ValueError, TypeError) as error:
        print(f"snugmesh.sequences: {error}", file=sys.stderr)
        return 1
    print(f"{jobs}: run `snug batch jobs.jsonl -o results` there")
    return 0


if __name__ == "__main__":
    sys.exit(main())
