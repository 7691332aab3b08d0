"""Whether volumes of snugmesh.overlap jump along pose paths.

usage: paths.py [COUNT [SEED]]

COUNT paths (1000), straight from one pose of figure.random_poses(seed=SEED) to another, of seed 2: every second one of a figure and itself,
the others of two figures that walk into each other. Along each, at 12 places; then the step with the greatest change is halved
15 times, each time the half that changes more: what is left is a jump, if there is one. Says the greatest, over the greatest
volume of its path, of paths on which that is more than a cubic millimetre.
"""
import sys
from pathlib import Path

import numpy as np

import snugmesh as snug
from snugmesh import overlap, smpl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
import figure  # noqa: E402


def find_jump(ask):
    """The greatest jump of a function on [0, 1], and its greatest value."""
    places = np.linspace(0, 1, 12)
    values = [ask(t) for t in places]
    at = int(np.argmax(np.abs(np.diff(values))))
    (low, high), (first, last) = places[at : at + 2], values[at : at + 2]
    for _ in range(15):
        middle = (low + high) / 2
        value = ask(middle)
        if abs(value - first) > abs(last - value):
            high, last = middle, value
        else:
            low, first = middle, value
    return abs(last - first), max(values)


def find_jumps(count, seed):
    """Of each path: its greatest jump, and its greatest volume, in cubic metres."""
    body_model = smpl.BodyModel(**figure.make_figure())
    bodies = [snug.Body(body_model.model) for _ in range(2)]
    surfaces = [overlap.Surface(body_model.model) for _ in range(2)]
    betas, poses = figure.random_poses(2 * count, seed=seed)

    def place(k, number, t, shift):
        pose = (1 - t) * poses[number] + t * poses[number ^ 1]
        body_model.set_pose(bodies[k], betas[number & ~1], pose, shift)
        return bodies[k].vertices()

    for i in range(count):
        if i % 2 == 0:
            yield find_jump(lambda t: overlap.within(surfaces[0], place(0, 2 * i, t, np.zeros(3))).volume)
        else:
            yield find_jump(
                lambda t: overlap.between(
                    *surfaces, place(0, 2 * i, t, np.zeros(3)), place(1, 2 * i - 1, t, np.array([0.1, 0, 0.8 - 0.7 * t]))
                ).volume
            )


def main():
    count, seed = (int(text) for text in [*sys.argv[1:], *("1000", "2")[len(sys.argv) - 1 :]])
    jumps = []
    for jump in find_jumps(count, seed):
        jumps.append(jump)
        if len(jumps) % 100 == 0 or len(jumps) == count:
            found = np.array(jumps)
            met = found[:, 1] > 1e-9
            ratios = found[met, 0] / found[met, 1]
            print(
                f"{len(jumps)} paths, {met.sum()} with more than a cubic millimetre: greatest jump {ratios.max():.1e} of the greatest volume, "
                f"median {np.median(ratios):.1e}, above 1e-3: {(ratios > 1e-3).sum()}",
                flush=True,
            )


if __name__ == "__main__":
    main()
