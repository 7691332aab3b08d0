"""snugmesh beside what else PyPI has for people: a figure against itself, two of them, and points inside, in the same poses.

usage: people.py [COUNT [QUESTION...]]     poses of figure.random_poses(seed=1), 12; questions: self two inside batches

All but the first row of each question are given vertices, which somebody has to compute before. A peer that is not installed is
left out and named. Processor time of one thread where the peer uses one; of all of its threads otherwise.
batches: wall times of snugmesh alone, for 1,000 poses in one call, on all cores and on one; least of three.
"""
import importlib
import os
import sys
import time
from pathlib import Path

import numpy as np

import snugmesh as snug
from snugmesh import batch, smpl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
import figure  # noqa: E402

SHIFT = np.array([0.35, 0, 0.25], np.float32)


class Case:
    def __init__(self, count):
        self.model = smpl.BodyModel(**figure.make_figure())
        self.posed = self.model.pose(*figure.random_poses(count))
        self.faces = self.model.model.triangles()
        self.bodies = [snug.Body(self.model.model) for _ in range(2)]
        self.free = [snug.Body(snug.Model(self.model.model.positions(), self.faces, deformer="free")) for _ in range(2)]
        self.vertices = []
        for i in range(count):
            self.set(0, i)
            self.vertices.append(self.bodies[0].vertices())
        random = np.random.default_rng(0)
        rest = self.model.model.positions()
        self.points = (rest[random.integers(0, len(rest), 5000)] + 0.02 * random.normal(size=(5000, 3))).astype(np.float32)

    def set(self, k, i):
        self.bodies[k].set_amplitudes(self.posed.amplitudes[i])
        self.bodies[k].set_joints(self.posed.joints[i])


def ask_self(case, count):
    def posed(i):
        case.set(0, i)
        return len(np.unique(snug.collide_self(case.bodies[0])))

    def given(i):
        case.free[0].set_vertices(case.vertices[i])
        return len(np.unique(snug.collide_self(case.free[0])))

    def meshlib(i):
        mm, mn = importlib.import_module("meshlib.mrmeshpy"), importlib.import_module("meshlib.mrmeshnumpy")
        mesh = mn.meshFromFacesVerts(case.faces.astype(np.int32), case.vertices[i].astype(np.float64))
        return len({int(f) for pair in mm.findSelfCollidingTriangles(mm.MeshPart(mesh)) for f in (pair.aFace, pair.bFace)})

    def pymeshlab(i):
        ml = importlib.import_module("pymeshlab")
        meshes = ml.MeshSet()
        meshes.add_mesh(ml.Mesh(case.vertices[i].astype(np.float64), case.faces.astype(np.int32)))
        meshes.compute_selection_by_self_intersections_per_face()
        return meshes.current_mesh().selected_face_number()

    def open3d(i):
        o3d = importlib.import_module("open3d")
        mesh = o3d.geometry.TriangleMesh(o3d.utility.Vector3dVector(case.vertices[i].astype(float)), o3d.utility.Vector3iVector(case.faces.astype(np.int32)))
        return len(np.unique(np.asarray(mesh.get_self_intersecting_triangles())))

    return "itself: triangles that meet another", {"snugmesh, posed": posed, "snugmesh": given, "MeshLib": meshlib, "PyMeshLab": pymeshlab, "Open3D": open3d}


def ask_two(case, count):
    def posed(i):
        case.set(0, i)
        case.set(1, (i + 1) % count)
        case.bodies[1].set_frame(SHIFT.astype(float))
        return len(snug.collide(*case.bodies))

    def given(i):
        case.free[0].set_vertices(case.vertices[i])
        case.free[1].set_vertices(case.vertices[(i + 1) % count] + SHIFT)
        return len(snug.collide(*case.free))

    def fcl(i):
        library = importlib.import_module("fcl")
        objects = []
        for x in (case.vertices[i], case.vertices[(i + 1) % count] + SHIFT):
            model = library.BVHModel()
            model.beginModel(len(x), len(case.faces))
            model.addSubModel(x.astype(np.float64), case.faces.astype(np.int64))
            model.endModel()
            objects.append(library.CollisionObject(model))
        request = library.CollisionRequest(num_max_contacts=1 << 20, enable_contact=True)
        result = library.CollisionResult()
        library.collide(*objects, request, result)
        return len({(c.b1, c.b2) for c in result.contacts})

    def meshlib(i):
        mm, mn = importlib.import_module("meshlib.mrmeshpy"), importlib.import_module("meshlib.mrmeshnumpy")
        meshes = [mn.meshFromFacesVerts(case.faces.astype(np.int32), x.astype(np.float64)) for x in (case.vertices[i], case.vertices[(i + 1) % count] + SHIFT)]
        return len(mm.findCollidingTriangles(*map(mm.MeshPart, meshes)))

    return "two: pairs", {"snugmesh, posed": posed, "snugmesh": given, "python-fcl": fcl, "MeshLib": meshlib}


def ask_inside(case, count):
    def posed(i):
        case.set(0, i)
        return int((snug.find_inside(case.bodies[0], case.points)["winding"] > 0).sum())

    def given(i):
        case.free[0].set_vertices(case.vertices[i])
        return int((snug.find_inside(case.free[0], case.points)["winding"] > 0).sum())

    def igl(i):
        library = importlib.import_module("igl")
        x, f, p = case.vertices[i].astype(np.float64), case.faces.astype(np.int64), case.points.astype(np.float64)
        return int((library.fast_winding_number(x, f, p) > 0.5).sum())

    def igl_exact(i):
        library = importlib.import_module("igl")
        x, f, p = case.vertices[i].astype(np.float64), case.faces.astype(np.int64), case.points.astype(np.float64)
        return int((library.winding_number(x, f, p) > 0.5).sum())

    def open3d(i):
        o3d = importlib.import_module("open3d")
        scene = o3d.t.geometry.RaycastingScene()
        scene.add_triangles(o3d.core.Tensor(case.vertices[i]), o3d.core.Tensor(case.faces))
        return int(scene.compute_occupancy(o3d.core.Tensor(case.points)).numpy().sum())

    def trimesh(i):
        library = importlib.import_module("trimesh")
        return int(library.Trimesh(case.vertices[i], case.faces, process=False).contains(case.points).sum())

    names = {"snugmesh, posed": posed, "snugmesh": given, "libigl, fast": igl, "libigl": igl_exact, "Open3D": open3d, "trimesh": trimesh}
    return "5,000 points: inside, by winding", names


def measure_batches(model, count=1000):
    betas, poses = figure.random_poses(count)
    translations = np.zeros((count, 3))
    start = time.perf_counter()
    first = batch.Poses(model.model, *model.pose(betas, poses, translations))
    posed_s = time.perf_counter() - start
    second = batch.Poses(model.model, *model.pose(np.roll(betas, 1, 0), np.roll(poses, 1, 0), translations + SHIFT))
    print(f"{count} poses in one call; matrices and amplitudes by numpy {posed_s:.2f} s", flush=True)
    for name, ask in (("itself", lambda n: batch.collide_self(first, threads=n)), ("couples", lambda n: batch.collide(first, second, threads=n))):
        walls = []
        for threads in (None, 1):
            for _ in range(3):
                start = time.perf_counter()
                found = ask(threads)
                walls.append(time.perf_counter() - start)
        cores = len(os.sched_getaffinity(0))
        print(f"  {name}: {min(walls[:3]):.2f} s on {cores} cores, {min(walls[3:]):.2f} s on one; {len(found.pairs)} pairs", flush=True)


def main():
    count = int(sys.argv[1]) if sys.argv[1:] else 12
    questions = sys.argv[2:] or ["self", "two", "inside", "batches"]
    case = Case(count)
    for question in [globals()[f"ask_{name}"] for name in questions if name != "batches"]:
        title, answers = question(case, count)
        print(f"{title}, {count} poses", flush=True)
        expected = [answers["snugmesh, posed"](i) for i in range(count)]
        for name, answer in answers.items():
            some = count
            try:
                start = time.process_time()
                answer(0)
                some = count if time.process_time() - start < 1 else 2
                start = time.process_time()
                found = [answer(i) for i in range(some)]
                seconds = (time.process_time() - start) / some
            except ImportError as error:
                print(f"  {name}: left out, {error}")
                continue
            except Exception as error:  # whatever a peer says
                print(f"  {name}: fails, {type(error).__name__}: {str(error)[:100]}")
                continue
            same = sum(a == b for a, b in zip(found, expected))
            print(f"  {name}: {1e3 * seconds:.2f} ms, {sum(found)} of {sum(expected[:some])}, the same in {same} of {some} poses", flush=True)
    if "batches" in questions:
        measure_batches(case.model)


if __name__ == "__main__":
    main()
