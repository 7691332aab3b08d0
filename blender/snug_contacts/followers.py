"""Bodies of snug that follow objects of Blender: by joints where that is exact, otherwise by evaluated vertices.

What goes by joints is compared with Blender's own vertices in a few frames before anything is asked of it (check.py),
so a kind of deformation that is not known here costs time and never gives a wrong pose.
"""

import numpy as np
import snugmesh as snug

from . import meshes

TOLERANCE = 2e-6  # of an object's size: how far its body may be from Blender's vertices (check.is_same)
FIXED = {"OBJECT", "BONE", "VERTEX", "VERTEX_3"}  # parents that move an object and do not deform it


def find_reason(obj):
    """Why this object has to go by evaluated vertices, in words, or None."""
    shown = [modifier for modifier in obj.modifiers if modifier.show_viewport]
    others = [modifier.name for modifier in shown if modifier.type != "ARMATURE"]
    if others:
        return f"modifier {others[0]}"
    if len(shown) > 1:
        return "several armatures"
    if obj.parent and obj.parent_type not in FIXED:
        return "deformed by its parent"
    keys = obj.data.shape_keys
    if keys and not keys.use_relative:
        return "absolute shape keys"
    if keys and any(len(key.data) != len(obj.data.vertices) for key in keys.key_blocks):
        return "shape keys of another size"
    if keys and obj.show_only_shape_key:
        return "one shape key is shown alone"
    if has_animated_modifiers(obj):
        return "animated modifiers"
    return find_armature_reason(obj, shown[0]) if shown and shown[0].object else None


def find_armature_reason(obj, modifier):
    bones = find_bones(obj, modifier)
    if modifier.use_bone_envelopes or any(bone.bone.use_envelope_multiply for bone in bones):
        return "envelopes"
    if modifier.use_multi_modifier:
        return "blended modifiers"
    if any(bone.bone.bbone_segments > 1 for bone in bones):
        return "bendy bones"
    if modifier.use_deform_preserve_volume and modifier.vertex_group in obj.vertex_groups:
        return "preserved volume in a vertex group"
    return None


def find_bones(obj, modifier):
    """The bones that deform an object, by its vertex groups."""
    if not modifier.object or not modifier.use_vertex_groups:
        return []
    return [bone for bone in modifier.object.pose.bones if bone.bone.use_deform and bone.name in obj.vertex_groups]


def has_animated_modifiers(obj):
    data = obj.animation_data
    if data is None:
        return False
    curves = list(data.drivers)
    actions = [data.action, *(strip.action for track in data.nla_tracks for strip in track.strips)]
    for action in filter(None, actions):
        curves += (
            action.fcurves
            if hasattr(action, "fcurves")
            else [
                curve
                for layer in action.layers
                for strip in layer.strips
                for bag in strip.channelbags
                for curve in bag.fcurves
            ]
        )
    return any(curve.data_path.startswith("modifiers") for curve in curves)


class Absent(Exception):
    """The object is hidden in this frame: it meets nothing."""


class Unable(Exception):
    """Joints do not say where vertices are, in this pose."""


class ByVertices:
    """A body that gets vertices as Blender evaluates them; a new one where faces change."""

    is_by_joints = False

    def __init__(self, obj, reason):
        self.obj, self.way = obj, f"evaluated vertices: {reason}"
        self.body = self.topology = self.faces = self.frame = None
        self.version = 0  # of its faces

    def pose(self, depsgraph, origin):
        evaluated = self.obj.evaluated_get(depsgraph)
        if evaluated.hide_viewport:
            raise Absent
        self.frame = depsgraph.scene.frame_current_final
        mesh = evaluated.to_mesh()
        try:
            self.follow(mesh, place(evaluated, origin))
        finally:
            evaluated.to_mesh_clear()

    def follow(self, mesh, matrix):
        positions = meshes.read(mesh.vertices, "co", 3) @ matrix[:3, :3].T + matrix[:3, 3]
        positions = np.ascontiguousarray(positions, np.float32)
        topology = len(positions), *meshes.read_topology(mesh)
        if self.topology is None or not all(map(np.array_equal, topology, self.topology)):
            triangles, self.faces = meshes.read_triangles(mesh)
            if len(triangles) == 0:
                raise Absent
            self.topology = topology
            self.body = snug.Body(snug.Model(positions, triangles, deformer="free"))
            self.version += 1
        self.body.set_vertices(positions)


class ByJoints:
    """A body that gets a matrix for each bone and an amplitude for each shape key."""

    is_by_joints = True
    way = "joints"

    def __init__(self, obj):
        modifiers = [modifier for modifier in obj.modifiers if modifier.show_viewport and modifier.object]
        self.obj, self.rig = obj, modifiers[0].object if modifiers else None
        triangles, self.faces = meshes.read_triangles(obj.data)
        self.version = 1
        groups = meshes.Groups(obj)
        rest = meshes.read_rest(obj.data)
        self.size = float(np.ptp(rest, axis=0).max())
        bones = find_bones(obj, modifiers[0]) if modifiers else []
        share = groups.mask(obj, modifiers[0].vertex_group) if modifiers else None
        if share is not None and modifiers[0].invert_vertex_group:
            share = 1 - share
        starts, joints, weights = meshes.read_influences(obj, groups, [bone.name for bone in bones], share)
        self.numbers = [self.rig.pose.bones.find(bone.name) for bone in bones]
        options = {"joints": joints, "weights": weights, "influence_starts": starts, "joint_count": len(bones) + 1}
        if obj.data.shape_keys:
            options |= meshes.read_fields(obj, groups)
        self.make(rest, triangles, options)

    def make(self, rest, triangles, options):
        self.body = snug.Body(snug.Model(rest, triangles, **options))

    def pose(self, depsgraph, origin):
        evaluated = self.obj.evaluated_get(depsgraph)
        if evaluated.hide_viewport:
            raise Absent
        self.set_joints(depsgraph, place(evaluated, origin), origin)
        if self.obj.data.shape_keys:
            keys = self.obj.data.shape_keys.evaluated_get(depsgraph).key_blocks
            self.body.set_amplitudes(meshes.read(keys, "value") * ~meshes.read(keys, "mute", 1, bool))

    def read_bones(self, rig):
        """What Blender moves vertices by, in the armature's space: (joints, 4, 4), the last one the identity."""
        matrices = meshes.read(rig.pose.bones, "matrix_channel", 16)[self.numbers].reshape(-1, 4, 4)
        return np.concatenate([matrices.transpose(0, 2, 1), np.eye(4)[None]])

    def set_joints(self, depsgraph, matrix, origin):
        matrices = matrix[None]
        if self.rig:
            rig = self.rig.evaluated_get(depsgraph)
            armature = place(rig, origin)
            matrices = armature @ self.read_bones(rig) @ (np.linalg.inv(armature) @ matrix)
            matrices[-1] = matrix
        self.body.set_joints(np.ascontiguousarray(matrices[:, :3], np.float32))


class ByTurningJoints(ByJoints):
    """The same where Blender preserves volume.

    Both blend dual quaternions. Each vertex of Blender's turns the signs of its own joints, snug those of all
    joints: so it is exact where signs exist that suit all joints with vertices in common, and where nothing scales
    but the armature. The body's rest is the mesh in the armature's space, its frame that of the armature.
    """

    way = "joints, preserving volume"

    def make(self, rest, triangles, options):
        self.rest, self.triangles, self.options = rest, triangles, options
        self.couples = meshes.find_couples(options["influence_starts"], options["joints"])
        self.order = order_joints(self.couples, options["joint_count"])
        self.into = None

    def set_joints(self, depsgraph, matrix, origin):
        rig = self.rig.evaluated_get(depsgraph)
        armature = place(rig, origin)
        scale = np.cbrt(np.linalg.det(armature[:3, :3]))
        if (
            not np.allclose(armature[:3, :3] @ armature[:3, :3].T, scale * scale * np.eye(3), atol=1e-6 * scale * scale)
            or scale <= 0
        ):
            raise Unable("the armature is mirrored or scaled unevenly")
        into = scale * (np.linalg.inv(armature) @ matrix)[:3]
        if self.into is None:
            self.prepare(into)
        # Matrices of Blender's are float32: as far from the world's origin as they are, they cannot tell less.
        elif np.abs(into - self.into).max() > 5e-7 * max(np.abs(into).max(), np.abs(matrix[:3, 3] + origin).max()):
            raise Unable("it moves against its armature")
        turns, moves = self.read_turns(rig)
        matrices = np.concatenate([turns, scale * moves[:, :, None]], axis=2)
        self.body.set_joints(np.ascontiguousarray(matrices, np.float32))
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = armature[:3, :3] / scale, armature[:3, 3]
        self.body.set_frame(*snug.frame(frame))

    def prepare(self, into):
        self.into = into
        options = dict(self.options)
        if "fields" in options:
            options["fields"] = np.ascontiguousarray(options["fields"] @ into[:, :3].T, np.float32)
        rest = np.ascontiguousarray(self.rest @ into[:, :3].T + into[:, 3], np.float32)
        self.body = snug.Body(snug.Model(rest, self.triangles, blending="dual_quaternion", **options))

    def read_turns(self, rig):
        matrices = self.read_bones(rig)
        turns, moves = matrices[:, :3, :3], matrices[:, :3, 3]
        if not np.allclose(turns @ turns.transpose(0, 2, 1), np.eye(3), atol=1e-5) or (np.linalg.det(turns) < 0).any():
            raise Unable("bones are scaled")
        quaternions = to_quaternions(turns)
        for joint, before in self.order:
            if quaternions[joint] @ quaternions[before] < 0:
                quaternions[joint] = -quaternions[joint]
        alike = (quaternions[self.couples[:, 0]] * quaternions[self.couples[:, 1]]).sum(axis=1)
        if (alike < 1e-3).any():
            raise Unable("bones turn by half a turn against one another")
        return to_matrices(quaternions), moves


def follow(obj):
    """How this object is followed."""
    reason = find_reason(obj)
    if reason:
        return ByVertices(obj, reason)
    shown = [modifier for modifier in obj.modifiers if modifier.show_viewport and modifier.object]
    return ByTurningJoints(obj) if shown and shown[0].use_deform_preserve_volume else ByJoints(obj)


def place(evaluated, origin):
    """Where an object is, relative to the origin, in float64."""
    matrix = np.array(evaluated.matrix_world, np.float64)
    matrix[:3, 3] -= origin
    return matrix


def order_joints(couples, count):
    """Joints in an order in which each but the first of a connected part comes after one that it has vertices with."""
    near = [[] for _ in range(count)]
    for a, b in couples.tolist():
        near[a].append(b)
        near[b].append(a)
    order, seen = [], set()
    for root in range(count):
        stack = [] if root in seen else [root]
        seen.add(root)
        while stack:
            joint = stack.pop()
            for other in near[joint]:
                if other not in seen:
                    seen.add(other)
                    order.append((other, joint))
                    stack.append(other)
    return order


def to_quaternions(turns):
    """Of rotations (n, 3, 3): w, x, y, z. The largest eigenvector of Bar-Itzhack's symmetric matrices: no cases."""
    r = turns
    k = np.empty((len(r), 4, 4))
    trace = r[:, 0, 0] + r[:, 1, 1] + r[:, 2, 2]
    k[:, 0, 0] = trace
    skew = [r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]]
    for i in range(3):
        k[:, 0, i + 1] = k[:, i + 1, 0] = skew[i]
        for j in range(3):
            k[:, i + 1, j + 1] = r[:, i, j] + r[:, j, i] - (trace if i == j else 0)
    return np.linalg.eigh(k)[1][:, :, 3]


def to_matrices(quaternions):
    w, x, y, z = quaternions.T
    return np.stack(
        [
            1 - 2 * (y * y + z * z),
            2 * (x * y - w * z),
            2 * (x * z + w * y),
            2 * (x * y + w * z),
            1 - 2 * (x * x + z * z),
            2 * (y * z - w * x),
            2 * (x * z - w * y),
            2 * (y * z + w * x),
            1 - 2 * (x * x + y * y),
        ],
        axis=1,
    ).reshape(-1, 3, 3)
