"""C++ source as text: comments and literals blanked out, includes, functions with their lengths.

This is no compiler: it reads enough of the language to find where functions begin and end in
formatted code. It does not understand macros that open a brace.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    name: str
    line: int
    lines: int


@dataclass(frozen=True)
class Include:
    line: int
    path: str
    angled: bool


_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/"""
    r"""|R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)\""""
    r"""|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'""",
    re.DOTALL | re.VERBOSE,
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\\\n]|\\.|\\\n)*", re.MULTILINE)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments_and_literals(text):
    """The same text, the same line numbers; each comment and the inside of each literal blanked."""

    def replace(match):
        token = match.group(0)
        if token.startswith("/"):
            return _blank(token)
        return token[0] + _blank(token[1:-1]) + token[-1] if token[0] in "\"'" else _blank(token)

    return _TOKEN.sub(replace, text)


def without_directives(text):
    """The same text, the same line numbers; preprocessor directives blanked."""
    return _DIRECTIVE.sub(lambda match: _blank(match.group(0)), text)


def includes(text):
    """All #include lines outside of comments."""
    uncommented = _TOKEN.sub(
        lambda m: _blank(m.group(0)) if m.group(0).startswith("/") else m.group(0), text
    )
    return [
        Include(uncommented.count("\n", 0, m.start()) + 1, m.group(1) or m.group(2), bool(m.group(1)))
        for m in _INCLUDE.finditer(uncommented)
    ]


_SCOPE = re.compile(
    r"^(?:export\s+|inline\s+|typedef\s+)*(?:namespace|class|struct|union|enum)\b|^extern\s*\""
)
_ACCESS = re.compile(r"\s*(?:public|private|protected)\s*")
_NAME = re.compile(r"([~\w:]+|operator\s*\S+?)\s*\(")


def _skip_angles(head):
    depth = 0
    for index, character in enumerate(head):
        if character == "<":
            depth += 1
        elif character == ">" and head[index - 1] != "-":
            depth -= 1
            if depth == 0:
                return head[index + 1 :]
    return ""


def _without_prefix(head):
    """The head of a declaration without `template <…>`, a requires clause and attributes."""
    head = head.strip()
    while True:
        if re.match(r"template\s*<", head):
            head = _skip_angles(head).strip()
        elif head.startswith("[["):
            head = head.split("]]", 1)[1].strip() if "]]" in head else ""
        elif re.match(r"requires\s*\(", head):
            depth = 0
            for index, character in enumerate(head):
                depth += {"(": 1, ")": -1}.get(character, 0)
                if character == ")" and depth == 0:
                    head = head[index + 1 :].strip()
                    break
            else:
                return head
        else:
            return head


def _is_function_body(head):
    """Whether a `{` after this head, outside of functions, opens a function's body."""
    declaration = _without_prefix(head)
    if _SCOPE.match(declaration):
        # A class head may hold parentheses (alignas, attributes, base classes): not a function,
        # unless an elaborated return type is followed by parameters.
        return bool(re.match(r"(?:class|struct|union|enum)\s+\w+[\w:\s*&<>,]*\([^)]*\)[\w\s]*$",
                             declaration)) and " alignas" not in declaration
    if "(" not in declaration:
        return False
    if re.search(r"(?<![=!<>+\-*/%&|^])=\s*$", declaration):
        return False  # an initializer
    return True


def _is_member_initializer(head):
    """Whether the head ends inside a constructor's member initializers: the next brace belongs to a member."""
    declaration = _without_prefix(head)
    if not re.search(r"\)\s*(?:noexcept\s*(?:\([^)]*\))?\s*)?(?:try\s*)?:(?!:)", declaration):
        return False
    return bool(re.search(r"[\w>]\s*$", declaration))


def _matching_brace(text, start):
    depth = 0
    for index in range(start, len(text)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if depth == 0:
                return index
    return len(text) - 1


def functions(text):
    """The functions defined in `text`: from the first line of the head to the closing brace."""
    code = without_directives(without_comments_and_literals(text))
    found = []
    head_start = 0
    parentheses = 0
    index = 0
    while index < len(code):
        character = code[index]
        if character in "()":
            parentheses += 1 if character == "(" else -1
        elif character == ";" and parentheses == 0:
            head_start = index + 1
        elif character == ":" and _ACCESS.fullmatch(code, head_start, index):
            head_start = index + 1
        elif character == "}":
            head_start = index + 1
        elif character == "{":
            head = code[head_start:index]
            end = _matching_brace(code, index)
            if parentheses > 0 or _is_member_initializer(head):
                index = end  # a braced value inside of the head
            elif _is_function_body(head):
                first = head_start + len(head) - len(head.lstrip())
                line = code.count("\n", 0, first) + 1
                last = code.count("\n", 0, end) + 1
                names = _NAME.findall(_without_prefix(head))
                found.append(Function(names[0] if names else "?", line, last - line + 1))
                index = end
                head_start = end + 1
            elif _SCOPE.match(_without_prefix(head)):
                head_start = index + 1
            else:
                index = end  # the initializer of a variable
        index += 1
    return found
