"""What a check finds, beside BVHTree's candidates that exact arithmetic decides, on Blender's own vertices."""

import unittest

import support
from support import bpy, check, np


def cross(a="hero", b="villain"):
    """Two limbs that go through one another in some frames."""
    support.start()
    first, second = support.make_limb(a, 1), support.make_limb(b, 2)
    second[1].location, second[1].rotation_euler = (0.1, 0.2, 0.1), (0.3, 0.2, 1.4)
    second[0].parent = second[1]
    for frame, z in ((1, 2.5), (10, 0.0), (20, 2.5)):
        second[1].location.z = z
        second[1].keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    return first, second


class Checks(unittest.TestCase):
    def setUp(self):
        self.first, self.second = cross()
        self.a, self.b = self.first[0], self.second[0]

    def compare(self, objects, frames, **options):
        """In each frame the pairs of triangles that Blender's vertices have, each couple alike."""
        found = support.run(check.Request(objects, frames=frames, **options))
        mine = {(frame, a, b): set(map(tuple, pairs.tolist())) for frame, a, b, pairs in found.pairs}
        count = 0
        for frame in frames:
            posed = [support.evaluate(obj, frame) for obj in objects]
            for i, a in enumerate(objects):
                for j in range(i + 1, len(objects)):
                    expected = support.find_pairs(posed[i], posed[j])
                    self.assertEqual(expected, mine.get((frame, a, objects[j]), set()), f"frame {frame}")
                    count += len(expected)
        self.assertGreater(count, 50)
        return found

    def triangulate(self):
        """So that Blender's triangles do not depend on the pose."""
        import bmesh

        for obj in (self.a, self.b):
            mesh = bmesh.new()
            mesh.from_mesh(obj.data)
            bmesh.ops.triangulate(mesh, faces=mesh.faces)
            mesh.to_mesh(obj.data)
            mesh.free()

    def test_pairs_by_joints(self):
        self.triangulate()
        for preserve in (False, True):
            self.first[2].use_deform_preserve_volume = preserve
            found = self.compare([self.a, self.b], tuple(range(1, 21)))
            self.assertTrue(all("joints" in way for way in found.ways.values()), found.ways)

    def test_pairs_by_vertices(self):
        self.triangulate()
        self.a.modifiers.new("Smooth", "SMOOTH")
        self.b.modifiers.new("Subdivision", "SUBSURF").levels = 1
        found = self.compare([self.a, self.b], (6, 9, 10.5, 13))
        self.assertEqual([way.split(":")[0] for way in found.ways.values()], ["evaluated vertices"] * 2)

    def test_faces_that_change(self):
        """A mesh with other faces in each frame, as geometry nodes make them."""
        self.triangulate()
        build = self.b.modifiers.new("Build", "BUILD")
        build.frame_start, build.frame_duration = 1, 30
        found = self.compare([self.a, self.b], (5, 8, 10, 11, 12))
        self.assertIsNotNone(found.counts[self.b])

    def test_counts_and_depths_of_faces(self):
        found = support.run(check.Request([self.a, self.b], frames=tuple(range(1, 21))))
        for side, obj in enumerate((self.a, self.b)):
            _, faces = support.meshes.read_triangles(obj.data)
            expected = np.zeros(len(obj.data.polygons), int)
            for _, _, _, pairs in found.pairs:
                expected[np.unique(faces[pairs[:, side]])] += 1
            self.assertEqual(found.counts[obj].tolist(), expected.tolist())
            self.assertTrue((found.depths[obj][expected == 0] == 0).all())
            self.assertAlmostEqual(float(found.depths[obj].max()), max(event.depth for event in found.events), places=6)
        event = found.events[0]
        self.assertGreater(event.depth, 0.05)
        self.assertEqual(event.pairs, next(len(pairs) for frame, _, _, pairs in found.pairs if frame == event.frame))

    def test_depth_of_boxes(self):
        """Two boxes of which one is 0.25 deep in the other."""
        support.start()
        objects = []
        for name, x, size in (("left", 0, 2), ("right", 1.25, 1)):
            bpy.ops.mesh.primitive_cube_add(location=(x, size * 0.1, 0), size=size)
            bpy.context.object.name = name
            objects.append(bpy.context.object)
        found = support.run(check.Request(objects, frames=(1, 2, 3)))
        self.assertEqual(len(found.events), 1)
        event = found.events[0]
        self.assertAlmostEqual(event.depth, 0.25, places=5)
        self.assertEqual((event.first, event.last), (1, 3))
        points = np.concatenate(found.curves[0][3])
        self.assertTrue((np.abs(points[:, 0] - 1) < 1e-6).all())

    def test_far_from_the_origin(self):
        """A kilometre away, where float32 in the world would round by a tenth of a millimetre."""
        near = support.run(check.Request([self.a, self.b], frames=(9, 10)))
        for _, rig, _ in (self.first, self.second):
            rig.delta_location = (1024, -2048, 512)
        self.a.delta_location = (1024, -2048, 512)
        bpy.context.view_layer.update()
        far = support.run(check.Request([self.a, self.b], frames=(9, 10)))
        self.assertTrue(all("joints" in way for way in far.ways.values()), far.ways)
        for (_, _, _, p), (_, _, _, q) in zip(near.pairs, far.pairs):
            self.assertLess(len(set(map(tuple, p.tolist())) ^ set(map(tuple, q.tolist()))), 0.1 * len(p))
        shift = np.array((1024, -2048, 512))
        gap = np.concatenate(far.curves[0][3]).mean(axis=0) - np.concatenate(near.curves[0][3]).mean(axis=0) - shift
        self.assertLess(np.abs(gap).max(), 1e-2)

    def test_itself(self):
        """A tube that is bent into itself, by joints and by vertices: the same pairs but those that share a vertex."""
        for bone in self.first[1].pose.bones:
            bone.rotation_euler = (0, 0, 2.0)
            bone.keyframe_insert("rotation_euler", frame=14)
        self.triangulate()
        found = support.run(check.Request([self.a], "SELF", frames=(14,)))
        vertices, triangles = support.evaluate(self.a, 14)
        apart = (triangles[:, None, :, None] != triangles[None, :, None, :]).all(axis=(2, 3))
        expected = support.find_pairs((vertices, triangles), (vertices, triangles), np.triu(apart))
        mine = {tuple(sorted(pair)) for pair in found.pairs[0][3].tolist()}
        self.assertGreater(len(expected), 10)
        self.assertEqual(expected, {(i, j) for i, j in mine if apart[i, j]})
        self.assertEqual((found.events[0].a, found.events[0].b), (self.a, self.a))
        self.a.modifiers.new("nothing moves", "SMOOTH").factor = 0
        other = support.run(check.Request([self.a], "SELF", frames=(14,)))
        self.assertIn("vertices", other.ways[self.a])
        self.assertEqual(mine, {tuple(sorted(pair)) for pair in other.pairs[0][3].tolist()})

    def test_margin(self):
        """What comes within a margin, beside distances of corners that numpy finds: none is missed."""
        self.triangulate()
        frames = tuple(np.arange(1, 10, 0.125).tolist())
        crossing = {frame for frame, *_ in support.run(check.Request([self.a, self.b], frames=frames)).pairs}
        near = support.run(check.Request([self.a, self.b], frames=frames, margin=0.2))
        frame, _, _, pairs = next(pairs for pairs in near.pairs if pairs[0] not in crossing)
        found = support.run(check.Request([self.a, self.b], frames=(frame,), margin=0.2))
        (v, t), (w, u) = support.evaluate(self.a, frame), support.evaluate(self.b, frame)
        distance = np.linalg.norm(v[:, None] - w[None], axis=2)
        mine = set(map(tuple, pairs.tolist()))
        for i, j in zip(*np.nonzero(distance < 0.199)):
            some = {(p, q) for p in np.flatnonzero((t == i).any(axis=1)) for q in np.flatnonzero((u == j).any(axis=1))}
            self.assertLessEqual(some, mine)
        self.assertEqual(found.events[0].depth, 0)

    def test_body_and_clothes(self):
        coat, hat = support.make_limb("coat", 1)[0], support.make_tube("hat", length=0.5)
        found = support.run(check.Request([coat, self.a, hat], "BODY", body=self.a, frames=(5, 10)))
        couples = {(event.a, event.b) for event in found.events}
        self.assertEqual(couples, {(self.a, coat), (self.a, hat)})

    def test_hidden_for_a_while(self):
        """What an animation hides meets nothing meanwhile."""
        for frame, hidden in ((1, False), (9, True), (11, False)):
            self.b.hide_viewport = hidden
            self.b.keyframe_insert("hide_viewport", frame=frame)
        bpy.context.scene.frame_set(1)
        for smooth in (False, True):
            if smooth:
                self.b.modifiers.new("Smooth", "SMOOTH")
            found = support.run(check.Request([self.a, self.b], frames=tuple(range(1, 21))))
            frames = {frame for frame, *_ in found.pairs}
            self.assertEqual(frames & {9, 10}, set())
            self.assertLessEqual({8, 11}, frames)

    def test_events(self):
        """Frames that follow one another are one event; the list goes by depth."""
        for frame, z in ((1, 3), (5, 0), (10, 3), (15, -0.1), (20, 3)):
            self.second[1].location.z = z
            self.second[1].keyframe_insert("location", frame=frame)
        found = support.run(check.Request([self.a, self.b], frames=tuple(range(1, 21))))
        self.assertEqual(len(found.events), 2, [(event.first, event.last) for event in found.events])
        self.assertGreaterEqual(found.events[0].depth, found.events[1].depth)
        touched = {frame for frame, *_ in found.pairs}
        self.assertEqual(
            touched, {frame for event in found.events for frame in range(int(event.first), int(event.last) + 1)}
        )

    def test_wrong_joints_are_noticed(self):
        """Were joints wrong, the check goes by vertices and says so: a bone's matrices are changed behind its back."""
        read_bones = support.followers.ByJoints.read_bones

        def wrong(self, rig):
            matrices = read_bones(self, rig)
            matrices[1, 0, 3] += 1e-4
            return matrices

        support.followers.ByJoints.read_bones = wrong
        try:
            found = support.run(check.Request([self.a, self.b], frames=(9, 10)))
            for frame, hidden in ((1, True), (9, False), (10, True)):  # there where nothing is compared beforehand
                self.a.hide_viewport = hidden
                self.a.keyframe_insert("hide_viewport", frame=frame)
            self.a.hide_viewport = False
            late = support.run(check.Request([self.a, self.b], frames=(7, 8, 9, 10, 11, 12)))
        finally:
            support.followers.ByJoints.read_bones = read_bones
        self.assertEqual(found.ways[self.a], "evaluated vertices: joints would be wrong in frame 9")
        self.assertEqual(len(found.pairs), 2)
        self.assertEqual(late.ways[self.a], "evaluated vertices: joints would be wrong in frame 9")
        self.assertEqual([frame for frame, *_ in late.pairs], [9])

    def test_joints_that_become_wrong(self):
        """In the middle and in the last frame alone."""
        read_bones = support.followers.ByJoints.read_bones
        for bad in (10, 12):

            def wrong(self, rig):
                matrices = read_bones(self, rig)
                matrices[1, 0, 3] += 1e-4 * (self.depsgraph.scene.frame_current == bad)
                return matrices

            pose = support.followers.ByJoints.pose

            def remember(self, depsgraph, origin):
                self.depsgraph = depsgraph
                pose(self, depsgraph, origin)

            support.followers.ByJoints.read_bones, support.followers.ByJoints.pose = wrong, remember
            try:
                found = support.run(check.Request([self.a, self.b], frames=(8, 9, 10, 11, 12)))
            finally:
                support.followers.ByJoints.read_bones, support.followers.ByJoints.pose = read_bones, pose
            self.assertEqual(found.ways[self.a], f"evaluated vertices: joints would be wrong in frame {bad}")

    def test_preserved_volume_ends(self):
        """Where bones begin to scale in the middle of a range, the rest goes by vertices, and is right."""
        self.triangulate()
        self.first[2].use_deform_preserve_volume = True
        bone = self.first[1].pose.bones[2]
        for frame, size in ((8, 1), (12, 1.3), (14, 1)):
            bone.scale = (size,) * 3
            bone.keyframe_insert("scale", frame=frame)
        found = self.compare([self.a, self.b], tuple(range(1, 21)))
        self.assertIn("scaled", found.ways[self.a])

    def test_refused(self):
        empty = support.make_mesh("empty", [(0, 0, 0)], [])
        for objects, options, words in (
            ([self.a], {}, "two objects"),
            ([self.a, empty], {}, "no faces"),
            ([self.a, self.b], {"against": "BODY"}, "active"),
            ([self.a, self.b], {"frames": ()}, "no frames"),
        ):
            with self.assertRaisesRegex(check.Refused, words):
                support.run(check.Request(objects, **{"frames": (1,), **options}))
        self.a.hide_viewport = True
        with self.assertRaisesRegex(check.Refused, "hidden"):
            support.run(check.Request([self.a, self.b], frames=(1,)))
        self.a.hide_viewport = False
        bpy.context.view_layer.objects.active = self.first[1]
        bpy.ops.object.mode_set(mode="EDIT")
        with self.assertRaisesRegex(check.Refused, "Edit Mode"):
            support.run(check.Request([self.a, self.b], frames=(1,)))
        bpy.ops.object.mode_set(mode="OBJECT")


if __name__ == "__main__":
    unittest.main()
