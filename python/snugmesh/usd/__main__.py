"""`python3 -m snugmesh.usd`: what meets in a stage, for build scripts. Exits as `snug check` does."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .cast import load
from .check import Frame, Report, check

CONTACT, BAD_INPUT, BAD_USAGE, INTERRUPTED = 3, 1, 2, 130


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m snugmesh.usd", description="Find all pairs of intersecting triangles between the actors of a stage. An actor is a SkelRoot, a component or a mesh. A stage with one is checked against itself, as with --within and --self. The rules are those of `snug check`; docs/usd.md has more.")
    add = parser.add_argument
    add("file", help="the stage: .usd, .usda, .usdc, .usdz")
    add("--start", type=float, metavar="T", help="time code of the first frame; default the stage's start")
    add("--end", type=float, metavar="T", help="of the last frame; default the stage's end")
    add("--step", type=float, metavar="T", help="from one frame to the next; default one of the stage's frames")
    add("--prim", action="append", default=[], metavar="/PATH", help="only what is below; may be given again")
    add("--actor", action="append", default=[], metavar="/PATH", help="all below is one actor; may be given again")
    add("--variant", action="append", default=[], metavar="/PATH:SET=NAME", help="select a variant; may be given again")
    add("--purpose", action="append", choices=("default", "render", "proxy", "guide"), help="which meshes; default default and render")
    add("--within", action="store_true", help="also between meshes of one actor")
    add("--self", action="store_true", dest="itself", help="also meshes with themselves")
    add("--keep-rest", action="store_true", help="with --self: also what meets at rest")
    add("--margin", type=float, default=0.0, metavar="D", help="pairs that are no farther apart than D, instead of those that meet")
    add("--rest-distance", type=float, metavar="D", help="with --self and --margin: pairs farther apart than D at rest; default the margin")
    add("--new-only", action="store_true", help="leave out pairs of triangles that meet in the first frame")
    add("--ignore", metavar="FILE", help="leave out pairs of joints or meshes: lines as 'left hand, left thigh'; * is any")
    add("--fail-on-contact", action="store_true", help="exit with 3 if there is any pair that counts")
    add("--deeper-than", type=float, metavar="D", help="count only contacts deeper than D, where surfaces are closed")
    add("--longer-than", type=float, metavar="S", help="count only contacts that last longer than S seconds")
    add("--by-joint", action="store_true", help="say which joints' triangles touch which")
    add("--summary", action="store_true", help="print what all frames come to, not each of them")
    add("--json", action="store_true", help="print one JSON object per frame and line")
    add("--limit", type=_read_count, default=1000000, metavar="N", help="pairs that --json lists in all, then only counts; default 1000000")
    add("--over", metavar="FILE.usda", help="write contacts as a layer to put over the stage")
    return parser


def _read_variants(given: Sequence[str]) -> dict[str, dict[str, str]]:
    variants: dict[str, dict[str, str]] = {}
    for text in given:
        path, _, choice = text.partition(":")
        name, is_choice, value = choice.partition("=")
        if not (path and name and is_choice):
            raise ValueError(f"--variant is /PATH:SET=NAME, not {text!r}")
        variants.setdefault(path, {})[name] = value
    return variants


def _read_ignored(path: str) -> list[list[str]]:
    lines = [line.partition("#")[0] for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return [[name.strip() for name in line.split(",")] for line in lines if line.strip()]


def _read_count(text: str) -> int:
    if int(text) < 0:
        raise ValueError
    return int(text)


class _Printer:
    """Prints frames as they are found."""

    def __init__(self, options: Any) -> None:
        self.options, self.left = options, options.limit

    def show(self, report: Report, frame: Frame) -> None:
        if self.options.json:
            print(report.frame_json(frame, limit=self.left, by_joint=self.options.by_joint))
            self.left -= min(self.left, len(frame.pairs))
            return
        has_depth = report.asked["curves"]
        if frame.number == 0:
            print(f"\n{'time code':>10} {'s':>9} {'pairs':>9}" + (f" {'depth':>9}" if has_depth else ""))
        print(f"{frame.time_code:10g} {frame.time:9.4f} {len(frame.pairs):9d}" + (f" {frame.depth:9.4g}" if has_depth else ""))


def _print_report(report: Report, options: Any) -> None:
    frames = report.frames
    touching = [f for f in frames if len(f.pairs)]
    if options.by_joint and touching:
        print(f"\n{'pairs':>10} {'depth':>9} {'frames':>7} {'first':>9} {'last':>9}  by joint")
        for row in report.joints()[:30]:
            first, last = frames[row["firstFrame"]].time_code, frames[row["lastFrame"]].time_code
            print(f"{row['count']:10d} {row.get('depth', 0.0):9.4g} {row['frames']:7d} {first:9g} {last:9g}  {': '.join(row['a'])} × {': '.join(row['b'])}")
    text = f"\n{len(frames)} frames, {len(touching)} of them with contact"
    if touching:
        most = max(frames, key=lambda f: len(f.pairs))
        text += f" (from {touching[0].time_code:g} to {touching[-1].time_code:g}); {report.count} pairs, most at {most.time_code:g}: {len(most.pairs)}"
        deepest = max(frames, key=lambda f: f.depth)
        text += f", deepest at {deepest.time_code:g}: {deepest.depth:.4g}" if deepest.depth else ""
    print(text)
    if options.deeper_than is not None or options.longer_than is not None:
        counted = ", ".join(f"{frames[a].time_code:g} to {frames[b].time_code:g}" for a, b in report.contacts)
        print(f"contacts that count: {counted or 'none'}")


def _run(options: Any) -> int:
    variants = _read_variants(options.variant)
    cast = load(options.file, variants=variants, prims=options.prim, actors=options.actor, purposes=options.purpose or ("default", "render"))
    for note in cast.notes:
        print(f"snugmesh.usd: note: {note}", file=sys.stderr)
    if not cast.meshes:
        raise ValueError(f"{options.file} holds no mesh: there is nothing to compare")
    if not options.json:
        for i, mesh in enumerate(cast.meshes):
            print(f"body {i}: {mesh.path}, {len(mesh.faces)} triangles, {mesh.how}" + (f": {mesh.why}" if mesh.why else ""))
    ignored = _read_ignored(options.ignore) if options.ignore else ()
    asked = {name: getattr(options, name) for name in ("start", "end", "step", "within", "itself", "keep_rest", "margin", "rest_distance", "new_only", "deeper_than", "longer_than")}
    progress = None if options.summary else _Printer(options).show
    report = check(cast, **asked, ignored=ignored, curves=bool(options.over), progress=progress)
    if not options.json:
        _print_report(report, options)
    elif options.summary:
        print(report.summary_json(by_joint=options.by_joint))
    if options.over and report.complete:
        report.write_over(options.over)
    return INTERRUPTED if not report.complete else CONTACT if options.fail_on_contact and report.contacts else 0


def main(arguments: Sequence[str] | None = None) -> int:
    options = _make_parser().parse_args(arguments)
    try:
        return _run(options)
    except (OSError, ValueError) as error:
        print(f"snugmesh.usd: {error}", file=sys.stderr)
        return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
