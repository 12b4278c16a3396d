// The service contexts of requests and replies that pass the bridge.
#pragma once

#include <perigee/base/octets.h>
#include <perigee/messaging/protocol.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace perigee::bridge {

/// A request that has passed this many bridges is refused: their targets form a loop.
inline constexpr std::uint8_t bridges_max = 8;

/// The code sets that a client has announced, as one number; 0: none.
using Agreement = std::uint64_t;

/// The information in the service contexts of one received message.
struct ReceivedContexts {
  std::optional<Agreement> agreement;  ///< std::nullopt: the message announces no code sets
  std::uint8_t bridges = 0;            ///< that the request has passed
  bool has_private = false;            ///< some contexts are for this connection only

  [[nodiscard]] static ReceivedContexts of(std::span<const iop::ServiceContext> contexts) noexcept;
};

/// The service contexts of a message that is passed on.
///
/// These contexts concern one connection only, so they do not pass: BI_DIR_IIOP, and the contexts
/// of bridges. All other contexts pass unchanged, and in their order.
class PassedContexts {
 public:
  /// `storage` is cleared. It must outlive this object, and so must `received`.
  PassedContexts(messaging::ContextStorage& storage,
                 std::span<const iop::ServiceContext> received) noexcept
      : storage_(storage), received_(received) {
    storage_.clear();
  }

  /// @name May throw bad_alloc
  /// @{
  void copy_passing();
  void add_bridges(std::uint8_t count);
  void add_code_sets(Agreement agreement);
  /// @}
  [[nodiscard]] std::span<const iop::ServiceContext> all() const noexcept { return storage_; }

 private:
  messaging::ContextStorage& storage_;
  const std::span<const iop::ServiceContext> received_;
  std::array<std::byte, 1> bridges_{};
  Octets code_sets_;
};

}  // namespace perigee::bridge
