"""What productions have: a human made by Rigify with what stands on it, twenty objects, and characters as files."""

import json
import math
import os
import subprocess
import tempfile
import unittest

import support
import test_file
from support import bpy, check, np


def make_human():
    """Rigify's human and meshes around its bones: half a body with a mirror, a subdivided one, a coat and small
    things."""
    bpy.ops.preferences.addon_enable(module="rigify")
    scene = support.start()
    bpy.ops.object.armature_human_metarig_add()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    rig = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE" and obj != metarig)
    metarig.hide_viewport = True
    body = make_body(rig)
    coat = add_coat(body)
    animate_human(rig)
    scene.frame_set(1)
    return rig, body, coat


def make_body(rig):
    """Half a tube around the spine, mirrored; skinned by Rigify's bones; subdivided, and smoothed after that."""
    around, along = 9, 16
    u, v = np.meshgrid(np.arange(along + 1), np.arange(around), indexing="ij")
    angle = math.pi * v / (around - 1) - math.pi / 2
    height = 0.8 + 0.9 * u / along
    vertices = np.stack([0.16 * np.cos(angle), 0.12 * np.sin(angle), height], axis=-1).reshape(-1, 3)
    vertices[np.abs(vertices[:, 0]) < 1e-9, 0] = 0
    faces = [
        [i * around + j, i * around + j + 1, (i + 1) * around + j + 1, (i + 1) * around + j]
        for i in range(along)
        for j in range(around - 1)
    ]
    body = support.make_mesh("body", vertices, faces)
    bones = [bone for bone in rig.data.bones if bone.use_deform and bone.name.startswith("DEF-spine")]
    for bone in bones:
        group = body.vertex_groups.new(name=bone.name)
        middle = (bone.head_local + bone.tail_local) / 2
        for vertex in body.data.vertices:
            group.add([vertex.index], float(np.exp(-30 * (vertex.co.z - middle.z) ** 2)), "REPLACE")
    mirror = body.modifiers.new("Mirror", "MIRROR")
    mirror.use_clip = True
    body.modifiers.new("Armature", "ARMATURE").object = rig
    body.modifiers.new("Corrective", "CORRECTIVE_SMOOTH").rest_source = "BIND"
    support.select(body)
    bpy.ops.object.correctivesmooth_bind(modifier="Corrective")
    assert body.modifiers["Corrective"].is_bind
    body.modifiers.new("Subdivision", "SUBSURF").levels = 1
    return body


def add_coat(body):
    """A wider tube, bound to the body's surface, that is too tight at its waist."""
    around, along = 20, 14
    u, v = np.meshgrid(np.arange(along + 1), np.arange(around), indexing="ij")
    angle, height = 2 * math.pi * v / around, 0.85 + 0.7 * u / along
    width = 1.15 - 0.25 * np.exp(-40 * (height - 1.1) ** 2)
    vertices = np.stack([0.16 * width * np.cos(angle), 0.12 * width * np.sin(angle), height], axis=-1).reshape(-1, 3)
    faces = [
        [i * around + j, i * around + (j + 1) % around, (i + 1) * around + (j + 1) % around, (i + 1) * around + j]
        for i in range(along)
        for j in range(around)
    ]
    coat = support.make_mesh("coat", vertices, faces)
    deform = coat.modifiers.new("Surface", "SURFACE_DEFORM")
    deform.target = body
    bpy.context.view_layer.update()
    support.select(coat)
    bpy.ops.object.surfacedeform_bind(modifier="Surface")
    assert deform.is_bound
    return coat


def animate_human(rig):
    for name, turn in (("torso", (0.3, 0.2, 0.1)), ("chest", (0.4, -0.3, 0.5)), ("hand_ik.L", (0, 0, 1))):
        bone = rig.pose.bones[name]
        bone.rotation_mode = "XYZ"
        for frame, part in ((1, 0), (10, 1), (20, -0.5)):
            bone.rotation_euler = [part * angle for angle in turn]
            bone.keyframe_insert("rotation_euler", frame=frame)
            bone.location = (0, -0.2 * part, 0) if name == "hand_ik.L" else (0.05 * part, 0, 0)
            bone.keyframe_insert("location", frame=frame)


class Productions(unittest.TestCase):
    def check_pairs(self, found, objects, frames):
        """Those of Blender's vertices in the user's own scene, whose quads are divided as in the first frame."""
        mine = {(frame, a, b): set(map(tuple, pairs.tolist())) for frame, a, b, pairs in found.pairs}
        triangles = [support.evaluate(obj, min(frames))[1] for obj in objects]
        count = 0
        for frame in frames:
            posed = [(support.evaluate(obj, frame)[0], corners) for obj, corners in zip(objects, triangles)]
            for i in range(len(objects)):
                for j in range(i + 1, len(objects)):
                    expected = support.find_pairs(posed[i], posed[j])
                    self.assertEqual(
                        expected,
                        mine.get((frame, objects[i], objects[j]), set()),
                        (frame, objects[i].name, objects[j].name),
                    )
                    count += len(expected)
        return count

    def test_rigify_human(self):
        rig, body, coat = make_human()
        objects = [body, coat]
        for number, bone in enumerate(
            ["DEF-hand.L", "DEF-hand.R", "DEF-foot.L", "DEF-foot.R", "DEF-forearm.L", "DEF-forearm.R"] * 3
        ):
            bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=0.04 + 0.004 * number)
            ball = bpy.context.object
            ball.name = f"thing {number}"
            ball.parent, ball.parent_type, ball.parent_bone = rig, "BONE", bone
            objects.append(ball)
        self.assertEqual(len(objects), 20)
        bpy.context.view_layer.update()
        frames = (1, 6, 10, 15, 20)
        found = support.run(check.Request(objects, frames=frames))
        self.assertIn("evaluated vertices: modifier", found.ways[body])
        self.assertIn("evaluated vertices: modifier Surface", found.ways[coat])
        self.assertEqual(found.ways[objects[5]], "joints")
        self.assertGreater(self.check_pairs(found, objects, frames), 1000)
        self.assertGreater(found.counts[body].sum(), 0)  # through mirror and subdivision, back to faces of half a body
        self.assertEqual(len(found.counts[body]), len(body.data.polygons))
        names = {(event.a.name, event.b.name) for event in found.events}
        self.assertIn(("body", "coat"), names)

    def test_rigify_coat_against_the_body(self):
        rig, body, coat = make_human()
        support.select(coat, body, active=body)
        before = support.dump()
        bpy.ops.object.snug_check(against="BODY")
        self.assertEqual({(event.a.name, event.b.name) for event in bpy.context.scene.snug.events}, {("body", "coat")})
        counts = support.meshes.read(body.data.attributes["snug frames"].data, "value", 1, np.int32)
        heights = np.array([polygon.center.z for polygon in body.data.polygons])
        self.assertLess(abs(np.average(heights, weights=counts) - 1.1), 0.1)  # the waist
        bpy.ops.object.snug_clear()
        self.assertEqual(test_file.changes(before, support.dump()), (set(), set()))

    def test_same_pairs_as_the_program(self):
        """`snug check` of the GLB that Blender exports, frame by frame: two characters, posed and moved in Blender."""
        program = support.need("program", "SNUG_PROGRAM")
        objects = import_characters(support.need("program", "SNUG_CHARACTERS"))
        scene = bpy.context.scene
        frames = tuple(range(scene.frame_start, scene.frame_end + 1))
        found = support.run(check.Request(objects, frames=frames))
        self.assertEqual(set(found.ways.values()), {"joints"})
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for obj in objects:
                support.select(obj, obj.modifiers[0].object)
                paths.append(os.path.join(folder, f"{obj.name}.glb"))
                bpy.ops.export_scene.gltf(
                    filepath=paths[-1],
                    use_selection=True,
                    export_animation_mode="SCENE",
                    export_anim_scene_split_object=False,
                    export_force_sampling=True,
                    export_optimize_animation_size=False,
                    export_all_influences=True,
                )
            said = subprocess.run(
                [program, "check", *paths, "--clip", "0", "--clip", "0", "--fps", str(scene.render.fps), "--json"],
                capture_output=True,
                text=True,
            )
        self.assertEqual(said.returncode, 0, said.stderr)
        theirs = [json.loads(line) for line in said.stdout.splitlines()]
        # The exporter numbers triangles in an order of its own.
        expected = {frame["frame"]: count(np.array(frame["pairs"])[:, 1::2]) for frame in theirs if frame["pairs"]}
        self.assertEqual({frame: count(pairs) for frame, _, _, pairs in found.pairs}, expected)
        self.assertGreater(len(expected), 5)


def count(pairs):
    """Pairs, and triangles of either side."""
    return len(pairs), len(np.unique(pairs[:, 0])), len(np.unique(pairs[:, 1]))


def import_characters(folder, dense=""):
    """The man kicks, the creature stands before him, turned."""
    scene = support.start()
    scene.render.fps = 30
    meshes = []
    for name, clip in (("man", "kick"), ("creature", "idle")):
        before = set(bpy.data.objects)
        bpy.ops.import_scene.gltf(filepath=str(folder / f"{name}{dense}.glb"))
        new = set(bpy.data.objects) - before
        rig = next(obj for obj in new if obj.type == "ARMATURE")
        for track in rig.animation_data.nla_tracks:
            if track.name == clip:
                rig.animation_data.action = track.strips[0].action
                if hasattr(track.strips[0], "action_slot"):
                    rig.animation_data.action_slot = track.strips[0].action_slot
            track.mute = True
        meshes.append(next(obj for obj in new if obj.type == "MESH" and obj.modifiers))
    rig.location, rig.rotation_mode, rig.rotation_euler = (0.05, -1.2, 0), "XYZ", (0, 0, math.pi / 2)
    scene.frame_start, scene.frame_end = 0, 48
    scene.frame_set(0)
    return meshes


if __name__ == "__main__":
    unittest.main()
