"""Draws a figure that goes through itself, pulled apart; and one whose hand is to stay on its hip.

usage: untangle.py [--seed 1] [-o untangle.png]     needs torch
"""
import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import torch
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import figure
import snugmesh as snug
from snugmesh import overlap, smpl

NEAR = 0.005
"""how far what is to touch may be apart, in metres"""


def choose(body_model, joints):
    """The triangles that these joints move most: a part of the body, with all of its vertices."""
    mine = np.isin(body_model.skin.argmax(axis=1), joints)
    triangles = body_model.model.triangles()
    return overlap.Surface(snug.Model(body_model.model.positions(), triangles[mine[triangles].all(axis=1)]))


def find_touch():
    """A pose with the left hand in the hip."""
    pose = torch.zeros(1, 24, 3)
    pose[0, 16, 2], pose[0, 18, 2], pose[0, 17, 2] = -0.9, -1.3, 1.1
    return pose


def draw(axis, surface, vertices, title):
    surface.body.set_vertices(vertices)
    pairs = snug.collide_self(surface.body)
    corners = vertices[:, [2, 0, 1]][surface.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    light = 0.65 + 0.35 * (normals / np.linalg.norm(normals, axis=1, keepdims=True)) @ [0.6, 0.3, 0.7]
    colors = light[:, None] * np.array([0.82, 0.84, 0.88])
    colors[np.unique(pairs)] = [0.9, 0.1, 0.1]
    axis.add_collection3d(Poly3DCollection(corners, facecolors=colors, edgecolors="none"))
    axis.set(xlim=(-0.6, 0.6), ylim=(-0.6, 0.6), zlim=(0, 1.75))
    axis.set_box_aspect((1.2, 1.2, 1.75), zoom=1.2)
    axis.view_init(8, 20)
    axis.set_axis_off()
    axis.set_title(f"{title}: {len(pairs)} pairs")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", dest="path", default="untangle.png")
    options = parser.parse_args()
    body_model = smpl.BodyModel(**figure.make_figure())
    surface = overlap.Surface(body_model.model)
    hand, hip = choose(body_model, [20, 22]), choose(body_model, [0, 1, 3])
    betas, poses = (torch.tensor(values, dtype=torch.float32) for values in figure.random_poses(20, seed=options.seed))

    def bring(shape, pose):
        return body_model.vertices(body_model.pose(shape, pose))

    def ask(pose):
        return overlap.volumes_within(surface, bring(shape, pose))

    def ask_with_touch(pose):
        vertices = bring(shape, pose)
        volumes, counts = overlap.volumes_within(surface, vertices)
        return overlap.Volumes(volumes + overlap.distances_between(hand, hip, vertices, vertices) ** 2, counts)

    shape, start = next((b[None], p[None]) for b, p in zip(betas, poses) if overlap.within(surface, bring(b[None], p[None])[0]).volume > 1e-4)
    picture, axes = plt.subplots(1, 4, figsize=(11, 5), subplot_kw={"projection": "3d"})
    found = overlap.untangle(ask, start)
    draw(axes[0], surface, bring(shape, start)[0].numpy(), "noise")
    draw(axes[1], surface, bring(shape, found.pose)[0].numpy(), f"{found.steps} steps later")
    shape, touch = torch.zeros(1, 10), find_touch()
    kept = overlap.untangle(ask_with_touch, touch, until=NEAR**2)
    draw(axes[2], surface, bring(shape, touch)[0].numpy(), "hand in hip")
    draw(axes[3], surface, bring(shape, kept.pose)[0].numpy(), f"{kept.steps} steps later")
    vertices = bring(shape, kept.pose)
    gap = 1000 * float(overlap.distances_between(hand, hip, vertices, vertices))
    picture.subplots_adjust(0, 0, 1, 1, 0, 0)
    picture.savefig(options.path, dpi=150, bbox_inches="tight", pad_inches=0.1)
    print(f"{options.path}: {found.before} pairs, {found.after} after {found.steps} steps; hand in hip {kept.before}, {kept.after} after {kept.steps}, {gap:.2f} mm apart")


if __name__ == "__main__":
    main()
