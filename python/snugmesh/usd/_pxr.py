"""USD's modules. They have no types for mypy, so that all of them are Any."""
import importlib
from typing import Any


def load_module(name: str) -> Any:
    try:
        return importlib.import_module(f"pxr.{name}")
    except ImportError as error:
        raise ImportError("snugmesh.usd needs usd-core: pip install 'snugmesh[usd]'") from error


Gf, Kind, Sdf, Usd, UsdGeom, UsdSkel, Vt = map(load_module, ("Gf", "Kind", "Sdf", "Usd", "UsdGeom", "UsdSkel", "Vt"))
