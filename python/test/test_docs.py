"""What is written runs: docstrings, the README, stubs."""
import ast
import contextlib
import doctest
import importlib.util
import inspect
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import snugmesh as snug
from snugmesh import _core, batch, gpu, overlap, sequences, smpl
from support import need, need_characters

HERE = Path(__file__).resolve().parent
PACKAGE = Path(snug.__file__).parent
README = HERE.parent / "README.md"
PEOPLE = HERE.parent.parent / "docs/people.md"
USD = HERE.parent.parent / "docs/usd.md"
MODULES = [batch, gpu, overlap, sequences, smpl]
if importlib.util.find_spec("pxr"):
    MODULES.append(importlib.import_module("snugmesh.usd"))
sys.path.insert(0, str(HERE.parent / "examples"))


def list_documented():
    """Every public thing with a docstring: the package, its members, and theirs."""
    yield "snugmesh", snug
    yield from ((module.__name__, module) for module in MODULES)
    for module, name in ((module, name) for module in (snug, *MODULES) for name in module.__all__):
        thing = getattr(module, name)
        yield name, thing
        if inspect.isclass(thing):
            for member in vars(thing):
                if not member.startswith("_"):
                    yield f"{name}.{member}", inspect.getattr_static(thing, member)


class Docstrings(unittest.TestCase):
    def test_examples_run(self):
        finder, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
        count = 0
        for name, thing in list_documented():
            text = inspect.getdoc(thing) or ""
            test = finder.get_doctest(text, {}, name, None, 0)
            if test.examples:
                output = io.StringIO()
                runner.run(test, out=output.write)
                self.assertEqual(output.getvalue(), "")
                count += len(test.examples)
        self.assertGreater(count, 80)

    def test_everything_is_documented(self):
        for name, thing in list_documented():
            if callable(thing) and name not in ("Error",):
                self.assertTrue(inspect.getdoc(thing), name)


class Stubs(unittest.TestCase):
    """_core.pyi says what _core has."""

    @classmethod
    def setUpClass(cls):
        cls.tree = ast.parse((PACKAGE / "_core.pyi").read_text())

    @staticmethod
    def list_parameters(function):
        arguments = function.args
        return [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs if a.arg not in ("self", "cls")]

    def compare_function(self, stub, thing, name):
        if thing.__doc__ is None:  # C functions that are for the package alone say nothing
            return
        signature = inspect.signature(thing)
        found = [p for p in signature.parameters if p not in ("self", "type", "module")]
        self.assertEqual(self.list_parameters(stub), found, name)

    def test_names_and_parameters(self):
        listed = set()
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef):
                listed.add(node.name)
                self.compare_function(node, getattr(_core, node.name), node.name)
            elif isinstance(node, ast.ClassDef):
                listed.add(node.name)
                self.compare_class(node, getattr(_core, node.name))
            elif isinstance(node, ast.AnnAssign):
                listed.add(node.target.id)
        there = {name for name in vars(_core) if not name.startswith("__") or name == "__version__"}
        self.assertEqual(listed, there)

    def compare_class(self, node, thing):
        listed = set()
        for member in node.body:
            if isinstance(member, ast.FunctionDef):
                listed.add(member.name)
                if member.name in ("__new__", "__init__"):
                    self.compare_function(member, thing, node.name)
                elif not member.name.startswith("_") and "property" not in map(ast.unparse, member.decorator_list):
                    self.compare_function(member, getattr(thing, member.name), f"{node.name}.{member.name}")
        there = {name for name in vars(thing) if not name.startswith("_")}
        if not issubclass(thing, (tuple, Exception)):
            self.assertEqual({name for name in listed if not name.startswith("_")}, there, node.name)
        elif issubclass(thing, tuple):
            self.assertEqual(listed & there, there - {"count", "index", "n_fields", "n_sequence_fields", "n_unnamed_fields"})

    def test_marker(self):
        self.assertTrue((PACKAGE / "py.typed").exists())


class Types(unittest.TestCase):
    def test_mypy(self):
        """The package, and a program of a user's, which runs, too."""
        need("mypy")
        for what in (("-p", "snugmesh"), (HERE / "user.py",)):
            command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, *what]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_program(self):
        done = subprocess.run([sys.executable, HERE / "user.py"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout[:10]), (0, "12 1 0.0 ["), done.stderr)


class Headers(unittest.TestCase):
    """docs/python.md tells of every function of C what has become of it."""

    def test_every_function_has_a_row(self):
        root = HERE.parent.parent
        rows = re.findall(r"^\| (`snug.*?) \| (.+) \|$", (root / "docs/python.md").read_text(), re.M)
        listed = [name for row in rows for name in re.findall(r"`(\w+)`", row[0])]
        there = []
        for header in ("snug_base", "snug", "snug_queries", "snug_scene", "snug_io", "snug_gpu"):
            text = (root / f"include/snug/{header}.h").read_text()
            there += re.findall(r"^SNUG_API[^;(]*?\b(snug\w+)\(", text, re.M)
        self.assertGreater(len(there), 60)
        self.assertEqual(sorted(listed), sorted(there))

    def test_names_exist(self):
        rows = re.findall(r"^\| `snug.*? \| (.+) \|$", (HERE.parent.parent / "docs/python.md").read_text(), re.M)
        for row in rows:
            for owner, name in re.findall(r"`(Model|Body|Scene|File|Actor)\.(\w+)", row):
                self.assertTrue(hasattr(getattr(snug, owner), name), f"{owner}.{name}")


class Readme(unittest.TestCase):
    """Every ```python snippet runs, each after those above it; what `# 3` at a line's end says is what is printed."""

    def test_snippets_run(self):
        for document, least in ((README, 8), (PEOPLE, 2), (USD, 1)):
            with self.subTest(document.name):
                self.run_document(document, least)

    def run_document(self, document, least):
        snippets = re.findall(r"^```python\n(.*?)^```", document.read_text(), re.M | re.S)
        self.assertGreater(len(snippets), least)
        names = {"__name__": "readme"}
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            self.link_characters(Path(folder))
            os.chdir(folder)
            try:
                for number, snippet in enumerate(snippets):
                    self.run_snippet(number, snippet, names)
            finally:
                os.chdir(here)

    def link_characters(self, folder):
        characters = os.environ.get("SNUG_CHARACTERS")
        for name in ("man.glb", "creature.glb"):
            if characters and (Path(characters) / name).exists():
                (folder / name).symlink_to(Path(characters) / name)

    def run_snippet(self, number, snippet, names):
        if ".glb" in snippet and not Path("man.glb").exists():
            need_characters()
        code, output = compile(snippet, f"snippet {number}", "exec"), io.StringIO()
        peer = re.search(r"^(?:import|from) (trimesh|polyscope|torch|pxr)", snippet, re.M)
        with self.subTest(snippet=number):  # which is skipped without the others
            if peer and need(peer[1]).__name__ == "polyscope":
                need("polyscope").set_allow_headless_backends(True)
            with contextlib.redirect_stdout(output):
                exec(code, names)
            expected = re.findall(r"^ *print\(.*?\) +# (.*)$", snippet, re.M)
            if expected:
                self.assertEqual(output.getvalue().splitlines(), expected, snippet)


if __name__ == "__main__":
    unittest.main()
