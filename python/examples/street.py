"""Draws who bumps into whom among a hundred thousand people in a street, from above: those who touch are red.

usage: street.py WALKER.glb [--count 100000] [--backend cuda] [-o street.png]

People are the walker's clip, stopped at eight times: rigid bodies of eight models, all on the device at once.
"""
import argparse
import time

import numpy as np

import snugmesh as snug
from snugmesh import gpu

PHASES = 8


def freeze(path, clip_name):
    """The walker at eight times, each as a model of one mesh."""
    actor = snug.load(path).actor()
    clip = actor.file.clips[actor.file.find_clip(clip_name)]
    models = []
    for moment in np.linspace(clip.start, clip.end, PHASES, endpoint=False):
        actor.pose(clip_name, moment)
        meshes = [snug.mesh(body) for body in actor.bodies]
        firsts = np.cumsum([0] + [len(vertices) for vertices, _ in meshes])
        faces = [triangles + first for (_, triangles), first in zip(meshes, firsts)]
        models.append(snug.model(np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(faces)))
    return models


def place(count, width):
    """A person for each square metre, walking along the street either way."""
    random = np.random.default_rng(1)
    frames = np.zeros((count, 7))
    frames[:, 0] = random.uniform(0, count / width, count)
    frames[:, 2] = random.uniform(0, width, count)
    angle = np.pi / 2 * random.choice([-1, 1], count) + random.normal(0, 0.2, count)
    frames[:, 4], frames[:, 6] = np.sin(angle / 2), np.cos(angle / 2)
    return frames


def fetch(tensor):
    """On the host: by numpy, or by whoever can read a GPU's memory."""
    if tensor.__dlpack_device__()[0] == 1:
        return np.asarray(tensor)
    import torch

    return torch.from_dlpack(tensor).cpu().numpy()


def draw(path, frames, touching, width):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (whole, part) = plt.subplots(2, 1, figsize=(13, 8), constrained_layout=True)
    length = frames[:, 0].max()
    for axis, size, first, last in ((whole, np.clip(4000 / len(frames), 0.2, 24), 0, length), (part, 24, length / 2, length / 2 + min(80, length / 2))):
        shown = (frames[:, 0] >= first) & (frames[:, 0] <= last)
        for of, color in ((shown & ~touching, "#8a97a6"), (shown & touching, "#e02010")):
            axis.scatter(frames[of, 0], frames[of, 2], s=size, color=color, linewidths=0)
        axis.set(xlim=(first, last), ylim=(0, width), xlabel="metres along the street")
    part.set_aspect("equal")
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("walker")
    parser.add_argument("--clip", default="walk")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--width", type=float, default=40.0)
    parser.add_argument("--backend", default="cuda", choices=["cuda", "reference"])
    parser.add_argument("-o", "--output", default="street.png", help="'-': no picture")
    options = parser.parse_args()
    frames = place(options.count, options.width)
    parts = np.array_split(frames, PHASES)
    crowd = gpu.crowd(gpu.Device(options.backend), freeze(options.walker, options.clip), [len(part) for part in parts])
    for number, part in enumerate(parts):
        crowd.set_poses(frames=part, model=number)
    crowd.update()  # for the first one memory is taken
    start = time.perf_counter()
    found = crowd.update()
    took = 1000 * (time.perf_counter() - start)
    touching = np.zeros(options.count, bool)
    touching[fetch(found.bodies).ravel()] = True
    if options.output != "-":
        draw(options.output, frames, touching, options.width)
    print(f"{options.output}: {options.count} people, {touching.sum()} touch somebody, with {found.triangles.shape[0]} pairs of "
          f"triangles, found in {took:.1f} ms")


main()
