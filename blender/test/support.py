"""What the tests share: rigged tubes, Blender's own vertices, exact pairs, and all that a file has."""

import os
import unittest
from fractions import Fraction
from pathlib import Path

import bpy
import numpy as np
from bl_ext.user_default.snug_contacts import check, followers, meshes, stage
from mathutils import Euler

__all__ = ["bpy", "check", "followers", "meshes", "np", "stage"]


def need(name, variable):
    """What the environment names: a program, or a folder. Without it a test is skipped, or fails where SNUG_REQUIRE
    asks."""
    path = os.environ.get(variable)
    if path and Path(path).exists():
        return Path(path)
    required = os.environ.get("SNUG_REQUIRE", "").split(",")
    if "all" in required or name in required:
        raise AssertionError(f"{variable} names nothing, and SNUG_REQUIRE asks for it")
    raise unittest.SkipTest(f"{variable} names nothing")


def start():
    """An empty scene of 20 frames."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 20
    return scene


def make_mesh(name, vertices, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.asarray(vertices).tolist(), [], [list(face) for face in faces])
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def make_tube(name="tube", around=12, along=24, radius=0.25, length=2.0):
    """A closed tube along x of quads."""
    u, v = np.meshgrid(np.arange(along + 1), np.arange(around), indexing="ij")
    angle = 2 * np.pi * v / around
    vertices = np.stack([length * (u / along - 0.5), radius * np.cos(angle), radius * np.sin(angle)], axis=-1).reshape(
        -1, 3
    )
    faces = [
        [i * around + j, i * around + (j + 1) % around, (i + 1) * around + (j + 1) % around, (i + 1) * around + j]
        for i in range(along)
        for j in range(around)
    ]
    faces += [list(range(around))[::-1], list(range(along * around, (along + 1) * around))]
    return make_mesh(name, vertices, faces)


def make_rig(name="rig", bones=4, length=2.0):
    """An armature along x, a chain of bones."""
    rig = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    before = None
    for i in range(bones):
        bone = rig.data.edit_bones.new(f"bone {i}")
        bone.head, bone.tail = (length * (i / bones - 0.5), 0, 0), (length * ((i + 1) / bones - 0.5), 0, 0)
        bone.parent, before = before, bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def animate(rig, seed=1, size=0.4, frames=(1, 7, 14, 20), moves=0.05, scale=0.0):
    random = np.random.default_rng(seed)
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
        for frame in frames:
            bone.rotation_euler = Euler(size * random.normal(size=3))
            bone.keyframe_insert("rotation_euler", frame=frame)
            bone.location = moves * random.normal(size=3)
            bone.keyframe_insert("location", frame=frame)
            if scale:
                bone.scale = 1 + scale * random.normal(size=3)
                bone.keyframe_insert("scale", frame=frame)


def weigh(obj, rig, seed=1, unweighted=0.0):
    """Weights by distance, as they lie: they need not sum to one."""
    random = np.random.default_rng(seed)
    middles = [(bone.head_local.x + bone.tail_local.x) / 2 for bone in rig.data.bones]
    for bone, middle in zip(rig.data.bones, middles):
        group = obj.vertex_groups.new(name=bone.name)
        for vertex in obj.data.vertices:
            weight = float(np.exp(-6 * (vertex.co.x - middle) ** 2))
            if weight > 0.05 and random.random() >= unweighted:
                group.add([vertex.index], weight, "REPLACE")


def make_limb(name="limb", seed=1, **options):
    """A tube on an armature that moves: the object, its armature and its modifier."""
    obj, rig = make_tube(name, **options), make_rig(f"{name} rig")
    weigh(obj, rig, seed)
    animate(rig, seed)
    modifier = obj.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    return obj, rig, modifier


def select(*objects, active=None):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = active or objects[0]


def evaluate(obj, frame=None):
    """Vertices in the world, rounded once, and triangles, by the user's own scene."""
    if frame is not None:
        bpy.context.scene.frame_set(int(frame // 1), subframe=frame % 1)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    matrix = np.array(evaluated.matrix_world)
    vertices = (meshes.read(mesh.vertices, "co", 3) @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)
    triangles, _ = meshes.read_triangles(mesh)
    evaluated.to_mesh_clear()
    return vertices, triangles


def run(request):
    """A whole check, without an operator."""
    search = check.find(bpy.context, request)
    while True:
        try:
            next(search)
        except StopIteration as stop:
            return stop.value


# Exact: whether two closed triangles share a point, of float32 positions as they are. BVHTree.overlap is no help: of
# bodies
# in contact it misses one pair in a hundred.
def orient(a, b, c, d):
    """The sign of a determinant: by float64 where that is certain, otherwise by fractions."""
    value, size = determinant([[p[i] - d[i] for i in range(3)] for p in (a, b, c)]), max(map(abs, (*a, *b, *c, *d)))
    if abs(value) < 1e-12 * size**3:
        a, b, c, d = ([Fraction(x) for x in p] for p in (a, b, c, d))
        value = determinant([[p[i] - d[i] for i in range(3)] for p in (a, b, c)])
    return (value > 0) - (value < 0)


def determinant(rows):
    u, v, w = rows
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])


def crosses(p, q, t):
    """A closed segment and a closed triangle; None where they lie in one plane."""
    s, e = orient(*t, p), orient(*t, q)
    if s == e == 0:
        return None
    if s * e > 0:
        return False
    sides = [orient(p, q, t[i], t[(i + 1) % 3]) for i in range(3)]
    return not (1 in sides and -1 in sides)


def meets(a, b):
    answers = [crosses(t[i], t[(i + 1) % 3], u) for t, u in ((a, b), (b, a)) for i in range(3)]
    assert True in answers or None not in answers, "only what lies in one plane could decide"
    return True in answers


def find_pairs(a, b, asked=True):
    """All pairs of triangles of two posed meshes that meet, of those asked about: boxes first, then exactly."""
    (p, q) = corners = [vertices[triangles].astype(np.float64) for vertices, triangles in (a, b)]
    (p_low, q_low), (p_high, q_high) = ([getattr(c, end)(axis=1) for c in corners] for end in ("min", "max"))
    near = ((p_low[:, None] <= q_high[None]) & (q_low[None] <= p_high[:, None])).all(axis=2)
    p, q = p.tolist(), q.tolist()
    return {(int(i), int(j)) for i, j in zip(*np.nonzero(near & asked)) if meets(p[i], q[j])}


# Blender 4.2 counts users of objects once too often when a scene is copied, until the file is loaded again.
IGNORED = ({"users"} if bpy.app.version < (4, 5) else set()) | {
    "rna_type",
    "is_updated",
    "is_updated_data",
    "original",
    "tag",
    "session_uid",
    "bl_rna",
}


def dump():
    """All data-blocks of the file by kind and name, and what each one has: what a check must not change."""
    blocks = {}
    for kind in sorted(
        name for name in dir(bpy.data) if isinstance(getattr(bpy.data, name), bpy.types.bpy_prop_collection)
    ):
        for block in getattr(bpy.data, kind):
            blocks[kind, block.name] = dump_properties(block)
    scene = bpy.context.scene
    blocks["state"] = {
        "frame": scene.frame_current_final,
        "mode": bpy.context.mode,
        "selected": [obj.name for obj in bpy.context.selected_objects],
        "active": bpy.context.view_layer.objects.active.name,
    }
    return blocks


def dump_properties(block):
    """Numbers, names and sizes; what is below by name, and the parts of objects and meshes one by one."""
    values = {}
    for one in block.bl_rna.properties:
        if one.identifier in IGNORED or one.identifier.startswith(("snug", "preview")):
            continue
        value = getattr(block, one.identifier, None)
        if one.type == "COLLECTION":
            values[one.identifier] = [(getattr(item, "name", ""), type(item).__name__) for item in value][:2000]
        elif one.type == "POINTER":
            values[one.identifier] = getattr(value, "name", value is None)
        else:
            values[one.identifier] = repr(
                value
                if one.type in {"STRING", "ENUM"} or not getattr(one, "array_length", 0)
                else [round(float(x), 6) for x in np.ravel(value)]
            )
    for part in ("modifiers", "constraints"):
        for item in getattr(block, part, ()):
            values[part, item.name] = dump_properties(item)
    if isinstance(block, bpy.types.Object) and block.pose:
        values["pose"] = [[tuple(row) for row in bone.matrix_basis] for bone in block.pose.bones]
    if isinstance(block, bpy.types.Mesh):
        values["co"] = meshes.read(block.vertices, "co", 3).tobytes()
    return values
