// IDL::bounded_string, bounded_wstring and bounded_vector: string<N>, wstring<N> and sequence<T,
// N>.
//
// They behave like the standard containers, but never hold more than N elements. An operation that
// would exceed N raises CORBA::BAD_PARAM and changes nothing. A longer value from the network fails
// the decoder. The mapping requires types that are distinct from the containers. A container
// converts to its bounded type (with a check), and back.
#pragma once

#include <perigee/cdr/operators.h>
#include <perigee/orb/data_types.h>
#include <perigee/orb/traits.h>

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::stub {

/// The base of bounded strings and sequences. Invariant: values_.size() ≤ Bound.
template <typename Container, std::size_t Bound>
class Bounded {
 public:
  using value_type = typename Container::value_type;
  using size_type = typename Container::size_type;
  using difference_type = typename Container::difference_type;
  using reference = typename Container::reference;
  using const_reference = typename Container::const_reference;
  using iterator = typename Container::iterator;
  using const_iterator = typename Container::const_iterator;
  using reverse_iterator = typename Container::reverse_iterator;
  using const_reverse_iterator = typename Container::const_reverse_iterator;

  Bounded() = default;
  /// Raises BAD_PARAM if there are more elements than the bound allows.
  Bounded(Container values)  // NOLINT(google-explicit-constructor): the mapping requires it
      : values_((check(values.size()), std::move(values))) {}
  Bounded(std::initializer_list<value_type> values) : Bounded(Container(values)) {}
  template <typename Iterator>
  Bounded(Iterator first, Iterator last) : Bounded(Container(first, last)) {}

  // NOLINTNEXTLINE(google-explicit-constructor): converts wherever the plain container is expected
  operator const Container&() const noexcept { return values_; }
  /// The plain container. A copy of it may grow beyond the bound.
  [[nodiscard]] const Container& unbounded() const noexcept { return values_; }

  [[nodiscard]] static constexpr size_type max_size() noexcept { return Bound; }
  [[nodiscard]] size_type size() const noexcept { return values_.size(); }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] size_type capacity() const noexcept { return values_.capacity(); }
  void reserve(size_type count) {
    check(count);
    values_.reserve(count);
  }
  void shrink_to_fit() { values_.shrink_to_fit(); }

  iterator begin() noexcept { return values_.begin(); }
  iterator end() noexcept { return values_.end(); }
  const_iterator begin() const noexcept { return values_.begin(); }
  const_iterator end() const noexcept { return values_.end(); }
  const_iterator cbegin() const noexcept { return values_.cbegin(); }
  const_iterator cend() const noexcept { return values_.cend(); }
  reverse_iterator rbegin() noexcept { return values_.rbegin(); }
  reverse_iterator rend() noexcept { return values_.rend(); }
  const_reverse_iterator rbegin() const noexcept { return values_.rbegin(); }
  const_reverse_iterator rend() const noexcept { return values_.rend(); }

  reference operator[](size_type index) { return values_[index]; }
  const_reference operator[](size_type index) const { return values_[index]; }
  reference at(size_type index) { return values_.at(index); }
  [[nodiscard]] const_reference at(size_type index) const { return values_.at(index); }
  reference front() { return values_.front(); }
  [[nodiscard]] const_reference front() const { return values_.front(); }
  reference back() { return values_.back(); }
  [[nodiscard]] const_reference back() const { return values_.back(); }
  auto data() noexcept { return values_.data(); }
  [[nodiscard]] auto data() const noexcept { return values_.data(); }

  void push_back(value_type value) {
    check_growth(1);
    values_.push_back(std::move(value));
  }
  void pop_back() { values_.pop_back(); }
  void clear() noexcept { values_.clear(); }
  void resize(size_type count) {
    check(count);
    values_.resize(count);
  }
  void resize(size_type count, const value_type& value) {
    check(count);
    values_.resize(count, value);
  }
  void assign(size_type count, const value_type& value) {
    check(count);
    values_.assign(count, value);
  }
  template <typename Iterator>
    requires(!std::is_integral_v<Iterator>)
  void assign(Iterator first, Iterator last) {
    *this = Bounded(first, last);
  }
  iterator insert(const_iterator place, value_type value) {
    check_growth(1);
    return values_.insert(place, std::move(value));
  }
  iterator insert(const_iterator place, size_type count, const value_type& value) {
    check_growth(count);
    return values_.insert(place, count, value);
  }
  template <typename Iterator>
    requires(!std::is_integral_v<Iterator>)
  iterator insert(const_iterator place, Iterator first, Iterator last) {
    const Container added(first, last);
    check_growth(added.size());
    return values_.insert(place, added.begin(), added.end());
  }
  iterator erase(const_iterator place) { return values_.erase(place); }
  iterator erase(const_iterator first, const_iterator last) { return values_.erase(first, last); }

 protected:
  static void check(size_type count) {
    if (count > Bound) bound_exceeded();
  }
  void check_growth(size_type count) const {
    if (count > Bound - values_.size()) bound_exceeded();
  }

  Container values_;
};

/// string<N> (of char) and wstring<N> (of wchar_t).
template <typename Character, std::size_t Bound>
class BoundedString : public Bounded<std::basic_string<Character>, Bound> {
  using Base = Bounded<std::basic_string<Character>, Bound>;
  using String = std::basic_string<Character>;
  using View = std::basic_string_view<Character>;

 public:
  static constexpr std::size_t npos = String::npos;

  using Base::Base;
  BoundedString(const Character* text)  // NOLINT(google-explicit-constructor): as std::string
      : Base(String(text)) {}
  explicit BoundedString(View text) : Base(String(text)) {}

  // NOLINTNEXTLINE(google-explicit-constructor): as std::string
  operator View() const noexcept { return this->values_; }
  [[nodiscard]] const Character* c_str() const noexcept { return this->values_.c_str(); }
  [[nodiscard]] std::size_t length() const noexcept { return this->values_.size(); }

  BoundedString& append(View text) {
    this->check_growth(text.size());
    this->values_.append(text);
    return *this;
  }
  BoundedString& operator+=(View text) { return append(text); }
  BoundedString& operator+=(Character character) {
    this->push_back(character);
    return *this;
  }
  [[nodiscard]] int compare(View other) const noexcept { return this->values_.compare(other); }
  [[nodiscard]] std::size_t find(View text, std::size_t from = 0) const noexcept {
    return this->values_.find(text, from);
  }
  [[nodiscard]] String substr(std::size_t from = 0, std::size_t count = npos) const {
    return this->values_.substr(from, count);
  }

  void swap(BoundedString& other) noexcept { this->values_.swap(other.values_); }
  friend void swap(BoundedString& a, BoundedString& b) noexcept { a.swap(b); }
  friend bool operator==(const BoundedString& a, const BoundedString& b) noexcept {
    return a.values_ == b.values_;
  }
  friend bool operator==(const BoundedString& a, const String& b) noexcept {
    return a.values_ == b;
  }
  friend bool operator==(const BoundedString& a, const Character* b) noexcept {
    return a.values_ == b;
  }
  friend auto operator<=>(const BoundedString& a, const BoundedString& b) noexcept {
    return a.values_ <=> b.values_;
  }

  /// A sum is a plain string, since it may exceed the bound. The assignment in `text = text + "…"`
  /// checks the bound.
  friend String operator+(const BoundedString& a, View b) { return String(a.values_).append(b); }
  friend String operator+(View a, const BoundedString& b) { return String(a).append(b.values_); }
  friend String operator+(const BoundedString& a, Character b) { return a.values_ + b; }
  friend String operator+(Character a, const BoundedString& b) { return a + b.values_; }

  /// Writes the text, as for std::string: with the width of the stream, and without quotes.
  template <typename Traits>
  friend std::basic_ostream<Character, Traits>& operator<<(
      std::basic_ostream<Character, Traits>& os, const BoundedString& text) {
    return os << text.values_;
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
    return this->values_.emplace_back(std::forward<Arguments>(arguments)...);
  }

  void swap(bounded_vector& other) noexcept { this->values_.swap(other.values_); }
  friend void swap(bounded_vector& a, bounded_vector& b) noexcept { a.swap(b); }
  friend bool operator==(const bounded_vector& a, const bounded_vector& b) {
    return a.values_ == b.values_;
  }
  friend bool operator==(const bounded_vector& a, const std::vector<T>& b) {
    return a.values_ == b;
  }
};

template <std::size_t Bound>
struct traits<bounded_string<Bound>> : perigee::stub::aggregate_traits<bounded_string<Bound>> {
  using is_bounded = std::true_type;
  using bound = std::integral_constant<std::uint32_t, Bound>;
};
template <std::size_t Bound>
struct traits<bounded_wstring<Bound>> : perigee::stub::aggregate_traits<bounded_wstring<Bound>> {
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
  return encoder << value.unbounded();
}
template <std::size_t Bound>
Decoder& operator>>(Decoder& decoder, IDL::bounded_string<Bound>& value) {
  return stub::decode_bounded<std::string>(decoder, value);
}
template <std::size_t Bound>
Encoder& operator<<(Encoder& encoder, const IDL::bounded_wstring<Bound>& value) {
  return encoder << value.unbounded();
}
template <std::size_t Bound>
Decoder& operator>>(Decoder& decoder, IDL::bounded_wstring<Bound>& value) {
  return stub::decode_bounded<std::wstring>(decoder, value);
}
template <typename T, std::size_t Bound>
Encoder& operator<<(Encoder& encoder, const IDL::bounded_vector<T, Bound>& value) {
  return encoder << value.unbounded();
}
template <typename T, std::size_t Bound>
Decoder& operator>>(Decoder& decoder, IDL::bounded_vector<T, Bound>& value) {
  return stub::decode_bounded<std::vector<T>>(decoder, value);
}

}  // namespace perigee::cdr
