"""Draws how far a vibrating plate is from a ball: over time, and vertex by vertex.

usage: modal_distances.py [-o distances.png]

The plate is a modal body: a rest mesh, a displacement field for each mode, an amplitude for each in every frame. No vertex is
moved to ask for the distance.
"""
import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import snugmesh as snug

SIZE = 48
WAVES = [(1, 1), (2, 1), (1, 3), (3, 2)]
RADIUS = 0.35


def make_plate():
    """A square sheet with held edges, and its modes: products of sines, whose frequencies go with m² + n²."""
    u, v = np.meshgrid(np.linspace(0, 1, SIZE + 1), np.linspace(0, 1, SIZE + 1), indexing="ij")
    positions = np.stack([2 * u - 1, 2 * v - 1, np.zeros_like(u)], axis=-1).reshape(-1, 3)
    corner = (np.arange(SIZE)[:, None] * (SIZE + 1) + np.arange(SIZE)).ravel()
    row = SIZE + 1
    faces = np.concatenate([
        np.stack([corner, corner + row, corner + 1], axis=1),
        np.stack([corner + 1, corner + row, corner + row + 1], axis=1),
    ])
    fields = np.zeros((len(WAVES), len(positions), 3))
    for field, (m, n) in zip(fields, WAVES):
        field[:, 2] = (np.sin(m * np.pi * u) * np.sin(n * np.pi * v)).ravel()
    return snug.model(positions, faces, fields=fields)


def make_ball(rings=24):
    """A sphere of latitudes and longitudes."""
    polar, turn = np.meshgrid(np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False), indexing="ij")
    positions = RADIUS * np.stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], axis=-1)
    i, j = np.meshgrid(np.arange(rings), np.arange(2 * rings), indexing="ij")
    a, b = i * 2 * rings + j, i * 2 * rings + (j + 1) % (2 * rings)
    faces = np.concatenate([np.stack([a, a + 2 * rings, b], -1), np.stack([b, a + 2 * rings, b + 2 * rings], -1)])
    return snug.model(positions.reshape(-1, 3), faces.reshape(-1, 3))


def get_amplitudes(time):
    """A struck plate: every mode rings with its own frequency, and dies away."""
    return np.array(
        [0.22 / (k + 1) * np.exp(-0.6 * time * (k + 1)) * np.cos(2 * np.pi * 0.7 * (m * m + n * n) / 2 * time)
         for k, (m, n) in enumerate(WAVES)], np.float32)


def draw_plate(axis, plate, ball, time, most):
    """The plate from the side, its vertices coloured by how far the ball is."""
    plate.set_amplitudes(get_amplitudes(time))
    vertices = plate.vertices()
    gaps = snug.find_closest(ball, vertices)["distance"]
    shape = (SIZE + 1, SIZE + 1)
    colors = plt.cm.magma_r(np.clip(gaps.reshape(shape) / most, 0, 1))
    x, y, z = (vertices[:, k].reshape(shape) for k in range(3))
    axis.computed_zorder = False  # drawn in this order
    axis.plot_surface(x, y, z, facecolors=colors, rcount=SIZE, ccount=SIZE, shade=False, linewidth=0, antialiased=False)
    axis.add_collection3d(Poly3DCollection(ball.triangles(np.arange(ball.model.triangle_count)), facecolors="#4878a830"))
    found = snug.find_distance(plate, ball)
    if found.distance > 0:
        points = np.stack([found.point_a, found.point_b])
        axis.plot(*points.T, color="red", linewidth=3)
    axis.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-0.3, 0.9), title=f"{time:.2f} s: {found.distance:.3f}" if found.distance else f"{time:.2f} s: contact")
    axis.set_box_aspect((2, 2, 1.2), zoom=1.4)
    axis.set_axis_off()
    axis.view_init(elev=12, azim=-55)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", default="distances.png")
    options = parser.parse_args()
    plate, ball = snug.Body(make_plate()), snug.Body(make_ball())
    ball.set_frame((0.2, -0.1, 0.2 + RADIUS))
    times = np.linspace(0, 4, 481)
    gaps = []
    for time in times:
        plate.set_amplitudes(get_amplitudes(time))
        gaps.append(snug.find_distance(plate, ball).distance)
    gaps = np.array(gaps)
    figure = plt.figure(figsize=(13, 7), constrained_layout=True)
    grid = figure.add_gridspec(2, 3, height_ratios=[1, 1.4])
    axis = figure.add_subplot(grid[0, :])
    axis.plot(times, gaps, color="black", linewidth=1)
    axis.fill_between(times, 0, gaps.max(), where=gaps == 0, color="#d02818", alpha=0.3, label="contact")
    axis.set(xlabel="seconds", ylabel="distance of plate and ball", ylim=(0, None), xlim=(times[0], times[-1]))
    axis.legend(loc="upper right")
    for k, time in enumerate((times[gaps.argmin()], times[gaps.argmax()], times[-1])):
        draw_plate(figure.add_subplot(grid[1, k], projection="3d"), plate, ball, time, 1.0)
    scale = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(0, 1.0), "magma_r")
    figure.colorbar(scale, ax=figure.axes[1:], label="distance of a vertex to the ball", shrink=0.8)
    figure.savefig(options.output, dpi=100)
    print(f"{options.output}: {len(times)} frames, {np.count_nonzero(gaps == 0)} in contact, farthest {gaps.max():.3f}")


main()
