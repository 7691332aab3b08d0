"""Whatever is passed, an exception or an answer comes back, and the interpreter lives: types, shapes, NaN, strides,
read-only memory, empty arrays, wrong counts. In the end everything still works."""
import unittest
import warnings

import numpy as np

import snugmesh as snug
from support import SEED, bend, make_tube, make_tube_model, scaled, tetrahedron

DTYPES = ["f4", "f8", "f2", ">f4", "u4", "i4", "i8", "u8", "u2", "i2", "u1", "?", "c8", "S3", "U2", "O", "M8[s]"]


def make_number(random):
    return random.choice([0, 1, -1, 3, 2**31, 2**32, 2**63, 2**70, -(2**40), 0.5, float("nan"), float("inf"), 1e300])


def make_array(random, shape=None):
    """An array of some type, shape and layout, with some values."""
    if shape is None or random.random() < 0.4:
        shape = tuple(int(n) for n in random.choice([0, 1, 2, 3, 4, 7], size=random.integers(0, 5)))
    dtype = np.dtype(random.choice(DTYPES[:10] if random.random() < 0.8 else DTYPES))
    size = int(np.prod(shape, dtype=int))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = (random.normal(size=size) * random.choice([1, 5, 1e30, 1e300])).reshape(shape)
        if size and random.random() < 0.3:
            array.flat[random.integers(size)] = random.choice([np.nan, np.inf, -np.inf, 1e38, 0])
        array = np.nan_to_num(array, nan=0, posinf=7, neginf=-7) if dtype.kind in "SUOM" else array
        array = array.astype(dtype)
    return lay_out(random, np.asarray(array))


def lay_out(random, array):
    way = random.integers(8)
    if way == 0:
        return np.asfortranarray(array)
    if way == 1 and array.ndim:
        return array[::-1]
    if way == 2 and array.ndim:
        return np.repeat(array, 2, axis=0)[::2]
    if way == 3 and array.dtype.kind == "f" and array.ndim:
        shifted = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
        shifted[...] = array
        return shifted
    if way == 4:
        array = array.copy()
        array.flags.writeable = False
    if way == 5 and array.ndim:
        return np.broadcast_to(array[:1], (3,) + array.shape[1:]) if len(array) else array
    return array


def make_argument(random, bodies, shape=None):
    kind = random.integers(10)
    if kind < 5:
        return make_array(random, shape)
    if kind == 5:
        return random.choice(np.array(bodies, dtype=object))
    if kind == 6:
        return make_number(random)
    if kind == 7:
        return [None, "", "skin", b"abc", bytearray(48), object(), memoryview(b"x" * 12), {}, [], ()][random.integers(10)]
    if kind == 8:
        return [make_number(random) for _ in range(random.integers(0, 5))]
    return tuple(make_number(random) for _ in range(random.integers(0, 5)))


class Fuzz(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.addCleanup(warnings.resetwarnings)
        fields = np.zeros((2, 4, 3), np.float32)
        four = tetrahedron()
        self.models = [
            four,
            make_tube_model(around=4, along=4),
            make_tube_model("dual_quaternion", around=4, along=4),
            snug.Model(four.positions(), four.triangles(), fields=fields),
            snug.Model(four.positions(), four.triangles(), deformer="free"),
        ]
        self.bodies = [snug.Body(model) for model in self.models]
        self.search = snug.Search(*(snug.Body(make_tube_model()) for _ in range(2)))
        self.scene, self.skins = snug.Scene(), snug.Scene()
        for _ in range(3):
            self.skins.add(snug.Body(self.models[1]))
        for model in self.models:
            self.scene.add(snug.Body(model))

    def call(self, function, arguments, keywords):
        try:
            function(*arguments, **keywords)
            return 1
        except (TypeError, ValueError, KeyError, IndexError, BufferError, OverflowError, OSError, MemoryError) as error:
            self.assertTrue(str(error), f"{function}: {error!r} says nothing")
            self.assertNotRegex(str(error), "snug[A-Z_]|bad argument|[a-z](Count|Starts|Distance|Positions)", "what users of Python do not know")
        return 0

    def run_cases(self, count, targets):
        accepted = 0
        for seed in range(SEED, SEED + count):
            random = np.random.default_rng(seed)
            choices = targets(random)
            function, shapes, names = choices[random.integers(len(choices))]
            arguments = [make_argument(random, self.bodies, shape) for shape in shapes]
            keywords = {name: make_argument(random, self.bodies, None) for name in names if random.random() < 0.3}
            if random.random() < 0.05:
                arguments = arguments[:-1] or [3, 4, 5]
            with self.subTest(seed=seed, function=function):
                accepted += self.call(function, arguments, keywords)
        self.check_health()
        return accepted

    def check_health(self):
        a, b = snug.Body(self.models[0]), snug.Body(self.models[0])
        b.set_frame((0.25, 0.25, 0.25))
        self.assertEqual(snug.collide(a, b).tolist(), [[2, 0], [2, 1], [2, 3]])
        for body in self.bodies:  # none is left in use
            body.set_frame((0, 0, 0))
            self.assertEqual(len(body.vertices()), body.model.vertex_count)

    def test_methods(self):
        def choose(random):
            body = self.bodies[random.integers(len(self.bodies))]
            scene, skins = self.scene, self.skins
            return [
                (body.set_joints, [(4, 4, 4)], []),
                (body.set_joints, [(4, 3, 4)], []),
                (body.set_nodes, [(4, 15)], []),
                (body.set_amplitudes, [(2,)], []),
                (body.set_vertices, [(4, 3), ()], []),
                (body.set_frame, [(3,), (4,)], []),
                (body.vertices, [(5,)], ["origin", "out"]),
                (body.triangles, [(5,)], ["origin"]),
                (body.bounds, [], ["origin"]),
                (body.boxes, [()], []),
                (body.boxes, [], ["level", "nodes"]),
                (body.is_outside, [(3, 4)], ["origin"]),
                (body.model.node_triangles, [()], []),
                (self.search.run, [()], ["seconds", "max_level"]),
                (scene.add, [()], ["is_static", "groups", "mask", "replaces"]),
                (scene.set_shape, [(), (6,)], []),
                (scene.remove, [()], []),
                (scene.set_groups, [()], ["groups", "mask"]),
                (scene.set_origin, [(3,)], []),
                (scene.update, [], ["triangle_pairs", "contacts", "depths"]),
                (scene.find_hits, [(2, 3)], ["mask"]),
                (lambda **o: scene.sweep({0: snug.Body(scene[0].model)}, **o), [], ["tolerance", "margin", "max_time", "max_steps", "new_only"]),
                (scene.sweep, [None], ["turning"]),
                (scene.set_poses, [(3, 4, 4, 4)], ["ids", "frames"]),
                (lambda *a, **k: skins.set_poses(ids=np.array([0, 1, 2]), frames=a[1], joints=a[0]), [(3, 4, 4, 4), (3, 7)], []),
            ]

        self.assertGreater(self.run_cases(scaled(3000), choose), 50)

    def test_functions(self):
        def choose(random):
            a, b = random.choice(len(self.bodies), size=2)
            first, second = self.bodies[a], self.bodies[b]

            def with_two(function):
                return lambda *more, **keywords: function(first, second, *more, **keywords)

            def with_one(function):
                return lambda *more, **keywords: function(first, *more, **keywords)

            return [
                (snug.collide, [None, None], ["origin"]),
                (with_two(snug.collide), [], ["origin", "threads"]),
                (with_two(snug.find_distance_bound), [], ["origin"]),
                (self.run_search, [None, None], ["max_steps", "widest_first", "capacity", "origin"]),
                (with_two(self.run_search), [], ["max_steps", "widest_first", "capacity", "origin"]),
                (with_two(snug.touches), [], ["origin", "witness"]),
                (with_two(snug.collide_within), [()], ["origin"]),
                (with_two(snug.find_distance), [], ["origin", "max_distance"]),
                (with_two(self.run_sweep), [], ["tolerance", "margin", "max_time", "max_steps", "new_only", "origin", "turning"]),
                (snug.sweep, [None, None, None, None], ["origin"]),
                (with_two(lambda a, b, **o: snug.sweep_all(a, None, b, **o)), [], ["max_time", "new_only", "turning"]),
                (snug.find_sagitta, [None, None, None], ["origin"]),
                (with_two(snug.find_contacts), [], ["depths", "threads", "origin"]),
                (with_one(snug.collide_self), [], ["keep_rest", "threads"]),
                (with_one(snug.find_self_contacts), [], ["depths", "threads", "origin", "keep_rest"]),
                (with_one(snug.find_self_inside), [], []),
                (with_one(snug.touches_self), [], ["keep_rest"]),
                (with_one(lambda body, **o: snug.collide_self_within(body, 0.5, 0.25, **o)), [], ["origin"]),
                (with_one(snug.cast_rays), [(5, 2, 3)], ["any", "origin"]),
                (with_one(snug.find_hits), [(2, 3)], ["origin"]),
                (with_one(snug.find_closest), [(5, 3)], ["max_distance", "origin"]),
                (with_one(snug.find_inside), [(5, 3)], ["origin"]),
                (with_two(snug.find_vertex_depths), [], ["max_distance", "origin"]),
                (with_two(snug.find_body_inside), [], ["origin"]),
                (with_one(snug.collide_sphere), [(3,), ()], ["any", "origin"]),
                (with_one(snug.collide_capsule), [(3,), (3,), ()], ["any", "origin"]),
                (with_one(snug.collide_plane), [(3,), ()], ["any", "origin"]),
                (self.scene.cast_rays, [(5, 2, 3)], ["any", "mask"]),
                (snug.face_mask, [(5, 2), (), ()], []),
                (snug.frame, [(4, 4)], []),
            ]

        self.assertGreater(self.run_cases(scaled(2500), choose), 50)

    @staticmethod
    def run_sweep(a, b, **keywords):
        snug.sweep(a, None, b, snug.Body(b.model), **keywords)

    @staticmethod
    def run_search(*arguments, **keywords):
        search = snug.Search(*arguments, **keywords)
        next(search)
        search.frontier()
        search.run()

    def test_constructors(self):
        names = ["deformer", "blending", "joint_count", "influence_starts", "joint_positions", "field_starts", "field_numbers",
                 "field_count", "frequencies", "threads"]

        def choose(random):
            return [
                (snug.Model, [(4, 3), (4, 3)], names + ["joints", "weights", "fields"]),
                (lambda *a, **k: snug.Model(*a[:2], joints=a[2], weights=a[3], **k), [(4, 3), (4, 3), (4, 2), (4, 2)], names),
                (lambda *a, **k: snug.Model(*a[:2], fields=a[2], **k), [(4, 3), (4, 3), (2, 4, 3)], names),
                (snug.Body, [()], ["strategy", "pool"]),
                (lambda *a, **k: snug.Body(self.models[1], **k), [()], ["strategy", "pool"]),
                (snug.Pool, [()], []),
                (snug.Scene, [], ["origin", "threads"]),
                (snug.Witness, [()], []),
                (snug.Model.from_bytes, [(5,)], []),
                (snug.Model.load, [()], []),
                (snug.load, [()], []),
            ]

        self.run_cases(scaled(2000), choose)

    def test_nearly_right_models(self):
        """Everything right but one thing: the way in which mistakes are made."""
        vertices, faces, joints, weights = make_tube(around=4, along=4)
        whole = dict(positions=vertices, triangles=faces, joints=joints, weights=weights)
        accepted = 0
        for seed in range(SEED, SEED + scaled(1500)):
            random = np.random.default_rng(seed)
            keywords = dict(whole)
            name = list(whole)[random.integers(4)]
            array = keywords[name].copy()
            change = random.integers(4)
            if change == 0:
                array.flat[random.integers(array.size)] = random.choice([0, 3, 40, 60000] if array.dtype.kind == "u"
                                                                        else [np.nan, np.inf, -1, 1e38, 0])
            elif change == 1:
                array = lay_out(random, array)
            elif change == 2:
                array = array[: random.integers(len(array))]
            else:
                array = array[:, : random.integers(array.shape[1] + 1)]
            keywords[name] = array
            with self.subTest(seed=seed, name=name):
                accepted += self.call(snug.Model, [], keywords)
        self.assertGreater(accepted, 10)
        self.check_health()

    def test_damaged_bytes(self):
        whole = make_tube_model("spherical", around=4, along=4).to_bytes()
        for seed in range(SEED, SEED + scaled(400)):
            random = np.random.default_rng(seed)
            data = bytearray(whole[: random.integers(len(whole))] if random.random() < 0.3 else whole)
            for _ in range(random.integers(1, 4)):
                if data:
                    data[random.integers(len(data))] = random.integers(256)
            try:
                body = snug.Body(snug.Model.from_bytes(data))
                body.set_joints(bend(seed))
                snug.collide(body, self.bodies[0])
            except snug.Error:
                pass
        self.check_health()

    def test_no_attributes_to_set(self):
        for thing in (self.models[0], self.bodies[0], self.scene, self.search, snug.Witness(), snug.Pool(1)):
            with self.assertRaises((AttributeError, TypeError)):
                thing.vertex_count = 3
            with self.assertRaises(TypeError):
                type("Own", (type(thing),), {})


if __name__ == "__main__":
    unittest.main()
