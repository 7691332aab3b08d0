"""Sequences of a truth set, and answers to them: docs/truth.md says how files are laid out."""
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class TruthBody:
    positions: np.ndarray
    triangles: np.ndarray
    starts: np.ndarray
    joints: np.ndarray
    weights: np.ndarray
    joint_count: int
    blending: str


class Reader:
    def __init__(self, path, kind):
        self.data = Path(path).read_bytes()
        magic, _, found, self.digest, _, self.count, _ = struct.unpack_from("<8sIIQQQI", self.data)
        if magic != b"snugtrut" or found != kind:
            raise ValueError(f"{path}: not a file of kind {kind} of a truth set")
        self.at = 64

    def take(self, dtype, *shape):
        size = int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(self.data, dtype, size, self.at).reshape(shape)
        self.at += array.nbytes
        return array


def read_body(reader, counts, blending):
    vertices, triangles, joints, influences = counts
    positions, faces = reader.take("<f4", vertices, 3), reader.take("<u4", triangles, 3)
    sizes = (vertices + 1, influences, influences) if joints else (0, 0, 0)
    starts, numbers, weights = reader.take("<u4", sizes[0]), reader.take("<u4", sizes[1]), reader.take("<f4", sizes[2])
    return TruthBody(positions, faces, starts, numbers, weights, joints, blending)


def read_frames(path):
    """Two TruthBody, and for each frame and body position, quaternion, matrices (n, 3, 4), placed vertices (n, 3)."""
    reader = Reader(path, 2)
    counts = [struct.unpack_from("<4I", reader.data, 64 + 64 * i + 32) for i in range(2)]
    reader.at += 128
    # Of all sequences one has joints that blend as dual quaternions.
    blending = "dual_quaternion" if Path(path).stem == "creatures" else "linear"
    bodies = [read_body(reader, c, blending) for c in counts]
    frames = []
    for _ in range(reader.count):
        frame = []
        for body in bodies:
            place = reader.take("<f8", 7)
            matrices = reader.take("<f4", body.joint_count, 3, 4)
            frame.append((place[:3], place[3:], matrices, reader.take("<f4", len(body.positions), 3)))
        frames.append(frame)
    return bodies, frames


def read_answers(path):
    """Pairs (n, 2) for each frame."""
    reader = Reader(path, 4)
    return [reader.take("<u4", int(reader.take("<u8", 1)[0]), 2) for _ in range(reader.count)]


def hash_bytes(data):
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def write_answers(path, question, answers):
    """What `snug truth --score` reads. question: the file of frames; answers: pairs (n, 2) for each frame."""
    body = b"".join(struct.pack("<Q", len(p)) + np.asarray(p, "<u4").tobytes() for p in answers)
    header = struct.pack("<8sIIQQQI20x", b"snugtrut", 1, 4, hash_bytes(body), Reader(question, 2).digest, len(answers), 0)
    Path(path).write_bytes(header + body)
