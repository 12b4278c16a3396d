"""Finds sentences that are hard to read, as far as a program can.

usage: english_lint.py [root]     prints each finding as file:line: text; exit status 1 if any

Reads comments of C++, Python, shell and CMake, names of test cases, and the prose of Markdown files.
Reports a sentence with a word for a person where the code has a noun ("who", "nobody"), and a
sentence of more than 35 words. english_exceptions.toml lists the sentences that stay, with reasons.
Also reports commit subjects of more than 72 characters, after the commit in .ci/tidy-base.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import check_architecture

WORDS_MAX = 35
EXCEPTIONS_MAX = 20
SUBJECT_MAX = 72
VAGUE = re.compile(
    r"\b(who|whoever|whom|whomever|nobody|somebody|what is none|those that|one that)\b", re.IGNORECASE)
SKIPPED_FILES = {
    "tests/architecture/english_lint.py",  # these files quote the words
    "tests/architecture/test_english_lint.py",
}
SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+|(?<=[:;])\s+(?=[A-Z`\"(*])")
WORD = re.compile(r"[A-Za-z0-9][\w'’.-]*")
TEST_NAME = re.compile(r'\b(?:TEST_CASE|SUBCASE)(?:_\w+)?\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
LIST_ITEM = re.compile(r"^(?:[-*]|\d+\.)\s+")


def sentences(text):
    """The sentences of a paragraph. Code between backticks counts as one word."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "`code`", text)
    return [part.strip() for part in SENTENCE_END.split(text) if part.strip()]


class Paragraphs:
    """Joins lines to paragraphs. A paragraph has the number of its first line."""

    def __init__(self):
        self.found = []
        self._lines = []
        self._first = 0

    def add(self, number, line):
        if not self._lines:
            self._first = number
        self._lines.append(line.strip())

    def end(self):
        if self._lines:
            self.found.append((self._first, " ".join(self._lines)))
        self._lines = []


def of_comment_lines(lines, marker):
    """The paragraphs of comments, both on lines of their own and after code."""
    result = Paragraphs()
    for number, line in enumerate(lines, 1):
        text = marker(line)
        if text is None:
            result.end()
        elif not text.strip() or text.startswith("  "):  # indented: code, or a usage
            result.end()
        elif text.startswith(("@", "|", "- ", "usage:")):
            result.end()
            result.add(number, text.lstrip("@|- "))
        else:
            result.add(number, text)
    result.end()
    return result.found


def cpp_comment(line):
    match = re.match(r"\s*//[/!]?<?(?: (.*)|)$", line)
    return None if match is None else match.group(1) or ""


def hash_comment(line):
    match = re.match(r"\s*#(?!!)(?: (.*)|)$", line)
    return None if match is None else match.group(1) or ""


def of_cpp(text):
    lines = text.split("\n")
    found = of_comment_lines(lines, cpp_comment)
    for number, line in enumerate(lines, 1):
        behind = re.search(r"[;{},()]\s+//[/!]?<?\s(.*)$", line)
        if behind and cpp_comment(line) is None:
            found.append((number, behind.group(1)))
    for match in TEST_NAME.finditer(text):
        name = re.sub(r'"\s*"', "", match.group(1)).strip().strip('"')
        found.append((text.count("\n", 0, match.start()) + 1, name))
    return found


def of_script(text):
    return of_comment_lines(text.split("\n"), hash_comment)


def of_markdown(text):
    result = Paragraphs()
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line.startswith("```"):
            in_code = not in_code
            result.end()
        elif in_code:
            continue
        elif line.startswith("|"):
            result.end()
            result.found.extend((number, cell.strip()) for cell in line.strip("|").split("|"))
        elif not line or line.startswith("#"):
            result.end()
        else:
            if LIST_ITEM.match(line):
                result.end()
            result.add(number, LIST_ITEM.sub("", line))
    result.end()
    return result.found


READERS = {
    ".h": of_cpp, ".cpp": of_cpp, ".cc": of_cpp, ".py": of_script, ".sh": of_script,
    ".cmake": of_script, ".txt": of_script, ".md": of_markdown, "": of_script,
}


def problems(text):
    """(sentence, problem) for each bad sentence of a paragraph."""
    for sentence in sentences(text):
        vague = VAGUE.search(sentence)
        if vague:
            yield sentence, f"'{vague.group(1)}': name the thing that the code has"
        count = len(WORD.findall(sentence))
        if count > WORDS_MAX:
            yield sentence, f"{count} words: make it two sentences"


def sources(root):
    for path in sorted(check_architecture.text_files(root)):
        name = path.relative_to(root).as_posix()
        if name in SKIPPED_FILES or path.suffix not in READERS:
            continue
        if path.suffix == "" and not path.read_bytes().startswith(b"#!"):
            continue
        if path.suffix == ".txt" and path.name != "CMakeLists.txt":
            continue
        yield name, path


class Exceptions:
    """Sentences that stay. Each is a part of the sentence, in one file, with a reason."""

    def __init__(self, table):
        self.entries = table.get("exception", [])
        self._used = set()

    def allows(self, file, sentence):
        for index, entry in enumerate(self.entries):
            if entry["file"] == file and entry["text"] in sentence:
                self._used.add(index)
                return True
        return False

    def findings(self):
        for index, entry in enumerate(self.entries):
            if index not in self._used:
                yield f"{entry['file']}: the exception is not needed: {entry['text']}"
            if not entry.get("reason"):
                yield f"{entry['file']}: the exception has no reason: {entry['text']}"
        if len(self.entries) > EXCEPTIONS_MAX:
            yield f"english_exceptions.toml: more than {EXCEPTIONS_MAX} exceptions"


def check(root, exceptions):
    findings = []
    for name, path in sources(root):
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, paragraph in READERS[path.suffix](text):
            for sentence, problem in problems(paragraph):
                if not exceptions.allows(name, sentence):
                    findings.append(f"{name}:{number}: {problem}: {sentence[:120]}")
    return findings + list(exceptions.findings())


def long_subjects(log):
    """The findings for the lines of `git log`: each line has a hash and a subject."""
    for line in log.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > SUBJECT_MAX:
            yield f"commit {commit}: a subject of more than {SUBJECT_MAX} characters: {subject}"


def log_since_base(root):
    """Empty where the history is not known, for example in an archive of the sources."""
    base = root / ".ci" / "tidy-base"
    if not base.exists():
        return ""
    command = ["git", "-C", root, "log", "--format=%h %s", f"{base.read_text().strip()}..HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout
    except FileNotFoundError:  # git is not installed
        return ""


def main():
    here = Path(__file__).resolve().parent
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here.parent.parent
    with open(here / "english_exceptions.toml", "rb") as file:
        findings = check(root, Exceptions(tomllib.load(file)))
    findings += long_subjects(log_since_base(root))
    print("\n".join(findings) if findings else "no findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
