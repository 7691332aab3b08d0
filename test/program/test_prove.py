"""Tests of `snug prove` and tools/check-proof: proofs are accepted as they are, and rejected with one thing changed
against them. Whether a change is against a proof is decided here, by another checker, which computes with fractions and
shares nothing with the first but the format. usage: test_prove.py SNUG MAKE_OBJ MAKE_GLB MAKE_CHARACTER CHECK_PROOF"""
import contextlib
import functools
import hashlib
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

SNUG, MAKE_OBJ, MAKE_GLB, MAKE_CHARACTER, CHECKER = (os.path.abspath(p) for p in sys.argv[1:])
SCALE, SEED = float(os.environ.get("SNUG_TEST_SCALE", 1)), int(os.environ.get("SNUG_SEED", 1))
loader = importlib.machinery.SourceFileLoader("check_proof", CHECKER)
checker = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_proof", loader))
sys.dont_write_bytecode = True
loader.exec_module(checker)


# ---- Another checker -------------------------------------------------------------------------------------------------


def number(digits):
    assert re.fullmatch("[0-9a-f]{8}|[0-9a-f]{16}", digits), digits
    return Fraction(struct.unpack(">f" if len(digits) == 8 else ">d", bytes.fromhex(digits))[0])


@functools.lru_cache(maxsize=200)
def read_mesh(text):
    lines = text.split("\n")
    assert lines[0] == "snug mesh 1"
    count, at = int(lines[1].split()[1]), 2
    points = [[number(w) for w in line.split(" ")[1:]] for line in lines[at: at + count]]
    at += count
    size = int(lines[at].split()[1])
    triangles = [[int(w) for w in line.split(" ")] for line in lines[at + 1: at + 1 + size]]
    assert all(0 <= v < count for t in triangles for v in t) and all(len(t) == 3 for t in triangles + points)
    at += 1 + size
    rows = []
    for width in (1, 3):
        size = int(lines[at].split()[1])
        assert size in (0, count)
        own = []
        for line in lines[at + 1: at + 1 + size]:
            words = line.split(" ") if line else []
            step = range(0, len(words), width + 1)
            own.append([(int(words[i]), [number(w) for w in words[i + 1: i + 1 + width]]) for i in step])
        rows.append(own)
        at += 1 + size
    assert lines[at:] == ["end", ""]
    return points, triangles, rows[0], rows[1]


def transform(m, v):
    return [sum(m[4 * i + k] * v[k] for k in range(3)) + m[4 * i + 3] for i in range(3)]


@functools.lru_cache(maxsize=2000)
def place(mesh_text, line):
    points, _, influences, displacements = read_mesh(mesh_text)
    words, part = line.split(" ")[2:], {}
    while words:
        kind, count = words[0], int(words[1]) * {"frame": 1, "joints": 12, "amplitudes": 1, "vertices": 3}[words[0]]
        assert kind not in part and len(words) >= 2 + count
        part[kind], words = [number(w) for w in words[2: 2 + count]], words[2 + count:]
    if "vertices" in part:
        assert len(part["vertices"]) == 3 * len(points)
        points = [part["vertices"][i: i + 3] for i in range(0, 3 * len(points), 3)]
    placed = []
    for v, x in enumerate(points):
        if "amplitudes" in part and displacements:
            x = [x[k] + sum(part["amplitudes"][f] * d[k] for f, d in displacements[v]) for k in range(3)]
        if "joints" in part:
            moved = [(w, transform(part["joints"][12 * j: 12 * j + 12], x)) for j, (w,) in influences[v]]
            x = [sum(w * y[k] for w, y in moved) for k in range(3)]
        placed.append(transform(part["frame"], x))
    return placed


def determinant(o, *points):
    (a, b, c), (d, e, f), (g, h, i) = ([p[k] - o[k] for k in range(3)] for p in points)
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def solve(p, d, a, e, f):
    """u, v and w of p + u d = a + v e + w f, or nothing."""
    origin, back, r = [0, 0, 0], [-x for x in d], [x - y for x, y in zip(p, a)]
    whole = determinant(origin, back, e, f)
    rows = (r, e, f), (back, r, f), (back, e, r)
    return [Fraction(determinant(origin, *row), whole) for row in rows] if whole else None


def find_common(s, t):
    """Points of which the hull is what two triangles have in common, one of them with an area: corners of one in the other
    one, edges through it, and edges that cross in a plane."""
    points, minus = [], lambda p, q: [x - y for x, y in zip(p, q)]
    for one, (a, b, c) in ((s, t), (t, s)):
        e, f = minus(b, a), minus(c, a)
        n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]]
        for k in range(3 if any(n) else 0):
            p, d = one[k], minus(one[(k + 1) % 3], one[k])
            inside = lambda found: found and min(found[1:]) >= 0 and sum(found[1:]) <= 1
            found = solve(p, n, a, e, f)
            points += [p] if inside(found) and found[0] == 0 else []
            ways = [solve(p, d, a, e, f)]
            ways = [w[0] for w in ways if inside(w)]
            for r, g in ((a, e), (a, f), (b, minus(c, b))):
                found = solve(p, d, r, g, n)
                ways += [found[0]] if found and found[2] == 0 and 0 <= found[1] <= 1 else []
            points += [[x + u * y for x, y in zip(p, d)] for u in ways if 0 <= u <= 1]
    return points


def meet(s, t, shared):
    """Whether two triangles have a point in common that is not on a corner or edge between these, and one has an area."""
    points = [tuple(map(Fraction, p)) for p in find_common(s, t)]
    points += [tuple(sum(x) / len(points) for x in zip(*points))] if points else []
    for o in shared:
        for q in shared:
            along = lambda p: next((Fraction(x - y) / (z - y) for x, y, z in zip(p, o, q) if z != y), Fraction(0))
            points = [p for p in points if not (0 <= along(p) <= 1 and all(x == y + along(p) * (z - y) for x, y, z in zip(p, o, q)))]
    return points != []


class Block:
    def __init__(self, words, ends, triangles, left, twins):
        self.words, self.ends, self.triangles, self.left = list(words), ends, triangles, left
        self.isSelf, self.points = len(triangles) == 1, {}
        if self.isSelf:
            self.ends, self.triangles, self.twins = ends * 2, triangles * 2, twins
            self.own(range(len(triangles[0])), Fraction(0), Fraction(1))
        else:
            self.node(*(range(len(t)) for t in triangles), Fraction(0), Fraction(1))
        assert not self.words

    def point(self, side, vertex, u):
        key = side, vertex, u
        if key not in self.points:
            self.points[key] = [(1 - u) * x + u * y for x, y in zip(*(end[vertex] for end in self.ends[side]))]
        return self.points[key]

    def own(self, a, start, end):
        """Triangles of one body among themselves."""
        if len(a) < 2:
            return
        if self.words[0] == "a":
            self.words.pop(0)
            parts = a[: len(a) // 2], a[len(a) // 2:]
            self.own(parts[0], start, end)
            self.own(parts[1], start, end)
            self.node(*parts, start, end)
        elif self.words[0] == "h":
            self.words.pop(0)
            self.own(a, start, (start + end) / 2)
            self.own(a, (start + end) / 2, end)
        elif self.words[0] == "n":
            self.words.pop(0)
            self.patch([*a], start, end)
        else:
            assert self.words[0] in "m?"
            self.node(a, a, start, end)

    def patch(self, triangles, start, end):
        d = [int(self.words.pop(0)) for k in range(3)]
        x = next(v for v in ([d[1], -d[0], 0], [0, d[2], -d[1]], [d[2], 0, -d[0]]) if any(v))
        y = [d[1] * x[2] - d[2] * x[1], d[2] * x[0] - d[0] * x[2], d[0] * x[1] - d[1] * x[0]]
        area = lambda p, q, r: (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        for step in range(3):  # a sample
            u = start + (end - start) * Fraction(step, 2)
            edges, at = [], {}
            for t in triangles:
                names = [self.twins[v] for v in self.triangles[0][t]]
                for n in names:
                    point = self.point(0, n, u)
                    at[n] = [sum(p * q for p, q in zip(point, axis)) for axis in (x, y)]
                assert area(*(at[n] for n in names)) > 0
                edges += [(names[k], names[(k + 1) % 3]) for k in range(3)]
            border = list(edges)
            for edge in edges:
                if edge[::-1] in border and edge in border:
                    border.remove(edge)
                    border.remove(edge[::-1])
            n, loop = dict(border), [border[0][0]]
            while n[loop[-1]] != loop[0]:
                loop.append(n[loop[-1]])
                assert len(loop) <= len(border)
            assert len(loop) == len(border) == len(n)
            for i, (p, q) in enumerate(border):
                for r, s in border[:i]:
                    if not {p, q} & {r, s}:  # two edges cross or touch if neither is on one side of the other
                        one = sorted([area(at[p], at[q], at[r]), area(at[p], at[q], at[s])])
                        two = sorted([area(at[r], at[s], at[p]), area(at[r], at[s], at[q])])
                        assert one[0] > 0 or one[1] < 0 or two[0] > 0 or two[1] < 0

    def joined(self, claim, a, b, start, end):
        d = [int(self.words.pop(0)) for k in range(3)]
        names = [{self.twins[v] for t in own for v in self.triangles[0][t]} for own in (a, b)]
        shared = names[0] & names[1]
        assert len(shared) == (1 if claim == "v" else 2)
        for step in range(5):
            u = start + (end - start) * Fraction(step, 4)
            along = lambda n: sum(x * y for x, y in zip(d, self.point(0, n, u)))
            if claim == "v":
                o, = map(along, shared)
                assert all(along(n) < o for n in names[0] - shared) and all(along(n) > o for n in names[1] - shared)
            else:
                assert len(a) == len(b) == 1
                (p, q), (r,), (s,) = ([self.point(0, n, u) for n in group] for group in (shared, names[0] - shared, names[1] - shared))
                far = [p[k] + d[k] for k in range(3)]
                assert determinant(p, far, q, r) * determinant(p, far, q, s) < 0

    def node(self, a, b, start, end):
        claim, middle = self.words.pop(0), (start + end) / 2
        if claim == "h":
            self.node(a, b, start, middle)
            self.node(a, b, middle, end)
        elif claim == "a":
            assert len(a) > 1
            self.node(a[: len(a) // 2], b, start, end)
            self.node(a[len(a) // 2:], b, start, end)
        elif claim == "b":
            assert len(b) > 1
            self.node(a, b[: len(b) // 2], start, end)
            self.node(a, b[len(b) // 2:], start, end)
        elif claim == "d":
            d = [int(self.words.pop(0)) for k in range(3)]
            for u in (start, end):
                corners = [{v for t in own for v in self.triangles[side][t]} for side, own in ((0, a), (1, b))]
                values = [[sum(x * y for x, y in zip(d, self.point(side, v, u)) if x) for v in corners[side]] for side in (0, 1)]
                assert max(values[0]) < min(values[1])
        elif claim == "n":
            assert self.isSelf
            self.patch([*a, *b], start, end)
        elif claim in ("v", "e"):
            assert self.isSelf
            self.joined(claim, a, b, start, end)
        elif claim == "x":
            assert len(a) == len(b) == 1 and (a[0], b[0]) in self.left
        elif claim == "m":
            i, j, edge = (int(self.words.pop(0)) for k in range(3))
            assert i in a and j in b and 0 <= edge < 6 and (i, j) not in self.left
            for step in range(9):  # a sample: changes are against it if any is
                u = start + (end - start) * Fraction(step, 8)
                corners = [[self.point(side, v, u) for v in self.triangles[side][t]] for side, t in ((0, i), (1, j))]
                s, (x, y, z) = corners if edge < 3 else corners[::-1]
                p, q = s[edge % 3], s[(edge + 1) % 3]
                sides = [determinant(p, q, x, y), determinant(p, q, y, z), determinant(p, q, z, x)]
                assert min(sides) > 0 or max(sides) < 0
                assert determinant(x, y, z, p) * determinant(x, y, z, q) < 0
        else:
            assert claim == "?"


@functools.lru_cache(maxsize=5000)
def check_block(words, meshes, lines, left):
    ends = [[place(mesh, line) for line in own] for mesh, own in zip(meshes, lines)]
    points, *rest = read_mesh(meshes[0])
    keys = [str([points[v], *(row[v] for row in rest[1:] if row)]) for v in range(len(points))]
    first = {key: v for v, key in reversed(list(enumerate(keys)))}
    Block(words, ends, [read_mesh(mesh)[1] for mesh in meshes], left, [first[key] for key in keys])
    return True


def is_true(folder):
    """The other checker's verdict."""
    read = lambda name: open(os.path.join(folder, name)).read()
    try:
        lines = read("proof.txt").split("\n")
        assert lines[0] == "snug proof 1"
        meshes, bodies, pairs, left, kinds = [], [], [], [], {}
        for at, line in enumerate(lines[1:], 2):
            kind, *words = line.split(" ")
            if kind == "mesh":
                text = read(f"mesh-{words[0][:16]}.txt")
                assert hashlib.sha256(text.encode()).hexdigest() == words[0]
                meshes.append(text)
            elif kind == "body":
                bodies.append(meshes[int(words[0])])
            elif kind == "poses":
                poses = read("poses.txt")
                assert hashlib.sha256(poses.encode()).hexdigest() == words[0]
            elif kind == "times":
                times = [Fraction(w) for w in words]
            elif kind == "pair":
                pairs.append([int(w) for w in words])
                left.append(set())
            elif kind in ("first", "rest"):
                left[-1].add(tuple(int(w) for w in words))
                kinds[len(pairs) - 1, tuple(int(w) for w in words)] = kind
            elif kind == "claims":
                break
            else:
                assert kind in ("file", "stray")
        assert all(s < t for s, t in zip(times, times[1:]))
        poses = poses.split("\n")[1:]
        for i in range(len(times)):
            for k in range(len(bodies)):
                assert poses[i * len(bodies) + k].startswith(f"{i} {k} ")
        for (i, triangles), kind in kinds.items():
            corners = []
            for k, t in zip(pairs[i], triangles):
                points, own, *rows = read_mesh(bodies[k])
                places = points if kind == "rest" else place(bodies[k], poses[k])
                corners.append([(places[v], str([points[v], *(row[v] for row in rows if row)])) for v in own[t]])
            shared = [c[0] for c in corners[0] if c in corners[1]] if pairs[i][0] == pairs[i][1] else []
            assert meet(*([c[0] for c in own] for own in corners), shared)
        for step in range(len(times) - 1):
            for i, pair in enumerate(pairs):
                assert lines[at] == f"step {step} {i}" and pair[0] <= pair[1]
                who = sorted(set(pair))
                own = [(poses[step * len(bodies) + k], poses[(step + 1) * len(bodies) + k]) for k in who]
                assert check_block(tuple(lines[at + 1].split(" ")), tuple(bodies[k] for k in who), tuple(own),
                                   frozenset(left[i]))
                at += 2
        assert lines[at:] == ["end", ""]
        return True
    except (AssertionError, LookupError, ValueError, OSError, struct.error, OverflowError, UnboundLocalError):
        return False


# ---- Changes ---------------------------------------------------------------------------------------------------------


def change_word(rng, word):
    if re.fullmatch("-?[0-9]+", word) and len(word) < 12:
        value = int(word)
        return str(rng.choice([value + 1, value - 1, -value, 0, 2 * value, value + rng.randint(-50, 50), 10 ** 39]))
    if re.fullmatch("[0-9a-f]+", word) and len(word) >= 8:
        at = rng.randrange(len(word))
        return rng.choice([word[:at] + rng.choice("0123456789abcdef") + word[at + 1:], "7f800000", "7fc00001", word[1:]])
    if re.fullmatch("[-+.e0-9]+", word):
        return rng.choice(["0", "1e400", "nan", "-" + word, word + "1", "1e-3", "inf"])
    return rng.choice(["a", "b", "h", "d", "m", "x", "?", "n", "v", "", "0"])


def change(rng, folder):
    """Change one word of a proof, or leave a line or a word out, or have one twice. Hashes are made to fit in most cases,
    since nothing else would be tried."""
    path = os.path.join(folder, "proof.txt")
    with open(path) as file:
        lines = file.read().split("\n")
    mesh = next(line.split(" ")[1] for line in lines if line.startswith("mesh "))
    kind = rng.choice(["claims", "claims", "claims", "statement", "poses", "mesh", "line"])
    if kind in ("poses", "mesh"):
        name = "poses.txt" if kind == "poses" else f"mesh-{mesh[:16]}.txt"
        with open(os.path.join(folder, name)) as file:
            content = file.read().split("\n")
        at = rng.randrange(len(content))
        words = content[at].split(" ")
        i = rng.randrange(len(words))
        words[i] = change_word(rng, words[i])
        content[at] = " ".join(words)
        text = "\n".join(content)
        digest = hashlib.sha256(text.encode()).hexdigest()
        if rng.random() < 0.9:
            old = next(line for line in lines if line.startswith(kind + " "))
            lines[lines.index(old)] = f"{kind} {digest}"
            name = "poses.txt" if kind == "poses" else f"mesh-{digest[:16]}.txt"
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    else:
        first = lines.index("claims")
        at = rng.randrange(first + 1, len(lines)) if kind == "claims" else rng.randrange(0, first + 1) if kind == "statement" else rng.randrange(len(lines))
        if kind == "line":
            lines[at: at + 1] = rng.choice([[], [lines[at]] * 2, [lines[at], ""], [rng.choice(lines)]])
        else:
            words = lines[at].split(" ")
            i = rng.randrange(len(words))
            words[i: i + 1] = rng.choice([[change_word(rng, words[i])]] * 6 + [[], [words[i]] * 2])
            lines[at] = " ".join(words)
    with open(path, "w") as file:
        file.write("\n".join(lines))


def accepts(folder):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = run_checker([folder])
    return code == 0, out.getvalue()


def run_checker(arguments):
    old, sys.argv = sys.argv, ["check-proof", *arguments]
    try:
        return checker.main()
    finally:
        sys.argv = old


# ---- Tests -----------------------------------------------------------------------------------------------------------


def snug(*words, code=0):
    run = subprocess.run([SNUG, *words], capture_output=True, text=True)
    assert run.returncode == code, (words, run.returncode, run.stderr)
    return run.stdout


PROOFS = {
    "shot": ["shot.glb", "tetrahedron.obj", "--clip", "bend", "--fps", "6", "--resolve", "0.0001"],
    "near": ["worm.glb", "tetrahedron.obj", "--clip", "bend", "--fps", "6", "--to", "0.4", "--place", "0,0,0", "--place", "0.2,0.2,0",
             "--scale", "1", "--scale", "0.3"],
    "new": ["worm.glb", "triangle.obj", "--clip", "bend", "--fps", "4", "--to", "0.5", "--new-only", "--resolve", "0.004",
            "--place", "0,0,0", "--place", "0,1,-0.1"],
    "self": ["tetrahedron.obj", "--self"],
    "bent": ["shot.glb", "--clip", "bend", "--fps", "1", "--self"],
    "fields": ["morphs.glb", "triangle.obj", "--clip", "bend", "--fps", "3", "--resolve", "0.02", "--to", "0.4"],
    "skins": ["skins.glb", "triangle.obj", "--clip", "bend", "--fps", "2", "--resolve", "0.1", "--to", "0.5"],
    "turning": ["worm.glb", "triangle.obj", "--clip", "bend", "--fps", "2", "--blending", "spherical", "--resolve", "0.1"],
}


if SCALE < 10:
    del PROOFS["bent"], PROOFS["skins"]  # the other checker takes long
CHANGED = ["shot", "shot", "near", "new", "self", *(["bent"] if SCALE >= 10 else [])]


def test_proofs():
    for name, words in PROOFS.items():
        told = snug("prove", *words, "-o", name).split("\n")
        good, out = accepts(name)
        assert good and out.endswith("holds\n"), (name, out)
        # The program says what the checker says.
        lines = [line for line in out.split("\n") if not line.startswith("file: ")]
        assert told[:-2] == lines[:-2] and told[-2].startswith("proof: " + name) and len(told) > 3, (told, lines)
        assert is_true(name), name
        with open(name + "/proof.txt") as file:
            words = set(file.read().split())
        assert set({"shot": "hmd?", "new": "xdmha?", "near": "dab", "self": "an", "bent": "nvda"}.get(name, "")) <= words, (name, words)


def test_changes():
    rng, against, harmless = random.Random(SEED), 0, 0
    while against < (60 if SCALE >= 10 else 8) * SCALE:
        name = rng.choice(CHANGED)
        shutil.rmtree("changed", ignore_errors=True)
        shutil.copytree(name, "changed")
        state = rng.getstate()
        change(rng, "changed")
        if is_true("changed"):
            harmless += 1
            continue
        against += 1
        good, out = accepts("changed")
        assert not good and "does not hold" in out, (name, state[1][:2], out)
        if against % 10 == 0:
            print(f"{against} changes against proofs rejected, {harmless} were not against them", flush=True)
    assert harmless < 3 * against + 20


def test_runs():
    words = ["prove", "morphs.glb", "torus.obj", "--clip", "bend", "--fps", "20", "--stray", "0.001"]
    snug(*words, "-o", "whole", "--threads", "1")
    assert sorted(n.split("-")[0] for n in os.listdir("whole")) == ["mesh", "mesh", "mesh", "mesh", "poses.txt", "proof.txt"], os.listdir("whole")
    run = subprocess.Popen([SNUG, *words, "-o", "cut", "--threads", "1", "--within"], stderr=subprocess.PIPE, text=True)
    while run.poll() is None and not os.path.exists("cut/step-000001.txt"):
        time.sleep(0.001)
    run.send_signal(signal.SIGINT)
    run.communicate()
    assert run.returncode in (0, -signal.SIGINT), run.returncode
    snug(*words, "-o", "cut", "--within", "--threads", "3")
    snug(*words, "-o", "twice", "--within", "--threads", "1")
    same = lambda a, b: open(a + "/proof.txt").read() == open(b + "/proof.txt").read()
    assert same("cut", "twice")
    # Every second step of a run is there.
    shutil.copytree("twice", "half")
    statement, *claims = open("half/proof.txt").read().split("step ")
    digest = hashlib.sha256(statement.encode()).hexdigest()
    claims[-1] = claims[-1][: -len("end\n")]
    os.remove("half/proof.txt")
    for step in range(0, int(claims[-1].split(" ")[0]) + 1, 2):
        text = "".join("step " + c for c in claims if c.split(" ")[0] == str(step))
        with open(f"half/step-{step:06}.txt", "w") as file:
            file.write(f"snug step {step} of {digest} {hashlib.sha256(text.encode()).hexdigest()}\n{text}")
    snug(*words, "-o", "half", "--within", "--threads", "2")
    assert same("half", "twice")
    # Steps of something else, or damaged, are not taken.
    os.remove("twice/proof.txt")
    pairs = sum(c.startswith("0 ") for c in claims)
    unknown = "".join(f"step 0 {i}\n?\n" for i in range(pairs))
    wrong = f"snug step 0 of {digest} {'0' * 64}\n{unknown}"
    with_hash = lambda step, text: f"snug step {step} of {digest} {hashlib.sha256(text.encode()).hexdigest()}\n{text}"
    short = with_hash(5, "step 5 0\n?\n")  # says nothing of other pairs
    deep = with_hash(6, "".join("step 6 " + c.split(" ", 1)[1].replace("\n", "\nh h ", 1) for c in claims if c.startswith("6 ")))
    more = with_hash(7, "".join("step " + c for c in claims if c.startswith("7 ")) + "step 7 99\n?\n")
    for step, text in enumerate([wrong, "snug step 1 of\n", "x" * 5000, "\0", "", short, deep, more]):
        with open(f"twice/step-{step:06}.txt", "w") as file:
            file.write(text)
    snug(*words, "-o", "twice", "--within")
    assert same("cut", "twice")


def test_outcomes():
    """--json and exit codes."""
    words = ["prove", *PROOFS["shot"], "-o", "told"]
    intervals = read_intervals(snug(*words))
    told = json.loads(snug(*words, "--json", "--fail-on-contact", code=3))
    assert told["bodies"] == [0, 1] and told["leftOut"] == 0 and told["names"] == PROOFS["shot"][:2], told
    lists = sorted((s, e, what) for what in ("free", "meet", "unknown") for s, e in told[what])
    assert [(w.replace("cannot tell", "unknown"), s, e) for w, s, e in intervals] == [(w, round(s, 6), round(e, 6)) for s, e, w in lists]
    assert all(a[1] == b[0] and a[2] != b[2] for a, b in zip(lists, lists[1:])) and {"free", "meet"} <= {w for s, e, w in lists}
    apart = ["prove", "tetrahedron.obj", "torus.obj", "--place", "0,0,0", "--place", "0,9,0", "-o", "told", "--fail-on-contact"]
    assert "  free from 0.000000 to 0.033333 s\n" in snug(*apart)
    # Neither free nor proved to meet: triangles that touch.
    touch = ["prove", "triangle.obj", "triangle.obj", "-o", "told"]
    assert "  cannot tell from 0.000000 to 0.033333 s\n" in snug(*touch)
    assert json.loads(snug(*touch, "--json", "--fail-on-contact", code=3))["unknown"] == [[0.0, 1 / 30]]
    assert open("told/proof.txt").read().endswith("\nstep 0 0\n?\nend\n")  # at once: they touch all the time
    # If they meet at first, they are left out; if not, a proof that leaves them out is wrong.
    assert "bodies 0 and 1, 1 pairs of triangles left out:\n  free from 0.000000 to 0.033333 s\n" in snug(*touch, "--new-only")
    assert accepts("told")[0] and is_true("told")
    snug(*touch, "--place", "0,0,0", "--place", "0,0,1e-6", "--new-only")
    lines = re.sub("\nd .*\n", "\nx\n", open("told/proof.txt").read().replace("pair 0 1\n", "pair 0 1\nfirst 0 0\n"))
    with open("told/proof.txt", "w") as file:
        file.write(lines)
    good, out = accepts("told")
    assert not good and "do not meet at first" in out and not is_true("told"), out


def write_obj(path, points, triangles):
    with open(path, "w") as file:
        file.writelines(["v %r %r %r\n" % tuple(p) for p in points] + ["f %d %d %d\n" % tuple(v + 1 for v in t) for t in triangles])


def write_glb(path, points, triangles, joints, moves, turns=((0.1, 0.2, 0.3, 0.9), (0.2, 0.5, 0.3, 0.7)), ways=((0, 1, 0), (0, 2, 0.5))):
    """A skin of two joints, of which one turns and one goes a way, and a morph target that moves some vertices, half of the
    way at first."""
    pack = lambda kind, rows: b"".join(struct.pack("<%d%s" % (len(row), kind), *row) for row in rows)
    pad = lambda data, with_: data + with_ * (-len(data) % 4)
    parts, views, accessors, at = [], [], [], 0
    for kind, component, shape, rows in (
            ("f", 5126, "VEC3", points), ("H", 5123, "SCALAR", [(v,) for t in triangles for v in t]),
            ("B", 5121, "VEC4", [(j, 0, 0, 0) for j in joints]), ("f", 5126, "VEC4", [(1, 0, 0, 0)] * len(joints)),
            ("f", 5126, "VEC3", [moves.get(v, (0, 0, 0)) for v in range(len(points))]), ("f", 5126, "SCALAR", [(0,), (1,)]),
            ("f", 5126, "VEC4", turns), ("f", 5126, "VEC3", ways),
            ("f", 5126, "SCALAR", [(0.5,), (1,)])):
        data = pad(pack(kind, rows), b"\0")
        views.append({"buffer": 0, "byteOffset": at, "byteLength": len(data)})
        extremes = {name: [of(x) for x in zip(*rows)] for name, of in (("min", min), ("max", max))}
        accessors.append({"bufferView": len(accessors), "componentType": component, "count": len(rows), "type": shape, **extremes})
        parts.append(data)
        at += len(data)
    text = json.dumps({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": at}], "bufferViews": views, "accessors": accessors, "scene": 0,
        "scenes": [{"nodes": [0, 1, 2]}], "nodes": [{"mesh": 0, "skin": 0}, {"rotation": [0, 0, 0, 1]}, {}], "skins": [{"joints": [1, 2]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3}, "indices": 1, "targets": [{"POSITION": 4}]}]}],
        "animations": [{"samplers": [{"input": 5, "output": i} for i in (6, 7, 8)], "channels": [
            {"sampler": i, "target": {"node": node, "path": way}} for i, (node, way) in enumerate(((1, "rotation"), (2, "translation"), (0, "weights")))]}],
    }).encode()
    text, data = pad(text, b" "), b"".join(parts)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A) + text)
        file.write(struct.pack("<II", len(data), 0x4E4942) + data)


def test_carried():
    """What touches at rest and is carried by one joint touches in the first pose; what another one carries does not, nor what
    is displaced in any way."""
    base = [(0, 0, 0), (4, 0, 0), (4, 0, 4), (0, 0, 4)]
    post = [(1, 0, 1), (2, 0, 1), (1, 0, 2), (1.3, 3, 1.3)]
    triangles = [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), (8, 9, 10), (8, 10, 11)]
    joints = [0] * 8 + [1] * 4
    for name, moves in (("carried", {7: (0.1, 0.2, 0.3)}), ("displaced", dict.fromkeys((4, 5, 6), (0.1, 0, 0.3)))):
        points = [tuple(map(float, p)) for p in base + post + [(x, y, z + 1) for x, y, z in post]]
        write_glb(name + ".glb", points, triangles, joints, moves)
        out = snug("prove", name + ".glb", "--self", "--new-only", "--clip", "0", "--fps", "4", "-o", name)
        left = "body 0 and itself, 4 pairs of triangles left out:\n  free from 0.000000 to 1.000000 s\n"
        assert (left if name == "carried" else "body 0 and itself:\n  cannot tell from 0.000000 to ") in out, (name, out)
        assert accepts(name)[0] and is_true(name), name
    # What touches all the time is tried in halves where something else begins to cross.
    points = [tuple(map(float, p)) for p in base + [(3, 1, 1), (3.5, 1, 1), (3, 3, 0.5)] + [(1, -1, 1), (2, -1, 1), (1, 0, 2)]]
    write_glb("both.glb", points, [*triangles[:2], (4, 5, 6), (7, 8, 9)], [0] * 7 + [1] * 3, {6: (0, -4, 0)}, [(0, 0, 0, 1)] * 2, [(0, 1, 0)] * 2)
    parts = read_intervals(snug("prove", "both.glb", "--self", "--clip", "0", "--fps", "1", "-o", "both"))
    begin = parts[-1][1]
    assert parts == [("cannot tell", 0.0, begin), ("meet", begin, 1.0)] and 0.5 <= begin < 0.501, parts
    assert accepts("both")[0] and open("both/proof.txt").read().split("\n")[-3].startswith("h ? h ")


def test_touching():
    """Triangles on a grid: many touch, lie in one plane, are folded on one another, or have no area."""
    rng, told = random.Random(SEED), [0, 0]
    for number in range(int(20 * SCALE) or 1):
        points = rng.sample([(float(i % 3), float(i // 3 % 3), float(i // 9)) for i in range(18)], 8)
        points += [tuple(x or -0.0 for x in p) for p in points[:2]]  # twins
        triangles = [[v + 8 * (v < 2 and rng.randrange(2)) for v in rng.sample(range(8), 3)] for i in range(6)]
        triangles[rng.randrange(6)] = rng.sample(triangles[0], 3)  # the same one, or its back
        write_obj("grid.obj", points, triangles)
        words = ["prove", "grid.obj", "--self", "--place", "0.3,0,1", "--rotate", "10,20,30", "-o", "grid"]
        out = snug(*words, *(["--new-only"] if number % 2 else []))
        good, checked = accepts("grid")
        assert good and is_true("grid"), (number, checked)
        mesh, = (name for name in os.listdir("grid") if name.startswith("mesh-"))
        places, own, *_ = read_mesh(open("grid/" + mesh).read())
        corners = [[tuple(places[v]) for v in t] for t in own]
        pairs = [(i, j) for j in range(len(own)) for i in range(j)]
        meeting = {(i, j) for i, j in pairs if meet(corners[i], corners[j], [p for p in corners[i] if p in corners[j]])}
        left = {tuple(map(int, m)) for m in re.findall("(?:rest|first) (\\d+) (\\d+)", open("grid/proof.txt").read())}
        assert left == meeting, (number, left ^ meeting)
        told["cannot tell" in out] += 1
        shutil.rmtree("grid")
    for number in range(int(500 * SCALE)):  # the same question for both checkers
        s, t = ([[rng.choice((0, 0, 1, 2, 3)) for k in range(3)] for i in range(3)] for j in range(2))
        count = rng.randrange(4)
        t[:count] = s[:count]
        shared = [p for p in s if p in t]
        assert checker.meet_now(s, t, shared) == meet(s, t, shared), (s, t)
    print(f"{told[0]} grids told, {told[1]} not")
    assert sum(told) < 20 or told[0] > told[1]


def test_words():
    snug("prove", "torus.obj", "triangle.obj", code=2)
    snug("prove", "torus.obj", "-o", "none", code=1)
    for words in (["--stray", "-1"], ["--resolve", "0"], ["--fps", "0"], ["--from", "1", "--to", "0"]):
        snug("prove", "worm.glb", "torus.obj", "--clip", "bend", "-o", "none", *words, code=2)


def read_intervals(out):
    return [(m[1], float(m[2]), float(m[3])) for m in re.finditer(r"  (\w[\w ]*) from ([\d.]+) to ([\d.]+) s", out)]


def check_kick(scene):
    snug("prove", *scene, "--stray", "0.0005", "-o", "kick")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run_checker(["kick"]) == 0, out.getvalue()
    found = read_intervals(out.getvalue())
    rows = [line.split(",") for line in snug("check", *scene, "--fps", "8000", "--csv").split("\n")[1:] if line]
    touching = [float(row[1]) for row in rows if int(row[2]) > 0]
    meets = [(s, e) for what, s, e in found if what == "meet"]
    assert len(meets) == 1 and abs(meets[0][0] - touching[0]) < 1e-3 and abs(meets[0][1] - touching[-1]) < 1e-3, (found, touching[0], touching[-1])
    assert max(e - s for what, s, e in found if what == "cannot tell") < 1e-3, found


def test_characters():
    """A kick's contact beginning and end, beside many frames; characters that are apart, and something that flies past."""
    for name in ("man", "creature"):
        subprocess.run([MAKE_CHARACTER, name, name + ".glb"], check=True)
    scene = ["man.glb", "creature.glb", "--clip", "kick", "--clip", "idle", "--place", "0,0,0", "--place", "0.05,0,1.2",
             "--rotate", "0,0,0", "--rotate", "0,90,0", "--from", "0.7", "--to", "0.98"]
    part = [] if SCALE >= 10 else ["--sample", "0.02", "--seed", str(SEED)]
    if SCALE >= 10:
        check_kick(scene)
    for name, words in {
        "apart": ["man.glb", "creature.glb", "--clip", "walk", "--clip", "idle", "--place", "0,0,0", "--place", "1.6,0,0", "--to", "1"],
        "past": ["man.glb", "shot.glb", "--clip", "idle", "--clip", "bend", "--place", "0,0,0", "--place", "0,1,1.6", "--to", "1"],
    }.items():
        start = time.monotonic()
        snug("prove", *words, "-o", name)
        size = sum(os.path.getsize(os.path.join(name, file)) for file in os.listdir(name))
        print(f"{name}: {time.monotonic() - start:.2f} s, {size} bytes", flush=True)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            assert run_checker([name, *part]) == 0, out.getvalue()
        assert read_intervals(out.getvalue()) == [("free", 0.0, 1.0)] and size < 5e6, out.getvalue()


def forge(points, triangles, claims, end=None, twins=True, change=lambda statement: statement, alter=lambda mesh: mesh):
    """A proof of one body against itself, and what the checker says of it. Corners are given where they are in the first
    pose; those of twins are at one place at rest."""
    shutil.rmtree("forged", ignore_errors=True)
    os.mkdir("forged")
    digits = lambda p: " ".join(struct.pack(">f", x).hex() for x in p)
    rest = points if twins else [(float(i), 0.0, 0.0) for i in range(len(points))]
    mesh = alter("\n".join(["snug mesh 1", f"vertices {len(points)}", *("v " + digits(p) for p in rest), f"triangles {len(triangles)}",
                      *(" ".join(map(str, t)) for t in triangles), "influences 0", "displacements 0", "end", ""]))
    frame = " ".join(struct.pack(">d", i % 5 == 0).hex() for i in range(12))
    poses = "\n".join(["snug poses 1", *(f"{i} 0 frame 12 {frame} vertices {len(points)} " + " ".join(map(digits, own))
                                        for i, own in enumerate((points, end or points))), "end", ""])
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in (mesh, poses)]
    proof = change("\n".join(["snug proof 1", f"mesh {hashes[0]}", "body 0 a name", f"poses {hashes[1]}", "times 0 1", "stray 0",
                              "pair 0 0", "claims", "step 0 0", claims, "end", ""]))
    for name, text in ((f"mesh-{hashes[0][:16]}.txt", mesh), ("poses.txt", poses), ("proof.txt", proof)):
        with open("forged/" + name, "w", encoding="utf-8") as file:
            file.write(text)
    return accepts("forged")


def test_forged():
    """Proofs that snug would not write: each is one step away from one that holds."""
    square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 0), (1, 1, 0), (2, 0, 1), (0.25, 0.25, 0)]
    two = [(0, 1, 2), (0, 2, 3)]
    star = [(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (2, 2, 1), (-2, 2, 1), (-2, -2, 1), (2, -2, 1), (0, 0, 2)]
    ring = [(1, 0, 4), (1, 4, 5), (2, 1, 5), (2, 5, 6), (3, 2, 6), (3, 6, 7), (0, 3, 7), (0, 7, 4)]  # around a hole
    corner = [(0, 0, 0), (-1, 0, 0), (-1, 1, 0), (1, 0, 0), (1, 1, 0), (0, 0, 0), (1, 2, 0)]
    strip = [(i // 2, i % 2 + (i // 2) ** 2 / 2 ** 14, 0) for i in range(260)]  # no two edges of its border are in a line
    fan = [(i, i + 1, i + 2) if i % 2 else (i, i + 2, i + 1) for i in range(258)]
    turn = lambda k, r: (r * math.cos(k), r * math.sin(k), 0)
    spiral = [turn(k, r) for k in range(9) for r in (1, 2)]  # more than once around: its ends overlap
    around = [(2 * k + i, 2 * k + 1, 2 * k + 2 + i) for k in range(8) for i in (0, 1)]
    around = [t if i % 2 == 0 else (t[0], t[1] + 2, t[2] - 1) for i, t in enumerate(around)]
    hook = [(0, 0, 0), (4, 0, 0), (3, 1, 0), (0, 1, 0), (4, 5, 0), (3, 3, 0), (1, 1, 0)]  # the last corner touches an edge
    hooked = [(0, 1, 2), (0, 2, 3), (1, 4, 2), (2, 4, 5), (5, 4, 6)]
    moved = lambda points, **to: [to.get("p" + str(i), p) for i, p in enumerate(points)]
    true = {
        "a patch": (square, two, "n 0 0 1"), "of twins": (square, [(0, 1, 2), (4, 5, 3)], "n 0 0 1"),
        "a corner": (corner, [(0, 1, 2), (5, 4, 3)], "a v 1 0 0"), "an edge": (square, two, "a e 0 0 1"),
        "a large patch": (strip, fan[:256], "n 0 0 1"), "part of a spiral": (spiral, around[:10], "n 0 0 1", None, False),
        "nearly a ring": (moved(hook, p6=(1, 1.01, 0)), hooked, "n 0 0 1", None, False),
    }
    for name, words in true.items():
        good, out = forge(*words)
        if name == "an edge" and not good:
            good, out = forge(*words[:2], "a e 0 0 -1")
        assert good and out.endswith("free from 0.000000 to 1.000000 s\nholds\n"), (name, out)
    false = {
        "from behind": (square, two, "n 0 0 -1"), "edge on": (square, two, "n 1 0 0"), "no direction": (square, two, "n 0 0 0"),
        "one triangle twice": (square, [two[0], two[0]], "n 0 0 1"), "its back": (square, [two[0], (0, 2, 1)], "n 0 0 1"),
        "a fold": (moved(square, p3=(0.75, 0.25, 0.5)), two, "n 0 0 1"), "two loops": (star, ring, "n 0 0 1"),
        "three at an edge": (square, [*two, (0, 2, 7)], "n 0 0 1"), "a repeated corner": (square, [two[0], (0, 2, 2)], "n 0 0 1"),
        "a corner alone": (corner, [(0, 2, 1), (0, 3, 4)], "n 0 0 1"), "a border that touches": (square, [(0, 1, 2), (4, 7, 3)], "n 0 0 1"),
        "wound twice": (star, [(8, i, (i + 1) % 4) for i in range(4)] * 2, "n 0 0 1"),
        "twins that part": (square, [(0, 1, 2), (4, 5, 3)], "n 0 0 1", moved(square, p4=(-1, 0, 0))),
        "twins by place alone": (square, [(0, 1, 2), (4, 5, 3)], "n 0 0 1", None, False),
        "a patch that folds later": (square, two, "n 0 0 1", moved(square, p3=(0.75, 0.25, 0))),
        "a patch too large": (strip, fan, "n 0 0 1"), "a spiral": (spiral, around, "n 0 0 1", None, False),
        "a ring that touches": (hook, hooked, "n 0 0 1", None, False), "one claim too many": (square, two, "n 0 0 1 ?"),
        "a slit": (moved(star, p4=(0.5, 0, 0)), [(8, 0, 1), (8, 1, 2), (8, 2, 3), (8, 3, 4)], "n 0 0 1", None, False),
        "two corners": (square, two, "a v 1 0 0"), "two corners before and behind": (square, two, "a v -1 1 0"), "no corner": (corner, [(0, 1, 2), (6, 4, 3)], "a v 1 0 0"),
        "beside the corner": (moved(corner, p3=(0, 1, 0)), [(0, 1, 2), (5, 4, 3)], "a v 1 0 0"),
        "nothing but the corner": (corner, [(0, 1, 2), (0, 0, 0)], "a v 1 0 0"),
        "a flat edge": (moved(square, p3=(1, 0.5, 0)), two, "a e 0 0 1"), "one triangle at an edge": (square, [two[0], two[0]], "a e 0 0 1"),
        "no third corner": (square, [two[0], (0, 2, 2)], "a e 0 0 1"), "apart from itself": (square, two, "d 0 0 1"),
        "halved for ever": (square, two, "h " * 65 + "? " * 65 + "?"),
    }
    weights = lambda rows: lambda mesh: mesh.replace("influences 0\n", f"influences {len(rows)}\n" + "".join(rows))
    assert forge(*true["of twins"], alter=weights(["0 3f800000\n"] * 8))[0]
    assert not forge(*true["of twins"], alter=weights(["0 3f800000\n"] * 4 + ["1 3f800000\n"] * 4))[0]  # they may part
    assert not forge(*true["a patch"], alter=weights(["0 3f800000\n"] * 4))[0]
    for name, words in false.items():
        good, out = forge(*words)
        assert not good and "does not hold" in out, (name, out)
        if words[2][2] in "ve":
            assert not forge(*words[:2], words[2].replace(" 1", " -1"), *words[3:])[0], name
    # Two triangles that cross.
    points, crossing = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.2, -1), (0.2, 0.2, 1), (2, 2, 0)], [(0, 1, 2), (3, 4, 5)]
    assert "meet from 0.000000 to 1.000000 s\nholds" in forge(points, crossing, "m 0 1 3")[1]
    left = lambda line: lambda statement: statement.replace("pair 0 0", "pair 0 0\n" + line)
    for kind in ("first", "rest"):
        assert forge(points, crossing, "a x", change=left(kind + " 0 1"))[0]
        for lines, claims in (("0 1", "m 0 1 3"), ("1 0", "m 0 1 3"), ("0 1", "m 1 0 0"), ("1 0", "a x"), ("0 1\nrest 0 1", "a x"), ("0 0", "a ?")):
            assert not forge(points, crossing, claims, change=left(f"{kind} {lines}"))[0], (kind, lines, claims)
    # Two that touch, or do not.
    plane = [(0, 0, 0), (4, 0, 0), (0, 4, 0), (1, 1, 0), (1, 1, 5), (2, 2, 5), (4, 4, 0), (0, 0, 5), (3, 3, 0), (2 ** -20, -2 ** -20, 0), (5, 0, 0)]
    for kind in ("first", "rest"):
        touches = lambda *triangles: forge(plane, triangles, "a x", change=left(kind + " 0 1"))[0]
        assert touches((0, 1, 2), (3, 4, 5)) and touches((0, 1, 2), (5, 6, 3)) and touches((0, 1, 2), (6, 3, 0)) and touches((0, 1, 2), (1, 2, 0))
        assert touches((0, 1, 2), (2, 1, 3)) and touches((0, 1, 2), (0, 3, 7)) and touches((0, 1, 2), (3, 3, 3)) and touches((3, 3, 8), (0, 1, 2))
        for triangle in ((6, 7, 5), (8, 6, 5), (1, 2, 6), (1, 2, 5), (0, 7, 4), (0, 0, 7), (9, 7, 10)):
            assert not touches((0, 1, 2), triangle) and not touches(triangle, (0, 1, 2)), (kind, triangle)
        assert not touches((0, 0, 6), (3, 3, 8))  # on one line
    # Words that are printed, or that decide what is.
    for old, new in (("a name", "a \x1b[2Jname"), ("a name", "a n\u00e4me"), ("a name", "a\rholds"), ("stray 0\n", ""), ("stray 0", "stray -1"),
                     ("stray 0", "stray nan"), ("stray 0", "stray 1e+999"), ("stray 0", "stray 0:proved"), ("times 0 1", "times 0 0"),
                     ("times 0 1", "times 0 1_0"), ("times 0 1", "times 0 \u0663"), ("times 0 1", "times 0 " + "9" * 10 ** 6),
                     ("snug proof 1", "\ufeffsnug proof 1"), ("claims\n", "claims\r\n"), ("end\n", "end"), ("pair 0 0\n", "")):
        good, out = forge(square, two, "n 0 0 1", change=lambda statement: statement.replace(old, new, 1))
        assert not good and "\x1b" not in out and "\nholds" not in out and len(out) < 500, (old, new[:20], out[:500])
    # Something is checked however small the sample, and it is said that pairs are not in the proof.
    forge(square, two, "n 0 0 -1")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run_checker(["forged", "--sample", "0"]) == 1
    assert accepts("fields")[1].endswith("\n5 of 15 pairs of different bodies are in the proof: what it says holds\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("triangle", "tetrahedron", "torus"):
            subprocess.run([MAKE_OBJ, name, name + ".obj"], check=True)
        for name in ("shot", "worm", "morphs", "skins"):
            subprocess.run([MAKE_GLB, name, name + ".glb"], check=True)
        for test in (test_words, test_outcomes, test_touching, test_carried, test_runs, test_proofs, test_characters, test_changes):
            start = time.monotonic()
            test()
            print(f"{test.__name__}: {time.monotonic() - start:.1f} s", flush=True)
        test_forged()
        os.chdir("/")


main()
