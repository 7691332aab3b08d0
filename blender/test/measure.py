"""Times beside Blender's own BVHTree: two characters that meet in 7 of 49 frames. Usage: run.py EXTENSION.zip measure

Milliseconds of this thread's processor time per frame, each the least of several rounds.
"""

import time
import unittest

import bmesh
import support
import test_production
from mathutils.bvhtree import BVHTree
from support import bpy, check, followers, np, stage

ROUNDS = 5


def measure(work, frames, rounds=ROUNDS):
    """Mean over frames of the least time of work(frame)."""
    least = dict.fromkeys(frames, float("inf"))
    for _ in range(rounds):
        for frame in frames:
            before = time.thread_time()
            work(frame)
            least[frame] = min(least[frame], time.thread_time() - before)
    return sum(least.values()) / len(frames) * 1e3


class Measure(unittest.TestCase):
    def test_times(self):
        folder = support.need("program", "SNUG_CHARACTERS")
        for dense in ("", "-dense"):
            objects = test_production.import_characters(folder, dense)
            triangles = sum(len(obj.data.polygons) for obj in objects)
            vertices = sum(len(obj.data.vertices) for obj in objects)
            frames = tuple(range(49))
            print(f"\n{triangles} triangles, {vertices} vertices")
            self.measure_reading(objects, vertices)
            rigs, all_of_it = self.measure_snug(objects, frames)
            print(f"Blender's evaluation of rigs {rigs:.3f}; snug beyond it {all_of_it - rigs:.3f} ms a frame")
            pairs = {
                frame: len(found) for frame, _, _, found in support.run(check.Request(objects, frames=frames)).pairs
            }
            print(f"{sum(pairs.values())} pairs in {len(pairs)} frames")
            self.measure_bvh(objects, frames, pairs)

    def measure_reading(self, objects, vertices):
        make = followers.ByJoints.make
        followers.ByJoints.make = lambda *_: None  # the model is snug's
        try:
            least = min(self.time(lambda: [followers.follow(obj) for obj in objects]) for _ in range(3))
        finally:
            followers.ByJoints.make = make
        whole = min(self.time(lambda: [followers.follow(obj) for obj in objects]) for _ in range(3))
        print(f"reading {least / vertices * 1e5:.3f} s per 100,000 vertices; with models {whole / vertices * 1e5:.3f}")

    def time(self, work):
        before = time.thread_time()
        work()
        return time.thread_time() - before

    def measure_snug(self, objects, frames):
        theater = stage.Stage(bpy.context, objects)
        checker = check.Checker(bpy.context, check.Request(objects, frames=frames), theater)
        try:
            checker.show()
            return measure(theater.go, frames), measure(checker.step, frames)
        finally:
            theater.close()

    def measure_bvh(self, objects, frames, pairs):
        scene = bpy.context.scene

        def by_polygons(frame):
            trees = []
            for obj in objects:
                vertices, triangles = support.evaluate(obj)
                trees.append(BVHTree.FromPolygons(vertices.tolist(), triangles.tolist(), all_triangles=True))
            found[frame] = len(trees[0].overlap(trees[1]))

        def by_bmesh(frame):
            trees = []
            for obj in objects:
                mesh = bmesh.new()
                mesh.from_object(obj, bpy.context.evaluated_depsgraph_get())
                mesh.transform(obj.matrix_world)
                trees.append(BVHTree.FromBMesh(mesh))
                mesh.free()
            trees[0].overlap(trees[1])

        found, some = {}, frames[::8] + tuple(pairs)
        print(f"the user's own scene {measure(scene.frame_set, frames):.2f} ms a frame")
        for name, work in (("FromPolygons", by_polygons), ("FromBMesh", by_bmesh)):
            times = []
            for frame in some:
                scene.frame_set(frame)
                times.append(min(self.time(lambda: work(frame)) for _ in range(2)))
            print(f"BVHTree.{name}: {np.mean(times) * 1e3:.0f} ms a frame beyond that")
        print("pairs by BVHTree in frames that touch:", sum(found[frame] for frame in pairs), "of", sum(pairs.values()))


if __name__ == "__main__":
    unittest.main()
