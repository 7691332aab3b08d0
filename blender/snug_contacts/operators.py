"""Check, jump to, clear: by the panel, from scripts and in `blender -b`."""

import time

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from . import check, results

SLICE = 0.05  # seconds of work between two looks at the keyboard
FRAMES = ("frame_start", "frame_end")


def list_frames(start, end, step):
    """From the first frame to the last one, whichever was given first."""
    start, end = sorted((start, end))
    return tuple((start + np.arange(int((end - start) / step + 1e-6) + 1) * step).tolist())


class SNUG_OT_check(bpy.types.Operator):
    """Find the faces of selected meshes that intersect, in all frames"""

    bl_idname = "object.snug_check"
    bl_label = "Find Contacts"
    bl_options = {"REGISTER", "UNDO"}

    against: EnumProperty(name="Against", items=check.AGAINST)
    frame_start: FloatProperty(name="Start", description="The scene's first frame unless given")
    frame_end: FloatProperty(name="End", description="The scene's last frame unless given")
    step: FloatProperty(
        name="Step",
        default=1.0,
        min=0.01,
        description="Frames from one look to the next; 0.5 also looks between frames",
    )
    margin: FloatProperty(
        name="Margin", default=0.0, min=0.0, unit="LENGTH", description="What comes as near as this counts, too"
    )
    keep_rest: BoolProperty(
        name="Also at Rest", description="Of an object against itself: also faces that intersect before it is posed"
    )

    @classmethod
    def poll(cls, context):
        return context.mode in {"OBJECT", "POSE"} and any(obj.type == "MESH" for obj in context.selected_objects)

    def make_request(self, context):
        objects = [obj for obj in context.selected_objects if obj.type == "MESH"]
        start, end = (
            getattr(self if self.properties.is_property_set(name) else context.scene, name) for name in FRAMES
        )
        return check.Request(
            objects=objects,
            against=self.against,
            body=context.view_layer.objects.active,
            frames=list_frames(start, end, self.step),
            margin=self.margin,
            keep_rest=self.keep_rest,
        )

    def execute(self, context):
        self.search = check.find(context, self.make_request(context))
        while True:
            done = self.work(context)
            if done:
                return done

    def invoke(self, context, event):
        self.search = check.find(context, self.make_request(context))
        manager = context.window_manager
        self.timer = manager.event_timer_add(0.01, window=context.window)
        manager.modal_handler_add(self)
        show_progress(context, 0.0)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.search.close()
            return self.end(context, {"CANCELLED"})
        if event.type == "TIMER":
            end = time.monotonic() + SLICE
            done = self.work(context)
            while not done and time.monotonic() < end:
                done = self.work(context)
            if done:
                return self.end(context, done)
            show_progress(context, self.done)
        return {"RUNNING_MODAL"}  # nothing else happens meanwhile: the file does not change under the check

    def work(self, context):
        """One step; what the operator returns once it is over. Results are written here, and nowhere before."""
        try:
            self.done = next(self.search)
            return None
        except StopIteration as stop:
            results.write(context, stop.value)
            self.tell(stop.value)
            return {"FINISHED"}
        except (check.Refused, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    def tell(self, found):
        for obj, way in found.ways.items():
            self.report({"INFO"}, f"{obj.name}: {way}")
        self.report({"INFO"}, f"Contacts: {len(found.events)}" if found.events else "No contacts")

    def end(self, context, result):
        context.window_manager.event_timer_remove(self.timer)
        show_progress(context, -1.0)
        return result

    def cancel(self, context):  # Blender ends it, as when a window closes
        self.search.close()
        self.end(context, {"CANCELLED"})


def show_progress(context, done):
    """In the panel; less than 0 for none."""
    context.window_manager.snug_progress = done
    for area in context.window.screen.areas:
        if area.type == "VIEW_3D":
            area.tag_redraw()


class SNUG_OT_jump(bpy.types.Operator):
    """Go to the deepest frame of this contact and select its objects"""

    bl_idname = "object.snug_jump"
    bl_label = "Jump to Contact"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(default=-1, description="Of the list; the active one unless given")

    @classmethod
    def poll(cls, context):
        return len(context.scene.snug.events) > 0

    def execute(self, context):
        kept = context.scene.snug
        index = kept.active if self.index < 0 else self.index
        if index >= len(kept.events):
            self.report({"ERROR"}, f"No row {index}: the list has {len(kept.events)}")
            return {"CANCELLED"}
        kept.active = index
        event = kept.events[index]
        context.scene.frame_set(int(event.frame // 1), subframe=event.frame % 1)
        objects = {obj for obj in (event.a, event.b) if obj and obj.name in context.view_layer.objects}
        for obj in context.view_layer.objects:
            obj.select_set(obj in objects)
        return {"FINISHED"}


class SNUG_OT_clear(bpy.types.Operator):
    """Remove the list, attributes, vertex groups, markers and curves of the last check"""

    bl_idname = "object.snug_clear"
    bl_label = "Clear Contacts"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        results.clear(context.scene)
        return {"FINISHED"}


CLASSES = (SNUG_OT_check, SNUG_OT_jump, SNUG_OT_clear)
