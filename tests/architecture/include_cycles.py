"""Cycles of #include lines between units. A unit is a header and the source of the same name.

A cycle is a set of units that all reach each other. The list in include_cycles.toml holds the cycles that the tree still
has. The list may only shrink: a unit in a cycle that is not on the list is a finding, and so is a listed unit that
is in no cycle any longer.
"""

import tomllib
from pathlib import Path

import cpp_text

PUBLIC = "include/perigee/"
PRIVATE = "src/"


def _source_files(root):
    for base in (root / PUBLIC, root / PRIVATE):
        for file in sorted(base.rglob("*")):
            if file.suffix in (".h", ".cpp"):
                yield file.relative_to(root).as_posix()


class Units:
    """Finds the unit of each file of a tree.

    `room_of_header` maps a public header ("orb/any.h") to its room ("orb/values").
    """

    def __init__(self, files, room_of_header):
        self._files = frozenset(files)
        self._room_of_header = room_of_header

    def of(self, file):
        """The name of the file's unit: its room and its stem."""
        stem = file.rsplit(".", 1)[0]
        if file.startswith(PUBLIC):
            return self._of_public(stem.removeprefix(PUBLIC))
        stem = stem.removeprefix(PRIVATE)
        if PRIVATE + stem + ".h" in self._files:
            return stem
        # A source without a private header may implement a public header of the same name. The public
        # header belongs to the folder of the source, or to a folder above it.
        *folders, name = stem.split("/")
        while folders:
            public = "/".join([*folders, name])
            if PUBLIC + public + ".h" in self._files:
                return self._of_public(public)
            folders.pop()
        return stem

    def _of_public(self, stem):
        room = self._room_of_header.get(stem + ".h")
        return f"{room}/{stem.rsplit('/', 1)[1]}" if room else stem

    def included(self, file, include):
        """The file of the tree that a line includes, or None."""
        if include.angled:
            candidates = ["include/" + include.path]
        else:
            candidates = [str(Path(file).parent / include.path), PRIVATE + include.path]
        return next((path for path in candidates if path in self._files), None)


def graph(root, room_of_header):
    """Unit -> the other units that it includes."""
    files = list(_source_files(root))
    units = Units(files, room_of_header)
    edges = {}
    for file in files:
        reached = edges.setdefault(units.of(file), set())
        for include in cpp_text.includes((root / file).read_text()):
            other = units.included(file, include)
            if other and units.of(other) != units.of(file):
                reached.add(units.of(other))
    return edges


def cycles(edges):
    """Sets of more than one unit that all reach each other (Tarjan), without recursion."""
    number, lowest, stack, on_stack, found = {}, {}, [], set(), []

    def enter(unit):
        number[unit] = lowest[unit] = len(number)
        stack.append(unit)
        on_stack.add(unit)
        return unit, iter(sorted(edges.get(unit, ())))

    def leave(unit):
        if lowest[unit] != number[unit]:
            return
        component = set()
        while unit not in component:
            component.add(stack.pop())
        on_stack.difference_update(component)
        if len(component) > 1:
            found.append(component)

    for start in sorted(edges):
        path = [] if start in number else [enter(start)]
        while path:
            unit, others = path[-1]
            other = next(others, None)
            if other is None:
                path.pop()
                leave(unit)
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[unit])
            elif other not in number:
                path.append(enter(other))
            elif other in on_stack:
                lowest[unit] = min(lowest[unit], number[other])
    return found


def load_list(path):
    """The cycles that are left: a list of sets of units."""
    with open(path, "rb") as file:
        return [set(cycle["units"]) for cycle in tomllib.load(file).get("cycle", [])]


def check(edges, listed):
    """Findings: units of new cycles, units that have joined a cycle, and listed units that are in no cycle."""
    found = cycles(edges)
    for cycle in found:
        home = max(listed, key=lambda known: len(known & cycle), default=set())
        for unit in sorted(cycle - home):
            others = ", ".join(sorted(edges[unit] & cycle))
            yield f"include cycle: {unit} includes {others}, which lead back to it"
    in_cycles = set().union(*found)
    for known in listed:
        for unit in sorted(known - in_cycles):
            yield f"include cycle: {unit} is in no cycle any longer; take it off include_cycles.toml"
