"""Draws where a skin is touched, and for how long, over a clip: a heat map on the character, from two sides.

usage: contact_heat.py TOUCHED.glb OTHER.glb [-o heat.png]
"""
import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import snugmesh as snug

# Without the white and the black ends, which a lit surface has itself.
HEAT = matplotlib.colors.ListedColormap(plt.cm.hot_r(np.linspace(0.15, 0.75, 256)))


def count_frames(touched, other, options, times):
    """For each face of each body of `touched`, in how many frames something of `other` touches it."""
    heat = [np.zeros(body.model.triangle_count) for body in touched.bodies]
    for time in times:
        touched.pose(options.clips[0], time)
        other.pose(options.clips[1], time, position=options.place[:3], rotation=options.place[3:])
        for body, frames in zip(touched.bodies, heat):
            pairs = np.concatenate([snug.collide(body, b) for b in other.bodies])
            frames += snug.face_mask(pairs, 0, len(frames))
    return heat


def spread(triangles, values, rounds=2):
    """Smooth from face to face by way of the vertices: single triangles are smaller than a pixel."""
    count = int(triangles.max()) + 1
    uses = np.maximum(np.bincount(triangles.ravel(), minlength=count), 1)
    for _ in range(rounds):
        at_vertices = np.bincount(triangles.ravel(), np.repeat(values, 3), minlength=count) / uses
        values = at_vertices[triangles].mean(axis=1)
    return values


def draw(axis, touched, heat, most, azimuth):
    """The character at rest, lit from above. glTF has y up, matplotlib z."""
    touched.pose()
    low, high = [], []
    for body, frames in zip(touched.bodies, heat):
        vertices, faces = snug.mesh(body)
        corners = vertices[:, [2, 0, 1]][faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
        light = 0.65 + 0.35 * normals @ [0.3, 0.3, 0.9]
        shown = np.clip(spread(faces, frames) / most, 0, 1)
        colors = np.where(shown[:, None] > 0.01, HEAT(shown), (0.8, 0.82, 0.85, 1.0))
        colors[:, :3] *= light[:, None]
        axis.add_collection3d(Poly3DCollection(corners, facecolors=colors, edgecolors="none"))
        low.append(corners.min(axis=(0, 1)))
        high.append(corners.max(axis=(0, 1)))
    low, high = np.min(low, axis=0), np.max(high, axis=0)
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axis.set_box_aspect(high - low, zoom=1.2)
    axis.set_axis_off()
    axis.view_init(elev=8, azim=azimuth)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs=2)
    parser.add_argument("--clips", nargs=2, default=["idle", "kick"])
    parser.add_argument("--place", nargs=7, type=float, default=[1.2, 0, -0.05, 0, -(0.5**0.5), 0, 0.5**0.5],
                        help="of the other: x y z and a quaternion")
    parser.add_argument("--fps", type=float, default=60)
    parser.add_argument("-o", "--output", default="heat.png")
    options = parser.parse_args()
    touched, other = (snug.load(path).actor() for path in options.files)
    clip = other.file.clips[other.file.find_clip(options.clips[1])]
    times = np.arange(clip.start, clip.end, 1 / options.fps)
    heat = count_frames(touched, other, options, times)
    most = max(frames.max() for frames in heat)
    figure = plt.figure(figsize=(13, 6), constrained_layout=True)
    for k, azimuth in enumerate((20, 110)):
        draw(figure.add_subplot(1, 2, k + 1, projection="3d"), touched, heat, max(most, 1), azimuth)
    scale = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(0, 1000 * most / options.fps), HEAT)
    figure.colorbar(scale, ax=figure.axes, label="milliseconds of contact", shrink=0.7)
    figure.savefig(options.output, dpi=100)
    faces = sum(np.count_nonzero(frames) for frames in heat)
    print(f"{options.output}: {len(times)} frames; {faces} faces are touched, for up to {1000 * most / options.fps:.0f} ms")


main()
