"""What a check leaves in the file, all of it by names that begin with `snug`, and how it goes again."""

import bpy
import numpy as np

from . import meshes

COUNT, DEPTH = "snug frames", "snug depth"  # attributes of faces
GROUP = "snug contacts"  # vertex group, collection
MARKER = "snug: "


def clear(scene):
    """Remove all that checks of this scene have left."""
    kept = scene.snug
    for item in kept.ways:
        if item.object and item.object.type == "MESH":
            clear_object(item.object)
    for marker in [marker for marker in scene.timeline_markers if marker.name.startswith(MARKER)]:
        scene.timeline_markers.remove(marker)
    for collection in [child for child in scene.collection.children if child.get(GROUP)]:
        for obj in list(collection.objects):
            curve = obj.data
            bpy.data.objects.remove(obj)
            bpy.data.curves.remove(curve)
        bpy.data.collections.remove(collection)
    kept.events.clear()
    kept.ways.clear()
    kept.active = 0


def clear_object(obj):
    if not is_editable(obj):
        return
    for name in (COUNT, DEPTH):
        attribute = obj.data.attributes.get(name)
        if attribute:
            obj.data.attributes.remove(attribute)
    group = obj.vertex_groups.get(GROUP)
    if group:
        active = obj.vertex_groups.active
        name = active.name if active and active != group else None
        obj.vertex_groups.remove(group)
        if name:
            obj.vertex_groups.active_index = obj.vertex_groups[name].index


def is_editable(obj):
    return obj.is_editable and obj.data.is_editable


def write(context, found):
    """Put what was found in place of what was there."""
    scene = context.scene
    clear(scene)
    for obj, way in found.ways.items():
        item = scene.snug.ways.add()
        item.object, item.way, item.note = obj, way, ""
        if found.counts[obj] is None:
            item.note = "modifiers do not tell which faces were hit"
        elif not is_editable(obj):
            item.note = "linked from a library: no attribute, no vertex group"
    for mesh, objects in group_by_mesh(found).items():
        write_faces(mesh, found, objects)
    for event in found.events:
        item = scene.snug.events.add()
        item.a, item.b = event.a, event.b
        item.first, item.last, item.frame, item.depth, item.pairs = (
            event.first,
            event.last,
            event.frame,
            event.depth,
            event.pairs,
        )
        scene.timeline_markers.new(f"{MARKER}{describe(event.a, event.b)}", frame=int(event.first // 1))
    write_curves(scene, found.curves)


def describe(a, b):
    return f"{a.name} and itself" if a == b else f"{a.name} and {b.name}"


def group_by_mesh(found):
    """Objects that share a mesh share its attributes."""
    by_mesh = {}
    for obj in found.ways:
        if found.counts[obj] is not None and is_editable(obj):
            by_mesh.setdefault(obj.data, []).append(obj)
    return by_mesh


def write_faces(mesh, found, objects):
    obj = objects[0]  # a vertex group is the mesh's, and any object of it can make one
    clear_object(obj)  # what checks of other scenes have left
    counts = np.maximum.reduce([found.counts[obj] for obj in objects])
    depths = np.maximum.reduce([found.depths[obj] for obj in objects])
    mesh.attributes.new(COUNT, "INT", "FACE").data.foreach_set("value", counts)
    mesh.attributes.new(DEPTH, "FLOAT", "FACE").data.foreach_set("value", depths)
    corners, starts = meshes.read_topology(mesh)
    face = np.searchsorted(starts, np.arange(len(corners)), side="right") - 1
    active = obj.vertex_groups.active_index
    group = obj.vertex_groups.new(name=GROUP)
    group.add(np.unique(corners[counts[face] > 0]).tolist(), 1.0, "REPLACE")
    if active >= 0:
        obj.vertex_groups.active_index = active
    mesh.update()


def write_curves(scene, curves):
    """A curve object for each couple: where the two meet in their deepest frame."""
    collection = bpy.data.collections.new(GROUP)
    collection[GROUP] = True
    scene.collection.children.link(collection)
    for a, b, frame, lines in curves:
        name = f"{MARKER}{describe(a, b)}, frame {frame:g}"
        curve = bpy.data.curves.new(name, "CURVE")
        curve.dimensions = "3D"
        for line in lines:
            spline = curve.splines.new("POLY")
            is_closed = len(line) > 2 and np.array_equal(line[0], line[-1])
            line = line[:-1] if is_closed else line
            spline.points.add(len(line) - 1)
            spline.points.foreach_set("co", np.column_stack([line, np.ones(len(line))]).astype(np.float32).ravel())
            spline.use_cyclic_u = is_closed
        obj = bpy.data.objects.new(name, curve)
        obj.show_in_front = True
        collection.objects.link(obj)
