"""Doxygen reads the public headers through this filter: header_filter.py <header>

- The comment at the top of a header becomes the text of the header's page.
- In docstrings, "<name>", "\\xNN" and "::ffff" are text, and not tags, commands or links.
- The name of a document becomes a link to its page of the site.
- The inline namespace with the version of the binary interface is left out.

Every line after `#pragma once` keeps its number.
"""

import re
import sys

ABI_NAMESPACE = re.compile(r"^(?:inline namespace perigee_v1 \{|\}  // namespace perigee_v1)$")
DOCSTRING = re.compile(r"^ *///(?!    | @name)")  # four spaces: code
DOCUMENT = re.compile(r"\bdocs/(\w+)\.md\b")


def as_docstring(comment):
    """The comment at the top. Indented lines after an empty line or a colon are code."""
    lines = ["/// @file"]
    in_code = False
    for line in comment:
        text = line.removeprefix("//")
        if not in_code and text.startswith("   ") and lines[-1].endswith(("///", ":")):
            lines[-1] += " @verbatim"
            in_code = True
        elif in_code and not text.startswith("   "):
            lines[-1] += " @endverbatim"
            in_code = False
        lines.append(text if in_code else f"///{escaped(text)}")
    if in_code:
        lines[-1] += " @endverbatim"
    return lines


def escaped(text):
    """A line of a docstring: what is not between backticks is text."""
    parts = re.split(r"(`[^`]*`)", text)
    for index in range(0, len(parts), 2):
        part = parts[index].replace("\\x", "\\\\x").replace("::ffff", "\\::ffff")
        part = re.sub(r"@(?=perigee\b)", r"\\@", part)
        part = re.sub(r"<([\w/]*(?:\.h)?)>", r"\\<\1\\>", part)
        parts[index] = DOCUMENT.sub(r'<a href="../\1.html">\g<0></a>', part)
    return "".join(parts)


def filtered(text):
    lines = text.split("\n")
    size = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    result = as_docstring(lines[:size])
    rest = lines[size:]
    if rest[:2] == ["#pragma once", ""]:
        del rest[1]  # makes up for the line with @file
    for line in rest:
        if ABI_NAMESPACE.match(line):
            line = ""
        elif DOCSTRING.match(line):
            line = escaped(line)
        result.append(line)
    return "\n".join(result)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(filtered(header.read()))
