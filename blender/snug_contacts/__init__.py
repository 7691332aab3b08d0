"""snug in Blender: which faces of animated meshes intersect, in which frames."""

import bpy

from . import operators, panel

CLASSES = (*panel.CLASSES, *operators.CLASSES)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Scene.snug = bpy.props.PointerProperty(type=panel.SNUG_Settings)
    bpy.types.WindowManager.snug_progress = bpy.props.FloatProperty(default=-1.0, options={"SKIP_SAVE"})


def unregister():
    del bpy.types.WindowManager.snug_progress
    del bpy.types.Scene.snug
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
