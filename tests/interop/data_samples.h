// Values of all constructed types, for both Perigee sides of the data type tests.
#pragma once

#include "data_typesC.h"

#include <cstdint>
#include <string>

namespace interop {

/// A union after `set` has chosen a member.
template <typename Union, typename Set>
Union made(Set set) {
  Union value;
  set(value);
  return value;
}

inline Data::By_Long make_by_long(int seed) {
  return made<Data::By_Long>([seed](Data::By_Long& value) {
    switch (seed % 4) {
      case 0:
        return value.text("text " + std::to_string(seed), 2);
      case 1:
        return value.number(seed);
      case 2:
        return value.data({1, 2, static_cast<std::uint8_t>(seed)}, seed + 100);
      default:
        return value.text("minus one");
    }
  });
}

inline Data::Tree make_leaf(int number) {
  return made<Data::Tree>([number](Data::Tree& tree) { tree.leaf(number); });
}

inline Data::Tree make_tree(int depth, int seed) {
  if (depth == 0) return make_leaf(seed);
  return made<Data::Tree>([&](Data::Tree& tree) {
    tree.children(
        {make_tree(depth - 1, seed), make_leaf(seed + 1), make_tree(depth - 1, seed + 2)});
  });
}

inline Data::Node make_node(int depth, int seed) {
  Data::Nodes children;
  for (int child = 0; child < depth; ++child) children.push_back(make_node(child, seed + child));
  return Data::Node("node " + std::to_string(seed), make_by_long(seed), children);
}

inline Data::Board make_board(int seed) {
  const auto octet = static_cast<std::uint8_t>(seed);
  const auto number = static_cast<std::int16_t>(seed - 300);
  const Data::Cell cell(octet, {number, 2, 3});
  return Data::Board({octet, 1, 2, 3, 4}, {{{cell, Data::Cell()}, {Data::Cell(), cell}}},
                     {"one", std::to_string(seed)}, {{{number}, {}}}, {{seed}, {}, {1, 2, seed}});
}

inline Data::Item make_item(int seed) {
  return Data::Item(static_cast<std::uint8_t>(seed), Data::Amount(seed) / Data::Amount(-8),
                    Data::Fraction("0.12345"), "item " + std::to_string(seed));
}

template <typename Sequence, typename Make>
Sequence make_many(int count, Make make) {
  Sequence sequence;
  for (int index = 0; index < count; ++index) sequence.push_back(make(index));
  return sequence;
}

/// One value of each type. Different seeds give different members of unions, and different values.
inline Data::Samples make_samples(int seed) {
  const bool is_odd = seed % 2 != 0;
  Data::Samples samples;
  if (is_odd) samples.a_by_enum().label("label", Data::Shape::line);
  if (!is_odd) samples.a_by_enum().radius(seed / 4.0);
  samples.a_by_long(make_by_long(seed));
  if (is_odd) samples.a_by_boolean().value(seed);
  if (is_odd) samples.a_by_char().a(seed);
  if (!is_odd) samples.a_by_char().b({1.5, -2.5});
  if (is_odd) samples.a_by_short().seven("seven");
  if (!is_odd) samples.a_by_short()._d(-3);
  samples.a_by_ushort().greatest(static_cast<std::uint8_t>(seed));
  if (is_odd) samples.a_by_ulong().greatest(3);
  if (!is_odd) samples.a_by_ulong().rest(-3, 4000000000U);
  if (is_odd) samples.a_by_longlong().greatest("greatest");
  if (!is_odd) samples.a_by_longlong().least(7);
  samples.a_by_ulonglong().value(seed);
  if (is_odd) samples.a_own().both(Data::Own::Pair(seed, "both"));
  if (!is_odd) samples.a_own().other(Data::Own::Pair(seed, "other"));
  samples.a_tree(make_tree(3, seed));
  samples.a_node(make_node(3, seed));
  samples.a_row({seed, -seed, 7});
  samples.a_matrix({{{1, 2, 3}, {4.5, 5.5, static_cast<double>(seed)}}});
  samples.a_names({"first", std::to_string(seed)});
  samples.a_board(make_board(seed));
  samples.a_code(is_odd ? "abcde" : "");
  samples.a_few({seed, 2, 3, 4});
  samples.a_bounded(Data::Bounded("bounded", {1, 2, 3}, {"abc", ""}));
  samples.a_amount(Data::Amount("-12345678.91") + Data::Amount(seed));
  samples.a_item(make_item(seed));
  samples.a_items(make_many<Data::Items>(5, make_item));
  samples.a_many(make_many<Data::Many>(9, make_by_long));
  return samples;
}

}  // namespace interop

/// Calls MACRO(NAME) for each member `a_NAME` of Data::Samples that `echo_NAME` takes.
#define PERIGEE_DATA_MEMBERS(MACRO) \
  MACRO(by_enum)                    \
  MACRO(by_long)                    \
  MACRO(by_boolean)                 \
  MACRO(by_char)                    \
  MACRO(by_short)                   \
  MACRO(by_ushort)                  \
  MACRO(by_ulong)                   \
  MACRO(by_longlong)                \
  MACRO(by_ulonglong)               \
  MACRO(own)                        \
  MACRO(tree)                       \
  MACRO(node)                       \
  MACRO(row)                        \
  MACRO(matrix)                     \
  MACRO(names)                      \
  MACRO(board)                      \
  MACRO(code)                       \
  MACRO(few)                        \
  MACRO(bounded)                    \
  MACRO(amount)                     \
  MACRO(item)                       \
  MACRO(items)                      \
  MACRO(many)
