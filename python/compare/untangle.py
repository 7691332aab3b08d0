"""Poses that meet themselves, pulled apart by gradients: the volume of snugmesh.overlap beside three other losses, with one optimiser.

usage: untangle.py [COUNT [NOISE [LOSS...]]] [--poses 7,416]     losses: volume planes cones push

The first COUNT poses (200) that meet themselves, of figure.random_poses(4 * COUNT, seed=1, noise=NOISE): natural ones with noise
(0.35). With --poses these alone, of the same ones, and a line for each.
snugmesh.overlap.untangle takes STEPS steps at most, of TURN radians at the joint that turns most, the root held. A step after
which more pairs of triangles meet than before is refused. Prints a line for each loss, and the poses that were not solved.
Needs torch, and scipy for push.

volume: overlap.volumes_within.
planes: how far corners of triangles that meet are behind each other's planes, squared: what comes to mind first.
cones: Tzionas et al., Capturing hands in action (2016), section 3.3: fields in cones over the triangles that meet, which
SMPLify-X uses, too; of heights of 0.5, 0.1 and 0.02 m the one that does best. push: Müller et al., On self-contact
and human pose (2021): vertices that are inside are drawn to the nearest vertex that is more than 30 cm away along the
skin, by tanh. Both are written from the papers.
"""
import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch

import snugmesh as snug
from snugmesh import overlap, smpl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
import figure  # noqa: E402

TURN, STEPS, CONE, FAR = 0.03, 50, 0.02, 0.3


class Figure:
    """The body, and what losses ask it."""

    def __init__(self):
        arrays = figure.make_figure()
        self.model = smpl.BodyModel(**arrays)
        self.surface = overlap.Surface(self.model.model)
        self.faces = torch.tensor(arrays["f"].astype(np.int64))
        self.rest = arrays["v_template"]
        self.free = torch.ones(24, 1)
        self.free[0] = 0
        self.nearby = None

    def pose(self, betas, pose):
        return self.model.vertices(self.model.pose(betas, pose))

    def find_pairs(self, vertices):
        self.surface.body.set_vertices(vertices[0].detach().numpy())
        return snug.collide_self(self.surface.body, keep_rest=True)

    def find_near(self, far):
        """Whether two vertices are near each other along the skin, by edges at rest."""
        if self.nearby is None:
            from scipy.sparse import coo_matrix
            from scipy.sparse.csgraph import dijkstra

            f = self.faces.numpy()
            a, b = f.ravel(), f[:, [1, 2, 0]].ravel()
            graph = coo_matrix((np.linalg.norm(self.rest[a] - self.rest[b], axis=1), (a, b)), shape=(len(self.rest),) * 2)
            self.nearby = torch.tensor(np.isfinite(dijkstra(graph, directed=False, limit=far)))
        return self.nearby


def volume(body, vertices, pairs):
    return overlap.volumes_within(body.surface, vertices).volumes.sum()


def frames(body, vertices, pairs):
    """Corners of both triangles of each pair, and the normals of the other ones."""
    corners = vertices[0][body.faces[torch.tensor(pairs.astype(np.int64))]]
    normals = torch.linalg.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    return corners, torch.nn.functional.normalize(normals, dim=-1)


def planes(body, vertices, pairs):
    corners, normals = frames(body, vertices, pairs)
    height = torch.einsum("psci,psi->psc", corners.flip(1) - corners[:, :, :1], normals)
    return torch.relu(-height).pow(2).sum()


def cones(body, vertices, pairs):
    corners, normals = frames(body, vertices, pairs)
    a, b = corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0]
    cross = torch.linalg.cross(a, b)
    up = a.pow(2).sum(-1, keepdim=True) * torch.linalg.cross(b, cross) + b.pow(2).sum(-1, keepdim=True) * torch.linalg.cross(cross, a)
    center = up / (2 * cross.pow(2).sum(-1, keepdim=True))
    radius = center.norm(dim=-1)[..., None]
    offset = corners.flip(1) - (corners[:, :, 0] + center)[:, :, None]
    height = torch.einsum("psci,psi->psc", offset, normals)
    beside = (offset - height[..., None] * normals[:, :, None]).norm(dim=-1)
    phi = beside / (radius - radius / CONE * height)
    middle = -(1 - 2 * CONE) / (4 * CONE**2) * height**2 - height / (2 * CONE) + (3 - 2 * CONE) / 4
    intensity = torch.where(height <= -CONE, 1 - CONE - height, torch.where(height < CONE, middle, torch.zeros_like(height)))
    inside = (phi < 1) & (height < CONE)
    return torch.where(inside, ((1 - phi) * intensity).pow(4), torch.zeros_like(phi)).sum()


def push(body, vertices, pairs):
    x = vertices[0]
    corners = x[body.faces].detach()
    flat = torch.linalg.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = torch.zeros_like(x).index_add_(0, body.faces.ravel(), flat.repeat_interleave(3, 0))
    outside = x.detach() + 1e-4 * torch.nn.functional.normalize(normals, dim=-1)
    inside = np.nonzero(snug.find_inside(body.surface.body, outside.numpy())["winding"] > 0)[0]
    if len(inside) == 0:
        return 0 * x.sum()
    far = torch.cdist(x[inside].detach(), x.detach()).masked_fill(body.find_near(FAR)[inside], torch.inf)
    nearest = far.argmin(dim=1)
    return (torch.tanh((x[inside] - x[nearest]).norm(dim=-1) / 0.04)).pow(2).sum()


def try_pose(body, loss, betas, start):
    """What untangle says, and by how much each joint has turned."""
    betas = torch.tensor(betas[None], dtype=torch.float32)

    def ask(pose):
        vertices = body.pose(betas, pose * body.free)
        pairs = body.find_pairs(vertices)
        value = loss(body, vertices, pairs) if len(pairs) else vertices.sum() * 0
        return overlap.Volumes(value, torch.tensor(len(pairs)))

    found = overlap.untangle(ask, torch.tensor(start[None], dtype=torch.float32), steps=STEPS, turn=TURN)
    return found, np.linalg.norm(found.pose.numpy()[0] - start, axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=200)
    parser.add_argument("noise", nargs="?", type=float, default=0.35)
    parser.add_argument("losses", nargs="*", default=["volume", "planes", "cones", "push"])
    parser.add_argument("--poses", type=lambda text: [int(number) for number in text.split(",")])
    options = parser.parse_args()
    count, noise = options.count, options.noise
    torch.set_num_threads(1)
    body = Figure()
    betas, poses = figure.random_poses(4 * count, noise=noise)
    met = options.poses or []
    for i, (b, p) in enumerate(zip(betas, poses)):
        if not options.poses and len(met) < count and len(body.find_pairs(body.pose(torch.tensor(b[None]), torch.tensor(p[None])).float())):
            met.append(i)
    print(f"{len(met)} poses of figure.random_poses({4 * count}, seed=1, noise={noise}), the last of them number {met[-1]}", flush=True)
    for loss in [globals()[name] for name in options.losses]:
        start = time.process_time()
        results = [try_pose(body, loss, betas[i], poses[i]) for i in met]
        seconds = time.process_time() - start
        solved = [found.after == 0 for found, _ in results]
        most = np.median([turned.max() for _, turned in results])
        print(
            f"{loss.__name__}: {sum(solved)} of {len(met)} solved, {sum(r.after > r.before for r, _ in results)} worse, "
            f"pairs {sum(r.before for r, _ in results)} -> {sum(r.after for r, _ in results)}, "
            f"median of steps {np.median([r.steps for r, _ in results]):.0f}, of the joint that turned most {most:.3f} rad; "
            f"{1e3 * seconds / sum(r.steps + 1 for r, _ in results):.0f} ms a step"
        )
        print("  not solved:", [i for i, ok in zip(met, solved) if not ok], flush=True)
        for i, (found, turned) in zip(options.poses or [], results):
            print(f"  pose {i}: {found.before} -> {found.after} pairs in {found.steps} steps, {turned.max():.3f} rad at joint {turned.argmax()}")


if __name__ == "__main__":
    main()
