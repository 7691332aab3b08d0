"""Where bodies are, beside the vertices that Blender evaluates in the user's own scene."""

import itertools
import unittest

import bmesh
import support
from support import bpy, followers, np, stage

FRAMES = (1, 4, 8.25, 13, 20)


class Poses(unittest.TestCase):
    def setUp(self):
        support.start()

    def compare(self, obj, way, frames=FRAMES):
        """In each frame within 1e-6 of the size, or of how far it is from the origin; by this way. Nothing is
        evaluated but what the stage shows.

        Returns why joints do not say where vertices are, in the first frame where they do not, or None.
        """
        follower = followers.follow(obj)
        self.assertIn(way, follower.way)
        theater = stage.Stage(bpy.context, [obj])
        try:
            theater.show([] if follower.is_by_joints else [obj])
            for frame in frames:
                try:
                    follower.pose(theater.go(frame), np.zeros(3))
                except followers.Unable as unable:
                    return str(unable)
                vertices, _ = support.evaluate(obj, frame)
                self.assertEqual(vertices.shape, follower.body.vertices().shape)
                size = max(
                    np.ptp(vertices, axis=0).max(), np.abs(vertices).max()
                )  # Blender's matrices are float32, too
                worst = np.abs(follower.body.vertices() - vertices).max() / size
                self.assertLessEqual(worst, 1e-6, f"{obj.name}, frame {frame}")
        finally:
            theater.close()
        return None

    def test_linear_and_preserved_volume(self):
        for preserve, seed in itertools.product((False, True), range(1, 4)):
            with self.subTest(preserve=preserve, seed=seed):
                support.start()
                obj, _, modifier = support.make_limb("Körper 体", seed)
                modifier.use_deform_preserve_volume = preserve
                self.assertIsNone(self.compare(obj, "preserving volume" if preserve else "joints"))

    def test_moved_turned_scaled(self):
        for preserve in (False, True):
            with self.subTest(preserve=preserve):
                support.start()
                obj, rig, modifier = support.make_limb()
                modifier.use_deform_preserve_volume = preserve
                rig.location, rig.rotation_euler, rig.scale = (3, -2, 1), (0.4, 0.5, -1.2), (0.01,) * 3
                obj.location, obj.scale, obj.rotation_euler = (0.5, 0.2, -0.4), (2, 1.5, -0.5), (0, 0.1, 0.3)
                rig.keyframe_insert("location", frame=1)
                rig.location.x += 1
                rig.keyframe_insert("location", frame=20)
                obj.parent = rig
                self.assertIsNone(self.compare(obj, "joints"))

    def test_object_moves_against_its_armature(self):
        obj, rig, modifier = support.make_limb()
        for frame, x in ((1, 0), (20, 0.5)):
            obj.location.x = x
            obj.keyframe_insert("location", frame=frame)
        self.assertIsNone(self.compare(obj, "joints"))
        modifier.use_deform_preserve_volume = True
        self.assertIn("moves against its armature", self.compare(obj, "joints"))

    def test_scaled_bones(self):
        obj, rig, modifier = support.make_limb()
        support.animate(rig, 3, scale=0.2)
        self.assertIsNone(self.compare(obj, "joints"))
        modifier.use_deform_preserve_volume = True
        self.assertIn("bones are scaled", self.compare(obj, "joints"))

    def test_bones_that_turn_far(self):
        """With three bones that share vertices and turn by two thirds of a circle against one another no signs suit
        all."""
        obj, rig, modifier = support.make_limb()
        modifier.use_deform_preserve_volume = True
        support.animate(rig, 5, size=3.0)
        self.assertIn("half a turn", self.compare(obj, "joints"))

    def test_unweighted_unused_and_locked_groups(self):
        obj, rig = support.make_tube(), support.make_rig()
        support.weigh(obj, rig, unweighted=0.7)
        support.animate(rig)
        obj.vertex_groups.new(name="no bone").add(range(20), 0.5, "REPLACE")
        mesh = bmesh.new()
        mesh.from_mesh(obj.data)
        for vertex in mesh.verts:
            vertex[mesh.verts.layers.deform.verify()][99] = 0.5  # a group that is not there
        mesh.to_mesh(obj.data)
        mesh.free()
        rig.data.bones[1].use_deform = False
        obj.vertex_groups[2].lock_weight = True
        obj.modifiers.new("Armature", "ARMATURE").object = rig
        self.assertIsNone(self.compare(obj, "joints"))
        rig.data.pose_position = "REST"
        self.assertIsNone(self.compare(obj, "joints"))
        obj.modifiers[0].use_vertex_groups = False
        self.assertIsNone(self.compare(obj, "joints"))

    def test_masks(self):
        obj, rig, modifier = support.make_limb()
        group = obj.vertex_groups.new(name="mask")
        for vertex in obj.data.vertices:
            group.add([vertex.index], (vertex.index % 5) / 4, "REPLACE")
        modifier.vertex_group = "mask"
        for invert in (False, True):
            modifier.invert_vertex_group = invert
            self.assertIsNone(self.compare(obj, "joints"))
        modifier.use_deform_preserve_volume = True
        self.assertIsNone(self.compare(obj, "evaluated vertices: preserved volume in a vertex group"))

    def test_shape_keys(self):
        for preserve in (False, True):
            with self.subTest(preserve=preserve):
                support.start()
                obj, rig, modifier = support.make_limb()
                modifier.use_deform_preserve_volume = preserve
                self.add_keys(obj, rig)
                self.assertIsNone(self.compare(obj, "joints"))
                obj.modifiers.clear()
                self.assertIsNone(self.compare(obj, "joints"))

    def test_basis_alone(self):
        obj, rig, modifier = support.make_limb()
        obj.shape_key_add(name="Basis")
        self.assertIsNone(self.compare(obj, "joints"))

    def add_keys(self, obj, rig):
        random = np.random.default_rng(7)
        group = obj.vertex_groups.new(name="half")
        group.add(range(0, len(obj.data.vertices), 2), 0.6, "REPLACE")
        keys = [
            obj.shape_key_add(name=name)
            for name in ("Basis", 'by "driver" ü', "masked", "muted", "relative", "below zero")
        ]
        for key in keys[1:]:
            moves = 0.05 * random.normal(size=(len(key.data), 3))
            moves[random.random(len(moves)) < 0.5] = 0
            key.data.foreach_set("co", (support.meshes.read(key.data, "co", 3) + moves).astype(np.float32).ravel())
        keys[2].vertex_group, keys[3].mute, keys[4].relative_key = "half", True, keys[1]
        keys[5].slider_min = -2
        for key, low, high in ((keys[2], 0.2, 1), (keys[3], 1, 1), (keys[4], 0, 0.8), (keys[5], -1.5, 0.5)):
            for frame, value in ((1, low), (20, high)):
                key.value = value
                key.keyframe_insert("value", frame=frame)
        driver = keys[1].driver_add("value").driver
        driver.type = "SUM"
        variable = driver.variables.new()
        variable.type = "TRANSFORMS"
        target = variable.targets[0]
        target.id, target.bone_target, target.transform_type, target.transform_space = (
            rig,
            "bone 2",
            "ROT_X",
            "LOCAL_SPACE",
        )
        for frame, value in ((1, 0.1), (20, 0.6)):
            rig["smile"] = value
            rig.keyframe_insert('["smile"]', frame=frame)
        variable = driver.variables.new()
        variable.targets[0].id, variable.targets[0].data_path = rig, '["smile"]'
        return keys

    def test_parents(self):
        obj, rig, _ = support.make_limb()
        hat = support.make_tube("hat", length=0.3)
        hat.parent, hat.parent_type, hat.parent_bone = rig, "BONE", "bone 3"
        self.assertIsNone(self.compare(hat, "joints"))
        hat.parent_type = "ARMATURE"
        hat.vertex_groups.new(name="bone 1").add(range(50), 1.0, "REPLACE")
        self.assertIsNone(self.compare(hat, "evaluated vertices: deformed by its parent"))
        self.assertIsNone(self.compare(obj, "joints"))

    def test_what_goes_by_vertices(self):
        """Each of these is exact, and none claims to go by joints."""

        def two(obj, rig, modifier):
            obj.modifiers.new("second", "ARMATURE").object = rig

        def multi(obj, rig, modifier):
            modifier.use_multi_modifier = True

        def envelopes(obj, rig, modifier):
            modifier.use_bone_envelopes = True

        def multiply(obj, rig, modifier):
            rig.data.bones[0].use_envelope_multiply = True

        def bendy(obj, rig, modifier):
            rig.data.bones[1].bbone_segments = 5

        def absolute(obj, rig, modifier):
            self.add_keys(obj, rig)
            obj.data.shape_keys.use_relative = False

        def alone(obj, rig, modifier):
            self.add_keys(obj, rig)
            obj.active_shape_key_index, obj.show_only_shape_key = 2, True

        def flashing(obj, rig, modifier):
            for frame, shown in ((1, True), (10, False)):
                modifier.show_viewport = shown
                modifier.keyframe_insert("show_viewport", frame=frame)
            bpy.context.scene.frame_set(1)

        def subdivided(obj, rig, modifier):
            obj.modifiers.new("Subdivision", "SUBSURF").levels = 1

        for change in (two, multi, envelopes, multiply, bendy, absolute, alone, flashing, subdivided):
            with self.subTest(change=change.__name__):
                support.start()
                limb = support.make_limb()
                change(*limb)
                self.assertIsNone(self.compare(limb[0], "evaluated vertices: "))

    def test_hidden_modifiers_do_not_count(self):
        obj, _, modifier = support.make_limb()
        obj.modifiers.new("Subdivision", "SUBSURF").show_viewport = False
        self.assertIsNone(self.compare(obj, "joints"))
        modifier.show_viewport = False
        self.assertIsNone(self.compare(obj, "joints"))
        obj.modifiers.new("nothing", "ARMATURE")
        self.assertIsNone(self.compare(obj, "joints"))

    def test_constrained_bones(self):
        obj, rig, _ = support.make_limb()
        target = bpy.data.objects.new("target", None)
        bpy.context.scene.collection.objects.link(target)
        for frame, place in ((1, (1, 1, 0)), (20, (0.5, -1, 1))):
            target.location = place
            target.keyframe_insert("location", frame=frame)
        constraint = rig.pose.bones[3].constraints.new("IK")
        constraint.target, constraint.chain_count = target, 3
        self.assertIsNone(self.compare(obj, "joints"))

    def test_generated_characters(self):
        self.compare_files(support.need("program", "SNUG_CHARACTERS"))

    def test_downloaded_characters(self):
        self.compare_files(support.need("models", "SNUG_MODELS"))

    def compare_files(self, folder):
        """By Blender's own importers, with whatever clip is active, linear and with preserved volume."""
        paths = sorted(folder.glob("*.[gf][lb][bx]"))
        count = unables = 0
        for path, preserve in itertools.product(paths, (False, True)):
            if "dense" in path.name:
                continue
            support.start()
            try:
                (bpy.ops.import_scene.gltf if path.suffix == ".glb" else bpy.ops.import_scene.fbx)(filepath=str(path))
            except RuntimeError as error:
                print(f"{path.name}: {error}")  # compressed in a way that Blender does not read
                continue
            for obj in [
                obj
                for obj in bpy.data.objects
                if obj.type == "MESH" and obj.data.polygons and obj.name in bpy.context.scene.objects
            ]:
                if (
                    obj.hide_viewport
                    or not any(modifier.type == "ARMATURE" for modifier in obj.modifiers)
                    and not obj.data.shape_keys
                ):
                    continue
                for modifier in obj.modifiers:
                    modifier.use_deform_preserve_volume = preserve
                with self.subTest(path=path.name, obj=obj.name, preserve=preserve):
                    unable = self.compare(obj, "joints", frames=(0, 7, 15.5, 24))
                    self.assertTrue(unable is None or preserve, unable)
                    unables += unable is not None
                    count += 1
        print(f"{count} imported objects, linear or with preserved volume; {unables} of these have to go by vertices")


if __name__ == "__main__":
    unittest.main()
