// IDL 4: map<K, V> is std::map. map<K, V, N> is IDL::bounded_map, which holds at most N entries:
// more entries raise CORBA::BAD_PARAM.
#pragma once

#include <perigee/cdr/operators.h>
#include <perigee/orb/bounded.h>
#include <perigee/orb/traits.h>

#include <cstddef>
#include <initializer_list>
#include <map>
#include <utility>

namespace IDL {
inline namespace perigee_v1 {

/// Invariant: entries_.size() ≤ Bound.
template <typename K, typename V, std::size_t Bound>
class bounded_map {
 public:
  using Map = std::map<K, V>;
  using key_type = K;
  using mapped_type = V;
  using value_type = typename Map::value_type;
  using size_type = typename Map::size_type;
  using iterator = typename Map::iterator;
  using const_iterator = typename Map::const_iterator;

  bounded_map() = default;
  /// Raises BAD_PARAM if there are more entries than the bound allows.
  bounded_map(Map entries)  // NOLINT(google-explicit-constructor): like the other bounded types
      : entries_((check(entries.size()), std::move(entries))) {}
  bounded_map(std::initializer_list<value_type> entries) : bounded_map(Map(entries)) {}

  // NOLINTNEXTLINE(google-explicit-constructor): converts wherever the plain map is expected
  operator const Map&() const noexcept { return entries_; }
  [[nodiscard]] const Map& unbounded() const noexcept { return entries_; }

  [[nodiscard]] static constexpr size_type max_size() noexcept { return Bound; }
  [[nodiscard]] size_type size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  iterator begin() noexcept { return entries_.begin(); }
  iterator end() noexcept { return entries_.end(); }
  const_iterator begin() const noexcept { return entries_.begin(); }
  const_iterator end() const noexcept { return entries_.end(); }

  iterator find(const K& key) { return entries_.find(key); }
  [[nodiscard]] const_iterator find(const K& key) const { return entries_.find(key); }
  [[nodiscard]] bool contains(const K& key) const { return entries_.contains(key); }
  [[nodiscard]] size_type count(const K& key) const { return entries_.count(key); }
  V& at(const K& key) { return entries_.at(key); }
  [[nodiscard]] const V& at(const K& key) const { return entries_.at(key); }
  V& operator[](const K& key) {
    check_new(key);
    return entries_[key];
  }

  std::pair<iterator, bool> insert(value_type entry) {
    check_new(entry.first);
    return entries_.insert(std::move(entry));
  }
  template <typename Value>
  std::pair<iterator, bool> insert_or_assign(const K& key, Value&& value) {
    check_new(key);
    return entries_.insert_or_assign(key, std::forward<Value>(value));
  }
  template <typename... Arguments>
  std::pair<iterator, bool> try_emplace(const K& key, Arguments&&... arguments) {
    check_new(key);
    return entries_.try_emplace(key, std::forward<Arguments>(arguments)...);
  }
  template <typename... Arguments>
  std::pair<iterator, bool> emplace(Arguments&&... arguments) {
    return insert(value_type(std::forward<Arguments>(arguments)...));
  }
  iterator erase(const_iterator place) { return entries_.erase(place); }
  size_type erase(const K& key) { return entries_.erase(key); }
  void clear() noexcept { entries_.clear(); }

  void swap(bounded_map& other) noexcept { entries_.swap(other.entries_); }
  friend void swap(bounded_map& a, bounded_map& b) noexcept { a.swap(b); }
  friend bool operator==(const bounded_map& a, const bounded_map& b) {
    return a.entries_ == b.entries_;
  }
  friend bool operator==(const bounded_map& a, const Map& b) { return a.entries_ == b; }

 private:
  static void check(size_type count) {
    if (count > Bound) perigee::stub::bound_exceeded();
  }
  void check_new(const K& key) const {
    if (entries_.size() == Bound && !entries_.contains(key)) perigee::stub::bound_exceeded();
  }

  Map entries_;
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
  constexpr std::size_t links = 6 * sizeof(void*);  // of a node, and the allocator's overhead
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
  return encoder << value.unbounded();
}
template <typename K, typename V, std::size_t Bound>
Decoder& operator>>(Decoder& decoder, IDL::bounded_map<K, V, Bound>& value) {
  return stub::decode_bounded<std::map<K, V>>(decoder, value);
}

}  // namespace perigee::cdr
