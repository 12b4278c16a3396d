"""Markdown as far as the tests need it: links, headings, fenced blocks."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SKIPPED = {"build", ".git"}

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block. After the fence, `language` is the first word, `mark` the rest of the line."""

    document: Path
    line: int
    language: str
    mark: str
    text: str

    def __str__(self):
        return f"{self.document.relative_to(ROOT)}:{self.line}"


def documents():
    """All Markdown files of the repository."""
    return [path for path in sorted(ROOT.rglob("*.md"))
            if not any(part in SKIPPED or part.startswith("build-")
                       for part in path.relative_to(ROOT).parts)]


def blocks(document):
    text = document.read_text()
    for match in _FENCE.finditer(text):
        language, _, mark = match.group(1).strip().partition(" ")
        yield Block(document, text.count("\n", 0, match.start()) + 1, language, mark.strip(),
                    match.group(2))


def links(document):
    """(line, target) of each link outside of code."""
    text = _FENCE.sub(lambda m: "\n" * m.group(0).count("\n"), document.read_text())
    text = re.sub(r"`[^`\n]*`", "", text)
    return [(text.count("\n", 0, m.start()) + 1, m.group(1)) for m in _LINK.finditer(text)]


def anchors(document):
    """The anchors of a document's headings, as GitHub makes them."""
    text = _FENCE.sub("", document.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in _HEADING.findall(text)}
