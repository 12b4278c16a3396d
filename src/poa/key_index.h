// Finds the slot for a key that does not contain the slot. This is the only look-up by octets on
// the path of a request. Split into shards, so that threads seldom meet at one lock. Readers share
// the lock.
#pragma once

#include "poa/slot_table.h"
#include "poa/text_hash.h"
#include <perigee/base/octets.h>

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace perigee::poa {

/// Any thread.
class KeyIndex {
 public:
  void put(OctetSpan key, SlotRef slot) {
    Shard& shard = shard_of(key);
    const std::unique_lock lock(shard.mutex);
    shard.slots.insert_or_assign(std::string(text_of(key)), slot);
  }

  /// Does nothing if the key has another slot by now.
  void erase(OctetSpan key, SlotRef slot) {
    Shard& shard = shard_of(key);
    const std::unique_lock lock(shard.mutex);
    const auto found = shard.slots.find(text_of(key));
    if (found != shard.slots.end() && found->second == slot) shard.slots.erase(found);
  }

  [[nodiscard]] std::optional<SlotRef> find(OctetSpan key) const {
    const Shard& shard = shard_of(key);
    const std::shared_lock lock(shard.mutex);
    const auto found = shard.slots.find(text_of(key));
    return found == shard.slots.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  struct alignas(64) Shard {
    mutable std::shared_mutex mutex;
    std::unordered_map<std::string, SlotRef, TextHash, std::equal_to<>> slots;
  };

  static std::string_view text_of(OctetSpan key) noexcept {
    return {reinterpret_cast<const char*>(key.data()), key.size()};
  }
  Shard& shard_of(OctetSpan key) {
    return shards_[TextHash()(text_of(key)) >> 16 & (shards_.size() - 1)];
  }
  const Shard& shard_of(OctetSpan key) const {
    return shards_[TextHash()(text_of(key)) >> 16 & (shards_.size() - 1)];
  }

  std::array<Shard, 16> shards_;
};

}  // namespace perigee::poa
