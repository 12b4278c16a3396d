#!/usr/bin/env python3
"""Writes random IDL types and an interface that echoes each of them.

    make_types.py SEED COUNT FOLDER

The same seed gives the same files:
  properties.idl        the types and `interface Echo`, one operation each
  properties_types.h    PROPERTIES_FOR_EACH(X): X(C++ type, operation) for each
  properties_omniorb.h  an omniORB servant of the interface
"""
import random
import sys
from pathlib import Path

BASIC = ["boolean", "octet", "char", "short", "unsigned short", "long", "unsigned long", "long long",
         "unsigned long long", "float", "double"]
ENUM_SIZES = [1, 2, 3, 7]


class Maker:
    """Collects declarations. `self.types` maps each usable name to whether omniORB calls it
    variable: whether it holds a string or sequence somewhere."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.text = []
        self.types = {}

    def basic(self):
        return self.random.choice(BASIC)

    def member_type(self, own_name):
        """The type of a member, and whether it makes the struct variable."""
        kind = self.random.randrange(20)
        if kind < 10:
            return self.basic(), False
        if kind < 12:
            return f"E{self.random.randrange(len(ENUM_SIZES))}", False
        if kind < 14:
            return "string", True
        if kind < 15:
            return f"sequence<{own_name}>", True
        if kind < 17 or not self.types:
            return f"sequence<{self.random.choice(BASIC + ['string', 'E1'])}>", True
        name = self.random.choice(list(self.types))
        if kind < 19:
            return name, self.types[name]
        return f"sequence<{name}>", True

    def struct(self, name):
        members, variable = [], False
        for index in range(self.random.randint(1, 9)):
            text, is_variable = self.member_type(name)
            members.append(f"    {text} m{index};")
            variable = variable or is_variable
        forward = f"  struct {name};\n" if any(f"<{name}>" in member for member in members) else ""
        self.text.append(f"{forward}  struct {name} {{\n" + "\n".join(members) + "\n  };")
        self.types[name] = variable

    def fixed_struct(self, name):
        """Only what is marshalled by layout, structs of the same kind included."""
        known = [other for other, variable in self.types.items() if not variable and other[0] == "F"]
        members = []
        for index in range(self.random.randint(1, 7)):
            kind = self.random.randrange(8)
            text = self.basic() if kind < 6 or not known else self.random.choice(known)
            members.append(f"    {'E2' if kind == 0 else text} m{index};")
        self.text.append(f"  struct {name} {{\n" + "\n".join(members) + "\n  };")
        self.types[name] = False

    def sequence(self, name):
        element = self.random.choice(list(self.types))
        self.text.append(f"  typedef sequence<{element}> {name};")
        self.types[name] = True

    def make(self, count):
        for index, size in enumerate(ENUM_SIZES):
            enumerators = ", ".join(f"e{index}_{value}" for value in range(size))
            self.text.append(f"  enum E{index} {{ {enumerators} }};")
        for index in range(count):
            kind = index % 4
            if kind == 0:
                self.fixed_struct(f"F{index}")
            elif kind == 3:
                self.sequence(f"Q{index}")
            else:
                self.struct(f"S{index}")


def idl(maker, seed):
    operations = "\n".join(f"    {name} echo_{name}(inout {name} value);" for name in maker.types)
    return (f"// Random types of seed {seed}, by make_types.py.\nmodule Props {{\n" +
            "\n".join(maker.text) + f"\n\n  interface Echo {{\n{operations}\n    oneway void quit();\n  }};\n}};\n")


def type_list(maker):
    lines = [f"  X(Props::{name}, echo_{name})" for name in maker.types]
    return "#pragma once\n#define PROPERTIES_FOR_EACH(X) \\\n" + " \\\n".join(lines) + "\n"


def servant(maker):
    lines = ["#pragma once", '#include "properties.hh"', "",
             "class EchoServant : public POA_Props::Echo {", " public:"]
    for name, variable in maker.types.items():
        star = "*" if variable else ""
        result = f"new Props::{name}(value)" if variable else "value"
        lines.append(f"  Props::{name}{star} echo_{name}(Props::{name}& value) override {{ "
                     f"return {result}; }}")
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
