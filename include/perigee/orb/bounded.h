// IDL::bounded_string, bounded_wstring and bounded_vector: string<N>, wstring<N> and sequence<T,
// N>.
//
// They are standard containers that hold at most N elements. An operation that would exceed N
// raises CORBA::BAD_PARAM and changes nothing. A longer value from the network fails the decoder.
// The mapping requires types that are distinct from the containers. So each bounded type is a class
// that derives from its container. A container converts to its bounded type with a check.
#pragma once

#include <perigee/cdr/operators.h>
#include <perigee/orb/data_types.h>
#include <perigee/orb/traits.h>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::stub {

/// The base of bounded strings and sequences: a standard container whose own operations check the
/// bound. Operations through a reference to the standard container do not: a value that they made
/// too long raises BAD_PARAM when it is marshalled.
template <typename Container, std::size_t Bound>
class Bounded : public Container {
 public:
  using typename Container::const_iterator;
  using typename Container::iterator;
  using typename Container::size_type;
  using typename Container::value_type;

  Bounded() = default;
  /// Raises BAD_PARAM if there are more elements than the bound allows.
  Bounded(Container values)  // NOLINT(google-explicit-constructor): the mapping requires it
      : Container((check(values.size()), std::move(values))) {}
  Bounded(std::initializer_list<value_type> values) : Bounded(Container(values)) {}
  template <typename Iterator>
  Bounded(Iterator first, Iterator last) : Bounded(Container(first, last)) {}

  /// The plain container. A copy of it may grow beyond the bound.
  [[nodiscard]] const Container& unbounded() const noexcept { return *this; }

  [[nodiscard]] static constexpr size_type max_size() noexcept { return Bound; }
  void reserve(size_type count) {
    check(count);
    Container::reserve(count);
  }
  void push_back(value_type value) {
    check_growth(1);
    Container::push_back(std::move(value));
  }
  void resize(size_type count) {
    check(count);
    Container::resize(count);
  }
  void resize(size_type count, const value_type& value) {
    check(count);
    Container::resize(count, value);
  }
  void assign(size_type count, const value_type& value) {
    check(count);
    Container::assign(count, value);
  }
  template <typename Iterator>
    requires(!std::is_integral_v<Iterator>)
  void assign(Iterator first, Iterator last) {
    *this = Bounded(first, last);
  }
  void assign(std::initializer_list<value_type> values) { *this = Bounded(values); }
  iterator insert(const_iterator place, value_type value) {
    check_growth(1);
    return Container::insert(place, std::move(value));
  }
  iterator insert(const_iterator place, size_type count, const value_type& value) {
    check_growth(count);
    return Container::insert(place, count, value);
  }
  template <typename Iterator>
    requires(!std::is_integral_v<Iterator>)
  iterator insert(const_iterator place, Iterator first, Iterator last) {
    const Container added(first, last);
    check_growth(added.size());
    return Container::insert(place, added.begin(), added.end());
  }
  iterator insert(const_iterator place, std::initializer_list<value_type> values) {
    return insert(place, values.begin(), values.end());
  }
  // Functions of newer standard libraries, which would not check the bound.
  template <typename... Arguments>
  void append_range(Arguments&&...) = delete;
  template <typename... Arguments>
  void insert_range(Arguments&&...) = delete;
  template <typename... Arguments>
  void assign_range(Arguments&&...) = delete;

  void swap(Bounded& other) noexcept { Container::swap(other); }
  friend void swap(Bounded& a, Bounded& b) noexcept { a.swap(b); }

 protected:
  static void check(size_type count) {
    if (count > Bound) bound_exceeded();
  }
  void check_growth(size_type count) const {
    if (this->size() > Bound || count > Bound - this->size()) bound_exceeded();
  }
};

/// string<N> (of char) and wstring<N> (of wchar_t).
template <typename Character, std::size_t Bound>
class BoundedString : public Bounded<std::basic_string<Character>, Bound> {
  using Base = Bounded<std::basic_string<Character>, Bound>;
  using String = std::basic_string<Character>;
  using View = std::basic_string_view<Character>;

 public:
  using Base::Base;
  BoundedString(const Character* text)  // NOLINT(google-explicit-constructor): as std::string
      : Base(String(text)) {}
  explicit BoundedString(View text) : Base(String(text)) {}

  BoundedString& append(View text) {
    this->check_growth(text.size());
    String::append(text);
    return *this;
  }
  BoundedString& append(const Character* text, std::size_t count) {
    return append(View(text, count));
  }
  BoundedString& append(std::size_t count, Character character) {
    return append(String(count, character));
  }
  template <typename Iterator>
    requires(!std::is_integral_v<Iterator>)
  BoundedString& append(Iterator first, Iterator last) {
    return append(String(first, last));
  }
  BoundedString& append(std::initializer_list<Character> characters) {
    return append(View(characters.begin(), characters.size()));
  }
  using Base::assign;
  BoundedString& assign(View text) { return *this = BoundedString(text); }
  BoundedString& assign(const Character* text, std::size_t count) {
    return assign(View(text, count));
  }
  using Base::insert;
  BoundedString& insert(std::size_t place, View text) {
    this->check_growth(text.size());
    String::insert(place, text);
    return *this;
  }
  BoundedString& operator+=(View text) { return append(text); }
  BoundedString& operator+=(Character character) {
    this->push_back(character);
    return *this;
  }
  BoundedString& replace(std::size_t from, std::size_t count, View text) {
    String replaced = *this;
    replaced.replace(from, count, text);
    return *this = BoundedString(std::move(replaced));
  }
  template <typename... Arguments>
  void resize_and_overwrite(Arguments&&...) = delete;  // would not check the bound

  /// A sum is a plain string, since it may exceed the bound. The assignment in `text = text + "…"`
  /// checks the bound. The operators of std::string do not accept a string_view.
  template <std::same_as<View> Other>
  friend String operator+(const BoundedString& a, Other b) {
    return String(a).append(b);
  }
  template <std::same_as<View> Other>
  friend String operator+(Other a, const BoundedString& b) {
    return String(a).append(b);
  }

  /// Reads a word, as for std::string. Raises BAD_PARAM for a word that exceeds the bound: the word
  /// is consumed, and `text` keeps its value.
  template <typename Traits>
  friend std::basic_istream<Character, Traits>& operator>>(
      std::basic_istream<Character, Traits>& is, BoundedString& text) {
    String word;
    if (is >> word) text = BoundedString(std::move(word));
    return is;
  }
};

/// The sum of two bounded strings, whose bounds may differ.
template <typename Character, std::size_t BoundA, std::size_t BoundB>
[[nodiscard]] std::basic_string<Character> operator+(const BoundedString<Character, BoundA>& a,
                                                     const BoundedString<Character, BoundB>& b) {
  return a.unbounded() + b.unbounded();
}

}  // namespace perigee::stub

namespace IDL {
inline namespace perigee_v1 {

template <std::size_t Bound>
class bounded_string : public perigee::stub::BoundedString<char, Bound> {
 public:
  using perigee::stub::BoundedString<char, Bound>::BoundedString;
};

template <std::size_t Bound>
class bounded_wstring : public perigee::stub::BoundedString<wchar_t, Bound> {
 public:
  using perigee::stub::BoundedString<wchar_t, Bound>::BoundedString;
};

template <typename T, std::size_t Bound>
class bounded_vector : public perigee::stub::Bounded<std::vector<T>, Bound> {
  using Base = perigee::stub::Bounded<std::vector<T>, Bound>;

 public:
  using Base::Base;
  explicit bounded_vector(std::size_t count) { this->resize(count); }
  bounded_vector(std::size_t count, const T& value) { this->resize(count, value); }

  template <typename... Arguments>
  typename Base::reference emplace_back(Arguments&&... arguments) {
    this->check_growth(1);
    return std::vector<T>::emplace_back(std::forward<Arguments>(arguments)...);
  }
  template <typename... Arguments>
  typename Base::iterator emplace(typename Base::const_iterator place, Arguments&&... arguments) {
    this->check_growth(1);
    return std::vector<T>::emplace(place, std::forward<Arguments>(arguments)...);
  }
};

template <std::size_t Bound>
struct traits<bounded_string<Bound>> : perigee::stub::aggregate_traits<bounded_string<Bound>> {
  using element_traits = traits<char>;
  using is_bounded = std::true_type;
  using bound = std::integral_constant<std::uint32_t, Bound>;
};
template <std::size_t Bound>
struct traits<bounded_wstring<Bound>> : perigee::stub::aggregate_traits<bounded_wstring<Bound>> {
  using element_traits = traits<wchar_t>;
  using is_bounded = std::true_type;
  using bound = std::integral_constant<std::uint32_t, Bound>;
};
template <typename T, std::size_t Bound>
struct traits<bounded_vector<T, Bound>>
    : perigee::stub::aggregate_traits<bounded_vector<T, Bound>> {
  using element_traits = traits<T>;
  using is_bounded = std::true_type;
  using bound = std::integral_constant<std::uint32_t, Bound>;
};

}  // namespace perigee_v1
}  // namespace IDL

namespace perigee::stub {

template <std::size_t Bound>
struct is_written<IDL::bounded_wstring<Bound>> : std::true_type {};
template <typename T, std::size_t Bound>
struct is_written<IDL::bounded_vector<T, Bound>> : is_written<std::vector<T>> {};

/// Encodes the plain container of a bounded one. A value that exceeds the bound fails the encoder.
/// The ORB then raises BAD_PARAM.
template <typename BoundedContainer>
cdr::Encoder& encode_bounded(cdr::Encoder& encoder, const BoundedContainer& value) {
  if (value.size() > BoundedContainer::max_size())
    encoder.fail(cdr::ErrorKind::bound_exceeded);
  else
    encoder << value.unbounded();
  return encoder;
}

/// Decodes a plain container into a bounded one. A longer container is the error `bad_value`.
template <typename Container, typename BoundedContainer>
cdr::Decoder& decode_bounded(cdr::Decoder& decoder, BoundedContainer& value) {
  Container plain;
  decoder >> plain;
  if (plain.size() > BoundedContainer::max_size())
    decoder.fail(cdr::ErrorKind::bad_value);
  else
    value = std::move(plain);
  return decoder;
}

}  // namespace perigee::stub

// A bounded type has the encoding of the unbounded type. CORBA 3.0, 15.3.2.5 to 15.3.2.7.
namespace perigee::cdr {

template <std::size_t Bound>
Encoder& operator<<(Encoder& encoder, const IDL::bounded_string<Bound>& value) {
  return stub::encode_bounded(encoder, value);
}
template <std::size_t Bound>
Decoder& operator>>(Decoder& decoder, IDL::bounded_string<Bound>& value) {
  return stub::decode_bounded<std::string>(decoder, value);
}
template <std::size_t Bound>
Encoder& operator<<(Encoder& encoder, const IDL::bounded_wstring<Bound>& value) {
  return stub::encode_bounded(encoder, value);
}
template <std::size_t Bound>
Decoder& operator>>(Decoder& decoder, IDL::bounded_wstring<Bound>& value) {
  return stub::decode_bounded<std::wstring>(decoder, value);
}
template <typename T, std::size_t Bound>
Encoder& operator<<(Encoder& encoder, const IDL::bounded_vector<T, Bound>& value) {
  return stub::encode_bounded(encoder, value);
}
template <typename T, std::size_t Bound>
Decoder& operator>>(Decoder& decoder, IDL::bounded_vector<T, Bound>& value) {
  return stub::decode_bounded<std::vector<T>>(decoder, value);
}

}  // namespace perigee::cdr
