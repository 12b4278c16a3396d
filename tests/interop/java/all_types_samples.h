// Values of all types of all_types.idl, equal to what SampleMaker.java makes of the same seeds.
#pragma once

#include "all_typesC.h"

#include <cstdint>
#include <limits>
#include <string>

namespace interop {

template <typename Number>
Number least_and(int seed) {
  return static_cast<Number>(std::numeric_limits<Number>::min() + static_cast<Number>(seed));
}

template <typename Number>
Number greatest_less(int seed) {
  return static_cast<Number>(std::numeric_limits<Number>::max() - static_cast<Number>(seed));
}

inline bool is_odd(int seed) { return seed % 2 != 0; }
inline char make_letter(int seed) { return static_cast<char>('a' + seed); }
inline std::string make_text(int seed) { return "text " + std::to_string(seed); }
inline AllTypes::Shape make_shape(int seed) { return static_cast<AllTypes::Shape>(seed % 3); }

inline AllTypes::Point make_point(int seed) {
  return AllTypes::Point(static_cast<std::uint8_t>(seed), seed * 1000,
                         static_cast<std::int16_t>(-seed), seed / 2.0);
}

inline AllTypes::Person make_person(int seed) {
  return AllTypes::Person("person " + std::to_string(seed), make_shape(seed), is_odd(seed),
                          make_point(seed));
}

inline AllTypes::Counts make_counts(int size, int seed) {
  AllTypes::Counts counts;
  for (int index = 0; index < size; ++index) counts.push_back(seed - 2 * index);
  return counts;
}

inline AllTypes::Row make_row(int seed) { return {seed, seed - 2, seed - 4}; }

inline void set_basic(AllTypes::Samples& samples, int seed) {
  samples.a_flag(is_odd(seed));
  samples.a_letter(make_letter(seed));
  samples.a_piece(static_cast<std::uint8_t>(250 + seed));
  samples.a_small(least_and<std::int16_t>(seed));
  samples.a_u_small(greatest_less<std::uint16_t>(seed));
  samples.a_count(least_and<std::int32_t>(seed));
  samples.a_u_count(greatest_less<std::uint32_t>(seed));
  samples.a_big(least_and<std::int64_t>(seed));
  samples.a_u_big(greatest_less<std::uint64_t>(seed));
  samples.a_real(static_cast<float>(seed) + 0.5F);
  samples.a_precise(-1e300 * (seed + 1));
  samples.a_text(make_text(seed));
  samples.a_code(is_odd(seed) ? "abcde" : "");
  samples.a_shape(make_shape(seed));
  samples.a_point(make_point(seed));
  samples.a_person(make_person(seed));
}

inline void set_sequences(AllTypes::Samples& samples, int seed) {
  samples.a_octets({static_cast<std::uint8_t>(seed), 255, 0});
  samples.a_smalls({static_cast<std::int16_t>(-seed), 7});
  samples.a_counts(make_counts(5, seed));
  samples.a_bigs({seed, std::numeric_limits<std::int64_t>::max()});
  samples.a_reals({static_cast<float>(seed) / 4});
  samples.a_precises({seed / 8.0, -2.5});
  samples.a_flags({true, is_odd(seed), false});
  samples.a_letters({'x', make_letter(seed)});
  samples.a_texts({"", make_text(seed)});
  samples.a_shapes({AllTypes::Shape::line, make_shape(seed)});
  samples.a_people({make_person(seed), make_person(seed + 1)});
  samples.a_table({{}, make_counts(3, seed)});
  samples.a_few({seed, seed - 2, seed - 4, seed - 6});
  samples.a_codes({"12345", ""});
}

inline void set_arrays(AllTypes::Samples& samples, int seed) {
  samples.a_row(make_row(seed));
  samples.a_matrix({{{1, 2, 3}, {4.5, 5.5, static_cast<double>(seed)}}});
  samples.a_labels({"label", make_text(seed)});
  samples.a_board({{{make_point(1), make_point(seed)}, {make_point(seed + 1), make_point(2)}}});
  samples.a_ragged({make_counts(seed, 1), {}});
  samples.a_frame(
      AllTypes::Frame(make_row(9), samples.a_matrix(), {seed, seed - 2}, samples.a_ragged()));
}

inline AllTypes::ByCount make_by_count(int seed) {
  AllTypes::ByCount value;
  if (seed % 4 == 0) value.words(make_text(seed), 2);
  if (seed % 4 == 1) value.number(seed);
  if (seed % 4 == 2) value.number(-seed);
  if (seed % 4 == 3) value.words("minus one", -1);
  return value;
}

inline void set_odd_unions(AllTypes::Samples& samples, int seed) {
  samples.a_by_shape().label("label", AllTypes::Shape::line);
  samples.a_by_letter().number(seed);
  samples.a_by_small().seven("seven");
  samples.a_by_u_small().greatest(static_cast<std::uint8_t>(seed));
  samples.a_by_u_count().greatest(3);
  samples.a_by_big().greatest("greatest");
  samples.a_by_u_big().number(seed);
}

inline void set_even_unions(AllTypes::Samples& samples, int seed) {
  samples.a_by_shape().radius(seed / 4.0);
  samples.a_by_letter().names({"name", make_text(seed)});
  samples.a_by_small().least(5);
  samples.a_by_u_small().one(make_point(seed));
  samples.a_by_u_count().place(make_point(seed));
  samples.a_by_big().least(7);
  samples.a_by_u_big().track(make_row(seed));
}

inline AllTypes::Tree make_tree(int depth, int seed) {
  AllTypes::Trees children;
  for (int child = 0; child < depth; ++child) children.push_back(make_tree(child, seed + child));
  return AllTypes::Tree("tree " + std::to_string(seed), children);
}

inline AllTypes::Branch make_branch(int depth, int seed) {
  AllTypes::Branch branch;
  if (depth == 0)
    branch.leaf(seed);
  else
    branch.children({make_branch(depth - 1, seed), make_branch(0, seed + 1)});
  return branch;
}

inline AllTypes::Samples make_samples(int seed) {
  AllTypes::Samples samples;
  set_basic(samples, seed);
  set_sequences(samples, seed);
  set_arrays(samples, seed);
  samples.a_by_count(make_by_count(seed));
  samples.a_by_flag().number(seed);
  if (is_odd(seed))
    set_odd_unions(samples, seed);
  else
    set_even_unions(samples, seed);
  samples.a_tree(make_tree(3, seed));
  samples.a_branch(make_branch(3, seed));
  return samples;
}

inline AllTypes::WideSamples make_wide_samples(int seed) {
  const wchar_t letter = is_odd(seed) ? L'\u20ac' : L'\u65e5';
  const std::wstring text = L"wide \u00e9\u20ac\u65e5\u672c \U0001d11e " + std::to_wstring(seed);
  return AllTypes::WideSamples(letter, text, is_odd(seed) ? L"\u65e5\u672c" : L"",
                               {L'a', letter, L'\u00e9'}, {L"", text}, {letter, L'z'},
                               AllTypes::WideEntry("plain", text, letter, 'c'));
}

/// JacORB cannot read zero, so no value of type fixed is zero.
inline AllTypes::Amount make_amount(int seed) {
  return AllTypes::Amount("-12345678.91") + AllTypes::Amount(seed) / AllTypes::Amount(100);
}

inline AllTypes::Item make_item(int seed) {
  return AllTypes::Item(static_cast<std::uint8_t>(seed),
                        AllTypes::Amount(seed + 1) / AllTypes::Amount(100),
                        AllTypes::Fraction("0.00010"), "item " + std::to_string(seed));
}

inline AllTypes::FixedSamples make_fixed_samples(int seed) {
  return AllTypes::FixedSamples(make_amount(seed), AllTypes::Fraction("0.12345"), make_item(seed),
                                {make_item(seed + 1), make_item(0)});
}

}  // namespace interop

/// Calls MACRO(NAME, TYPE) for each member a_NAME of AllTypes::Samples that is passed by value.
#define PERIGEE_BASIC_TYPES(MACRO) \
  MACRO(flag, Flag)                \
  MACRO(letter, Letter)            \
  MACRO(piece, Piece)              \
  MACRO(small, Small)              \
  MACRO(u_small, USmall)           \
  MACRO(count, Count)              \
  MACRO(u_count, UCount)           \
  MACRO(big, Big)                  \
  MACRO(u_big, UBig)               \
  MACRO(real, Real)                \
  MACRO(precise, Precise)          \
  MACRO(shape, Shape)

/// The same for the other members of AllTypes::Samples.
#define PERIGEE_OTHER_TYPES(MACRO) \
  MACRO(text, Text)                \
  MACRO(code, Code)                \
  MACRO(point, Point)              \
  MACRO(person, Person)            \
  MACRO(octets, Octets)            \
  MACRO(smalls, Smalls)            \
  MACRO(counts, Counts)            \
  MACRO(bigs, Bigs)                \
  MACRO(reals, Reals)              \
  MACRO(precises, Precises)        \
  MACRO(flags, Flags)              \
  MACRO(letters, Letters)          \
  MACRO(texts, Texts)              \
  MACRO(shapes, Shapes)            \
  MACRO(people, People)            \
  MACRO(table, Table)              \
  MACRO(few, Few)                  \
  MACRO(codes, Codes)              \
  MACRO(row, Row)                  \
  MACRO(matrix, Matrix)            \
  MACRO(labels, Labels)            \
  MACRO(board, Board)              \
  MACRO(ragged, Ragged)            \
  MACRO(frame, Frame)              \
  MACRO(by_shape, ByShape)         \
  MACRO(by_count, ByCount)         \
  MACRO(by_flag, ByFlag)           \
  MACRO(by_letter, ByLetter)       \
  MACRO(by_small, BySmall)         \
  MACRO(by_u_small, ByUSmall)      \
  MACRO(by_u_count, ByUCount)      \
  MACRO(by_big, ByBig)             \
  MACRO(by_u_big, ByUBig)          \
  MACRO(tree, Tree)                \
  MACRO(branch, Branch)

/// The same for the members of AllTypes::WideSamples whose parameter `b` is inout.
#define PERIGEE_WIDE_TYPES(MACRO)  \
  MACRO(wide_letters, WideLetters) \
  MACRO(wide_texts, WideTexts)     \
  MACRO(wide_row, WideRow)         \
  MACRO(wide_entry, WideEntry)

/// The same for the members of AllTypes::FixedSamples.
#define PERIGEE_FIXED_TYPES(MACRO) \
  MACRO(amount, Amount)            \
  MACRO(fraction, Fraction)        \
  MACRO(item, Item)                \
  MACRO(items, Items)
