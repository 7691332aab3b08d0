"""Stages of USD: their characters, instances and moving points as bodies; what meets in which frame; contacts as a layer.

    pip install 'snugmesh[usd]'
    python3 -m snugmesh.usd shot.usda --fail-on-contact --over contacts.usda

>>> from pxr import Usd, UsdGeom
>>> from snugmesh import usd
>>> stage = Usd.Stage.CreateInMemory()
>>> for name in ("a", "b"):
...     mesh = UsdGeom.Mesh.Define(stage, f"/{name}")
...     _ = mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
...     _ = mesh.CreateFaceVertexCountsAttr([3, 3, 3, 3])
...     _ = mesh.CreateFaceVertexIndicesAttr([0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3])
>>> move = UsdGeom.Xformable(mesh).AddTranslateOp()
>>> for time, x in ((1, 3.0), (25, 0.25)):
...     _ = move.Set((x, 0.25, 0.25), time)
>>> report = usd.check(stage)
>>> [(frame.time_code, len(frame.pairs)) for frame in report.frames if len(frame.pairs)]
[(23.0, 3), (24.0, 3), (25.0, 3)]
>>> report.cast["/b"].how
'rigid'
"""
from .cast import Cast, load
from .check import Curve, Frame, Report, check
from .stage import Mesh
from .validator import register_validator

__all__ = ["Cast", "Curve", "Frame", "Mesh", "Report", "check", "load", "register_validator"]
