"""Checks that wrong code does not compile, with the expected message, and that the corrected code compiles.

usage: check_cases.py <file.cases> <include folder> <compiler>...

A case is some lines of a function:

    == name
    -- word word        all of them stand in the compiler's message at the wrong line
      line              of both forms
    - line              of the wrong form
    + line              of the right form

All right forms of a file are compiled together, and must cause no warning. All wrong forms are
compiled together, and each must have an error at its wrong line. The word `nodiscard` stands for
the compiler's message about an unused result.
"""

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Wno-unused", "-Werror", "-Wunused-result", "-Wconversion"]
UNLIMITED = {"g++": "-fmax-errors=0", "clang": "-ferror-limit=0"}


@dataclass
class Case:
    name: str
    words: list
    common: list = field(default_factory=list)
    wrong: list = field(default_factory=list)
    right: list = field(default_factory=list)

    def lines(self, form):
        return self.common + (self.wrong if form == "wrong" else self.right)


def read_cases(file):
    cases = []
    for line in file.read_text().splitlines():
        if line.startswith("== "):
            cases.append(Case(line[3:], []))
        elif line.startswith("-- "):
            cases[-1].words = line[3:].split()
        elif line.startswith("- "):
            cases[-1].wrong.append(line[2:])
        elif line.startswith("+ "):
            cases[-1].right.append(line[2:])
        elif line.strip() and not line.startswith("//"):
            cases[-1].common.append(line.strip())
    for case in cases:
        assert case.words and len(case.wrong) == 1 and len(case.right) == 1, case.name
    return cases


def source(cases, form):
    """One function a case. Errors are reported for the file case-<number>, line by line."""
    text = ['#include "prelude.h"']
    for number, case in enumerate(cases):
        text.append(f'#line 1 "case-{number}"')
        text.append(f"void case_{number}(PARAMETERS) {{")
        text.extend(case.lines(form))
        text.append("}")
    return "\n".join(text) + "\n"


def compile_source(compiler, include, text):
    kind = "clang" if "clang" in Path(compiler).name else "g++"
    command = [compiler, "-std=c++23", "-fsyntax-only", "-x", "c++", *WARNINGS, UNLIMITED[kind],
               "-I", include, "-I", str(Path(__file__).parent), "-"]
    environment = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, input=text, capture_output=True, text=True, env=environment)


def messages_at(output, number, line):
    """The messages about a line of a case, with the notes that follow each."""
    found, current = [], None
    for text in output.splitlines():
        if re.search(r": (?:fatal )?error: ", text):
            current = [text] if text.startswith(f"case-{number}:{line}:") else None
            if current:
                found.append(current)
        elif current is not None:
            current.append(text)
    return ["\n".join(message) for message in found]


def has_word(message, word):
    if word == "nodiscard":
        return re.search(r"ignoring return value of function|nodiscard", message) is not None
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message) is not None


def problems_of(compiler, include, cases):
    right = compile_source(compiler, include, source(cases, "right"))
    if right.returncode != 0:
        yield f"the right forms do not compile:\n{right.stderr}"
    wrong = compile_source(compiler, include, source(cases, "wrong"))
    for number, case in enumerate(cases):
        line = 1 + len(case.lines("wrong"))
        messages = messages_at(wrong.stderr, number, line)
        if not messages:
            yield f"{case.name}: compiles: {case.wrong[0].strip()}"
        elif not any(all(has_word(text, word) for word in case.words) for text in messages):
            yield f"{case.name}: {case.words} are not all in the message:\n" + "\n".join(messages)


def main(file, include, *compilers):
    cases = read_cases(Path(file))
    failed = False
    for compiler in compilers:
        for problem in problems_of(compiler, include, cases):
            failed = True
            print(f"{Path(file).stem}, {Path(compiler).name}: {problem}\n")
    print(f"{len(cases)} cases, {len(compilers)} compilers")
    return 1 if failed or not cases or not compilers else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
