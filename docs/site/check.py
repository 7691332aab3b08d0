"""Checks of a site that was built: usage: docs/site/check.py DIRECTORY

Every link leads to a page and every anchor to a place on it; nothing is loaded from elsewhere; no placeholder is left,
no bar of a table escaped, no folder of this machine named; no page takes more than 500 KB with everything that it loads
at once, or 5 MB if it shows a recording; every page has one title, and every picture words.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = str(Path(__file__).resolve().parent.parent.parent)
MOST_BYTES = 500_000
MOST_BYTES_RECORDED = 5_000_000
# Made by another part of the project, and tested there: a program in a page.
OTHERS = ("live/",)


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.loads, self.later, self.faults = set(), [], [], set(), []
        self.titles = 0
        self.most = MOST_BYTES
        self.text = []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.update(values[key] for key in ("id", "name") if values.get(key) and not (key == "name" and tag == "meta"))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("script", "img") and values.get("src"):
            self.loads.append(values["src"])
            self.later.update([values["src"]] if values.get("loading") == "lazy" else [])
        if tag == "link" and values.get("rel") in ("stylesheet", "icon"):
            self.loads.append(values["href"])
        if tag == "img" and not values.get("alt"):
            self.faults.append(f"a picture without words: {values.get('src')}")
        self.titles += tag == "h1"
        self.most = MOST_BYTES_RECORDED if "data-recording" in values else self.most

    def handle_data(self, data):
        self.text.append(data)


def read_pages(directory):
    pages = {}
    for path in sorted(directory.rglob("*.html")):
        name = path.relative_to(directory).as_posix()
        if not name.startswith(OTHERS):
            pages[name] = Page()
            pages[name].feed(path.read_text())
    return pages


def resolve(directory, name, link):
    """The file that a link leads to, and the anchor; None for links to other places."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None, None
    folder = directory if parts.path.startswith("/") else (directory / name).parent
    path = folder / unquote(parts.path).lstrip("/") if parts.path else directory / name
    path = path / "index.html" if path.is_dir() else path
    return path.resolve(), unquote(parts.fragment)


def check_links(directory, name, page, pages):
    for link in page.links:
        path, anchor = resolve(directory, name, link)
        if path is None:
            continue
        if not path.exists():
            yield f"{name}: no such page: {link}"
            continue
        target = pages.get(path.relative_to(directory.resolve()).as_posix())
        if anchor and target and anchor not in target.ids and anchor != "__skip":
            yield f"{name}: no such place: {link}"


def check_loads(directory, name, page):
    size = (directory / name).stat().st_size
    for load in set(page.loads):
        if load.startswith("data:"):
            continue
        path, _ = resolve(directory, name, load)
        if path is None:
            yield f"{name}: loads from elsewhere: {load}"
        elif not path.exists():
            yield f"{name}: no such file: {load}"
        elif load not in page.later:
            size += path.stat().st_size
    if size > page.most:
        yield f"{name}: takes {size:,} bytes, more than {page.most:,}"


def check_text(name, page):
    text = "".join(page.text)
    for what, pattern in (("a placeholder", r"@[a-z]+\.\w+@"), ("an escaped bar", r"\\\|"), ("a folder of this machine", re.escape(ROOT))):
        found = re.search(pattern, text)
        if found:
            yield f"{name}: {what}: {text[found.start():found.end() + 40]!r}"


def check_site(directory):
    """Stops with a list of what is wrong; otherwise the number of pages."""
    directory = Path(directory)
    pages = read_pages(directory)
    faults = []
    for name, page in pages.items():
        faults += check_links(directory, name, page, pages)
        faults += check_loads(directory, name, page)
        faults += check_text(name, page)
        faults += [f"{name}: {fault}" for fault in page.faults]
        if name != "404.html" and page.titles != 1:
            faults.append(f"{name}: {page.titles} titles")
    if faults:
        raise SystemExit("\n".join(faults))
    return len(pages)


if __name__ == "__main__":
    print(f"{check_site(sys.argv[1])} pages")
