// The random key of the process.
#include "base/keyed_hash.h"

#include <chrono>
#include <exception>
#include <random>

namespace perigee {

namespace {

struct Key {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// If the system gives no random numbers, the time and an address make a key that a peer can hardly
// guess.
Key random_key() noexcept {
  Key key;
  try {
    std::random_device random;
    const auto number = [&random] { return std::uint64_t{random()} << 32 | random(); };
    key = {number(), number()};
  } catch (const std::exception&) {
    key.low =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    key.high = reinterpret_cast<std::uintptr_t>(&key) ^ std::rotl(key.low, 32);
  }
  return key;
}

}  // namespace

std::uint64_t keyed_hash(std::string_view text) noexcept {
  static const Key key = random_key();
  return SipHash<1, 3>(key.low, key.high)(text);
}

}  // namespace perigee
