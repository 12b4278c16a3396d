"""Prepares the pages of the site for MkDocs: pages.py <folder of the sources> <tag file of the API>

Copies the documents of the navigation, and all files that they link to, and adapts them:

- docs/README.md becomes the start page, and docs/ the root of the site.
- A link to a document leads to its page. A link to a public header leads to the API reference. A
  link to a folder leads to its README. Another file becomes a page that shows the file.
- The mark of a fenced block (```cpp examples/hello/client.cpp) becomes its title, if it is a file.

Fails if a document of docs/ is missing in the navigation, or if a link leads nowhere.
"""

import os
import re
import sys
import xml.etree.ElementTree
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIGURATION = ROOT / "docs" / "site" / "mkdocs.yml"
PROJECT_PAGE = "perigee.md"  # README.md of the root; the start page is another README.md

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<mark>[^\n]*)\n(?P<body>.*?)^ *```[ \t]*$", re.MULTILINE | re.DOTALL)
# Code comes first, so that text in code is not taken for a link.
CODE_OR_LINK = re.compile(
    FENCE.pattern + r"|`[^`]+`|(?<=\]\()(?P<target>[^)\s]+)(?=\))", re.MULTILINE | re.DOTALL)
NESTED_LIST = re.compile(r"^ {2,3}(?=(?:[-*]|\d+\.) )", re.MULTILINE)
NAVIGATION_PAGE = re.compile(r"^ *- (?:.*: )?(\S+\.md)$", re.MULTILINE)

# Languages as Pygments calls them.
LANGUAGES = {"idl": "omg-idl", ".cpp": "cpp", ".h": "cpp", ".idl": "omg-idl", ".py": "python",
             ".cmake": "cmake", ".toml": "toml", ".sh": "sh"}


class Site:
    """The place of each file in the site. `headers`: the API page of each public header."""

    def __init__(self, headers):
        self.headers = headers

    def place(self, file):
        """The page of a file, relative to the root of the site's sources."""
        name = file.relative_to(ROOT).as_posix()
        if file.is_dir():
            return self.place(file / "README.md")
        if name == "README.md":
            return PROJECT_PAGE
        if file.suffix in (".md", ".svg"):
            return name.removeprefix("docs/")
        if name in self.headers:
            return "api/" + self.headers[name]
        return f"files/{name.removeprefix('.')}.md"  # MkDocs leaves out names that begin with a dot

    def link(self, document, target):
        """The target of a link, and the file that it leads to, if it is a file of the repository."""
        if re.match(r"[a-z]+:|#", target):
            return target, None
        path, hash_sign, anchor = target.partition("#")
        file = (document.parent / path).resolve()
        if file.is_dir():
            file /= "README.md"
        if not file.is_file():
            sys.exit(f"{document.relative_to(ROOT)}: a link leads to {target}, which does not exist")
        here = PurePosixPath(self.place(document)).parent
        return os.path.relpath(self.place(file), here) + hash_sign + anchor, file

    def page(self, document):
        """The text of a document's page, and the files that it links to."""
        linked = []

        def adapted(match):
            if match["target"]:
                target, file = self.link(document, match["target"])
                if file:
                    linked.append(file)
                return target
            return fence(match) if match["mark"] is not None else match[0]

        text = CODE_OR_LINK.sub(adapted, document.read_text())
        return NESTED_LIST.sub("    ", text), linked


def fence(match):
    language, _, mark = match["mark"].strip().partition(" ")
    language = LANGUAGES.get(language, language)
    title = f' title="{mark}"' if "/" in mark else ""
    return f"{match['indent']}``` {language}{title}\n{match['body']}{match['indent']}```"


def page_of_file(file):
    """A page that shows a file which is no document."""
    language = "cmake" if file.name == "CMakeLists.txt" else LANGUAGES.get(file.suffix, "text")
    text = file.read_text()
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    heading = f"# {file.name}\n\nThe file `{file.relative_to(ROOT)}`:"
    return f"{heading}\n\n{ticks} {language}\n{text.rstrip()}\n{ticks}\n"


def navigation():
    """The documents in the navigation."""
    names = NAVIGATION_PAGE.findall(CONFIGURATION.read_text())
    files = []
    for name in names:
        in_docs = ROOT / "docs" / name
        in_root = ROOT / ("README.md" if name == PROJECT_PAGE else name)
        files.append(in_docs if in_docs.is_file() else in_root)
        if not files[-1].is_file():
            sys.exit(f"docs/site/mkdocs.yml: {name} does not exist")
    for document in sorted((ROOT / "docs").glob("*.md")):
        if document not in files:
            sys.exit(f"docs/site/mkdocs.yml: {document.name} is missing in the navigation")
    return files


def header_pages(tag_file):
    """The API page of each public header, by the name of the header in the repository."""
    pages = {}
    for compound in xml.etree.ElementTree.parse(tag_file).iterfind("compound[@kind='file']"):
        file = Path(compound.findtext("path")) / compound.findtext("name")
        if file.suffix == ".h":
            pages[file.relative_to(ROOT).as_posix()] = compound.findtext("filename")
    return pages


def write_pages(folder, site):
    waiting = navigation()
    seen = set()
    while waiting:
        file = waiting.pop()
        place = site.place(file)
        if file in seen or place.startswith("api/"):
            continue
        seen.add(file)
        linked = []
        if file.suffix == ".md":
            text, linked = site.page(file)
        elif file.suffix == ".svg":
            text = file.read_text()
        else:
            text = page_of_file(file)
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
        waiting += linked
    print(f"site: {len(seen)} pages of documents and files")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write_pages(Path(sys.argv[1]), Site(header_pages(sys.argv[2])))


if __name__ == "__main__":
    main()
