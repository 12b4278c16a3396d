// IDL 4: map<K, V> is std::map. map<K, V, N> is IDL::bounded_map, a std::map that holds at most N
// entries: more entries raise CORBA::BAD_PARAM.
#pragma once

#include <perigee/cdr/operators.h>
#include <perigee/orb/bounded.h>
#include <perigee/orb/traits.h>

#include <cstddef>
#include <initializer_list>
#include <map>
#include <utility>

namespace perigee::stub {
template <typename K, typename V, typename Compare, typename Allocator>
struct is_written<std::map<K, V, Compare, Allocator>>
    : std::bool_constant<has_text<K> && has_text<V>> {};
}  // namespace perigee::stub

namespace IDL {
inline namespace perigee_v1 {

/// A std::map whose own operations check the bound. Operations through a reference to the std::map
/// do not: a value that they made too large raises BAD_PARAM when it is marshalled.
template <typename K, typename V, std::size_t Bound>
class bounded_map : public std::map<K, V> {
 public:
  using Map = std::map<K, V>;
  using typename Map::const_iterator;
  using typename Map::iterator;
  using typename Map::size_type;
  using typename Map::value_type;

  bounded_map() = default;
  /// Raises BAD_PARAM if there are more entries than the bound allows.
  bounded_map(Map entries)  // NOLINT(google-explicit-constructor): like the other bounded types
      : Map((check(entries.size()), std::move(entries))) {}
  bounded_map(std::initializer_list<value_type> entries) : bounded_map(Map(entries)) {}
  template <typename Iterator>
  bounded_map(Iterator first, Iterator last) : bounded_map(Map(first, last)) {}

  [[nodiscard]] const Map& unbounded() const noexcept { return *this; }

  [[nodiscard]] static constexpr size_type max_size() noexcept { return Bound; }
  V& operator[](const K& key) {
    check_new(key);
    return Map::operator[](key);
  }

  std::pair<iterator, bool> insert(value_type entry) {
    check_new(entry.first);
    return Map::insert(std::move(entry));
  }
  iterator insert(const_iterator /*place*/, value_type entry) {
    return insert(std::move(entry)).first;
  }
  void insert(std::initializer_list<value_type> entries) { insert(entries.begin(), entries.end()); }
  template <typename Iterator>
    requires requires(Iterator iterator) { (*iterator).first; }
  void insert(Iterator first, Iterator last) {
    Map all = *this;
    all.insert(first, last);
    *this = bounded_map(std::move(all));
  }
  template <typename Value>
  std::pair<iterator, bool> insert_or_assign(const K& key, Value&& value) {
    check_new(key);
    return Map::insert_or_assign(key, std::forward<Value>(value));
  }
  template <typename... Arguments>
  std::pair<iterator, bool> try_emplace(const K& key, Arguments&&... arguments) {
    check_new(key);
    return Map::try_emplace(key, std::forward<Arguments>(arguments)...);
  }
  template <typename... Arguments>
  std::pair<iterator, bool> emplace(Arguments&&... arguments) {
    return insert(value_type(std::forward<Arguments>(arguments)...));
  }
  template <typename... Arguments>
  iterator emplace_hint(const_iterator /*place*/, Arguments&&... arguments) {
    return emplace(std::forward<Arguments>(arguments)...).first;
  }
  void merge(Map& other) {
    Map all = *this;
    Map rest = other;
    all.merge(rest);
    check(all.size());
    Map::merge(other);
  }

  void swap(bounded_map& other) noexcept { Map::swap(other); }
  friend void swap(bounded_map& a, bounded_map& b) noexcept { a.swap(b); }

 private:
  static void check(size_type count) {
    if (count > Bound) perigee::stub::bound_exceeded();
  }
  void check_new(const K& key) const {
    if (this->size() >= Bound && !this->contains(key)) perigee::stub::bound_exceeded();
  }
};

template <typename K, typename V>
struct traits<std::map<K, V>> : perigee::stub::aggregate_traits<std::map<K, V>> {
  using is_bounded = std::false_type;
  using key_traits = traits<K>;
  using element_traits = traits<V>;
};
template <typename K, typename V, std::size_t Bound>
struct traits<bounded_map<K, V, Bound>>
    : perigee::stub::aggregate_traits<bounded_map<K, V, Bound>> {
  using key_traits = traits<K>;
  using element_traits = traits<V>;
  using is_bounded = std::true_type;
  using bound = std::integral_constant<std::uint32_t, Bound>;
};

}  // namespace perigee_v1
}  // namespace IDL

namespace perigee::stub {
template <typename K, typename V, std::size_t Bound>
struct is_written<IDL::bounded_map<K, V, Bound>> : is_written<std::map<K, V>> {};
}  // namespace perigee::stub

// Perigee's encoding of maps, version 1 (docs/mapping.md); OMG defines none for CORBA. It is a
// sequence of structs of key and value, in ascending order of the keys. A key that occurs twice is
// an error.
namespace perigee::cdr {

template <typename K, typename V>
Encoder& operator<<(Encoder& encoder, const std::map<K, V>& entries) {
  encoder.write_length(entries.size());
  for (const auto& [key, value] : entries) encoder << key << value;
  return encoder;
}

template <typename K, typename V>
Decoder& operator>>(Decoder& decoder, std::map<K, V>& entries) {
  const std::size_t count = decoder.read_length(wire_size_min<K> + wire_size_min<V>);
  entries.clear();
  decoder.enter();
  // The links of a node, and the allocator's overhead.
  constexpr std::size_t links = 6 * sizeof(void*);
  for (std::size_t index = 0; index < count; ++index) {
    decoder.charge(sizeof(std::pair<const K, V>) + links);
    if (!decoder.ok()) break;
    K key{};
    V value{};
    decoder >> key >> value;
    if (!entries.try_emplace(std::move(key), std::move(value)).second)
      decoder.fail(ErrorKind::bad_value);
  }
  decoder.leave();
  return decoder;
}

template <typename K, typename V, std::size_t Bound>
Encoder& operator<<(Encoder& encoder, const IDL::bounded_map<K, V, Bound>& value) {
  return stub::encode_bounded(encoder, value);
}
template <typename K, typename V, std::size_t Bound>
Decoder& operator>>(Decoder& decoder, IDL::bounded_map<K, V, Bound>& value) {
  return stub::decode_bounded<std::map<K, V>>(decoder, value);
}

}  // namespace perigee::cdr
