"""Finds the forms of co_await that g++ 12 compiles wrongly (docs/async.md, traps).

A statement with a co_await must not contain `?:`, `&&`, `||` or a braced value (an aggregate or an
initializer list). The lint is no compiler: it finds the ends of statements by the parentheses,
braces and semicolons of formatted code. It checks the statements in the body of a lambda separately.
"""

import re

import cpp_text

_CONTROL = re.compile(r"\s*(?:\}?\s*else\s+)?(?:if|while|for|switch)\b[^(]*\(")
# Text before the brace of a lambda's body, or of a block.
_BODY = re.compile(r"(?:[)\]]|\bmutable|\bnoexcept|\belse|\bdo|\btry|->\s*[\w:<>,&*\s]+)\s*$")
_CO_AWAIT = re.compile(r"(?<!operator )\bco_await\b")
# Formatted code has spaces around the operator, and none before the && of a type.
_RULES = (
    (re.compile(r"\?"), "?:"),
    (re.compile(r"\s&&\s|\band\b"), "&&"),
    (re.compile(r"\|\||\bor\b"), "||"),
    (re.compile(r"\{"), "a braced value"),
)


class _Statements:
    """Takes code apart into (line, text) of its statements."""

    def __init__(self, code):
        self.code = code
        self.found = []

    def _emit(self, start, text):
        if text.strip():
            skipped = len(text) - len(text.lstrip())
            self.found.append((self.code.count("\n", 0, start + skipped) + 1, text))

    def read(self, index=0):
        """Reads until the brace that closes the block, and returns its place."""
        start, text, depth = index, "", 0
        while index < len(self.code):
            character = self.code[index]
            if character == "{":
                if _BODY.search(text) or (depth == 0 and not _CO_AWAIT.search(text)):
                    end = self.read(index + 1)
                    if depth == 0 and not text.lstrip().startswith(("co_", "return")):
                        self._emit(start, text)
                        start, text = end + 1, ""
                    index = end
                else:
                    end = self._end_of_value(index)
                    text += self.code[index:end]
                    index = end - 1
            elif character == "}":
                break
            elif character == ";":
                self._emit(start, text)
                start, text = index + 1, ""
            else:
                depth += {"(": 1, ")": -1}.get(character, 0)
                text += character
                if character == ")" and depth == 0 and self._closes_control(text):
                    self._emit(start, text)
                    start, text = index + 1, ")"  # a brace after it opens a block
            index += 1
        self._emit(start, text)
        return index

    @staticmethod
    def _closes_control(text):
        return _CONTROL.match(text) is not None

    def _end_of_value(self, index):
        depth = 0
        for place in range(index, len(self.code)):
            depth += {"{": 1, "}": -1}.get(self.code[place], 0)
            if depth == 0:
                return place + 1
        return len(self.code)


def statements(text):
    code = cpp_text.without_directives(cpp_text.without_comments_and_literals(text))
    reader = _Statements(code)
    index = 0
    while index < len(code):  # an extra closing brace ends a part, not the file
        index = reader.read(index) + 1
    return reader.found


def check(relative, text):
    """Findings of one C++ file."""
    if "co_await" not in text:
        return
    for line, statement in statements(text):
        match = _CO_AWAIT.search(statement)
        if match is None:
            continue
        line += statement[: match.start()].lstrip().count("\n")
        for pattern, name in _RULES:
            if pattern.search(statement):
                yield (f"{relative}:{line}: {name} in a statement with co_await, which g++ 12"
                       " compiles wrongly; see docs/async.md")
