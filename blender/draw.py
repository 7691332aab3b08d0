"""Draws the pictures of docs/blender.md in Blender as a module: usage: draw.py faces|curves -o FILE.png

From the folder of the characters (`make characters`), after `make blender-test`. Cycles renders, on the processor.
"""

import argparse
import math
import os
import sys
import tempfile
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / "build/blender"
VIEWS = {"faces": (2.3, 1.6, 0.45), "curves": (0.55, 0.75, 0.2)}  # from where the two meet to the camera


def load_characters(bpy):
    """The man kicks; the creature stands before him, turned. As in the tutorial."""
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 30, 0, 48
    found = []
    for name, clip in (("man", "kick"), ("creature", "idle")):
        before = set(bpy.data.objects)
        bpy.ops.import_scene.gltf(filepath=f"{name}.glb")
        new = set(bpy.data.objects) - before
        rig = next(obj for obj in new if obj.type == "ARMATURE")
        for track in rig.animation_data.nla_tracks:
            if track.name == clip:
                rig.animation_data.action = track.strips[0].action
                rig.animation_data.action_slot = track.strips[0].action_slot
            track.mute = True
        found.append(next(obj for obj in new if obj.type == "MESH" and obj.modifiers))
    rig.location, rig.rotation_mode, rig.rotation_euler = (0.05, -1.2, 0), "XYZ", (0, 0, math.pi / 2)
    return found


def paint(bpy, obj, color):
    """Red where the attribute of faces says that something meets, otherwise this colour."""
    material = bpy.data.materials.new(obj.name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    surface = nodes["Principled BSDF"]
    surface.inputs["Roughness"].default_value = 0.7
    attribute, mix = nodes.new("ShaderNodeAttribute"), nodes.new("ShaderNodeMix")
    attribute.attribute_name = "snug frames"
    mix.data_type = "RGBA"
    mix.inputs[6].default_value, mix.inputs[7].default_value = (*color, 1), (0.8, 0.02, 0.01, 1)
    links.new(attribute.outputs["Fac"], mix.inputs[0])
    links.new(mix.outputs[2], surface.inputs["Base Color"])
    obj.data.materials.clear()
    obj.data.materials.append(material)
    for polygon in obj.data.polygons:
        polygon.use_smooth = True


def light(bpy, curve):
    glow = bpy.data.materials.new("curve")
    glow.use_nodes = True
    glow.node_tree.nodes["Principled BSDF"].inputs["Emission Color"].default_value = (1, 0.55, 0.02, 1)
    glow.node_tree.nodes["Principled BSDF"].inputs["Emission Strength"].default_value = 1
    curve.data.bevel_depth = 0.002
    curve.data.materials.append(glow)


def render(bpy, view, target, path):
    from mathutils import Vector

    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    scene.collection.objects.link(sun)
    sun.rotation_euler, sun.data.energy, sun.data.angle = (0.7, 0.5, 0.2), 2.2, 0.2
    camera.location = target + Vector(VIEWS[view])
    camera.rotation_euler = (-Vector(VIEWS[view])).to_track_quat("-Z", "Y").to_euler()
    scene.camera = camera
    scene.world = bpy.data.worlds.new("world")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.4, 0.43, 0.48, 1)
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 16
    scene.cycles.use_denoising = True  # a smaller file, too
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 720, 512, 100
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def main(arguments):
    import bpy

    extension = next(BUILD.glob("snug_contacts-*.zip"))
    bpy.ops.extensions.package_install_files(filepath=str(extension), repo="user_default", enable_on_install=True)
    bpy.ops.wm.read_homefile(use_empty=True)
    man, creature = load_characters(bpy)
    for obj in bpy.data.objects:
        obj.select_set(obj in (man, creature))
    bpy.ops.object.snug_check()
    bpy.ops.object.snug_jump(index=0)
    paint(bpy, man, (0.55, 0.5, 0.45))
    paint(bpy, creature, (0.2, 0.42, 0.5))
    curve = bpy.data.collections["snug contacts"].objects[0]
    if arguments.view == "curves":
        light(bpy, curve)
        man.hide_render = True
    corners = [curve.matrix_world @ point.co.to_3d() for spline in curve.data.splines for point in spline.points]
    render(bpy, arguments.view, sum(corners, corners[0] * 0) / len(corners), arguments.output.resolve())


parser = argparse.ArgumentParser()
parser.add_argument("view", choices=VIEWS)
parser.add_argument("-o", dest="output", type=Path, required=True)
with tempfile.TemporaryDirectory() as folder:
    os.environ["BLENDER_USER_RESOURCES"] = folder
    main(parser.parse_args())
sys.stdout.flush()
os._exit(0)
