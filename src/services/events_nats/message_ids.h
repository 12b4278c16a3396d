// The message ids of the events that one channel of a store appends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::events::nats {

/// NATS drops an event whose message id it knows, and every program that may read the stream sees
/// the ids. So each id ends with a code that only this store can make: another program cannot
/// publish an event with the id of a later one, which NATS would then drop.
class MessageIds {
 public:
  /// `prefix` begins the ids: no other channel or store has the same. `secret` is the key of the
  /// codes.
  MessageIds(std::string prefix, std::string secret)
      : prefix_(std::move(prefix)), secret_(std::move(secret)) {}

  /// The id of the event with this count.
  [[nodiscard]] std::string id_of(std::uint64_t count) const;
  /// The count of an id that this object makes. std::nullopt: another id.
  [[nodiscard]] std::optional<std::uint64_t> count_of(std::string_view id) const;

 private:
  std::string prefix_;
  std::string secret_;
};

/// 128 random bits as hexadecimal digits. Throws std::exception if the system has no random
/// numbers.
[[nodiscard]] std::string random_name();

}  // namespace perigee::events::nats
