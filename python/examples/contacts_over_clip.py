"""Draws how two characters meet over a clip: pairs of triangles, lengths of contact curves, and the worst moment.

usage: contacts_over_clip.py MAN.glb CREATURE.glb [-o contacts.png]
"""
import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

import snugmesh as snug

COLORS = ("#4878a8", "#c0803c")
RED = "#d02818"


class Meeting:
    """Two actors, and what their bodies do to each other at a time."""

    def __init__(self, options):
        self.actors = [snug.load(path).actor() for path in options.files]
        self.clips, self.place = options.clips, options.place

    def go_to(self, time):
        self.actors[0].pose(self.clips[0], time)
        self.actors[1].pose(self.clips[1], time, position=self.place[:3], rotation=self.place[3:])

    def find_contacts(self):
        first, second = (actor.bodies for actor in self.actors)
        return [(a, b, snug.find_contacts(a, b), a.counters) for a in first for b in second]


def measure(meeting, times):
    """Pairs of triangles, length of the curves, and vertices evaluated in each frame."""
    rows = []
    for time in times:
        meeting.go_to(time)
        found = meeting.find_contacts()
        contacts = [c for _, _, c, _ in found]
        evaluated = sum(counters.vertices_evaluated for _, _, _, counters in found)
        rows.append((sum(map(len, contacts)), sum(c.curves["length"].sum() for c in contacts), evaluated))
    return np.array(rows)


def draw_over_time(axes, times, rows, vertex_count):
    axes[0].fill_between(times, rows[:, 0], color=RED, alpha=0.25, step="mid")
    axes[0].step(times, rows[:, 0], color=RED, where="mid")
    axes[0].set_ylabel("pairs of triangles")
    axes[1].plot(times, rows[:, 1], color="black")
    axes[1].set_ylabel("length of contact curves")
    # Where boxes alone decide, no vertex is evaluated: a logarithm has no place for that.
    axes[2].semilogy(times, np.where(rows[:, 2] > 0, rows[:, 2], np.nan), ".-", color=COLORS[0], label="evaluated")
    axes[2].axhline(vertex_count, color="gray", linestyle="--", label="of both meshes")
    axes[2].legend(loc="center right")
    axes[2].set_ylabel("vertices")
    axes[2].set_xlabel("seconds")


def draw_moment(axis, meeting, time):
    """The triangles around contact, and the curves on top of them. glTF has y up, matplotlib z."""
    meeting.go_to(time)
    swap = [2, 0, 1]
    places = []
    for a, b, contacts, _ in meeting.find_contacts():
        for side, body in enumerate((a, b)):
            touched = np.unique(contacts.pairs[:, side])
            faces = find_neighbours(body.model.triangles(), touched, 4)
            corners = body.triangles(faces)[:, :, swap]
            color = np.where(np.isin(faces, touched)[:, None], matplotlib.colors.to_rgba(RED, 0.5),
                             matplotlib.colors.to_rgba(COLORS[side], 0.25))
            axis.add_collection3d(Poly3DCollection(corners, facecolors=color, edgecolors="#00000030", linewidths=0.3))
            places.append(corners.reshape(-1, 3))
        axis.add_collection3d(Line3DCollection([line[:, swap] for line in contacts.lines()], colors="black", linewidths=2))
    places = np.concatenate(places)
    center, half = (places.min(axis=0) + places.max(axis=0)) / 2, np.ptp(places, axis=0).max() / 2
    axis.set(xlim=(center[0] - half, center[0] + half), ylim=(center[1] - half, center[1] + half),
             zlim=(center[2] - half, center[2] + half), title=f"most contact, at {time:.2f} s")
    axis.set_box_aspect((1, 1, 1), zoom=1.5)
    axis.set_axis_off()
    axis.view_init(elev=15, azim=-60)


def find_neighbours(triangles, seeds, rings):
    """Faces within some rings of faces around others."""
    near = np.zeros(len(triangles), bool)
    near[seeds] = True
    for _ in range(rings):
        near = np.isin(triangles, np.unique(triangles[near])).any(axis=1)
    return np.flatnonzero(near)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs=2)
    parser.add_argument("--clips", nargs=2, default=["kick", "idle"])
    parser.add_argument("--place", nargs=7, type=float, default=[0.05, 0, 1.2, 0, 0.5**0.5, 0, 0.5**0.5],
                        help="of the second: x y z and a quaternion")
    parser.add_argument("--fps", type=float, default=60)
    parser.add_argument("-o", "--output", default="contacts.png")
    options = parser.parse_args()
    meeting = Meeting(options)
    clip = meeting.actors[0].file.clips[meeting.actors[0].file.find_clip(options.clips[0])]
    times = np.arange(clip.start, clip.end, 1 / options.fps)
    rows = measure(meeting, times)
    vertex_count = sum(body.model.vertex_count for actor in meeting.actors for body in actor.bodies)
    figure = plt.figure(figsize=(13, 6), constrained_layout=True)
    grid = figure.add_gridspec(3, 2, width_ratios=[1, 1])
    first = figure.add_subplot(grid[0, 0])
    draw_over_time([first, *(figure.add_subplot(grid[k, 0], sharex=first) for k in (1, 2))], times, rows, vertex_count)
    if rows[:, 0].max() > 0:
        draw_moment(figure.add_subplot(grid[:, 1], projection="3d"), meeting, times[rows[:, 0].argmax()])
    figure.savefig(options.output, dpi=110)
    print(f"{options.output}: {len(times)} frames, {rows[:, 0].sum():.0f} pairs, most {rows[:, 0].max():.0f}")


main()
