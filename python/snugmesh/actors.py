"""Questions about two bodies, asked of actors too: all bodies of one against all bodies of the other."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._core import Body, Distance, Witness
from .files import Actor, File

_Numbers = Sequence[float] | NDArray[Any]


def _parts(a: Body | Actor, b: Body | Actor) -> Iterator[tuple[Body, int, Body, int]]:
    """Bodies of one and the other, each with the number of its first triangle."""
    if a is b:
        raise ValueError("a and b are the same actor: collide_self asks about one body")
    for x, first in _numbered(a, "a"):
        for y, second in _numbered(b, "b"):
            yield x, first, y, second


def _numbered(either: Body | Actor, name: str) -> list[tuple[Body, int]]:
    if isinstance(either, Body):
        return [(either, 0)]
    if isinstance(either, Actor):
        return list(zip(either.bodies, either.first_triangles.tolist()))
    hint = ": its actor() is one" if isinstance(either, File) else ""
    raise TypeError(f"{name} must be a snugmesh.Body or a snugmesh.Actor, not {type(either)}{hint}")


def _merge(a: Body | Actor, b: Body | Actor, ask: Callable[[Body, Body], NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """Pairs of all bodies, sorted, with triangles numbered from body to body."""
    found = [np.zeros((0, 2), np.uint32)]
    for x, first, y, second in _parts(a, b):
        pairs = ask(x, y)
        if len(pairs) > 0:
            found.append(pairs + np.array([first, second], np.uint32))
    pairs = np.concatenate(found)
    in_order: NDArray[np.uint32] = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return in_order


def collide(
    a: Body | Actor, b: Body | Actor, *, threads: int = 1, origin: _Numbers | None = None
) -> NDArray[np.uint32]:
    """All pairs of intersecting triangles: uint32, (n, 2), sorted. Touching counts.

    Of an actor all bodies are asked, and triangles are numbered from body to body: Actor.locate says whose they are.
    threads: how many share the work of one query, for heavy contact. Pairs are the same.
    origin: three numbers that positions are relative to; set it near bodies that are far from zero.

    >>> import snugmesh as snug
    >>> a, b = snug.Body(snug.box()), snug.Body(snug.box())
    >>> b.set_frame((0, 0, 1.5), (0, 0, 0.6, 0.8))
    >>> len(snug.collide(a, b))
    28
    """
    if type(a) is Body and type(b) is Body:
        return _core.collide(a, b, threads=threads, origin=origin)
    return _merge(a, b, lambda x, y: _core.collide(x, y, threads=threads, origin=origin))


def touches(
    a: Body | Actor, b: Body | Actor, *, witness: Witness | None = None, origin: _Numbers | None = None
) -> bool:
    """Whether two bodies, or any of two actors' bodies, touch. Stops at the first pair of triangles.

    witness: a Witness for these two bodies, which makes it much faster while they stay in contact. Not for actors.
    """
    if type(a) is Body and type(b) is Body:
        return _core.touches(a, b, witness=witness, origin=origin)
    if witness is not None:
        raise TypeError("a witness is for two bodies, not for actors")
    return any(_core.touches(x, y, origin=origin) for x, _, y, _ in _parts(a, b))


def collide_within(
    a: Body | Actor, b: Body | Actor, margin: float, *, origin: _Numbers | None = None
) -> NDArray[np.uint32]:
    """All pairs of triangles whose distance is at most the margin: uint32, (n, 2), sorted; of actors as for collide."""
    if type(a) is Body and type(b) is Body:
        return _core.collide_within(a, b, margin, origin=origin)
    return _merge(a, b, lambda x, y: _core.collide_within(x, y, margin, origin=origin))


def find_distance(
    a: Body | Actor, b: Body | Actor, *, max_distance: float | None = None, origin: _Numbers | None = None
) -> Distance:
    """How far apart two bodies or actors are, and where: a Distance; triangles of actors as for collide.

    max_distance: look no farther, which is faster.

    >>> import snugmesh as snug
    >>> a, b = snug.Body(snug.box()), snug.Body(snug.box())
    >>> b.set_frame((5, 0, 0))
    >>> snug.find_distance(a, b).distance
    3.0
    """
    if type(a) is Body and type(b) is Body:
        return _core.find_distance(a, b, max_distance=max_distance, origin=origin)
    best: tuple[Any, ...] = (np.inf, None, None, None, None)
    for x, first, y, second in _parts(a, b):
        found = _core.find_distance(x, y, max_distance=max_distance, origin=origin)
        if found.a is not None and found.b is not None:
            key = found.distance, found.a + first, found.b + second
            if best[1] is None or key < best[:3]:
                best = *key, found.point_a, found.point_b
            max_distance = best[0] if best[0] > 0 else max_distance
    return Distance(best)
