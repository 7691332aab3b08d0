"""The panel in the sidebar of 3D views, and what it keeps in the scene."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import check


class SNUG_Event(bpy.types.PropertyGroup):
    a: PointerProperty(type=bpy.types.Object)
    b: PointerProperty(type=bpy.types.Object)
    first: FloatProperty()
    last: FloatProperty()
    frame: FloatProperty(description="Where it is deepest")
    depth: FloatProperty(
        description="How far the objects reach past one another, or 0 where curves are open", unit="LENGTH"
    )
    pairs: IntProperty(description="Pairs of triangles in that frame")


class SNUG_Way(bpy.types.PropertyGroup):
    object: PointerProperty(type=bpy.types.Object)
    way: StringProperty(description="How its pose was taken")
    note: StringProperty()


class SNUG_Settings(bpy.types.PropertyGroup):
    against: EnumProperty(name="Against", items=check.AGAINST)
    use_range: BoolProperty(name="Own Range", description="Other frames than the scene's")
    frame_start: FloatProperty(name="Start", default=1)
    frame_end: FloatProperty(name="End", default=250)
    step: FloatProperty(name="Step", default=1.0, min=0.01)
    margin: FloatProperty(name="Margin", min=0.0, unit="LENGTH")
    keep_rest: BoolProperty(name="Also at Rest")
    events: CollectionProperty(type=SNUG_Event)
    active: IntProperty()
    ways: CollectionProperty(type=SNUG_Way)


class SNUG_UL_events(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0):
        # Names are cut off where they are longer, numbers are not.
        parts = layout.split(factor=0.4, align=True)
        gone = "(removed)"
        names = [obj.name if obj else gone for obj in (item.a, item.b)]
        parts.label(text=f"{names[0]}, itself" if item.a == item.b else ", ".join(names))
        row = parts.row(align=True)
        row.label(text=f"{item.first:g}" if item.first == item.last else f"{item.first:g} – {item.last:g}")
        row.label(
            text=bpy.utils.units.to_string(context.scene.unit_settings.system, "LENGTH", item.depth, precision=3)
            if item.depth > 0
            else f"{item.pairs} pairs"
        )
        row.operator("object.snug_jump", text="", icon="FRAME_NEXT").index = index


class SNUG_PT_contacts(bpy.types.Panel):
    bl_label = "Contacts"
    bl_category = "snug"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    def draw(self, context):
        layout, kept = self.layout, context.scene.snug
        layout.use_property_split = True
        layout.use_property_decorate = False
        progress = context.window_manager.snug_progress
        if progress >= 0:
            layout.progress(factor=progress, text=f"{progress:.0%}: Esc cancels")
            return
        self.draw_settings(layout.column(), context, kept)
        if len(kept.ways):
            self.draw_results(layout.column(), kept)

    def draw_settings(self, column, context, kept):
        column.prop(kept, "against")
        column.prop(kept, "margin")
        if kept.against in {"SELF", "ALL"}:
            column.prop(kept, "keep_rest")
        column.prop(kept, "use_range")
        if kept.use_range:
            column.prop(kept, "frame_start")
            column.prop(kept, "frame_end")
        column.prop(kept, "step")
        button = column.operator("object.snug_check", icon="MOD_PHYSICS")
        for name in ("against", "margin", "keep_rest", "step"):
            setattr(button, name, getattr(kept, name))
        for name in ("frame_start", "frame_end"):
            setattr(button, name, getattr(kept if kept.use_range else context.scene, name))

    def draw_results(self, column, kept):
        column.template_list("SNUG_UL_events", "", kept, "events", kept, "active", rows=5)
        if not len(kept.events):
            column.label(text="Nothing meets")
        for item in kept.ways:
            if item.object:
                column.label(text=f"{item.object.name}: {item.way}", icon="MESH_DATA")
                if item.note:
                    column.label(text=item.note, icon="INFO")
        column.operator("object.snug_clear", icon="X")


CLASSES = (SNUG_Event, SNUG_Way, SNUG_Settings, SNUG_UL_events, SNUG_PT_contacts)
