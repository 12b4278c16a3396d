"""Chooses which sources are compiled together (unity build): no two sources of a batch define the same local name.

usage: batches.py <sources in a batch> <source>...

Prints the number of the batch of each source, separated by semicolons; 0 for a source that is
compiled alone. It reads sources as text: a clash that it misses is an error of the compiler.
"""

import re
import sys
from pathlib import Path

# Comments and literals, which contain no declarations.
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
# Directives that affect headers or later sources; specialisations, which earlier sources may not use.
ALONE = re.compile(r"^\s*#\s*(pragma|undef|define\s+(_|DOCTEST_))|^template\s*<>\s*(struct|class)\s+\w+::", re.M)
OPENED = re.compile(r"^using namespace\s+(?!.*literals)([\w:]+)")
NO_NAMES = ("using namespace ", "static_assert", "friend ", "namespace ")
TEMPLATE = re.compile(r"^template\s*<[^{};]*?>\s*(?=[a-z])")
TYPE = re.compile(r"^(?:struct|class|union|enum(?:\s+class)?|concept|using)\s+(?:alignas\([^)]*\)\s*)?(\w+)")
ALIAS = re.compile(r"^using\s+(\w+)\s*=")
IMPORTED = re.compile(r"^using\s+[\w:]*::(\w+)\s*$")
INCLUDED = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
CALLED = re.compile(r"(?<![\w.:>])(\w+)\s*\(")  # calls without an object or a namespace in front
# Words that the patterns below would take for names of declarations: of function try blocks, operators, …
KEYWORDS = {"alignas", "catch", "const", "decltype", "delete", "enum", "explicit", "new", "noexcept", "operator", "requires"}
FURTHER = re.compile(r",\s*(\w+)\s*=(?!=)")  # further variables of a declaration
DECLARED = re.compile(r"([\w:~]+)\s*(?:\[[^\]]*\]\s*)*$")


class Source:
    """The names that a source declares in namespaces, its local ones among them."""

    def __init__(self, path):
        raw = path.read_text(encoding="utf-8")
        text = IGNORED.sub(" ", raw)
        self.is_alone = ALONE.search(text) is not None
        macros = set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M))
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        self.words = set(re.findall(r"\w+", text))
        self.calls = set(CALLED.findall(text))
        self.types, self.functions, self.variables, self.imported = set(), set(), macros, set()
        self.aliases = {}  # definitions of types that C++ allows again in the same scope
        self.hiding = set()  # functions of unnamed namespaces: there, they hide functions of headers
        self.opened = set()  # namespaces of using directives: the source may use any of their names
        for statement, is_unnamed in statements_of_namespaces(text):
            others, self.functions = self.functions, set()
            self.note(statement)
            if alias := ALIAS.match(statement):
                self.aliases[alias[1]] = (statement, is_unnamed)
            if is_unnamed:
                self.hiding |= self.functions
            self.functions |= others
        self.names = self.types | self.functions | self.variables
        self.foreign = set()  # names of headers beside the source or above it
        for header in headers_of(path, raw):
            self.foreign |= header.names | header.foreign
            self.calls |= header.calls

    def note(self, statement):
        if opened := OPENED.match(statement):
            self.opened.add(opened[1])
        if statement.startswith(NO_NAMES):
            return
        if imported := IMPORTED.match(statement):
            self.imported.add(imported[1])
            return
        statement = TEMPLATE.sub("", statement)
        if declared := TYPE.match(statement):
            self.types |= {declared[1]} - KEYWORDS
            return
        head, bracket, _ = statement.partition("(")
        found = DECLARED.search(re.split(r"=", head)[0].rstrip())
        if not found or "::" in found[1] or found[1] in KEYWORDS or not re.search(r"[a-z]", found[1]):
            return  # a member function, the rest of one, or a macro of the test framework
        is_function = bracket and "=" not in head
        (self.functions if is_function else self.variables).add(found[1])
        if not is_function:
            self.variables.update(FURTHER.findall(statement))

    def clashes(self, other):
        return self.disturbs(other) or other.disturbs(self)

    def overloads(self, other):
        """Functions that headers of both sources declare: their parameters differ."""
        declared = self.functions & other.functions & self.foreign & other.foreign
        return declared - self.hiding - other.hiding

    def same_aliases(self, other):
        return {name for name, _ in self.aliases.items() & other.aliases.items()}

    def disturbs(self, other):
        """Whether the other source might have another meaning if this source stands in front of it."""
        declared = self.names | self.imported
        allowed = self.overloads(other) | self.same_aliases(other)
        return bool((declared & other.names) - allowed or self.variables & other.words
                    or (self.functions - (self.foreign - self.hiding)) & other.calls
                    or (declared & other.foreign) - self.foreign
                    or (self.opened != other.opened and declared & other.words))


known_headers = {}


def headers_of(path, text):
    """Yields the headers that a file includes in quotes, if they are in its folder or above."""
    for name in INCLUDED.findall(text):
        found = next((folder / name for folder in path.parents if (folder / name).is_file()), None)
        if found is None:
            continue
        if found not in known_headers:
            known_headers[found] = None  # ends a cycle
            known_headers[found] = Source(found)
        if known_headers[found]:
            yield known_headers[found]


def statements_of_namespaces(text):
    """Yields the beginning of each declaration in a namespace, up to a brace or a semicolon, and
    whether the namespace has no name."""
    scopes = []  # for each open brace: whether it opens a namespace
    unnamed = []  # the same for namespaces without a name
    begin = 0
    brackets = 0
    for match in re.finditer(r"[{}();]", text):
        what = match[0]
        if what in "()":
            brackets += 1 if what == "(" else -1
            continue
        in_namespace = all(scopes)
        statement = text[begin:match.start()].strip()
        if brackets == 0 or what != ";":
            if in_namespace and statement and not is_namespace(statement) and brackets == 0:
                yield " ".join(statement.split()), any(unnamed)
            begin = match.end()
        if what == "{":
            scopes.append(in_namespace and is_namespace(statement) and brackets == 0)
            unnamed.append(scopes[-1] and statement == "namespace")
        elif what == "}" and scopes:
            scopes.pop()
            unnamed.pop()


def is_namespace(statement):
    return re.match(r"^(inline\s+)?namespace\b[^=]*$", statement) is not None or statement == "extern"


def batches(sources, size):
    """The batch of each source: the first with room and without a clash."""
    filled = []
    numbers = []
    for source in sources:
        if source.is_alone:
            numbers.append(0)
            continue
        fitting = (index for index, batch in enumerate(filled)
                   if len(batch) < size and not any(source.clashes(other) for other in batch))
        index = next(fitting, len(filled))
        if index == len(filled):
            filled.append([])
        filled[index].append(source)
        numbers.append(index + 1)
    return numbers


def main():
    sources = [Source(Path(name)) for name in sys.argv[2:]]
    print(";".join(str(number) for number in batches(sources, int(sys.argv[1]))), end="")


if __name__ == "__main__":
    main()
