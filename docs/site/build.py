#!/usr/bin/python3
"""Builds the site: usage: docs/site/build.py SNUG DRAW_BOUNDS MODELS OUTPUT

The pages are the repository's own documents, pages of this folder, of which index.md stands for README, and a reference
made from the headers. This program lays them out as mkdocs wants them:
- Links between documents become links between pages; files that are linked and are no documents become pages that show
  them. A link that leads nowhere stops the build.
- Names of functions and types in code become links to the reference.
- Formulas get subscripts (FORMULAS).
- `<!-- drawn: SCRIPT.py ARGUMENTS: words -->` becomes the picture that this script of python/examples or blender draws,
  if what it needs is in the environment that `make python` or `make blender-test` has made; files of ARGUMENTS are those
  of the models.
- `@name@` in pages of this folder stands for a number or a table that a command has printed (Values). None is typed.
Needs mkdocs-material and Doxygen: tools/install-dependencies site.
"""

import base64
import json
import math
import os
import posixpath
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from check import check_site  # noqa: E402
from reference import HEADERS, Reference  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "docs/site"

# Documents whose page has another name than they have. Other files of docs/ and docs/site/ keep theirs.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "web/package/README.md": "javascript.md",
    "python/README.md": "python-package.md",
    "rust/snug/README.md": "rust.md",
}

# Scenes of the papers, and which of their tables and figures each is of, as docs/papers.md names them.
SCENES = {
    "brain": ["M08 F5"],
    "ring": ["M08 T3", "M08 T4"],
    "fish": ["M08 F7"],
    "curtain": ["BD04 T2"],
    "bridge": ["BD04 F6"],
    "chairs": ["BD04 F1"],
    "characters": ["S06 T1", "S06 T2", "S06 F6"],
    "twist": [],
}

# Documents with formulas: x_j is x with a subscript, and indented text is a formula in a line of its own.
FORMULAS = re.compile(r"docs/(bounds|papers)\b")
SUBSCRIPT = re.compile(r"(?<![A-Za-z0-9_])((?:max|min|axis|[^\W\d_])[\u0300-\u036f']?)_(\{[^{}]+\}|[A-Za-z0-9]+(?:,[a-z]+)?)")

DRAWN = re.compile(r"<!-- drawn: (\w+)\.py ?([^:]*): (.+?) -->", re.S)
FENCE = re.compile(r"^\s*(```|~~~)")
BROKEN_LINK = re.compile(r"\[[^\[\]`\n]*\n[^\[\]`\n]*\]\([^)\s]+\)")  # over two lines
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
MENTION = re.compile(r"(?<![\w/])docs/[\w-]+\.md")
# Code within a sentence: that of blocks has an element before it, or tags of its own.
INLINE_CODE = re.compile(r"(?<!</span>)<code>([^<\n]{12,}|[^<\n]+\n[^<\n]+)</code>")  # or over two lines


def subscripts(text):
    """HTML for x_j, G_f,ik and Σ_{i<j}."""
    def html(match):
        below = match.group(2).strip("{}").replace("<", "&lt;")
        return f"{match.group(1)}<sub>{subscripts(below)}</sub>"

    return SUBSCRIPT.sub(html, text)


def typeset(text):
    """A document with its formulas as HTML."""
    blocks = []
    for block in re.split(r"\n{2,}", text):
        if block.startswith("    "):
            lines = textwrap.dedent(block).replace("&", "&amp;").replace("<", "&lt;")
            blocks.append(f'<div class="formula">{subscripts(lines)}</div>')
        else:
            parts = re.split(r"(`[^`]+`)", block)
            blocks.append("".join(part if i % 2 else subscripts(part) for i, part in enumerate(parts)))
    return "\n\n".join(blocks)


def page_name(name):
    """The page of a file of the repository."""
    if name in PAGES:
        return PAGES[name]
    path = Path(name)
    if path.parts[0] == "docs" and path.suffix == ".md":
        return "/".join(path.parts[2 if path.parts[1] == "site" else 1:])
    if path.parent == Path("include/snug"):
        return f"reference/{path.stem}.md"
    return f"files/{name}.md"


class Layout:
    """Turns documents into pages."""

    def __init__(self, source, reference, values, models):
        self.source = source
        self.models = models
        self.reference = reference
        self.values = values
        self.shown = set()

    def target(self, name, link, page):
        """What a link in file `name` that stands on `page` becomes; None if it leads to a folder."""
        path, _, anchor = link.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
        if not (ROOT / file).exists() and not (self.source / file).exists():
            if path and (self.source / posixpath.normpath(posixpath.join(posixpath.dirname(page), path))).exists():
                return link  # made by a command
            raise SystemExit(f"{name}: no such file: {link}")
        if (ROOT / file).is_dir():
            return None
        there = page_name(file)
        if Path(file).suffix in (".svg", ".png"):
            there = Path(file).name
            shutil.copy(ROOT / file, self.source / there)
        elif there.startswith("files/"):
            self.shown.add(file)
        relative = posixpath.relpath(there, posixpath.dirname(page) or ".")
        return relative + ("#" + anchor if anchor else "")

    def link_line(self, name, line, page):
        """A line with its links changed, and names in code linked."""
        codes = re.split(r"(`[^`]+`)", LINK.sub(lambda m: self._link(name, m, page), line))
        if line.startswith("#"):
            return "".join(codes)
        codes = [code.replace(r"\|", "|") if i % 2 else MENTION.sub(lambda m: self._mention(m, page), code)
                 for i, code in enumerate(codes)]
        depth = 0
        for i, code in enumerate(codes):
            if i % 2 == 0:
                depth += len(re.findall(r"(?<!\\)\[", code)) - len(re.findall(r"\](?=[(\[])|(?<!\\)\]", code))
            elif depth <= 0:
                codes[i] = self._code(code, page)
        return "".join(codes)

    def _link(self, name, match, page):
        mark, text, link = match.groups()
        if re.match(r"\w+:", link):
            return match.group(0)
        target = self.target(name, link, page)
        # Readers of pages know documents by their titles.
        if target and re.fullmatch(r"[\w/-]+\.md", text):
            file = posixpath.normpath(posixpath.join(posixpath.dirname(name), link.partition("#")[0]))
            text = re.search(r"(?m)^# (.*)$", (ROOT / file).read_text()).group(1)
        return text if target is None else f"{mark}[{text}]({target})"

    def _mention(self, match, page):
        """A document that is named and not linked, as in the program's help."""
        return self._link("README.md", re.match(LINK, f"[{match.group(0)}]({match.group(0)})"), page)

    def _code(self, code, page):
        name = code.strip("`").removesuffix("()")
        if name not in self.reference.places:
            return code
        header, anchor = self.reference.places[name]
        there = f"reference/{Path(header).stem}.md"
        return f"[{code}]({posixpath.relpath(there, posixpath.dirname(page) or '.')}#{anchor})"

    def convert(self, name, text, page):
        """GitHub's Markdown to that of Python: lists after an empty line, languages of code without remarks. Code that is
        an excerpt moves to the left."""
        text = BROKEN_LINK.sub(lambda m: re.sub(r"\s+", " ", m.group(0)), text)
        lines, fenced, opened = [], False, 0
        for line in text.splitlines():
            if FENCE.match(line):
                line = re.sub(r"^(\s*```\w+) .*", r"\1", line)
                if fenced:
                    lines[opened:] = textwrap.dedent("\n".join(lines[opened:])).split("\n") if lines[opened:] else []
                fenced, opened = not fenced, len(lines) + 1
            elif not fenced:
                is_item = re.match(r"\s*([-*]|\d+\.) ", line)
                if is_item and lines and lines[-1].strip() and not re.match(r"\s*([-*]|\d+\.) |\s+\S", lines[-1]):
                    lines.append("")
                line = self.link_line(name, re.sub(r"^  (?=- )", "    ", line), page)
            lines.append(line)
        return "\n".join(lines) + "\n"

    def write(self, page, text):
        path = self.source / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def add(self, name):
        """A document, as a page."""
        text = (ROOT / name).read_text()
        if name.startswith("docs/site/"):
            text = self.values.fill(name, text)
        if FORMULAS.match(name):
            text = typeset(text)
        page = page_name(name)
        text = DRAWN.sub(lambda m: self._draw(m, page), text)
        self.write(page, self.convert(name, text, page))

    def _draw(self, match, page):
        """What a script draws, as a line of a page."""
        script, arguments, words = (" ".join(group.split()) for group in match.groups())
        program, target, python = ROOT / f"python/examples/{script}.py", "python", ROOT / "build/python/venv/bin/python"
        if not program.exists():  # drawn in Blender
            program, target = ROOT / f"blender/{script}.py", "blender-test"
            python = max(ROOT.glob("build/blender/bpy-4.5.*/bin/python"), default=ROOT / "build/blender")
        picture = Path("pictures") / f"{'-'.join([script, *re.findall(r'[A-Za-z0-9]+', arguments)])}.png"
        if not python.is_file():
            return f"*Not in this copy of the site, which was made without `make {target}`: {words}*"
        print(f"drawing {script}", flush=True)
        command = [python, program, *arguments.split(), "-o", self.source / picture]
        run = subprocess.run(command, cwd=self.models, capture_output=True, text=True)
        if run.returncode != 0 and "ModuleNotFoundError" not in run.stderr:
            raise SystemExit(run.stderr)
        if run.returncode != 0:
            return f"*Not in this copy of the site: {run.stderr.splitlines()[-1]}*"
        return f"![{words}]({posixpath.relpath(picture, posixpath.dirname(page) or '.')}){{ loading=lazy }}"

    def add_shown(self):
        """Files that are linked and are no documents."""
        languages = {".c": "c", ".h": "c", ".cpp": "cpp", ".py": "python", ".mjs": "js", ".sh": "sh"}
        for name in sorted(self.shown):
            path = ROOT / name
            # No menu and no contents beside it: lines of code are long.
            text = f"---\nhide:\n  - navigation\n  - toc\n---\n\n# {path.name}\n\n`{name}` of the repository.\n\n"
            text += f"```{languages.get(path.suffix, 'text')}\n"
            self.write(page_name(name), text + path.read_text().rstrip() + "\n```\n")


class Values:
    """What `@name@` stands for."""

    def __init__(self, snug, models, source, drawn):
        self.names = {}
        self._check(snug, models, source)
        self._drawn(drawn)
        self._peers()
        self._scenes(snug, source)
        self.names["version"] = subprocess.run([snug, "--version"], check=True, capture_output=True,
                                               text=True).stdout.split()[-1]

    def fill(self, name, text):
        def value(match):
            if match.group(1) not in self.names:
                raise SystemExit(f"{name}: nothing prints {match.group(0)}")
            return str(self.names[match.group(1)])

        return re.sub(r"@([a-z]+(?:\.[\w]+)+|version)@", value, text)

    def _check(self, snug, models, source):
        """The demo's kick: pairs, work and time, and a strip of pictures."""
        # Files by their names alone: the page repeats the command.
        for name in ("man.glb", "creature.glb"):
            (source / name).symlink_to(models / name)
        kick = [snug, "check", "man.glb", "creature.glb", "--clip", "kick", "--clip", "idle",
                "--place", "0,0,0", "--place", "0.05,0,1.2", "--rotate", "0,0,0", "--rotate", "0,90,0", "--summary", "--json"]
        run = subprocess.run([*kick, "--fps", "36.88", "--to", "1.6", "--costs", "--threads", "1", "--png", "strip.png"],
                             check=True, capture_output=True, text=True, cwd=source)
        result = json.loads(run.stdout)
        # Fewer frames, for a page of a size to be loaded without a thought.
        subprocess.run([*kick, "--fps", "10", "--from", "0.5", "--to", "1.1", "--html", "kick-report.html"],
                       check=True, stdout=subprocess.DEVNULL, cwd=source)
        for name in ("man.glb", "creature.glb"):
            (source / name).unlink()
        frames, cost = result["frames"], result["cost"]
        self.names.update({
            "kick.frames": frames, "kick.pairs": result["count"],
            "kick.vertices": round(cost["verticesEvaluated"] / frames),
            "kick.microseconds": f"{cost['microseconds'] / frames:.0f}",
            "kick.triangles": f"{sum(body[2] for body in result['bodies']):,}",
            "machine.processor": processor(),
        })

    def _drawn(self, drawn):
        numbers = json.loads((drawn / "numbers.json").read_text())
        for i, count in enumerate(numbers["levels"]):
            self.names[f"drawn.level{i}"] = f"{count:,}"
        for name, visit in zip(("apart", "close", "contact"), numbers["visits"]):
            for key in ("boxes", "vertices", "pairs"):
                self.names[f"{name}.{key}"] = f"{visit[key]:,}"
        for key in ("joints", "vertices", "triangles", "bothVertices"):
            self.names[f"man.{key}"] = f"{numbers[key]:,}"

    def _scenes(self, snug, source):
        """The papers' scenes, each a page, a still of it, and what docs/papers.md has of it."""
        folder = source / "scenes"
        for name, papers in SCENES.items():
            print(f"scene {name}", flush=True)
            run = subprocess.run([snug, "scene", name, "--out", folder], capture_output=True, text=True)
            if run.returncode != 0 and "built without" not in run.stderr:
                raise SystemExit(run.stderr)
            card = "*Not in this copy of the site, which was made without solvers.*"
            if run.returncode == 0:
                still = re.search(r'src="data:image/png;base64,([^"]+)"', (folder / f"{name}.html").read_text())
                (folder / f"{name}.png").write_bytes(base64.b64decode(still.group(1)))
                card = (f"[![A still of the scene; its page can be turned](scenes/{name}.png){{ .strip loading=lazy }}]"
                        f"(scenes/{name}.html)\n\n"
                        f"[Open {name}](scenes/{name}.html){{ .md-button }}")
            (folder / f"{name}.state").unlink(missing_ok=True)
            self.names[f"scene.{name}"] = "\n\n".join([card, headlines(papers)])

    def _peers(self):
        """Missed and invented pairs are the README's, which a test compares; times, if they were measured."""
        lines = (ROOT / "README.md").read_text().splitlines()
        start = lines.index("| library | version | missed | invented |")
        end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
        self.names["peers.pairs"] = "\n".join(lines[start:end])
        path = Path(os.environ.get("SNUG_PEERS_JSON", ROOT / "build/peers.json"))
        result = json.loads(path.read_text()) if path.exists() else None
        self.names["peers.headline"] = peer_headline(result) if result else ""
        self.names["peers.times"] = peer_times(result) if result else (
            '!!! note "Not measured"\n'
            "    This copy of the site was built without times. "
            "`build/snug bench peers --json >build/peers.json` measures them in some minutes; "
            "`make site` then shows them here.")


def headlines(papers):
    """Rows of the table of headlines in docs/papers.md that are about one of the papers' tables or figures."""
    lines = (ROOT / "docs/papers.md").read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| paper | number |"))
    chosen, paper = [], ""
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        cells = line.split("|")
        paper = cells[1].strip() or paper
        if paper in papers:
            chosen.append("|" + "|".join(cells[2:]))
    return "\n".join(["|" + "|".join(line.split("|")[2:]) for line in lines[start:start + 2]] + chosen) if chosen else ""


def processor():
    """What this machine is, as the kernel says."""
    try:
        return re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()).group(1)
    except (OSError, AttributeError):
        return "this machine"


def peer_headline(result):
    """How long the fastest other library that finds all pairs takes, over ours: from the least of all bodies to the most."""
    ratios = {}
    for row in result["rows"]:
        is_other = re.match(r"Embree|FCL|Bullet|ODE|CGAL", row["method"]) if "method" in row else None
        if is_other and row.get("query") == "all" and "overOurs" in row and not row["missing"] and not row["extra"]:
            bodies = ratios.setdefault(row["contact"], {})
            bodies[row["bodies"]] = min(row["overOurs"], bodies.get(row["bodies"], math.inf))
    light, heavy = (sorted({f"{least:.0f}" for least in (min(ratios[contact].values()), max(ratios[contact].values()))}, key=int)
                    for contact in ("light", "heavy"))
    return (f"In the run that is shown there, the fastest other library that finds the same pairs takes **{' to '.join(light)} times as long** "
            f"as snug in light contact, and {' to '.join(heavy)} times in heavy.")


def peer_times(result):
    """A table for each kind of body and amount of contact, from `snug bench peers --json`."""
    machine = result["machine"]
    parts = [f"Measured on {machine['processor']}, {machine['instructionSet']}, {machine['compiler']}: milliseconds per frame, "
             "from joints to sorted pairs, the mean over the frames of each one's least time. *Ours*, *bottom-up* and *oracle* are snug: as users get "
             "it, with everything deformed first, and with deformation for free. [Methods](../docs/benchmarks.md#methods) has the others."]
    rows = [row for row in result["rows"] if row.get("query") == "all" and "bestMs" in row]
    for bodies, contact in dict.fromkeys((row["bodies"], row["contact"]) for row in rows):
        chosen = [row for row in rows if (row["bodies"], row["contact"]) == (bodies, contact)]
        parts.append(f"### {bodies[0].upper()}{bodies[1:]}, {contact} contact\n\n{chosen[0]['pairs']:,.0f} pairs per frame on average.\n")
        table = ["| method | version | ms | times ours | missed | invented |", "|---|---|---:|---:|---:|---:|"]
        for row in chosen:
            table.append(f"| {row['method']} | {row['version']} | {row['bestMs']:.3g} | {row['overOurs']:.1f} | "
                         f"{row['missing']:,} | {row['extra']:,} |")
        parts.append("\n".join(table))
    return "\n\n".join(parts)


def copy_live(output):
    """The page of web/, if `make web` has made it: where it is in the site."""
    page = ROOT / "build/web/snug.html"
    if not page.exists():
        return ('!!! note "Not in this copy"\n    This copy of the site was built without it. `make web` builds it, and '
                "`make site` then takes it along; `build/snug view` shows it at once.")
    (output / "live").mkdir(parents=True)
    shutil.copy(page, output / "live")
    return ('<a class="md-button md-button--primary" href="live/snug.html">Open the live page</a>\n\n'
            "It is one file, which you can keep, and open from your disk.")


def break_code(output):
    """Code in sentences and tables breaks after spaces, bars and slashes, never within a word or an option."""
    def breakable(match):
        code = re.sub(r"\s+", " ", match.group(1))
        return f"<code>{re.sub(r'(?<=[ |,/])(?=[^ ])', '<wbr>', code)}</code>"

    for path in output.rglob("*.html"):
        if not {"live", "scenes"} & set(path.relative_to(output).parts):
            path.write_text(INLINE_CODE.sub(breakable, path.read_text()))


def write_settings(source, path):
    """The settings, less those lines of the menu whose page is not there: the repository may lack a language."""
    lines = []
    for line in (SITE / "mkdocs.yml").read_text().splitlines():
        page = re.search(r"^ +- .*: (\S+\.md)$", line)
        if page and not (source / page.group(1)).exists():
            print(f"not in this copy: {page.group(1)}")
        else:
            lines.append(line)
    path.write_text("\n".join(lines) + "\n")


def main():
    if len(sys.argv) != 5:
        raise SystemExit("usage: docs/site/build.py SNUG DRAW_BOUNDS MODELS OUTPUT")
    snug, draw, models, output = (Path(argument).resolve() for argument in sys.argv[1:])
    work = output.with_name(output.name + "-source")
    shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(output, ignore_errors=True)
    source = work / "docs"
    (source / "pictures").mkdir(parents=True)

    subprocess.run([draw, models / "man.glb", models / "creature.glb", source / "pictures"], check=True)
    values = Values(snug, models, source, source / "pictures")
    values.names["live.page"] = copy_live(output)
    reference = Reference(work / "doxygen")
    for header in HEADERS:
        (source / "reference").mkdir(exist_ok=True)
        (source / "reference" / f"{Path(header).stem}.md").write_text(reference.page(header))

    layout = Layout(source, reference, values, models)
    documents = ["CONTRIBUTING.md", "CHANGELOG.md", "web/package/README.md", "rust/snug/README.md"]
    documents += ["python/README.md"] if (ROOT / "python/README.md").exists() else []
    documents += sorted(str(path.relative_to(ROOT)) for folder in ("docs", "docs/*")
                        for path in ROOT.glob(f"{folder}/*.md"))
    for name in documents:
        layout.add(name)
    layout.add_shown()
    shutil.copy(SITE / "style.css", source)
    shutil.copy(ROOT / "web/page/icon.svg", source)

    live = output / "live"
    kept = work / "live"
    if live.exists():
        shutil.move(live, kept)  # mkdocs empties its folder
    write_settings(source, work / "mkdocs.yml")
    subprocess.run(["mkdocs", "--quiet", "build", "--strict", "--config-file", work / "mkdocs.yml", "--site-dir", output], check=True)
    break_code(output)
    if kept.exists():
        shutil.move(kept, live)
    pages = check_site(output)
    print(f"{pages} pages: {output}/index.html; to serve them: python3 -m http.server --directory {output}")


if __name__ == "__main__":
    main()
