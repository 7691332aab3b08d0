"""A library on a sequence of a truth set (docs/truth.md): finds all pairs in every frame, writes the answers, and prints what a
frame takes, in processor time.

usage: peer.py snugmesh|snugmesh-vertices|python-fcl|coal|trimesh X.truth X.answers

snugmesh gets what moves a body: matrices. All others get its vertices, which somebody has to compute first; that is not counted.
"""
import sys
import time

import numpy as np

from truth_file import read_frames, write_answers


class Snugmesh:
    """Skins, posed by their joints."""

    def __init__(self, bodies):
        import snugmesh as snug

        self.collide = snug.collide
        self.bodies = [
            snug.Body(snug.Model(b.positions, b.triangles, joints=b.joints.astype(np.uint16), weights=b.weights,
                                 influence_starts=b.starts, joint_count=b.joint_count, deformer=b.deformer))
            for b in bodies
        ]

    def pose(self, frame):
        for body, (position, rotation, matrices, _) in zip(self.bodies, frame):
            body.set_joints(matrices)
            body.set_frame(position, rotation)

    def find_pairs(self):
        return self.collide(*self.bodies)


class SnugmeshVertices(Snugmesh):
    """Free bodies: vertices are set."""

    def __init__(self, bodies):
        import snugmesh as snug

        self.collide = snug.collide
        self.bodies = [snug.Body(snug.Model(b.positions, b.triangles, deformer="free")) for b in bodies]

    def pose(self, frame):
        for body, (_, _, _, vertices) in zip(self.bodies, frame):
            body.set_vertices(vertices)


class Fcl:
    """python-fcl: its bindings replace no vertices of a model, so trees are built anew in every frame."""

    def __init__(self, bodies):
        import fcl

        self.fcl = fcl
        self.triangles = [b.triangles.astype(np.int64) for b in bodies]

    def build(self, vertices, triangles):
        model = self.fcl.BVHModel()
        model.beginModel(len(vertices), len(triangles))
        model.addSubModel(vertices.astype(np.float64), triangles)
        model.endModel()
        return self.fcl.CollisionObject(model, self.fcl.Transform())

    def pose(self, frame):
        self.objects = [self.build(f[3], t) for f, t in zip(frame, self.triangles)]

    def find_pairs(self):
        request = self.fcl.CollisionRequest(num_max_contacts=1 << 22, enable_contact=True)
        result = self.fcl.CollisionResult()
        self.fcl.collide(*self.objects, request, result)
        return [(contact.b1, contact.b2) for contact in result.contacts]


class Coal(Fcl):
    """Coal, in the same way: OBBRSS, its default."""

    def __init__(self, bodies):
        import coal

        self.coal = coal
        self.triangles = [b.triangles.astype(np.int64) for b in bodies]

    def build(self, vertices, triangles):
        model = self.coal.BVHModelOBBRSS()
        model.beginModel(len(triangles), len(vertices))
        model.addVertices(vertices.astype(np.float64))
        model.addTriangles(triangles)
        model.endModel()
        return model

    def find_pairs(self):
        request, result, place = self.coal.CollisionRequest(), self.coal.CollisionResult(), self.coal.Transform3s()
        request.num_max_contacts = 1 << 22
        self.coal.collide(self.objects[0], place, self.objects[1], place, request, result)
        return [(contact.b1, contact.b2) for contact in map(result.getContact, range(result.numContacts()))]


class Trimesh:
    """trimesh's collision managers, which ask python-fcl."""

    def __init__(self, bodies):
        import trimesh

        self.trimesh = trimesh
        self.triangles = [b.triangles for b in bodies]

    def pose(self, frame):
        self.managers = []
        for name, (_, _, _, vertices), triangles in zip("ab", frame, self.triangles):
            manager = self.trimesh.collision.CollisionManager()
            manager.add_object(name, self.trimesh.Trimesh(vertices, triangles, process=False))
            self.managers.append(manager)

    def find_pairs(self):
        first, second = self.managers
        _, contacts = first.in_collision_other(second, return_data=True)
        return [(contact.index("a"), contact.index("b")) for contact in contacts]


CONTESTANTS = {"snugmesh": Snugmesh, "snugmesh-vertices": SnugmeshVertices, "python-fcl": Fcl, "coal": Coal, "trimesh": Trimesh}


def main():
    name, question, output = sys.argv[1:]
    bodies, frames = read_frames(question)
    contestant = CONTESTANTS[name](bodies)
    answers, pose_s, query_s = [], 0.0, 0.0
    for frame in frames:
        start = time.process_time()
        contestant.pose(frame)
        posed = time.process_time()
        pairs = contestant.find_pairs()
        query_s += time.process_time() - posed
        pose_s += posed - start
        answers.append(np.array(pairs, dtype=np.uint32).reshape(-1, 2))
    write_answers(output, question, answers)
    count = len(frames)
    print("build %.3f ms, query %.3f ms per frame" % (1e3 * pose_s / count, 1e3 * query_s / count))


if __name__ == "__main__":
    main()
