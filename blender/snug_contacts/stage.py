"""Where frames are evaluated: a copy of the scene that holds nothing but what is asked for.

Blender evaluates what is in a scene and what that depends on. So the user's scene stays at its frame, poses that have
no key yet are not lost, and meshes whose joints are enough are never deformed: only a probe, a mesh without vertices,
asks for armatures and places of objects. Shape keys get their values with these. What is simulated follows the user's
own scene, as it plays.
"""

import bpy

SIMULATED = {"CLOTH", "SOFT_BODY", "FLUID", "DYNAMIC_PAINT", "PARTICLE_SYSTEM", "PARTICLE_INSTANCE", "EXPLODE"}


def is_simulated(obj):
    """Does its shape depend on frames before?"""
    return obj.rigid_body is not None or any(
        modifier.type in SIMULATED or (modifier.type == "NODES" and has_simulation(modifier.node_group, set()))
        for modifier in obj.modifiers
    )


def has_simulation(tree, seen):
    if tree is None or tree in seen:
        return False
    seen.add(tree)
    return any(
        node.type == "SIMULATION_OUTPUT" or (node.type == "GROUP" and has_simulation(node.node_tree, seen))
        for node in tree.nodes
    )


class OwnScene:
    """The user's scene itself; its frame comes back in the end."""

    def __init__(self, context, objects):
        self.scene, self.layer = context.scene, context.view_layer
        self.frame = self.scene.frame_current, self.scene.frame_subframe

    def go(self, frame):
        self.scene.frame_set(int(frame // 1), subframe=frame % 1)
        return self.layer.depsgraph

    def show(self, objects):
        pass

    def close(self):
        self.scene.frame_set(self.frame[0], subframe=self.frame[1])


class Stage:
    """A copy of the scene with a probe for these objects."""

    def __init__(self, context, objects):
        self.probe = None
        self.scene = context.scene.copy()
        try:
            self.build(objects)
        except BaseException:
            self.close()
            raise

    def build(self, objects):
        root = self.scene.collection
        for child in list(root.children):
            root.children.unlink(child)
        for obj in list(root.objects):
            root.objects.unlink(obj)
        for layer in list(self.scene.view_layers)[1:]:
            self.scene.view_layers.remove(layer)
        mesh = bpy.data.meshes.new("snug probe")
        self.probe = bpy.data.objects.new("snug probe", mesh)
        root.objects.link(self.probe)
        rigs = {
            modifier.object
            for obj in objects
            for modifier in obj.modifiers
            if modifier.type == "ARMATURE" and modifier.object
        }
        for rig in rigs:
            modifier = self.probe.modifiers.new("", "ARMATURE")
            modifier.object = rig
            modifier.use_bone_envelopes = True  # else it depends on bones of its vertex groups alone
        for obj in [*objects, *rigs]:
            self.probe.constraints.new("COPY_TRANSFORMS").target = obj

    def go(self, frame):
        self.scene.frame_set(int(frame // 1), subframe=frame % 1)
        return self.scene.view_layers[0].depsgraph

    def show(self, objects):
        """These alone are evaluated with all their modifiers."""
        linked = self.scene.collection.objects
        for obj in set(linked) - set(objects) - {self.probe}:
            linked.unlink(obj)
        for obj in set(objects) - set(linked):
            linked.link(obj)

    def close(self):
        bpy.data.scenes.remove(self.scene)
        if self.probe:
            bpy.data.meshes.remove(self.probe.data)  # and the object with it
            self.probe = None


def make_stage(context, objects):
    """A copy of the scene, unless one of these objects is simulated or may depend on something that is."""
    reached = {obj for obj in bpy.data.objects if is_simulated(obj)}
    users, new = bpy.data.user_map() if reached else {}, list(reached)
    while new:
        more = {user for user in users.get(new.pop(), ()) if not isinstance(user, bpy.types.Scene)} - reached
        reached |= more
        new += more
    return Stage(context, objects) if reached.isdisjoint(objects) else OwnScene(context, objects)
