// Object keys of the POA: functions that make a key, and a parser of keys from the network. They
// look up no objects: SlotTable checks the index and the generation of a slot.
//
// clang-format off
//   transient, id made from the slot:  F1 | nonce 8 | adapter slot 4, generation 4 | slot 4, generation 4
//   transient, any other id:           F2 | nonce 8 | adapter slot 4, generation 4 | object id
//   persistent:                        F3 | count 2 | (length 2 | name)... | object id
// clang-format on
//
// Numbers are big-endian. The first octet is not a character, so that plain names remain free for
// keys that users write (corbaloc).
#pragma once

#include "poa/slot_table.h"
#include <perigee/base/octets.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::poa {

enum class KeyKind : std::uint8_t { transient_slot = 0xf1, transient_id = 0xf2, persistent = 0xf3 };

/// A key's parts, as views into it.
struct KeyView {
  KeyKind kind = KeyKind::transient_slot;
  std::uint64_t nonce = 0;  ///< of a transient key
  SlotRef adapter;          ///< of a transient key
  SlotRef object;           ///< of a `transient_slot` key
  OctetSpan path;           ///< of a persistent key: the encoded adapter names
  OctetSpan id;  ///< the object id: for `transient_slot` the octets of slot and generation
};

/// Empty if the octets are not a key of this POA. Persistent paths are only delimited, not looked
/// up.
[[nodiscard]] std::optional<KeyView> parse_key(OctetSpan key) noexcept;

/// The part of a transient key that all objects of an adapter share.
struct TransientPrefix {
  std::uint64_t nonce = 0;
  SlotRef adapter;
};
[[nodiscard]] Octets make_slot_key(const TransientPrefix& prefix, SlotRef object);
[[nodiscard]] Octets make_id_key(const TransientPrefix& prefix, std::span<const std::uint8_t> id);
[[nodiscard]] Octets make_persistent_key(OctetSpan path, std::span<const std::uint8_t> id);

/// The limit of a name in a path, in octets.
inline constexpr std::size_t adapter_name_size_max = 0xffff;
/// The limit of the names in a path. A key with more names is not a key of this POA.
inline constexpr std::size_t adapter_depth_max = 255;
/// A path: the names of adapters below the Root POA, outermost first, as in a persistent key.
[[nodiscard]] Octets encode_path(std::span<const std::string_view> names);
/// The path of a child of the adapter with `path`.
[[nodiscard]] Octets extend_path(OctetSpan path, std::string_view name);
/// The number of names in a path of `parse_key`, `encode_path` or `extend_path`.
[[nodiscard]] std::size_t path_depth(OctetSpan path) noexcept;

/// Reads the names of a path of `parse_key` or `encode_path` one after the other, as views into
/// it. Look-ups must not throw, so it allocates nothing.
class PathNames {
 public:
  explicit PathNames(OctetSpan path) noexcept;
  /// std::nullopt after the last name.
  [[nodiscard]] std::optional<std::string_view> next() noexcept;

 private:
  OctetSpan rest_;
  std::size_t left_;
};

[[nodiscard]] std::vector<std::uint8_t> to_id(OctetSpan octets);
/// An object id to look up in a map, as a view into `id`.
[[nodiscard]] std::string_view id_view(std::span<const std::uint8_t> id) noexcept;
/// An object id as the key of a map.
[[nodiscard]] std::string id_text(std::span<const std::uint8_t> id);

/// The id of an object that was activated without one: its slot and generation.
inline constexpr std::size_t slot_id_size = 8;
[[nodiscard]] std::vector<std::uint8_t> slot_id(SlotRef slot);

}  // namespace perigee::poa
