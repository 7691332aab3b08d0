"""Which face of an object's own mesh each triangle of its evaluated mesh comes from."""

import bpy
import numpy as np

from . import meshes
from .stage import Stage

NAME = "snug origin"


def find_origin(context, follower):
    """One number for each triangle of a follower by vertices, or None where modifiers do not tell.

    Modifiers carry attributes of faces along. So a copy of the object with numbers on its faces is evaluated once,
    in the frame where the follower is; the object itself stays as it is.
    """
    obj = follower.obj
    own = len(obj.data.vertices), *meshes.read_topology(obj.data)
    if all(map(np.array_equal, own, follower.topology)):
        return follower.faces
    mesh = obj.data.copy()
    copy = obj.copy()
    stage = None
    try:
        copy.data = mesh
        numbers = mesh.attributes.new(NAME, "INT", "FACE")
        numbers.data.foreach_set("value", np.arange(len(mesh.polygons), dtype=np.int32))
        stage = Stage(context, [])
        stage.show([copy])
        evaluated = copy.evaluated_get(stage.go(follower.frame))
        return read_numbers(evaluated.to_mesh(), follower, len(mesh.polygons))
    finally:
        if stage:
            stage.close()
        bpy.data.meshes.remove(mesh)  # and the copy with it


def read_numbers(mesh, follower, count):
    same = all(map(np.array_equal, (len(mesh.vertices), *meshes.read_topology(mesh)), follower.topology))
    attribute = mesh.attributes.get(NAME)
    if not same or attribute is None or (attribute.domain, attribute.data_type) != ("FACE", "INT"):
        return None
    numbers = meshes.read(attribute.data, "value", 1, np.int32)[follower.faces]
    return numbers if ((numbers >= 0) & (numbers < count)).all() else None
