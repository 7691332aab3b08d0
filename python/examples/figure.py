"""A figure of our own, of SMPL's size: one closed skin around the bones of 24 joints, 10 shapes, 207 bends.

Its arrays have the names that files of body models have, so it stands in for one wherever none may be given away: tests,
examples, the pictures of the documents. `random_poses` are natural ones, arms down, with noise.
"""
import numpy as np

PARENTS = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21]
SIDE = np.array([-1, 1, 1])
LEFT = {1: (0.09, 0.87, 0), 4: (0.1, 0.5, 0), 7: (0.1, 0.09, -0.02), 10: (0.11, 0.03, 0.1)}
LEFT |= {13: (0.08, 1.38, 0), 16: (0.18, 1.4, 0), 18: (0.43, 1.4, 0), 20: (0.68, 1.4, 0), 22: (0.77, 1.4, 0)}
MIDDLE = {0: (0, 0.95, 0), 3: (0, 1.07, 0), 6: (0, 1.2, 0), 9: (0, 1.26, 0), 12: (0, 1.47, 0), 15: (0, 1.58, 0.02)}
PLACES = np.array([MIDDLE[j] if j in MIDDLE else LEFT[j] if j in LEFT else LEFT[j - 1] * SIDE for j in range(24)])
RADII = [0.13, 0.08, 0.08, 0.12, 0.06, 0.06, 0.12, 0.045, 0.045, 0.13, 0.04, 0.04]
RADII += [0.06, 0.08, 0.08, 0.09, 0.06, 0.06, 0.045, 0.045, 0.035, 0.035, 0.035, 0.035]
TIPS = {10: (0.11, 0.03, 0.2), 11: (-0.11, 0.03, 0.2), 15: (0, 1.7, 0.02), 22: (0.86, 1.4, 0), 23: (-0.86, 1.4, 0)}
SOFTNESS = 0.012


def list_bones():
    """Of each bone: the joint that moves it, ends, radii."""
    bones = [(p, PLACES[p], PLACES[j], RADII[p], RADII[j]) for j, p in enumerate(PARENTS) if p >= 0]
    return bones + [(j, PLACES[j], np.array(tip), RADII[j], 0.8 * RADII[j]) for j, tip in TIPS.items()]


def find_distances(points):
    """Of each point to each bone, and how thick the bone is there: (bones, points) each."""
    distances, radii = [], []
    for _, start, end, first, last in list_bones():
        along = np.clip((points - start) @ (end - start) / np.sum((end - start) ** 2), 0, 1)
        distances.append(np.linalg.norm(points - start - along[:, None] * (end - start), axis=1))
        radii.append(first + (last - first) * along)
    return np.array(distances), np.array(radii)


def find_depth(points):
    """Below zero inside."""
    distances, radii = find_distances(points)
    return -SOFTNESS * np.log(np.exp((radii - distances) / SOFTNESS).sum(axis=0) + 1e-300)


def make_surface(step):
    """Vertices and triangles: a vertex in each cell of a grid through which the surface goes, four of them around each edge that
    it cuts, each moved onto the surface."""
    low, counts = np.array([-1.0, -0.1, -0.25]), np.ceil(np.array([2.0, 2.0, 0.6]) / step).astype(int)
    grid = low + step * np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), -1) + 1e-4
    depth = np.concatenate([find_depth(part) for part in np.array_split(grid.reshape(-1, 3), 64)]).reshape(counts)
    quads = []
    for axis in range(3):
        others = [(axis + 1) % 3, (axis + 2) % 3]
        below, above = np.take(depth, range(counts[axis] - 1), axis), np.take(depth, range(1, counts[axis]), axis)
        cut = np.argwhere((below < 0) != (above < 0))
        first, second = np.eye(3, dtype=int)[others]
        around = np.stack([cut - first - second, cut - second, cut, cut - first], 1)
        outward = below[tuple(cut.T)] < 0
        quads.append(np.where(outward[:, None, None], around, around[:, ::-1]))
    cells = np.concatenate(quads)
    flat = np.ravel_multi_index(cells.reshape(-1, 3).T, counts)
    used, corners = np.unique(flat, return_inverse=True)
    corners = corners.reshape(-1, 4)
    points = low + step * (np.stack(np.unravel_index(used, counts), 1) + 0.5)
    for _ in range(6):
        slope = np.stack([(find_depth(points + d) - find_depth(points - d)) / 2e-4 for d in 1e-4 * np.eye(3)], 1)
        points = points - np.clip(find_depth(points), -step / 4, step / 4)[:, None] * slope / (slope**2).sum(1, keepdims=True)
    return points, np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])


def make_figure(step=0.0194, seed=0):
    """Arrays by the names that files have: of 6,826 vertices, all of them in triangles."""
    random = np.random.default_rng(seed)
    vertices, faces = make_surface(step)
    distances, _ = find_distances(vertices)
    weights = np.zeros((len(vertices), 24))
    for (joint, *_), distance in zip(list_bones(), distances):
        weights[:, joint] = np.maximum(weights[:, joint], np.exp(-distance / 0.03))
    weights[weights < np.sort(weights, axis=1)[:, [-4]]] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    regressor = np.exp(-np.linalg.norm(PLACES[:, None] - vertices, axis=2) / 0.01)
    shapes = np.stack([0.006 * np.sin(vertices @ random.normal(size=(3, 3)) * 2 + random.uniform(0, 6, 3)) for _ in range(10)], 2)
    near = np.exp(-np.linalg.norm(vertices[:, None] - PLACES[1:], axis=2) ** 2 / (2 * 0.08**2))
    bends = np.zeros((len(vertices), 3, 207))
    for k in range(207):  # strong near the joint, weak everywhere
        wave = np.sin(vertices @ random.normal(size=(3, 3)) * 5 + random.uniform(0, 6, 3))
        bends[:, :, k] = (0.01 * near[:, [k // 9]] + 0.0002) * wave
    return {
        "v_template": vertices,
        "f": faces.astype(np.uint32),
        "shapedirs": shapes,
        "posedirs": bends,
        "J_regressor": regressor / regressor.sum(axis=1, keepdims=True),
        "weights": weights,
        "kintree_table": np.array([[2**32 - 1, *PARENTS[1:]], range(24)], np.uint32),
    }


def random_poses(count, seed=1, noise=0.35):
    """Shapes (count, 10) and natural poses with noise (count, 24, 3): arms hang, shoulders, elbows, hips and knees move most."""
    random = np.random.default_rng(seed)
    poses = 0.5 * noise * random.normal(size=(count, 24, 3))
    poses[:, [16, 17, 18, 19, 1, 2, 4, 5]] *= 2
    poses[:, 16, 2] -= 0.9
    poses[:, 17, 2] += 0.9
    poses[:, 0] = 0
    return random.normal(size=(count, 10)), poses
