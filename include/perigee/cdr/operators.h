// operator<< and operator>> of the basic IDL types, strings, sequences and arrays, for generated
// code. Generated types have their own overloads, which are found by their namespace.
#pragma once

#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace perigee::cdr {

/// The C++ types of IDL's basic types of fixed size, except boolean and wchar.
template <typename T>
concept BasicType = Swappable<T> && !std::same_as<T, wchar_t>;

template <BasicType T>
Encoder& operator<<(Encoder& encoder, T value) {
  encoder.write(value);
  return encoder;
}
template <BasicType T>
Decoder& operator>>(Decoder& decoder, T& value) {
  value = decoder.read<T>();
  return decoder;
}

template <std::same_as<bool> T>
Encoder& operator<<(Encoder& encoder, T value) {
  encoder.write_boolean(value);
  return encoder;
}
inline Decoder& operator>>(Decoder& decoder, bool& value) {
  value = decoder.read_boolean();
  return decoder;
}

/// May borrow the text, like a sequence: the text must live until the message is sent.
inline Encoder& operator<<(Encoder& encoder, const std::string& text) {
  encoder.write_lasting_string(text);
  return encoder;
}
inline Decoder& operator>>(Decoder& decoder, std::string& text) {
  decoder.read_string(text);
  return decoder;
}

template <std::same_as<wchar_t> T>
Encoder& operator<<(Encoder& encoder, T character) {
  encoder.write_wide_character(character);
  return encoder;
}
inline Decoder& operator>>(Decoder& decoder, wchar_t& character) {
  character = decoder.read_wide_character();
  return decoder;
}

inline Encoder& operator<<(Encoder& encoder, const std::wstring& text) {
  encoder.write_wide_string(text);
  return encoder;
}
inline Decoder& operator>>(Decoder& decoder, std::wstring& text) {
  decoder.read_wide_string(text);
  return decoder;
}

/// Generated structs of fixed size. They also have functions `_write_all` and `_read_all`, which
/// marshal many structs at once. `_wire_size_min` is the least number of octets of one struct (0:
/// its size is variable).
template <typename T>
concept FixedSizeStruct = requires { requires T::_wire_size_min > 0; };

/// Generated structs whose members are strings and values of fixed size. They have `_write_all`.
template <typename T>
concept TextStruct = requires { requires T::_is_text_run; };

/// The least number of octets that a value of type T takes on the wire. Before the elements of a
/// sequence are made, its length is checked with this size.
template <typename T>
inline constexpr std::size_t wire_size_min = 1;
template <BasicType T>
inline constexpr std::size_t wire_size_min<T> = number_size<T>;
template <FixedSizeStruct T>
inline constexpr std::size_t wire_size_min<T> = T::_wire_size_min;
template <typename T, std::size_t N>
inline constexpr std::size_t wire_size_min<std::array<T, N>> = N * wire_size_min<T>;

/// The element type of arrays of arrays. The elements stand one after the other without a gap.
template <typename T>
struct Leaf {
  using type = T;
};
template <typename T, std::size_t N>
struct Leaf<std::array<T, N>> : Leaf<T> {};

/// sequence<T>: the length, then the elements. Elements of a basic type are copied as one block.
template <typename T>
Encoder& operator<<(Encoder& encoder, const std::vector<T>& values) {
  encoder.write_length(values.size());
  if constexpr (BasicType<T>) {
    encoder.write_array(std::span<const T>(values));
  } else if constexpr (std::same_as<T, bool>) {
    for (const bool value : values) encoder.write_boolean(value);
  } else if constexpr (FixedSizeStruct<T> || TextStruct<T>) {
    _write_all(encoder, values.data(), values.size());
  } else {
    for (const T& value : values) encoder << value;
  }
  return encoder;
}

/// Elements of fixed size have the same size in memory as on the wire, apart from padding. Elements
/// of variable size may be much larger in memory than on the wire. So elements of variable size are
/// appended one by one, and the decoder charges their memory.
template <typename T>
Decoder& operator>>(Decoder& decoder, std::vector<T>& values) {
  if constexpr (BasicType<T>) {
    decoder.read_sequence(values);
  } else if constexpr (std::same_as<T, bool>) {
    const std::size_t count = decoder.read_length(1);
    values.resize(count);
    for (std::size_t index = 0; index < count; ++index) values[index] = decoder.read_boolean();
  } else if constexpr (FixedSizeStruct<T>) {
    const std::size_t count = decoder.read_length(T::_wire_size_min);
    decoder.make_room(values, count);
    values.resize(count);
    _read_all(decoder, values.data(), values.size());
  } else {
    const std::size_t count = decoder.read_length(wire_size_min<T>);
    values.clear();
    decoder.enter();
    while (values.size() < count && decoder.ok() && decoder.make_room_for_one(values, count))
      decoder >> values.emplace_back();
    decoder.leave();
  }
  return decoder;
}

/// An array: its elements in turn, the last index varying fastest. Elements of a basic type are
/// copied as one block. CORBA 3.0, 15.3.2.4.
template <typename T, std::size_t N>
Encoder& operator<<(Encoder& encoder, const std::array<T, N>& values) {
  using Element = typename Leaf<T>::type;
  if constexpr (BasicType<Element>) {
    const auto* first = reinterpret_cast<const Element*>(values.data());
    encoder.write_array(std::span<const Element>(first, sizeof(values) / sizeof(Element)));
  } else if constexpr (FixedSizeStruct<T> || TextStruct<T>) {
    _write_all(encoder, values.data(), values.size());
  } else {
    for (const T& value : values) encoder << value;
  }
  return encoder;
}
template <typename T, std::size_t N>
Decoder& operator>>(Decoder& decoder, std::array<T, N>& values) {
  using Element = typename Leaf<T>::type;
  if constexpr (BasicType<Element>) {
    auto* first = reinterpret_cast<Element*>(values.data());
    decoder.read_array(std::span<Element>(first, sizeof(values) / sizeof(Element)));
  } else if constexpr (FixedSizeStruct<T>) {
    _read_all(decoder, values.data(), values.size());
  } else {
    for (T& value : values) decoder >> value;
  }
  return decoder;
}

// The definitions are in the library (src/cdr/sequences.cpp).
// clang-format off: a table
#define PERIGEE_SEQUENCE_ELEMENTS(X)                                                             \
  X(bool) X(std::uint8_t) X(std::int16_t) X(std::uint16_t) X(std::int32_t) X(std::uint32_t)      \
  X(std::int64_t) X(std::uint64_t) X(float) X(double) X(std::string)
// clang-format on
#define PERIGEE_DECLARE(T)                                                          \
  extern template PERIGEE_API Encoder& operator<<(Encoder&, const std::vector<T>&); \
  extern template PERIGEE_API Decoder& operator>>(Decoder&, std::vector<T>&);
PERIGEE_SEQUENCE_ELEMENTS(PERIGEE_DECLARE)
#undef PERIGEE_DECLARE

}  // namespace perigee::cdr
