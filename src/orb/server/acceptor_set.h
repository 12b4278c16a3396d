// The endpoints where a server listens, and the references that lead there. Accepts nothing: that
// is the thread strategies' business.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>
#include <perigee/iop/ior.h>
#include <perigee/messaging/message.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace perigee::orb {

class OrbCore;

/// As many connections as an acceptor's queue may hold (see `listen` in ipc).
constexpr std::uint32_t waiting_connections_max = 4096;

/// Gives `take` all connections that wait in an acceptor's queue now: they have been told that they
/// are connected, and closing the queue would reset them. Not those that go on coming, nor the rest
/// if there is no memory.
void take_waiting(transport::Acceptor& acceptor,
                  const std::function<void(std::unique_ptr<transport::Transport>)>& take) noexcept;

/// Ends accepting, for good; all who have been told that they are connected are given to `take`.
void stop_accepting(
    transport::Acceptor& acceptor,
    const std::function<void(std::unique_ptr<transport::Transport>)>& take) noexcept;

/// `open` by one thread; then any thread: nothing changes any more.
class AcceptorSet {
 public:
  /// Opens all endpoints of the settings, or none.
  [[nodiscard]] std::expected<void, IoError> open(OrbCore& core);
  [[nodiscard]] iop::Ior make_ior(std::string type_id, OctetSpan object_key) const;
  [[nodiscard]] bool publishes(const transport::Endpoint& endpoint) const noexcept;
  /// Of all: see above.
  void stop_accepting(
      const std::function<void(std::unique_ptr<transport::Transport>)>& take) const noexcept;

  [[nodiscard]] std::size_t count() const noexcept { return entries_.size(); }
  [[nodiscard]] transport::Acceptor& at(std::size_t index) const noexcept {
    return *entries_[index].acceptor;
  }

 private:
  struct Entry {
    transport::ProtocolFactory* factory;
    std::unique_ptr<transport::Acceptor> acceptor;
    std::vector<iop::TaggedComponent> components;  ///< of its profiles
    bool has_profile = true;                       ///< or stands in that of another
  };

  void share_iiop_profile();

  std::vector<Entry> entries_;
  messaging::Version version_;
};

}  // namespace perigee::orb
