"""A validator among USD's own, so that what runs those runs this, too."""
from __future__ import annotations

from typing import Any

from ._pxr import Usd, load_module
from .check import check

NAME = "snugmesh:ContactChecker"


def register_validator() -> Any:
    """Register snugmesh:ContactChecker with UsdValidation, once, and return it: an error for any two meshes that meet in the
    stage's range, by the rules of usd.check.

    >>> from pxr import Usd
    >>> from snugmesh import usd
    >>> usd.register_validator().Validate(Usd.Stage.CreateInMemory())
    []
    """
    if Usd.GetVersion() < (0, 26, 5):
        raise RuntimeError("USD's validators can be written in Python from usd-core 26.5 on")
    validation = load_module("UsdValidation")
    registry = validation.ValidationRegistry()
    if not registry.HasValidator(NAME):
        metadata = validation.ValidatorMetadata(name=NAME, doc="Meshes of different actors do not meet.", keywords=["snugmesh"])
        registry.RegisterStageValidator(metadata, lambda stage, _: _list_errors(validation, stage))
    return registry.GetOrLoadValidatorByName(NAME)


def _list_errors(validation: Any, stage: Any) -> list[Any]:
    def error(name: str, text: str, paths: list[str]) -> Any:
        sites = [validation.ValidationErrorSite(stage, path.partition("[")[0]) for path in paths]
        return validation.ValidationError(name, validation.ValidationErrorType.Error, sites, text)

    try:
        report = check(stage)
    except ValueError as reason:
        path = str(reason).partition(":")[0]
        return [error("CannotBeChecked", str(reason), [path if path.startswith("/") else "/"])]
    first: dict[tuple[int, int], float] = {}
    for frame in report.frames:
        for a, b in {(int(a), int(b)) for a, b in frame.pairs[:, [0, 2]]}:
            first.setdefault((a, b), frame.time_code)
    errors = []
    for (a, b), code in sorted(first.items()):
        paths = [report.cast.meshes[i].path for i in (a, b)]
        errors.append(error("Contact", f"{paths[0]} meets {'itself' if a == b else paths[1]} from {code:g} on", paths))
    return errors
