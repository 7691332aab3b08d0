"""A synthetic body of SMPL's size, of our own: tubes along the bones of 24 joints, 6,890 vertices, 10 shapes, 207 bends.
And how it is posed, by the formulas of the papers, in float64, vertex by vertex: shares nothing with the package."""
import numpy as np

PARENTS = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21]
PLACES = np.array(
    [[0, 0.95, 0], [0.07, 0.87, 0], [-0.07, 0.87, 0], [0, 1.07, 0], [0.09, 0.5, 0], [-0.09, 0.5, 0], [0, 1.2, 0]]
    + [[0.09, 0.09, -0.02], [-0.09, 0.09, -0.02], [0, 1.26, 0], [0.1, 0.03, 0.1], [-0.1, 0.03, 0.1], [0, 1.47, 0]]
    + [[0.08, 1.38, 0], [-0.08, 1.38, 0], [0, 1.58, 0.02], [0.18, 1.4, 0], [-0.18, 1.4, 0], [0.43, 1.4, 0]]
    + [[-0.43, 1.4, 0], [0.68, 1.4, 0], [-0.68, 1.4, 0], [0.77, 1.4, 0], [-0.77, 1.4, 0]]
)
AROUND = 20


def make_tube(start, end, radius, rings):
    """A closed tube: rings of vertices and a vertex at each end."""
    axis = (end - start) / np.linalg.norm(end - start)
    side = np.cross(axis, [0.3, 0.5, 0.8])
    side /= np.linalg.norm(side)
    other = np.cross(axis, side)
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    circle = radius * (np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * other)
    centers = start + np.linspace(0, 1, rings)[:, None] * (end - start)
    vertices = np.concatenate([(centers[:, None] + circle).reshape(-1, 3), [start - 0.5 * radius * axis, end + 0.5 * radius * axis]])
    faces, last = [], (rings - 1) * AROUND
    for j in range(AROUND):
        k = (j + 1) % AROUND
        faces += [[len(vertices) - 2, k, j], [len(vertices) - 1, last + j, last + k]]
        for i in range(0, last, AROUND):
            faces += [[i + j, i + k, i + AROUND + j], [i + k, i + AROUND + k, i + AROUND + j]]
    return vertices, np.array(faces)


def make_arrays(parents=PARENTS, places=PLACES, shapes=10, seed=0, is_star=False, rings=14, pad_to=6890):
    """Arrays by the names that the files have."""
    random = np.random.default_rng(seed)
    vertices, faces, bones = [], [], []
    for joint, parent in enumerate(parents[1:], 1):
        tube, triangles = make_tube(places[parent], places[joint] + [0, 0, 0.01], 0.05, rings)
        faces.append(triangles + sum(map(len, vertices)))
        vertices.append(tube)
        bones += [parent] * len(tube)
    template = np.concatenate(vertices)
    spare = max(0, pad_to - len(template))  # vertices of no triangle, to have as many
    template = np.concatenate([template, template[:spare]])
    bones = np.array(bones + bones[:spare])
    count, joints = len(template), len(parents)
    weights = np.exp(-np.linalg.norm(template[:, None] - places[None], axis=2) / 0.05)
    weights[np.arange(count), bones] += 0.5
    weights[weights < np.sort(weights, axis=1)[:, [-4]]] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    regressor = np.zeros((joints, count))
    for joint in range(joints):
        nearest = np.argsort(np.linalg.norm(template - places[joint], axis=1))[:30]
        regressor[joint, nearest] = 1 / 30
    features = 4 * (joints - 1) + 1 if is_star else 9 * (joints - 1)
    waves = np.sin(template @ random.normal(size=(3, 3 * shapes)) * 2).reshape(count, 3, shapes)
    near = np.exp(-np.linalg.norm(template[:, None] - places[None], axis=2) ** 2 / 0.02)
    bends = 0.005 * random.normal(size=(count, 3, features)) * near[:, None, 1 + np.arange(features) % (joints - 1)]
    return {
        "v_template": template,
        "f": np.concatenate(faces).astype(np.uint32),
        "shapedirs": 0.01 * waves,
        "posedirs": bends,
        "J_regressor": regressor,
        "weights": weights,
        "kintree_table": np.array([[0xFFFFFFFF, *parents[1:]], range(joints)], np.uint32),
    }


def turn(vector):
    """The rotation about a vector by its length, by its series (the matrix exponential)."""
    x, y, z = vector
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    total, term = np.eye(3), np.eye(3)
    for i in range(1, 60):
        term = term @ cross / i
        total = total + term
    return total


def pose_vertices(arrays, betas, pose, translation, is_star=False):
    """All vertices of one pose, as the papers have it."""
    parents = [int(p) for p in arrays["kintree_table"][0]]
    shaped = arrays["v_template"] + arrays["shapedirs"] @ betas
    joints = arrays["J_regressor"] @ shaped
    turns = [turn(v) for v in pose]
    if is_star:
        angles = [np.linalg.norm(v) for v in pose]
        halves = [[*(np.sin(a / 2) * v / a), np.cos(a / 2) - 1] for v, a in zip(pose, angles)]
        features = np.array([*np.ravel(halves[1:]), betas[1]])
    else:
        features = np.ravel([t - np.eye(3) for t in turns[1:]])
    shaped = shaped + arrays["posedirs"] @ features
    globals_ = []
    for joint, parent in enumerate(parents):
        local = np.eye(4)
        local[:3, :3] = turns[joint]
        local[:3, 3] = joints[joint] - (joints[parent] if joint else 0)
        globals_.append(globals_[parent] @ local if joint else local)
    for joint, matrix in enumerate(globals_):
        matrix[:3, 3] -= matrix[:3, :3] @ joints[joint]
    blended = np.einsum("vj,jab->vab", arrays["weights"], np.array(globals_))
    return np.einsum("vab,vb->va", blended[:, :3, :3], shaped) + blended[:, :3, 3] + translation


def random_poses(count, seed=1, joints=24, size=0.25):
    random = np.random.default_rng(seed)
    return random.normal(size=(count, 10)), size * random.normal(size=(count, joints, 3))
