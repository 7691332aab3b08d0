"""A user's program, in types: mypy --strict has nothing to say about it, and it runs."""
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import snugmesh as snug
from snugmesh import batch, gpu, overlap, smpl


def count_pairs(a: snug.Body, b: snug.Body) -> int:
    pairs: NDArray[np.uint32] = snug.collide(a, b)
    return len(pairs)


def walk(actor: snug.Actor, other: snug.Actor, fps: float) -> Iterator[int]:
    clip: snug.Clip = actor.file.clips[0]
    for time in np.arange(0, clip.duration, 1 / fps):
        actor.pose(clip.name, float(time))
        other.pose("idle", time)
        yield len(snug.collide(actor, other))


def describe(a: snug.Body, b: snug.Body) -> str:
    contacts: snug.Contacts = snug.find_contacts(a, b, depths=True)
    found: snug.Distance = snug.find_distance(a, b, max_distance=1.0)
    where = "beyond" if found.point_a is None else f"{found.point_a.tolist()}"
    witness = snug.Witness()
    is_touching: bool = snug.touches(a, b, witness=witness)
    return f"{len(contacts.curves)} {found.distance} {where} {is_touching}"


def sides(body: snug.Body, points: list[list[float]]) -> NDArray[np.bool_]:
    answer = snug.find_inside(body, np.array(points, np.float32))
    inside: NDArray[np.bool_] = answer["side"] == snug.Side.INSIDE
    return inside


def in_time(a: snug.Body, b: snug.Body) -> int:
    search = snug.Search(a, b, max_steps=100)
    return sum(len(pairs) for pairs in search)


def many(model: snug.Model) -> tuple[NDArray[np.int64], float]:
    frames = np.zeros((3, 7))
    frames[:, 0], frames[:, 6] = np.arange(3), 1
    poses = batch.Poses(model, frames=frames)
    still = batch.Poses(model, frames=np.zeros((3, 7)) + [0, 0, 0, 0, 0, 0, 1])
    told: list[tuple[int, int]] = []
    found = batch.collide(poses, still, progress=lambda done, count: told.append((done, count)))
    offsets: NDArray[np.int64] = found.offsets
    return offsets, float(batch.find_distance(poses, still).distances.max())


def crowd(model: snug.Model) -> NDArray[np.uint32]:
    street = gpu.crowd(gpu.Device("reference"), model, 2)
    frames = np.zeros((2, 7), np.float64)
    frames[:, 6] = 1
    street.set_poses(frames=frames)
    return np.asarray(street.update().triangles)


def scene(model: snug.Model) -> list[int]:
    room = snug.Scene(threads=2)
    first: int = room.add(snug.Body(model), groups=1)
    room.add(snug.Shape.half_space((0, 0, 1), 0.5), is_static=True)
    room.add(snug.Body(model, strategy="front", pool=snug.Pool(1 << 16)))
    update: snug.Update = room.update(triangle_pairs=True)
    room.set_shape(1, snug.Shape.sphere((0, 0, 0), 1.0))
    room.notes[0, 2] = "mine"
    return [first, update.moved, len(room.pairs()), len(room.events().begun)]


def volumes(model: snug.Model) -> float:
    a, b = overlap.Surface(model), overlap.Surface(model)
    x = snug.mesh(a.body)[0]
    both: overlap.Overlap = overlap.between(a, b, x, x + [1.5, 0.25, 0.5])
    return both.volume + float(both.gradients[0].sum())


def ahead(start: snug.Body, model: snug.Model) -> str:
    end, wall = snug.Body(model), snug.Body(model)
    end.set_frame((9, 0, 0))
    wall.set_frame(np.array([5.0, 0, 0]))
    swept: snug.Sweep = snug.sweep(start, end, wall, None)
    return f"{swept.answer.name} {swept.time}"


def person(path: str) -> batch.Pairs:
    body: smpl.BodyModel = smpl.load(path, shapes=10)
    posed: smpl.Pose = body.pose(np.zeros((1, 10)), np.zeros((1, body.joint_count, 3)))
    return batch.collide_self(batch.Poses(body.model, *posed))


def mistakes(body: snug.Body) -> None:
    """What mypy must see: it complains where a complaint that is ignored does not come."""
    snug.collide(body)  # type: ignore[call-arg]
    snug.collide(body, body.model)  # type: ignore[arg-type]
    snug.Body(body.model, strategy="fast")  # type: ignore[arg-type]
    snug.find_contacts(body, body).curve  # type: ignore[attr-defined]
    body.counters = None  # type: ignore[assignment, misc]
    batch.collide_self(body)  # type: ignore[arg-type]


def main() -> None:
    model = snug.box()
    a, b = snug.Body(model), snug.Body(model)
    b.set_frame((1.5, 0.25, 0.5), (0, 0, 0, 1))
    print(count_pairs(a, b), describe(a, b), sides(a, [[0, 0, 0], [3, 0, 0]]).tolist(), in_time(a, b))
    print(many(model), len(crowd(model)), scene(model), volumes(model), ahead(a, model))


if __name__ == "__main__":
    main()
