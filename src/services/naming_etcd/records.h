// The values of a name tree in etcd. Numbers are big-endian. Each value begins with the
// version of the format, the octet 1. Before it, the value of the key "store" has a tag.
#pragma once

#include <perigee/services/naming/store.h>

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::naming::etcd {

inline constexpr std::uint8_t format_version = 1;

/// Identifies the change that has written a value. A store that got no answer for a change
/// recognises by it that the change was made.
using Mark = std::array<char, 16>;

/// The value of a binding.
struct BindingRecord {
  Target target;
  WallTime expires = never;
  Mark mark{};
  friend bool operator==(const BindingRecord&, const BindingRecord&) = default;
};

/// The value of a context.
struct ContextRecord {
  Mark mark{};
  friend bool operator==(const ContextRecord&, const ContextRecord&) = default;
};

/// The value of the key "last".
struct LastRecord {
  ContextNumber number = root_context;  ///< of the last context that was made
  std::uint64_t contexts = 1;           ///< that exist, with the root context
  friend bool operator==(const LastRecord&, const LastRecord&) = default;
};

/// The value of the key "store".
struct StoreRecord {
  std::uint64_t identity = 0;
  friend bool operator==(const StoreRecord&, const StoreRecord&) = default;
};

[[nodiscard]] std::string encode(const BindingRecord& record);
[[nodiscard]] std::string encode(const ContextRecord& record);
[[nodiscard]] std::string encode(const LastRecord& record);
[[nodiscard]] std::string encode(const StoreRecord& record);

/// std::nullopt if the value is not such a record: damaged, or of a later version.
[[nodiscard]] std::optional<BindingRecord> decode_binding(std::string_view value);
[[nodiscard]] std::optional<ContextRecord> decode_context(std::string_view value);
[[nodiscard]] std::optional<LastRecord> decode_last(std::string_view value);
/// The error is `newer` for a later version, otherwise `corrupt`. The text has no key.
[[nodiscard]] std::expected<StoreRecord, StoreError> decode_store(std::string_view value);

}  // namespace perigee::naming::etcd
