"""Exact collision detection between deforming triangle meshes.

A Model is a mesh and how it deforms; a Body is a model in a pose. Queries say which triangles meet, where, and how far
apart bodies are, exactly, at a cost that is set by what touches: nothing else is deformed.

>>> import snugmesh as snug
>>> a, b = snug.Body(snug.box()), snug.Body(snug.box())
>>> b.set_frame((1.5, 0.25, 0.5))
>>> snug.touches(a, b)
True
>>> pairs = snug.collide(a, b)
>>> pairs.dtype, pairs.shape[1]
(dtype('uint32'), 2)
"""
from ._core import (
    Body,
    Bounds,
    Counters,
    Distance,
    Error,
    Events,
    Model,
    Pool,
    Scene,
    Search,
    Update,
    Validation,
    Witness,
    __version__,
    cast_rays,
    collide_self,
    collide_self_within,
    touches_self,
    find_closest,
    find_distance_bound,
    find_hits,
    find_inside,
    find_sagitta,
    find_self_inside,
    find_vertex_depths,
    instruction_set,
)
from .actors import collide, collide_within, find_distance, touches
from .contacts import NO_CURVE, ContactKind, Contacts, CurveEnd, FeatureKind, find_contacts, find_self_contacts
from .files import Actor, Clip, File, Instance, load
from .meshes import NO_BODY, NO_TRIANGLE, box, face_counts, face_mask, frame, mesh, model
from .shapes import Shape, Side, collide_capsule, collide_half_space, collide_plane, collide_sphere, find_body_inside
from .solvers import Components, Modes, principal_components, vibration_modes
from .sweeps import Sweep, SweepAnswer, sweep, sweep_all

__all__ = [
    "NO_BODY",
    "NO_CURVE",
    "NO_TRIANGLE",
    "Actor",
    "Body",
    "Bounds",
    "Clip",
    "Components",
    "ContactKind",
    "Contacts",
    "Counters",
    "CurveEnd",
    "Distance",
    "Error",
    "Events",
    "FeatureKind",
    "File",
    "Instance",
    "Model",
    "Modes",
    "Side",
    "Pool",
    "Scene",
    "Search",
    "Shape",
    "Sweep",
    "SweepAnswer",
    "Update",
    "Validation",
    "Witness",
    "__version__",
    "box",
    "cast_rays",
    "collide",
    "collide_capsule",
    "collide_half_space",
    "collide_plane",
    "collide_self",
    "collide_self_within",
    "collide_sphere",
    "collide_within",
    "face_counts",
    "face_mask",
    "find_body_inside",
    "find_closest",
    "find_contacts",
    "find_distance",
    "find_distance_bound",
    "find_hits",
    "find_inside",
    "find_sagitta",
    "find_self_contacts",
    "find_self_inside",
    "find_vertex_depths",
    "frame",
    "instruction_set",
    "load",
    "mesh",
    "model",
    "principal_components",
    "sweep",
    "sweep_all",
    "touches",
    "touches_self",
    "vibration_modes",
]
