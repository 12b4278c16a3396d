// Reading and writing object keys, octet by octet. Lengths in keys are not trusted.
#include "poa/object_key.h"

#include <perigee/base/byte_order.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace perigee::poa {

namespace {

constexpr std::size_t prefix_size = 1 + 8 + 2 * 4;
constexpr std::size_t slot_key_size = prefix_size + slot_id_size;

// Big-endian, at any alignment: the caller has checked that the octets are there.
template <typename T>
T read_number(OctetSpan octets, std::size_t offset) noexcept {
  T value;
  std::memcpy(&value, octets.data() + offset, sizeof value);
  return std::endian::native == std::endian::little ? reverse_octets(value) : value;
}

template <typename T>
void append_number(Octets& octets, T value) {
  for (std::size_t index = sizeof(T); index-- > 0;)
    octets.push_back(static_cast<std::byte>(value >> (8 * index) & 0xff));
}

SlotRef read_slot(OctetSpan octets, std::size_t offset) noexcept {
  return {read_number<std::uint32_t>(octets, offset),
          read_number<std::uint32_t>(octets, offset + 4)};
}

void append_slot(Octets& octets, SlotRef slot) {
  append_number(octets, slot.index);
  append_number(octets, slot.generation);
}

// Size of the encoded path at the front of `octets`, or nothing if it does not end within them or
// has too many names.
std::optional<std::size_t> path_size(OctetSpan octets) noexcept {
  if (octets.size() < 2) return std::nullopt;
  std::size_t offset = 2;
  auto left = read_number<std::uint16_t>(octets, 0);
  if (left > adapter_depth_max) return std::nullopt;
  for (; left > 0; --left) {
    if (octets.size() - offset < 2) return std::nullopt;
    const std::size_t size = read_number<std::uint16_t>(octets, offset);
    offset += 2;
    if (octets.size() - offset < size) return std::nullopt;
    offset += size;
  }
  return offset;
}

std::optional<KeyView> parse_transient(OctetSpan key, KeyKind kind) noexcept {
  const bool is_slot = kind == KeyKind::transient_slot;
  if (is_slot ? key.size() != slot_key_size : key.size() < prefix_size) return std::nullopt;
  KeyView view;
  view.kind = kind;
  view.nonce = read_number<std::uint64_t>(key, 1);
  view.adapter = read_slot(key, 9);
  if (is_slot) view.object = read_slot(key, prefix_size);
  view.id = key.subspan(prefix_size);
  return view;
}

Octets begin_transient(KeyKind kind, const TransientPrefix& prefix, std::size_t id_size) {
  Octets key;
  key.reserve(prefix_size + id_size);
  key.push_back(static_cast<std::byte>(kind));
  append_number(key, prefix.nonce);
  append_slot(key, prefix.adapter);
  return key;
}

void append_id(Octets& key, std::span<const std::uint8_t> id) {
  const auto octets = std::as_bytes(id);
  key.insert(key.end(), octets.begin(), octets.end());
}

}  // namespace

std::optional<KeyView> parse_key(OctetSpan key) noexcept {
  if (key.empty()) return std::nullopt;
  switch (const auto kind = static_cast<KeyKind>(key[0])) {
    case KeyKind::transient_slot:
    case KeyKind::transient_id:
      return parse_transient(key, kind);
    case KeyKind::persistent: {
      const std::optional<std::size_t> size = path_size(key.subspan(1));
      if (!size) return std::nullopt;
      KeyView view;
      view.kind = kind;
      view.path = key.subspan(1, *size);
      view.id = key.subspan(1 + *size);
      return view;
    }
  }
  return std::nullopt;
}

Octets make_slot_key(const TransientPrefix& prefix, SlotRef object) {
  Octets key = begin_transient(KeyKind::transient_slot, prefix, slot_id_size);
  append_slot(key, object);
  return key;
}

Octets make_id_key(const TransientPrefix& prefix, std::span<const std::uint8_t> id) {
  Octets key = begin_transient(KeyKind::transient_id, prefix, id.size());
  append_id(key, id);
  return key;
}

Octets make_persistent_key(OctetSpan path, std::span<const std::uint8_t> id) {
  Octets key;
  key.reserve(1 + path.size() + id.size());
  key.push_back(static_cast<std::byte>(KeyKind::persistent));
  key.insert(key.end(), path.begin(), path.end());
  append_id(key, id);
  return key;
}

Octets encode_path(std::span<const std::string_view> names) {
  Octets path;
  append_number(path, static_cast<std::uint16_t>(names.size()));
  for (const std::string_view name : names) {
    append_number(path, static_cast<std::uint16_t>(name.size()));
    const OctetSpan octets = octets_of(name);
    path.insert(path.end(), octets.begin(), octets.end());
  }
  return path;
}

Octets extend_path(OctetSpan path, std::string_view name) {
  Octets extended;
  extended.reserve(path.size() + 2 + name.size());
  append_number(extended, static_cast<std::uint16_t>(path_depth(path) + 1));
  extended.insert(extended.end(), path.begin() + 2, path.end());
  append_number(extended, static_cast<std::uint16_t>(name.size()));
  const OctetSpan octets = octets_of(name);
  extended.insert(extended.end(), octets.begin(), octets.end());
  return extended;
}

std::size_t path_depth(OctetSpan path) noexcept { return read_number<std::uint16_t>(path, 0); }

PathNames::PathNames(OctetSpan path) noexcept : rest_(path.subspan(2)), left_(path_depth(path)) {}

std::optional<std::string_view> PathNames::next() noexcept {
  if (left_ == 0) return std::nullopt;
  --left_;
  const std::size_t size = read_number<std::uint16_t>(rest_, 0);
  const OctetSpan name = rest_.subspan(2, size);
  rest_ = rest_.subspan(2 + size);
  return std::string_view(reinterpret_cast<const char*>(name.data()), name.size());
}

std::string_view id_view(std::span<const std::uint8_t> id) noexcept {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

std::string id_text(std::span<const std::uint8_t> id) { return std::string(id_view(id)); }

std::vector<std::uint8_t> to_id(OctetSpan octets) {
  std::vector<std::uint8_t> id(octets.size());
  if (!id.empty()) std::memcpy(id.data(), octets.data(), id.size());
  return id;
}

std::vector<std::uint8_t> slot_id(SlotRef slot) {
  Octets octets;
  append_slot(octets, slot);
  return to_id(octets);
}

}  // namespace perigee::poa
