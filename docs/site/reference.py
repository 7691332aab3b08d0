"""The API reference: one Markdown page per public header, from what Doxygen reads in it.

Doxygen parses the headers and writes XML; its own pages would look like another site. What stands before the include
guard introduces a page, groups are its sections, and every name of the library is a link to where it is explained.
"""

import html
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

INCLUDE = Path(__file__).resolve().parent.parent.parent / "include"
HEADERS = sorted(path.name for path in (INCLUDE / "snug").glob("*.h"))

DOXYFILE = """
INPUT = {include}
FILE_PATTERNS = *.h
OUTPUT_DIRECTORY = {output}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
OPTIMIZE_OUTPUT_FOR_C = YES
TYPEDEF_HIDES_STRUCT = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = SNUG_API=
QUIET = YES
WARNINGS = YES
WARN_IF_UNDOCUMENTED = NO
WARN_IF_INCOMPLETE_DOC = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
"""


@dataclass
class Entry:
    """Something with a name in a header: a function, a struct, an enumeration, a type, a constant."""

    name: str
    kind: str
    line: int
    node: ElementTree.Element


def plain(node):
    """The text of an element without its markup."""
    return "".join(node.itertext()) if node is not None else ""


def tidy(code):
    """Pointers as the headers write them."""
    return re.sub(r"\s+([*&])", r"\1", re.sub(r"([*&]+)(?=\w)", r"\1 ", re.sub(r"\s+", " ", code))).strip()


class Reference:
    def __init__(self, work):
        self.work = Path(work)
        self.entries = {header: [] for header in HEADERS}
        self.groups = {header: [] for header in HEADERS}
        # Where each name is explained: page and anchor.
        self.places = {}
        self._parse()

    def _parse(self):
        self.work.mkdir(parents=True, exist_ok=True)
        doxyfile = self.work / "Doxyfile"
        doxyfile.write_text(DOXYFILE.format(include=INCLUDE / "snug", output=self.work))
        subprocess.run(["doxygen", str(doxyfile)], check=True)
        for path in sorted((self.work / "xml").glob("*.xml")):
            if path.name != "index.xml":
                self._read(ElementTree.parse(path).getroot().find("compounddef"))
        for header in HEADERS:
            self.entries[header].sort(key=lambda entry: entry.line)
            self.groups[header].sort(key=lambda group: group[0])

    def _read(self, compound):
        if compound is None:
            return
        if compound.get("kind") == "struct":
            self._add(compound, compound.findtext("compoundname"), "struct")
        elif compound.get("kind") in ("group", "file"):
            for member in compound.iter("memberdef"):
                self._add(member, member.findtext("name"), member.get("kind"))
            if compound.get("kind") == "group":
                self._add_group(compound)

    def _add(self, node, name, kind):
        location = node.find("location")
        header = Path(location.get("file")).name
        is_guard = kind == "define" and (name.endswith("_H") or name == "SNUG_API")
        # `typedef struct snugModel snugModel;` is the only word on opaque types; of others the struct has it all.
        repeated = name in self.places and kind == "typedef"
        if header not in self.entries or is_guard or repeated or any(e.name == name for e in self.entries[header]):
            return
        self.entries[header].append(Entry(name, kind, int(location.get("line")), node))
        self.places[name] = (header, name)
        for value in node.findall("enumvalue"):
            self.places[value.findtext("name")] = (header, value.findtext("name"))

    def _add_group(self, compound):
        """Doxygen does not say where a group begins: the header does."""
        name = compound.findtext("compoundname")
        for header in HEADERS:
            for number, line in enumerate((INCLUDE / "snug" / header).read_text().splitlines(), 1):
                if re.match(rf"/// @defgroup {name} ", line):
                    self.groups[header].append((number, name, compound.findtext("title"), compound))

    def linked(self, text, page):
        """Markdown in which every name of the library is a link; `page` is the header whose page it stands on."""

        def link(match):
            name = match.group(0)
            if name in HEADERS and name != page:
                return f"[`{name}`]({Path(name).stem}.md)"
            if name not in self.places:
                return name
            header, anchor = self.places[name]
            target = "" if header == page else f"{Path(header).stem}.md"
            return f"[`{name}`]({target}#{anchor})"

        def link_document(match):
            title = re.search(r"(?m)^# (.*)$", (INCLUDE.parent / match.group(0)).read_text()).group(1)
            return f"[{title}](../{match.group(1)})"

        text = re.sub(r"\bdocs/([\w-]+\.md)", link_document, text)
        return re.sub(r"\b(?:snug(?:_\w+)?\.h|snug[A-Z_]\w*|SNUG_\w+)\b", link, text)

    def _inline(self, node, page):
        text = self._escape(node.text, page)
        for child in node:
            if child.tag == "computeroutput":
                code = plain(child)
                text += self.linked(code, page) if code in self.places else f"`{code}`"
            elif child.tag == "ref":
                text += self.linked(plain(child), page)
            elif child.tag in ("itemizedlist", "parameterlist", "simplesect"):
                pass
            else:
                text += self._inline(child, page)
            text += self._escape(child.tail, page)
        return text

    def _escape(self, text, page):
        text = re.sub(r"\s+", " ", text or "")
        return self.linked(re.sub(r"([*\[\]|])", r"\\\1", text).replace("<", "&lt;"), page)

    def _description(self, node, page):
        """What a comment says, as Markdown: paragraphs, lists, arguments, result."""
        parts = []
        for name in ("briefdescription", "detaileddescription"):
            for para in node.findall(f"{name}/para"):
                self._paragraph(para, page, parts)
        return "\n\n".join(parts)

    def _paragraph(self, para, page, parts):
        text = self._inline(para, page).strip()
        if text:
            parts.append(text)
        for child in para:
            if child.tag == "itemizedlist":
                items = [self._inline(item.find("para"), page).strip() for item in child.findall("listitem")]
                parts.append("\n".join(f"- {item}" for item in items))
            elif child.tag == "parameterlist":
                rows = [(plain(item.find(".//parametername")), self._inline(item.find("parameterdescription/para"), page))
                        for item in child.findall("parameteritem")]
                parts.append("| argument | |\n|---|---|\n" +
                             "\n".join(f"| `{name}` | {text.strip()} |" for name, text in rows))
            elif child.tag == "simplesect" and child.get("kind") == "return":
                parts.append("**Returns** " + " ".join(self._inline(p, page).strip() for p in child.findall("para")))
            elif child.tag == "simplesect":
                parts.append(" ".join(self._inline(p, page).strip() for p in child.findall("para")))

    def _cell(self, node, page):
        return self._description(node, page).replace("\n\n", " ").replace("\n", " ")

    def _code_link(self, code, page):
        """Code in a table cell, its types linked: Markdown has no links inside of code."""
        def link(match):
            header, anchor = self.places.get(match.group(0), (None, None))
            if header is None:
                return match.group(0)
            target = "" if header == page else f"{Path(header).stem}.html"
            return f'<a href="{target}#{anchor}">{match.group(0)}</a>'

        return "<code>" + re.sub(r"\bsnug[A-Z]\w*", link, html.escape(code)) + "</code>"

    def _struct(self, entry, page):
        rows = []
        for member in entry.node.iter("memberdef"):
            name = member.findtext("name")
            if name.startswith("reserved"):
                continue
            declaration = tidy(plain(member.find("type"))) + " " + name + plain(member.find("argsstring"))
            rows.append(f"| {self._code_link(declaration, page)} | {self._cell(member, page)} |")
        return "| member | |\n|---|---|\n" + "\n".join(rows) if rows else ""

    def _enum(self, entry, page):
        rows = [f'| <span id="{value.findtext("name")}">`{value.findtext("name")}`</span> | {self._cell(value, page)} |'
                for value in entry.node.findall("enumvalue")]
        return "| value | |\n|---|---|\n" + "\n".join(rows)

    def _signature(self, entry):
        if entry.kind == "define":
            return f"#define {entry.name} {plain(entry.node.find('initializer'))}".strip()
        if entry.kind == "struct":
            return ""
        if entry.kind == "enum":
            return ""
        definition = tidy(entry.node.findtext("definition").replace("SNUG_API ", ""))
        if entry.kind == "typedef":
            return definition + tidy(entry.node.findtext("argsstring") or "") + ";"
        parameters = [tidy(plain(p.find("type"))) + " " + (p.findtext("declname") or "") + plain(p.find("array"))
                      for p in entry.node.findall("param")]
        line = f"{definition}({', '.join(parameters).strip()});"
        if len(line) <= 88:
            return line
        return f"{definition}(\n    " + ",\n    ".join(parameters) + ");"

    def _entry(self, entry, page):
        kind = {"struct": "struct", "enum": "enum", "typedef": "type", "define": "constant"}.get(entry.kind, "")
        label = f' <small class="kind">{kind}</small>' if kind else ""
        parts = [f"### {entry.name}{label} {{: #{entry.name} data-toc-label='{entry.name}' }}"]
        # Readers also search for `SetJoints`: the name less its prefix, for the search index and not for the eye.
        parts.append(f'<span class="search-words">{re.sub("^snug(?:[A-Z][a-zA-Z0-9]*_)?", "", entry.name)}</span>')
        signature = self._signature(entry)
        if signature:
            parts.append(f"```c\n{signature}\n```")
        text = self._description(entry.node, page)
        if text:
            parts.append(text)
        if entry.kind == "struct":
            parts.append(self._struct(entry, page))
        elif entry.kind == "enum":
            parts.append(self._enum(entry, page))
        return "\n\n".join(part for part in parts if part)

    def _introduction(self, header):
        """The comment that a header begins with, less its own name."""
        lines = []
        for line in (INCLUDE / "snug" / header).read_text().splitlines():
            if not line.startswith("//"):
                break
            lines.append(line[3:] if line.startswith("// ") else line[2:])
        first, *rest = "\n".join(lines).split("\n\n", 1)
        sentence = re.sub(r"^[\w.]+: ", "", first)
        text = sentence[:1].upper() + sentence[1:] + ("\n\n" + rest[0] if rest else "")
        return "\n\n".join(self._introducing(part, header) for part in text.split("\n\n"))

    def _introducing(self, text, header):
        """A paragraph of it; what is further to the right is code, and stays as it is."""
        if text.startswith("    "):
            return text
        # A list needs an empty line before it.
        text = re.sub(r"(?m)^((?!- |  ).+)\n(?=- )", r"\1\n\n", text)
        return self.linked(re.sub(r"(?m)^  (?=\S)", "    ", text), header)

    def page(self, header):
        """The page of one header."""
        parts = [f"# snug/{header}", self._introduction(header), f"```c\n#include <snug/{header}>\n```"]
        pending = list(self.groups[header])
        if self.entries[header] and (not pending or self.entries[header][0].line < pending[0][0]):
            parts.append("## Constants")
        for entry in self.entries[header]:
            while pending and pending[0][0] < entry.line:
                _, name, title, compound = pending.pop(0)
                parts += [f"## {title} {{: #group-{name} }}", self._description(compound, header)]
            parts.append(self._entry(entry, header))
        return "\n\n".join(part for part in parts if part) + "\n"
