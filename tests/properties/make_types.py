#!/usr/bin/env python3
"""Writes random IDL types and an interface that echoes each of them.

    make_types.py SEED COUNT FOLDER

The same seed gives the same files:
  properties.idl        the types and `interface Echo`, one operation each
  properties_types.h    PROPERTIES_FOR_EACH(X): for each X(C++ type, TypeCode, operation, features, memory)
  properties_omniorb.h  an omniORB servant of the interface

The kinds of types follow in a fixed order, and so do the discriminator types of unions. The parts of each
type are random.
"""
import math
import random
import sys
from dataclasses import dataclass, replace
from pathlib import Path

BASIC = ["boolean", "octet", "char", "short", "unsigned short", "long", "unsigned long", "long long",
         "unsigned long long", "float", "double"]
ENUM_SIZES = [1, 2, 3, 7]
DISCRIMINATORS = ["boolean", "char", "short", "unsigned short", "long", "unsigned long", "long long",
                  "unsigned long long", "E1", "E2", "E3", "enum"]

# Features that some peers or GIOP versions lack: the enum Features of random_value.h.
WIDE, LONG_DOUBLE, ODD_FIXED = "wide", "long_double", "odd_fixed"
FIXED = "fixed"  # used only in this file: a fixed in a union needs ODD_FIXED

# How many octets of memory a decoder may allocate for each octet that it reads. The limit is higher than 1:
# a sequence grows by doubling, and an element of a few octets may be a union with large members. In
# addition, a decoder may allocate one element in which the octets end.
MEMORY_PER_OCTET = 64

# How the classic mapping passes a type: result, inout parameter, the copy that is returned.
FORMS = {
    "fixed": ("{t}", "{t}&", "copy_of(value)"),
    "variable": ("{t}*", "{t}&", "new_copy_of(value)"),
    "string": ("char*", "char*&", "CORBA::string_dup(value)"),
    "wstring": ("CORBA::WChar*", "CORBA::WChar*&", "CORBA::wstring_dup(value)"),
    "array": ("{t}_slice*", "{t}", "{t}_dup(value)"),
}


@dataclass
class Use:
    """A type in the declaration of a member or typedef, which is `text name suffix`."""
    text: str
    suffix: str = ""
    features: frozenset = frozenset()
    is_variable: bool = False  # as omniORB defines it: whether the type contains a string or sequence
    form: str = ""  # one of FORMS; empty: "fixed" or "variable", as is_variable says
    size: int = 48  # octets in memory, at most
    wire: int = 1   # octets on the wire, at least
    per_octet: int = MEMORY_PER_OCTET
    element: int = 64  # octets in memory of the largest element of all sequences inside

    def __post_init__(self):
        self.form = self.form or ("variable" if self.is_variable else "fixed")

    def member(self, name):
        return f"{self.text} {name}{self.suffix};"


class Maker:
    """Collects declarations. `self.types` maps each name to its use."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.text = []
        self.types = {}

    # ---- what types are made of ----------------------------------------------------------------

    def basic(self):
        return Use(self.random.choice(BASIC), size=8)

    def enum(self):
        return Use(f"E{self.random.randrange(len(ENUM_SIZES))}")

    def string(self):
        bound = self.random.choice(["", "", f"<{self.random.randint(1, 30)}>"])
        if self.random.randrange(4) == 0:
            return Use("wstring" + bound, features=frozenset([WIDE]), is_variable=True, form="wstring")
        return Use("string" + bound, is_variable=True, form="string")

    def fixed_point(self, features=frozenset([FIXED])):
        digits = self.random.choice([1, 2, 5, 8, 17, 18, 31])
        return Use(f"fixed<{digits}, {self.random.randint(0, digits)}>", features=features)

    def rare(self):
        return self.random.choice([
            Use("any", is_variable=True), Use("any", is_variable=True), Use("Object", is_variable=True),
            Use("Echo", is_variable=True), Use("wchar", features=frozenset([WIDE])),
            Use("long double", features=frozenset([LONG_DOUBLE])),
            self.fixed_point(frozenset([ODD_FIXED]))])

    def known(self):
        """A type that was made before. Types that all peers support are preferred."""
        names = list(self.types)
        plain = [name for name in names if self.types[name].features <= {FIXED}]
        name = self.random.choice(plain if plain and self.random.randrange(4) else names)
        use = self.types[name]
        return replace(use, text=name, suffix="", form="")

    def sequence_of(self, element):
        bound = self.random.choice(["", "", f", {self.random.randint(1, 6)}"])
        text = f"sequence<{element.text}{bound}>".replace(">>", "> >")  # omniidl takes >> for a shift
        return replace(element, text=text, is_variable=True, form="", size=48, wire=4,
                       per_octet=max(element.per_octet, 3 * element.size // element.wire),
                       element=max(element.element, element.size))

    def element(self):
        """What a sequence may hold: omniidl has no anonymous fixed there."""
        kind = self.random.randrange(8)
        if kind < 3:
            return self.basic()
        if kind < 4:
            return self.string()
        return self.known() if self.types and kind < 7 else self.enum()

    def array_of(self, element):
        sizes = [self.random.randint(1, 3) for _ in range(self.random.choice([1, 1, 2]))]
        count = math.prod(sizes)
        return replace(element, suffix="".join(f"[{size}]" for size in sizes), size=count * element.size,
                       wire=count * element.wire, form="")

    def member_type(self, own_name=None):
        kind = self.random.randrange(24)
        if kind < 8:
            return self.basic()
        if kind < 9:
            return self.enum()
        if kind < 12:
            return self.string()
        if kind < 13:
            return self.rare()
        if kind < 15 and own_name:
            return self.sequence_of(Use(own_name, is_variable=True))
        if kind < 18:
            return self.sequence_of(self.element())
        if kind < 20 or not self.types:
            return self.array_of(self.element())
        return self.known()

    # ---- declarations --------------------------------------------------------------------------

    def add(self, name, text, uses, form="", wire=0):
        """`wire`: how many octets the type takes on the wire at least; 0: the sum of its parts."""
        features = frozenset().union(*(use.features for use in uses))
        if FIXED in features and text.startswith("union"):
            features |= {ODD_FIXED}
        variable = any(use.is_variable for use in uses)
        size = 16 + sum(use.size for use in uses)
        wire = wire or sum(use.wire for use in uses)
        self.text.append("  " + text)
        self.types[name] = Use(name, "", features, variable, form, size, wire,
                               max(3 * size // wire, *(use.per_octet for use in uses)),
                               max(size, *(use.element for use in uses)))

    def struct(self, name, uses=None):
        uses = uses or [self.member_type(name) for _ in range(self.random.randint(1, 8))]
        members = "".join(f"    {use.member(f'm{index}')}\n" for index, use in enumerate(uses))
        forward = f"struct {name};\n  " if f"<{name}" in members else ""
        self.add(name, f"{forward}struct {name} {{\n{members}  }};", uses)

    def layout_struct(self, name):
        """A struct with only members that are marshalled by layout, also arrays and such structs."""
        known = [other for other in self.types if other[0] == "F"]
        uses = []
        for _ in range(self.random.randint(1, 7)):
            kind = self.random.randrange(10)
            use = self.enum() if kind == 0 else self.basic()
            if known and kind in (1, 2):
                use = self.types[self.random.choice(known)]
            uses.append(self.array_of(use) if kind in (2, 3) else use)
        self.struct(name, uses)

    def text_struct(self, name, inner):
        """A struct with strings among members that are marshalled by layout. `inner`: the name of a
        struct that one of these members may have as its type."""
        texts = [Use("string", is_variable=True, form="string") for _ in range(self.random.randint(1, 3))]
        others = [self.basic() for _ in range(self.random.randint(1, 4))] + [self.enum(), self.types[inner]]
        uses = texts + self.random.sample(others, self.random.randint(0, len(others)))
        self.random.shuffle(uses)
        self.struct(name, uses)

    def text_structs(self, number, count):
        """Structs with strings, and sequences of these structs. The encoder writes the structs of such
        a sequence in one step."""
        self.struct(f"I{number}", [self.basic(), self.enum(), self.basic()])
        for index in range(number, number + count):
            self.text_struct(f"X{index}", f"I{number}")
            self.typedef(f"XQ{index}", self.sequence_of(self.types[f"X{index}"]))

    def typedef(self, name, use, form=""):
        self.add(name, f"typedef {use.text} {name}{use.suffix};", [use], form or use.form)

    def sequence(self, name):
        self.typedef(name, self.sequence_of(self.element()))

    def array(self, name):
        self.typedef(name, self.array_of(self.element()), "array")

    def nested_array(self, name):
        arrays = [other for other, use in self.types.items() if use.form == "array"]
        if not arrays:
            return self.array(name)
        use = self.types[self.random.choice(arrays)]
        return self.typedef(name, replace(self.array_of(use), text=use.text), "array")

    def alias(self, name):
        use = self.types[self.random.choice(list(self.types))]
        self.typedef(name, use)

    def text_alias(self, name):
        self.typedef(name, self.string())

    def fixed_alias(self, name):
        self.typedef(name, self.fixed_point())

    def rare_struct(self, name):
        self.struct(name, [self.rare() for _ in range(3)] + [self.array_of(self.rare())])

    def mutual(self, name):
        """A union that contains a sequence of itself. A struct in the union contains such a sequence,
        too, by the name of a typedef."""
        union = Use(name, is_variable=True)
        uses = [self.member_type(name), Use(f"{name}s", is_variable=True), self.sequence_of(union)]
        self.add(name, f"union {name};\n  typedef sequence<{name}> {name}s;\n"
                 f"  union {name} switch (short) {{\n"
                 f"    case 1: struct {name}i {{ {uses[0].member('m0')} {uses[1].member('m1')} }} inner;\n"
                 f"    default: {uses[2].member('outer')}\n  }};", uses, wire=2)

    # ---- unions --------------------------------------------------------------------------------

    def labels(self, discriminator, name):
        """The labels to choose from, and whether there are no other values."""
        if discriminator == "boolean":
            return ["FALSE", "TRUE"], True
        if discriminator == "char":
            return [f"'{letter}'" for letter in "abcdefghij"], False
        if discriminator == "enum":
            return [f"{name}_{index}" for index in range(4)], True
        if discriminator[0] == "E":
            index = int(discriminator[1])
            return [f"e{index}_{value}" for value in range(ENUM_SIZES[index])], True
        bits = 16 * 2 ** ["short", "long", "long long"].index(discriminator.removeprefix("unsigned "))
        if discriminator.startswith("unsigned"):
            return [str(value) for value in [*range(9), 2 ** bits - 1]], False
        return [str(value) for value in [*range(-3, 9), 2 ** (bits - 1) - 1, -2 ** (bits - 1) + 1]], False

    def union(self, name, discriminator):
        labels, is_closed = self.labels(discriminator, name)
        labels = self.random.sample(labels, self.random.randint(1, min(len(labels), 6)))
        is_covered = is_closed and len(labels) == len(self.labels(discriminator, name)[0])
        branches = [[label] for label in labels[:3]]
        for label in labels[3:]:
            self.random.choice(branches).append(label)
        texts = ["".join(f"case {label}: " for label in branch) for branch in branches]
        if not is_covered and self.random.randrange(2):
            texts.append("default: ")
            if self.random.randrange(2):
                texts[-1] = texts.pop(0) + texts[-1]
        uses = [self.member_type(name) for _ in texts]
        lines = "".join(f"    {text}{use.member(f'm{index}')}\n"
                        for index, (text, use) in enumerate(zip(texts, uses)))
        forward = f"union {name};\n  " if f"<{name}" in lines else ""
        switch = discriminator
        if discriminator == "enum":
            switch = f"enum {name}d {{ " + ", ".join(self.labels("enum", name)[0]) + " }"
        self.add(name, f"{forward}union {name} switch ({switch}) {{\n{lines}  }};", uses, wire=1)

    # ---- all -----------------------------------------------------------------------------------

    def make(self, count):
        for index, size in enumerate(ENUM_SIZES):
            enumerators = ", ".join(f"e{index}_{value}" for value in range(size))
            self.text.append(f"  enum E{index} {{ {enumerators} }};")
        kinds = [("F", self.layout_struct), ("S", self.struct), ("U", None), ("Q", self.sequence),
                 ("U", None), ("A", self.array), ("F", self.layout_struct), ("U", None),
                 ("T", self.text_alias), ("S", self.struct), ("N", self.nested_array), ("U", None),
                 ("R", self.rare_struct), ("L", self.alias), ("M", self.mutual), ("D", self.fixed_alias)]
        unions = 0
        for index in range(count):
            letter, make = kinds[index % len(kinds)]
            if make:
                make(f"{letter}{index}")
                continue
            self.union(f"U{index}", DISCRIMINATORS[unions % len(DISCRIMINATORS)])
            unions += 1
        self.text_structs(count, 4)


def idl(maker, seed):
    operations = "\n".join(f"    {name} echo_{name}(inout {name} value);" for name in maker.types)
    return (f"// Random types of seed {seed}, by make_types.py.\nmodule Props {{\n  interface Echo;\n" +
            "\n".join(maker.text) + f"\n\n  interface Echo {{\n{operations}\n    oneway void quit();\n  }};\n}};\n")


def type_list(maker):
    lines = []
    for name, use in maker.types.items():
        features = " | ".join(f"::perigee::test::Features::{feature}" for feature in sorted(use.features - {FIXED})) or "::perigee::test::Features::none"
        memory = f"perigee::test::Memory{{{use.per_octet}, {10 * use.element}}}"
        lines.append(f"  X(Props::{name}, Props::_tc_{name}, echo_{name}, {features}, ({memory}))")
    return "#pragma once\n#include \"random_value.h\"\n#define PROPERTIES_FOR_EACH(X) \\\n" + " \\\n".join(lines) + "\n"


def servant(maker):
    lines = ["#pragma once", '#include "properties.hh"', "",
             "class EchoServant : public POA_Props::Echo {", " public:"]
    for name, use in maker.types.items():
        result, parameter, copy = (part.format(t=f"Props::{name}") for part in FORMS[use.form])
        lines.append(f"  {result} echo_{name}({parameter} value) override {{ return {copy}; }}")
    lines += ["  explicit EchoServant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}",
              "  void quit() override { orb_->shutdown(false); }", "", " private:",
              "  CORBA::ORB_var orb_;"]
    return "\n".join(lines + ["};", ""])


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    maker = Maker(seed)
    maker.make(count)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "properties.idl").write_text(idl(maker, seed))
    (folder / "properties_types.h").write_text(type_list(maker))
    (folder / "properties_omniorb.h").write_text(servant(maker))


if __name__ == "__main__":
    main()
