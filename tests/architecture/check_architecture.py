"""Checks house rules that no compiler checks: includes between layers, sizes of files, small habits.

usage: check_architecture.py [root]     prints each finding as file:line: text; exit status 1 if any
"""

import fnmatch
import re
import sys
import tomllib
from pathlib import Path

import coroutine_lint
import cpp_text
import include_cycles

STANDARD_HEADERS = frozenset(
    """algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv
    chrono cinttypes climits clocale cmath codecvt compare complex concepts condition_variable
    coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar
    cwctype deque exception execution expected filesystem format forward_list fstream functional
    future generator initializer_list iomanip ios iosfwd iostream istream iterator latch limits list
    locale map mdspan memory memory_resource mutex new numbers numeric optional ostream print queue
    random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span
    spanstream sstream stack stacktrace stdexcept stdfloat stop_token streambuf string string_view
    strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map
    unordered_set utility valarray variant vector version""".split()
)
TEXT_SUFFIXES = {
    ".h", ".cpp", ".cc", ".c", ".md", ".txt", ".cmake", ".py", ".idl", ".json", ".toml", ".in", ".sh", "",
}
SKIPPED_FOLDERS = {"build", ".git", "corpus", "golden", "__pycache__"}
# The file with the samples of forbidden code.
SAMPLES = "tests/architecture/test_check_architecture.py"
# The file that shows how the compiler handles forbidden forms of co_await.
MISCOMPILED = "tests/coroutines/miscompiled_test.cpp"
# Only event::Thread creates threads of the ORB: it blocks the application's signals in them.
THREAD_FILES = ("src/event/thread.",)
THREAD_CREATION = re.compile(
    r"\bstd\s*::\s*(?:jthread|async)\b"
    r"|\bstd\s*::\s*thread\b(?!\s*::\s*(?:id|hardware_concurrency)\b)"
    r"|\b(?:pthread_create|thrd_create)\b")
TODO = re.compile(r"\bTODO\b(?!\((?:soon|perf|security|test|port)\): \S)")
MACHINE_PATH = re.compile(r"(?<![\w.$}~/])/(?:home|root|work|farm|Users)/\w")


def load_table(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


class Architecture:
    """The table of arrows. An arrow says that one layer may include another layer."""

    def __init__(self, table):
        self.layers = table["layers"]
        self.room_of_header = {
            header: room for room, headers in table["public_headers"].items() for header in headers
        }
        self.arrows_left = {tuple(arrow.split(" -> ")) for arrow in table["arrows_left"]["list"]}
        self._arrows_used = set()
        self.system_allowed = table["system_headers"]["allowed"]
        self.libraries = table["libraries"]
        self.limits = table["limits"]
        self.private_headers = table.get("programs", {}).get("private_headers", [])

    def layer_of_public_header(self, path):
        """The layer of a path below include/perigee. The public headers of a layer with rooms are listed one by one."""
        return self.room_of_header.get(path) or self.layer_of(path)

    def layer_of(self, path):
        """The layer of a path below src: the longest beginning of the path that names a layer."""
        parts = path.split("/")[:-1]
        if not parts:
            return "perigee"
        for length in range(len(parts), 0, -1):
            folder = "/".join(parts[:length])
            if any(fnmatch.fnmatchcase(folder, name) and folder.count("/") == name.count("/")
                   for name in self.layers):
                return folder
        return None

    def _entry(self, layer):
        return layer if layer in self.layers else layer.rsplit("/", 1)[0] + "/*"

    def may_include(self, layer, other):
        if other in (layer, "base"):
            return True
        if any(fnmatch.fnmatchcase(other, name) and other.count("/") == name.count("/")
               for name in self.layers[self._entry(layer)]):
            return True
        self._arrows_used.add((layer, other))
        return (layer, other) in self.arrows_left

    def arrows_not_needed(self):
        """The arrows of the list that no file has needed so far."""
        return sorted(self.arrows_left - self._arrows_used)

    def may_use_library(self, layer, path):
        return path.startswith(tuple(self.libraries.get(layer, ())))

    def may_use_system_headers(self, layer):
        return any(fnmatch.fnmatchcase(layer, name) for name in self.system_allowed)


def _findings_of_include(architecture, root, file, layer, include):
    relative = file.relative_to(root).as_posix()
    where = f"{relative}:{include.line}: "
    if include.angled and include.path.startswith("perigee/"):
        other = architecture.layer_of_public_header(include.path.removeprefix("perigee/"))
        if other is None:
            yield f"{where}<{include.path}> belongs to no layer"
        elif not architecture.may_include(layer, other):
            yield f"{where}{layer} may not include {other} (<{include.path}>)"
    elif include.angled:
        in_source = root / "src" in file.parents
        if include.path in STANDARD_HEADERS:
            return
        if in_source and architecture.may_use_library(layer, include.path):
            return
        if not architecture.may_use_system_headers(layer):
            yield f"{where}{layer} may not include <{include.path}>: not of the standard library"
    else:
        other = _layer_of_private_header(architecture, root, file, include.path)
        if other is None:
            yield f'{where}"{include.path}" is not found beside the file or in src/'
        elif not architecture.may_include(layer, other):
            yield f'{where}{layer} may not include {other} ("{include.path}")'


def _layer_of_private_header(architecture, root, file, path):
    source = (root / "src").resolve()
    for header in (file.parent / path, source / path):
        if header.is_file() and source in header.resolve().parents:
            return architecture.layer_of(header.resolve().relative_to(source).as_posix())
    return None


def check_layers(architecture, root):
    """Findings about #include lines of include/ and src/."""
    for base, layer_of in (
        (root / "include" / "perigee", architecture.layer_of_public_header),
        (root / "src", architecture.layer_of),
    ):
        for file in sorted(base.rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            layer = layer_of(file.relative_to(base).as_posix())
            if layer is None:
                yield f"{file.relative_to(root)}: in no layer of layers.toml"
                continue
            for include in cpp_text.includes(file.read_text()):
                yield from _findings_of_include(architecture, root, file, layer, include)


def check_table(architecture, root):
    """Findings about rows of layers.toml that no file needs any longer. Must run after `check_layers`."""
    for layer, other in architecture.arrows_not_needed():
        yield f"layers.toml: no file needs the arrow {layer} -> {other}; take it off the list arrows_left"
    for header in sorted(architecture.room_of_header):
        if not (root / "include" / "perigee" / header).is_file():
            yield f"layers.toml: there is no public header {header}"


def check_cycles(architecture, root, listed):
    """Findings about include cycles that are not on the list, and about the list itself."""
    yield from include_cycles.check(include_cycles.graph(root, architecture.room_of_header), listed)


def check_programs(root, allowed=()):
    """Findings about tools and examples that include private headers other than `allowed`."""
    for folder in ("tools", "examples", "services"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            for include in cpp_text.includes(file.read_text()):
                if include.path in allowed:
                    continue
                if not include.angled and (root / "src" / include.path).exists():
                    yield (f"{file.relative_to(root)}:{include.line}: programs include public headers"
                           f' only ("{include.path}")')


def check_source_file(architecture, relative, text):
    """Findings about one C++ file: its size, its functions' sizes, how it starts."""
    lines = text.count("\n")
    if lines > architecture.limits["file_lines_max"]:
        yield f"{relative}:1: {lines} lines, more than {architecture.limits['file_lines_max']}"
    if not text.startswith("//"):
        yield f"{relative}:1: does not start with a comment that says what the file is for"
    if relative.endswith(".h") and not re.search(r"^#pragma once$", text, re.MULTILINE):
        yield f"{relative}:1: has no #pragma once"
    for function in cpp_text.functions(text):
        if function.lines > architecture.limits["function_lines_max"]:
            yield (f"{relative}:{function.line}: function {function.name} has {function.lines} lines,"
                   f" more than {architecture.limits['function_lines_max']}")


def check_text(relative, text):
    """Findings about any text file of the repository."""
    for number, line in enumerate(text.splitlines(), 1):
        if TODO.search(line):
            yield f"{relative}:{number}: TODO without kind; write TODO(kind): text"
        if MACHINE_PATH.search(line):
            yield f"{relative}:{number}: path of one machine"


def check_threads(relative, text):
    """Findings about threads of the ORB that would handle the application's signals."""
    if not relative.startswith(("src/", "include/")) or relative.startswith(THREAD_FILES):
        return
    code = cpp_text.without_comments_and_literals(text)
    for match in THREAD_CREATION.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        yield f"{relative}:{line}: {match.group(0)}: threads of the ORB are event::Thread"


def text_files(root):
    stack = [root]
    while stack:
        for entry in sorted(stack.pop().iterdir()):
            if entry.is_dir():
                if entry.name not in SKIPPED_FOLDERS and not entry.name.startswith("build-"):
                    stack.append(entry)
            elif entry.suffix in TEXT_SUFFIXES and not entry.is_symlink():
                yield entry


def check_tree(root, architecture, cycles_left):
    yield from check_layers(architecture, root)
    yield from check_table(architecture, root)
    yield from check_cycles(architecture, root, cycles_left)
    yield from check_programs(root, architecture.private_headers)
    for file in text_files(root):
        relative = file.relative_to(root).as_posix()
        if relative == SAMPLES or relative.startswith(".git"):
            continue
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue  # not a text file
        if relative != "tests/architecture/check_architecture.py":
            yield from check_text(relative, text)
        if file.suffix in (".h", ".cpp"):
            yield from check_source_file(architecture, relative, text)
            yield from check_threads(relative, text)
            if relative != MISCOMPILED:
                yield from coroutine_lint.check(relative, text)


def main():
    here = Path(__file__).resolve().parent
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here.parent.parent
    architecture = Architecture(load_table(here / "layers.toml"))
    cycles_left = include_cycles.load_list(here / "include_cycles.toml")
    findings = list(check_tree(root, architecture, cycles_left))
    print("\n".join(findings) if findings else "no findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
