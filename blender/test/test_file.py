"""What of the user's file changes, and what becomes of it: saved, undone, cancelled, cleared, linked."""

import os
import tempfile
import types
import unittest

import support
import test_check
from bl_ext.user_default.snug_contacts import operators, results
from support import bpy, check, np


def changes(before, after):
    """Of two dumps: data-blocks that came or went, and properties that differ."""
    differ = [
        (key, name)
        for key in before.keys() & after.keys()
        for name in before[key].keys() | after[key].keys()
        if repr(before[key].get(name)) != repr(after[key].get(name))
    ]
    return before.keys() ^ after.keys(), set(differ)


class Files(unittest.TestCase):
    def setUp(self):
        self.first, self.second = test_check.cross("Heldin ß", "悪役")
        self.a, self.b = self.first[0], self.second[0]
        self.a.vertex_groups.active_index = 2
        support.select(self.a, self.b)
        bpy.context.scene.frame_set(4, subframe=0.25)
        self.first[1].pose.bones[1].location.x += 0.5  # has a key, and is not keyed: stepping the scene would lose it
        bpy.context.view_layer.update()

    def read(self, obj, name=results.COUNT):
        kind = np.int32 if name == results.COUNT else np.float32
        return support.meshes.read(obj.data.attributes[name].data, "value", 1, kind)

    def list_group(self, obj):
        index = obj.vertex_groups[results.GROUP].index
        return {vertex.index for vertex in obj.data.vertices if index in {group.group for group in vertex.groups}}

    def test_only_what_is_listed_changes(self):
        before = support.dump()
        self.assertEqual(bpy.ops.object.snug_check(), {"FINISHED"})
        came, differ = changes(before, support.dump())
        name = f"snug: {self.a.name} and {self.b.name}, frame {bpy.context.scene.snug.events[0].frame:g}"
        self.assertEqual(came, {("collections", results.GROUP), ("objects", name), ("curves", name)})
        allowed = {("meshes", obj.data.name) for obj in (self.a, self.b)} | {
            ("objects", self.a.name),
            ("objects", self.b.name),
        }
        kinds = {
            "meshes": {"attributes"},
            "objects": {"vertex_groups", "users"},
            "scenes": {"timeline_markers", "objects"},
        }
        for key, prop in differ:
            self.assertIn(prop, kinds[key[0]], key)
            self.assertTrue(key[0] == "scenes" or key in allowed, key)
        self.assertEqual(self.a.vertex_groups.active_index, 2)
        bpy.ops.object.snug_clear()
        self.assertEqual(changes(before, support.dump()), (set(), set()))

    def test_evaluated_objects_change_nothing(self):
        """Copies that tell where faces come from go again, and so do their shape keys, actions and drivers."""
        self.b.shape_key_add(name="Basis")
        self.b.shape_key_add(name="wide").value = 0.5
        self.b.modifiers.new("Mirror", "MIRROR")
        bpy.context.view_layer.update()
        before = support.dump()
        bpy.ops.object.snug_check(against="ALL")
        bpy.ops.object.snug_clear()
        self.assertEqual(changes(before, support.dump()), (set(), set()))

    def test_cancelled(self):
        """Whenever it is cancelled, what an earlier check left is still there, and nothing else."""
        bpy.ops.object.snug_check()
        before = support.dump()
        for steps in (1, 3, 10):
            search = check.find(bpy.context, check.Request([self.a, self.b], "ALL", frames=tuple(range(1, 21))))
            for _ in range(steps):
                next(search)
            search.close()
            self.assertEqual(changes(before, support.dump()), (set(), set()))

    def test_error_on_the_way(self):
        """An error leaves nothing behind, and is told."""
        before = support.dump()
        ask = check.Checker.ask
        check.Checker.ask = lambda *_: (_ for _ in ()).throw(ValueError("broken on purpose"))
        try:
            with self.assertRaisesRegex(RuntimeError, "broken on purpose"):
                bpy.ops.object.snug_check()
        finally:
            check.Checker.ask = ask
        self.assertEqual(changes(before, support.dump()), (set(), set()))

    def test_by_a_timer(self):
        """The modal operator with events of a timer: in slices, cancelled by Esc, or to its end."""

        def run(events):
            manager = types.SimpleNamespace(
                event_timer_add=lambda *_, **__: "timer",
                modal_handler_add=lambda _: None,
                event_timer_remove=lambda timer: removed.append(timer),
                snug_progress=-1.0,
            )
            window = types.SimpleNamespace(screen=types.SimpleNamespace(areas=[]))
            context = types.SimpleNamespace(window_manager=manager, window=window, scene=bpy.context.scene)
            reports, removed, shown = [], [], []
            made = types.SimpleNamespace(report=lambda *words: reports.append(words), search=None)
            for name in ("work", "end", "tell"):
                setattr(made, name, types.MethodType(getattr(operators.SNUG_OT_check, name), made))
            made.make_request = lambda _: check.Request([self.a, self.b], frames=tuple(range(1, 21)))
            find = check.find
            check.find = lambda _, request: find(bpy.context, request)
            try:
                self.assertEqual(operators.SNUG_OT_check.invoke(made, context, None), {"RUNNING_MODAL"})
            finally:
                check.find = find
            for kind in events:
                result = operators.SNUG_OT_check.modal(made, context, types.SimpleNamespace(type=kind))
                shown.append(manager.snug_progress)
                if result != {"RUNNING_MODAL"}:
                    self.assertEqual(removed, ["timer"])
                    return result, shown
            return None, shown

        before = support.dump()
        slice_before = operators.SLICE
        operators.SLICE = 1e-9  # one step each
        try:
            self.assertEqual(run(["TIMER", "TIMER", "MOUSEMOVE", "TIMER", "ESC"])[0], {"CANCELLED"})
            self.assertEqual(changes(before, support.dump()), (set(), set()))
            result, shown = run(["TIMER"] * 40)
        finally:
            operators.SLICE = slice_before
        self.assertEqual(result, {"FINISHED"})
        self.assertEqual(shown, sorted(shown[:-1]) + [-1.0])
        self.assertIn(0.5, shown)
        self.assertEqual(len(bpy.context.scene.snug.events), 1)

    def test_saved_and_loaded(self):
        bpy.ops.object.snug_check()
        scene = bpy.context.scene
        kept = [
            (event.a.name, event.b.name, event.first, event.last, event.frame, event.depth, event.pairs)
            for event in scene.snug.events
        ]
        counts, depths, group = (
            self.read(self.a).tolist(),
            self.read(self.a, results.DEPTH).tolist(),
            self.list_group(self.a),
        )
        markers = [(marker.name, marker.frame) for marker in scene.timeline_markers]
        curves = {obj.name: len(obj.data.splines) for obj in bpy.data.collections[results.GROUP].objects}
        self.assertTrue(kept and any(counts) and group and markers and all(curves.values()))
        path = os.path.join(tempfile.mkdtemp(), "kept ü.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.read_homefile(use_empty=True)
        bpy.ops.wm.open_mainfile(filepath=path)
        scene, obj = bpy.context.scene, bpy.data.objects["Heldin ß"]
        self.assertEqual(
            kept,
            [
                (event.a.name, event.b.name, event.first, event.last, event.frame, event.depth, event.pairs)
                for event in scene.snug.events
            ],
        )
        self.assertEqual(
            (counts, depths, group),
            (self.read(obj).tolist(), self.read(obj, results.DEPTH).tolist(), self.list_group(obj)),
        )
        self.assertEqual(markers, [(marker.name, marker.frame) for marker in scene.timeline_markers])
        self.assertEqual(
            curves, {obj.name: len(obj.data.splines) for obj in bpy.data.collections[results.GROUP].objects}
        )
        bpy.ops.object.snug_clear()
        self.assertNotIn(results.GROUP, bpy.data.collections)
        self.assertNotIn(results.COUNT, obj.data.attributes)

    def test_group_has_corners_of_faces(self):
        bpy.ops.object.snug_check()
        hit = np.flatnonzero(self.read(self.a))
        self.assertEqual(self.list_group(self.a), {v for face in hit for v in self.a.data.polygons[face].vertices})

    def test_undo(self):
        bpy.ops.ed.undo_push(message="before")
        before = support.dump()
        bpy.ops.object.snug_check()
        bpy.ops.ed.undo_push(message="contacts")
        self.assertTrue(len(bpy.context.scene.snug.events))
        bpy.ops.ed.undo()
        self.assertEqual(changes(before, support.dump()), (set(), set()))
        self.assertEqual(len(bpy.context.scene.snug.events), 0)
        bpy.ops.ed.redo()
        self.assertEqual(len(bpy.context.scene.snug.events), 1)

    def test_once_more_replaces(self):
        bpy.ops.object.snug_check()
        once = support.dump()
        bpy.ops.object.snug_check()
        self.assertEqual(changes(once, support.dump()), (set(), set()))

    def test_jump(self):
        bpy.ops.object.snug_check(step=0.5)
        bpy.ops.object.snug_jump(index=0)
        event = bpy.context.scene.snug.events[0]
        self.assertEqual(bpy.context.scene.frame_current_final, event.frame)
        self.assertEqual({obj.name for obj in bpy.context.selected_objects}, {self.a.name, self.b.name})
        with self.assertRaises(RuntimeError):
            bpy.ops.object.snug_jump(index=7)

    def test_frames(self):
        """A range of one's own, between frames, backwards; the scene's unless it is given."""
        self.assertEqual(operators.list_frames(1, 3, 0.5), (1, 1.5, 2, 2.5, 3))
        self.assertEqual(operators.list_frames(3, 1, 1), (1, 2, 3))
        self.assertEqual(operators.list_frames(1, 2.9, 1), (1, 2))
        self.assertEqual(len(operators.list_frames(0, 1, 0.1)), 11)
        bpy.ops.object.snug_check(frame_start=12, frame_end=9)
        event = bpy.context.scene.snug.events[0]
        self.assertGreaterEqual(event.first, 9)
        self.assertLessEqual(event.last, 12)

    def test_shared_mesh(self):
        """Two objects of one mesh: it has what either was hit."""
        twin = bpy.data.objects.new("twin", self.b.data)
        bpy.context.scene.collection.objects.link(twin)
        twin.location.z = 50
        support.select(self.a, self.b, twin)
        bpy.ops.object.snug_check()
        self.assertGreater(self.read(twin).max(), 0)

    def test_mirror_and_subdivision(self):
        """Faces of the mesh itself, though what meets has four times and twice as many; a mirrored half counts for its
        face."""
        self.b.modifiers.new("Subdivision", "SUBSURF").levels = 1
        bpy.ops.object.snug_check()
        fine, events = self.read(self.b), len(bpy.context.scene.snug.events)
        self.assertEqual(events, 1)
        self.assertEqual(len(fine), len(self.b.data.polygons))
        self.b.modifiers.clear()
        self.b.modifiers.new("Armature", "ARMATURE").object = self.second[1]
        bpy.ops.object.snug_check()
        plain = self.read(self.b)
        self.assertGreater(len(set(np.flatnonzero(fine)) & set(np.flatnonzero(plain))), 0.5 * (plain > 0).sum())

    def test_modifiers_that_hide_where_faces_come_from(self):
        self.b.modifiers.new("Remesh", "REMESH").voxel_size = 0.05
        bpy.ops.object.snug_check()
        ways = {item.object: item for item in bpy.context.scene.snug.ways}
        self.assertIn("Remesh", ways[self.b].way)
        self.assertIn("do not tell", ways[self.b].note)
        self.assertNotIn(results.COUNT, self.b.data.attributes)
        self.assertGreater(self.read(self.a).max(), 0)

    def test_linked_library(self):
        """Characters linked from another file: a list, markers and curves; nothing is written into the library."""
        path = os.path.join(tempfile.mkdtemp(), "library.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        frames, pairs = self.expect()
        bpy.ops.wm.read_homefile(use_empty=True)
        with bpy.data.libraries.load(path, link=True) as (source, target):
            target.objects = list(source.objects)
        for obj in target.objects:
            bpy.context.scene.collection.objects.link(obj)
        bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 20
        a, b = bpy.data.objects["Heldin ß"], bpy.data.objects["悪役"]
        support.select(a, b)
        bpy.ops.object.snug_check()
        kept = bpy.context.scene.snug
        self.assertEqual([(event.first, event.last, event.pairs) for event in kept.events], [(*frames, pairs)])
        self.assertTrue(all("linked" in item.note for item in kept.ways))
        self.assertNotIn(results.COUNT, a.data.attributes)
        self.assertEqual(len(bpy.context.scene.timeline_markers), 1)
        bpy.ops.object.snug_clear()
        self.assertEqual(len(kept.ways), 0)

    def expect(self):
        event = support.run(check.Request([self.a, self.b], frames=tuple(range(1, 21)))).events[0]
        return (event.first, event.last), event.pairs

    def test_cloth_follows_the_scene(self):
        """What is simulated is asked in the user's scene, whose frame comes back."""
        self.b.modifiers.new("Cloth", "CLOTH")
        bpy.context.scene.frame_set(4, subframe=0.25)
        bpy.ops.object.snug_check()
        self.assertTrue(all("simulated" in item.way for item in bpy.context.scene.snug.ways))
        self.assertEqual(bpy.context.scene.frame_current_final, 4.25)

    def test_what_depends_on_cloth_follows_the_scene(self):
        """Though the cloth itself is not selected; and a cloth that nothing depends on does not matter."""
        cloth = support.make_tube("cloth", length=0.5)
        cloth.modifiers.new("Cloth", "CLOTH")
        support.select(self.a, self.b)
        bpy.ops.object.snug_check()
        self.assertEqual({item.way for item in bpy.context.scene.snug.ways}, {"joints"})
        wrap = self.b.modifiers.new("Wrap", "SHRINKWRAP")
        wrap.target, wrap.wrap_mode = cloth, "OUTSIDE"
        bpy.ops.object.snug_check()
        self.assertTrue(all("simulated" in item.way for item in bpy.context.scene.snug.ways))


if __name__ == "__main__":
    unittest.main()
