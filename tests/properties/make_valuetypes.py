#!/usr/bin/env python3
"""Writes random valuetypes: their IDL, and C++ functions that make random values of them.

    make_valuetypes.py SEED COUNT FOLDER

The same seed gives the same files:
  random_valuetypes.idl   the valuetypes V0, V1, ..., and the types of their members
  make_random_values.h    `make_value` for each valuetype, and `add_factories`

A valuetype may derive from an earlier valuetype, and may be truncatable to it. Members may have any of the valuetypes.
"""
import random
import sys
from pathlib import Path

BASIC = ["boolean", "octet", "char", "short", "unsigned short", "long", "unsigned long", "long long",
         "unsigned long long", "float", "double"]
# The types between the chunks of a truncatable value, and inside of them.
OTHERS = ["Grade", "string", "string<9>", "Money", "Flat", "Mixed", "Octets", "Doubles", "Strings", "Flats", "Grades",
          "Triple", "Names", "Choice", "any", "BoxedText", "BoxedLongs", "Values"]
DECLARATIONS = """\
  enum Grade { low, middle, high };
  typedef fixed<9, 3> Money;
  struct Flat { octet a; double b; short c; };
  struct Mixed { string text; long number; Grade grade; };
  typedef sequence<octet> Octets;
  typedef sequence<double> Doubles;
  typedef sequence<string> Strings;
  typedef sequence<Flat> Flats;
  typedef sequence<Grade> Grades;
  typedef double Triple[3];
  typedef string Names[2];
  union Choice switch (short) { case 1: string text; case 2: double number; default: octet other; };
  valuetype BoxedText string;
  valuetype BoxedLongs sequence<long>;
  typedef sequence<ValueBase> All;
"""


def make_types(choose, count):
    """For each valuetype: its head, its own members as pairs of type and name, and the index of its base."""
    types = []
    for index in range(count):
        base = choose.randrange(index) if index and choose.randrange(3) else None
        head = f"valuetype V{index}"
        if base is not None:
            head += f" : {choose.choice(['', 'truncatable '])}V{base}"
        members = []
        for number in range(choose.randint(0, 6)):
            kind = choose.randrange(10)
            if kind < 4:
                name = choose.choice(BASIC)
            elif kind < 8:
                name = choose.choice(OTHERS)
            else:
                name = f"V{choose.randrange(count)}"
            members.append((name, f"m{index}_{number}"))
        types.append((head, members, base))
    return types


def idl(types, seed):
    lines = [f"// Random valuetypes of seed {seed}, by make_valuetypes.py.", "module Rolled {", DECLARATIONS]
    lines += [f"  valuetype V{index};" for index in range(len(types))]
    lines.append("  typedef sequence<V0> Values;")
    for head, members, _ in types:
        lines.append(f"  {head} {{")
        lines += [f"    public {name} {member};" for name, member in members]
        lines.append("  };")
    return "\n".join(lines + ["};", ""])


def all_members(types, index):
    _, members, base = types[index]
    return ([] if base is None else all_members(types, base)) + [member for _, member in members]


def functions(types):
    lines = ["#pragma once", '#include "value_pool.h"', "", "namespace perigee::test {", "",
             f"inline constexpr std::size_t valuetype_count = {len(types)};", ""]
    cases, factories = [], []
    for index in range(len(types)):
        lines += [f"inline AnyValue make_value_{index}([[maybe_unused]] ValuePool& pool) {{",
                  f"  const auto value = CORBA::make_reference<OBV_Rolled::V{index}>();"]
        lines += [f"  pool.fill(std::as_const(*value).{member}(), [&](auto&& part) "
                  f"{{ value->{member}(std::forward<decltype(part)>(part)); }});"
                  for member in all_members(types, index)]
        lines += ["  return value;", "}", ""]
        cases.append(f"    case {index}: return make_value_{index}(pool);")
        factories.append(f"  add(Rolled::V{index}::_type_id, CORBA::make_reference<Rolled::V{index}_init>());")
    lines += ["/// `index` is less than `valuetype_count`.",
              "inline AnyValue make_value(ValuePool& pool, std::size_t index) {", "  switch (index) {", *cases,
              "    default: return nullptr;", "  }", "}", "",
              "template <typename Add>", "void add_factories(Add add) {", *factories, "}", "",
              "}  // namespace perigee::test", ""]
    return "\n".join(lines)


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    types = make_types(random.Random(seed), count)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "random_valuetypes.idl").write_text(idl(types, seed))
    (folder / "make_random_values.h").write_text(functions(types))


if __name__ == "__main__":
    main()
