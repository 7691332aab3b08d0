"""The panel, called with something that records what is drawn: Blender as a module has no window."""

import types
import unittest

import support
import test_check
from bl_ext.user_default.snug_contacts import panel
from support import bpy


class Layout:
    """Records calls in order; what a call returns is a layout, too, or an operator's properties."""

    def __init__(self, calls):
        self.calls = calls

    def __getattr__(self, name):
        # Blender's own description of layouts: every call, option and icon exists.
        known = bpy.types.UILayout.bl_rna.functions[name].parameters

        def call(*values, **named):
            self.calls.append((name, values, named))
            assert set(named) <= set(known.keys()), named
            assert "icon" not in named or named["icon"] in known["icon"].enum_items, named["icon"]
            if name == "prop":
                assert values[1] in values[0].bl_rna.properties, values[1]
            if name == "operator":
                module, function = values[0].split(".")
                named["made"] = types.SimpleNamespace()
                named["known"] = getattr(getattr(bpy.ops, module), function).get_rna_type().properties.keys()
                return named["made"]
            if name == "template_list":
                assert hasattr(bpy.types, values[0]) and hasattr(values[2], values[3]) and hasattr(values[4], values[5])
            return Layout(self.calls)

        return call

    def __setattr__(self, name, value):
        if name != "calls":
            assert name in bpy.types.UILayout.bl_rna.properties, name
        super().__setattr__(name, value)


def draw(cls, method="draw", *more):
    calls = []
    made = types.SimpleNamespace(layout=Layout(calls))
    for name in ("draw_settings", "draw_results"):
        if hasattr(cls, name):
            setattr(made, name, types.MethodType(getattr(cls, name), made))
    if method == "draw":
        cls.draw(made, bpy.context)
    else:
        getattr(cls, method)(made, bpy.context, made.layout, *more)
    for name, values, named in calls:  # what a button is given, its operator has
        if name == "operator":
            assert set(vars(named["made"])) <= set(named["known"]), vars(named["made"])
    return calls


def texts(calls):
    return [named["text"] for _, _, named in calls if named.get("text")]


class Panels(unittest.TestCase):
    def setUp(self):
        self.first, self.second = test_check.cross()
        support.select(self.first[0], self.second[0])

    def test_settings(self):
        kept = bpy.context.scene.snug
        kept.margin, kept.step = 0.125, 0.5
        calls = draw(panel.SNUG_PT_contacts)
        shown = [values[1] for name, values, _ in calls if name == "prop"]
        self.assertEqual(shown, ["against", "margin", "use_range", "step"])
        button = next(vars(named["made"]) for name, _, named in calls if name == "operator")
        self.assertEqual(
            button,
            {"against": "OTHERS", "margin": 0.125, "keep_rest": False, "step": 0.5, "frame_start": 1, "frame_end": 20},
        )
        kept.against, kept.use_range, kept.frame_end = "SELF", True, 8
        calls = draw(panel.SNUG_PT_contacts)
        self.assertIn("keep_rest", [values[1] for name, values, _ in calls if name == "prop"])
        self.assertEqual(next(vars(named["made"]) for name, _, named in calls if name == "operator")["frame_end"], 8)

    def test_results(self):
        self.second[0].modifiers.new("Remesh", "REMESH").voxel_size = 0.05
        bpy.ops.object.snug_check()
        said = texts(draw(panel.SNUG_PT_contacts))
        self.assertIn("hero: joints", said)
        self.assertIn("villain: evaluated vertices: modifier Remesh", said)
        self.assertTrue(any("do not tell" in text for text in said))
        event = bpy.context.scene.snug.events[0]
        said = texts(draw(panel.SNUG_UL_events, "draw_item", None, event, None, None, "", 0))
        self.assertEqual(said[:2], ["hero, villain", f"{event.first:g} – {event.last:g}"])
        bpy.data.objects.remove(self.second[0])
        said = texts(draw(panel.SNUG_UL_events, "draw_item", None, event, None, None, "", 0))
        self.assertEqual(said[0], "hero, (removed)")
        draw(panel.SNUG_PT_contacts)

    def test_progress(self):
        bpy.context.window_manager.snug_progress = 0.25
        calls = draw(panel.SNUG_PT_contacts)
        bpy.context.window_manager.snug_progress = -1
        self.assertEqual(texts(calls), ["25%: Esc cancels"])
        self.assertNotIn("operator", [name for name, _, _ in calls])

    def test_registered_twice(self):
        import sys

        extension = sys.modules["bl_ext.user_default.snug_contacts"]
        extension.unregister()
        self.assertFalse(hasattr(bpy.types.Scene, "snug"))
        extension.register()
        self.assertTrue(hasattr(bpy.types.Scene, "snug"))


if __name__ == "__main__":
    unittest.main()
