"""What Python costs beyond C: tiny bodies, two characters frame by frame, two threads.

usage: measure.py MAN.glb CREATURE.glb NATIVE

NATIVE is web/bench/native.c, compiled: it takes the same frames. Least of many rounds, so that other work on the machine
matters less.
"""
import struct
import subprocess
import sys
import tempfile
import threading
import time
import timeit
from pathlib import Path

import numpy as np

import snugmesh as snug

ROUNDS = 12


def limit_influences(model):
    """The four heaviest joints of each vertex, which is what NATIVE takes."""
    starts, joints, weights = model.weights()
    rows = np.repeat(np.arange(model.vertex_count), np.diff(starts.astype(np.int64)))
    order = np.lexsort((-weights, rows))
    rank = np.arange(len(rows)) - starts[rows[order]]
    kept = order[rank < 4]
    dense = [np.zeros((model.vertex_count, 4), t) for t in (np.uint16, np.float32)]
    for array, values in zip(dense, (joints, weights)):
        array[rows[kept], rank[rank < 4]] = values[kept]
    dense[1] /= dense[1].sum(axis=1, keepdims=True)
    return dense


def record(paths):
    """Two skins, and their matrices in the frames of a kick: near, and in each other."""
    actors = [snug.load(path).actor() for path in paths]
    skins = [(a.bodies[0].model.positions(), a.bodies[0].model.triangles(), *limit_influences(a.bodies[0].model)) for a in actors]
    kinds = []
    for gap in (1.2, 0.4):
        frames = []
        for seconds in np.linspace(0, 1.5, 60):
            matrices = []
            for actor, clip in zip(actors, ("kick", "idle")):
                actor.pose(clip, seconds)
                square = np.tile(np.eye(4, dtype=np.float32), (actor.bodies[0].model.joint_count, 1, 1))
                square[:, :3] = actor._pose.matrices(0)
                matrices.append(square)
            matrices[1][:, 2, 3] += gap
            frames.append(matrices)
        kinds.append(frames)
    return skins, kinds


def ask_native(native, skins, kinds):
    """Milliseconds per frame of each kind, and the number of pairs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frames.bin"
        with open(path, "wb") as file:
            for skin, first in zip(skins, kinds[0][0]):
                file.write(struct.pack("<4I", len(skin[0]), len(skin[1]), len(first), 0))
                file.writelines(array.tobytes() for array in skin)
            file.write(struct.pack("<2I", len(kinds), len(kinds[0])))
            for frames in kinds:
                for pair in frames:
                    file.writelines(np.ascontiguousarray(m.transpose(0, 2, 1)).tobytes() for m in pair)
        lines = subprocess.run([native, path, str(ROUNDS)], capture_output=True, text=True, check=True).stdout.splitlines()
    words = [line.split() for line in lines if line.startswith("kind")]
    return [(float(w[2]), int(w[4])) for w in words]


def ask_python(skins, kinds):
    bodies = [
        snug.Body(snug.Model(v, t, joints=j, weights=w, joint_count=len(m))) for (v, t, j, w), m in zip(skins, kinds[0][0])
    ]
    a, b = bodies
    results = []
    for frames in kinds:
        best, total = np.full(len(frames), np.inf), 0
        for round_ in range(ROUNDS):
            for f, (first, second) in enumerate(frames):
                start = time.perf_counter()
                a.set_joints(first)
                b.set_joints(second)
                pairs = snug.collide(a, b)
                best[f] = min(best[f], time.perf_counter() - start)
                total += len(pairs) if round_ == 0 else 0
        results.append((1e3 * best.mean(), total))
    return results


def measure_tiny():
    positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    model = snug.Model(positions, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.uint32))
    a, b = snug.Body(model), snug.Body(model)
    b.set_frame((0.25, 0.25, 0.25))

    def least(function):
        return min(timeit.repeat(function, number=2000, repeat=100)) / 2000 * 1e6

    print(f"collide, tetrahedra, 3 pairs: {least(lambda: snug.collide(a, b)):.2f} us; touches {least(lambda: snug.touches(a, b)):.2f}")
    print(f"set_frame: {least(lambda: b.set_frame((0.25, 0.25, 0.25))):.2f} us")


def measure_threads():
    faces = np.array([[0, 1, 2]] * 500, np.uint32)
    model = snug.Model(np.eye(3, dtype=np.float32), faces)

    def make_pair():
        a, b = snug.Body(model), snug.Body(model)
        b.set_frame((0.1, 0, 0), (0.6, 0, 0, 0.8))  # they cross
        return a, b

    def run(count):
        pairs = [make_pair() for _ in range(count)]
        threads = [threading.Thread(target=lambda p=p: [snug.collide(*p) for _ in range(10)]) for p in pairs]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return count / (time.perf_counter() - start)

    gains = [run(2) / run(1) for _ in range(15)]
    print(f"two threads: {max(gains):.2f} times the throughput of one at best, {np.median(gains):.2f} in the middle")


def main():
    measure_tiny()
    skins, kinds = record(sys.argv[1:3])
    for name, native, python in zip(("near", "heavy"), ask_native(sys.argv[3], skins, kinds), ask_python(skins, kinds)):
        assert native[1] == python[1], "the pairs differ"
        print(f"two characters, {name}: C {1e3 * native[0]:.2f} us a frame, Python {1e3 * python[0]:.2f}, "
              f"{1e3 * (python[0] - native[0]):.2f} more; {native[1]} pairs in {len(kinds[0])} frames")
    measure_threads()


main()
