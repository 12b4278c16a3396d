// The in-line bridge: passes requests from one protocol to another. It does not read the bodies of
// messages, unless `Options::rewriting` describes their types.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/bridge/options.h>
#include <perigee/iop/ior.h>
#include <perigee/transport/registry.h>

#include <expected>
#include <functional>
#include <memory>
#include <vector>

namespace perigee::bridge {

/// A running bridge. Any thread, unless a function says otherwise.
///
/// Each thread runs one loop, with any number of connections. A thread never waits for a peer.
class PERIGEE_API Bridge {
 public:
  /// Listens, and serves from now on. `protocols` must outlive the bridge. Errors: those of the
  /// listen endpoints; IoErrorKind::unsupported if a scheme is unknown, or if there is no target;
  /// IoErrorKind::bad_address if the target is the bridge itself.
  [[nodiscard]] static std::expected<std::unique_ptr<Bridge>, IoError> start(
      transport::ProtocolRegistry& protocols, Options options);
  ~Bridge();
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  /// The published addresses of the listen endpoints, in their order.
  [[nodiscard]] std::vector<transport::Endpoint> listening() const;
  /// The endpoint that gets the requests whose object keys were not made by the bridge.
  [[nodiscard]] const transport::Endpoint& target() const noexcept;
  /// The bridge's references to the objects of `Options::references`, in their order.
  [[nodiscard]] const std::vector<iop::Ior>& references() const noexcept;

  /// Waits for SIGTERM or SIGINT, then stops the bridge as `stop` does. Calls `ready` as soon as it
  /// can receive the signals. A second signal ends the process at once. After SIGHUP, the protocols
  /// read their files again, for example the certificates of TLS. The bridge goes on with the
  /// former contents if a file cannot be used. Error: the system has no handle left.
  [[nodiscard]] std::expected<void, IoError> serve_until_signal(
      const std::function<void()>& ready = {});
  /// Accepts no more connections, lets requests in progress end, and closes all connections.
  /// Requests that take longer than `stop_timeout` get COMM_FAILURE. Blocks until all threads have
  /// ended.
  void stop() noexcept;

 private:
  struct Parts;
  explicit Bridge(std::unique_ptr<Parts> parts) noexcept;

  const std::unique_ptr<Parts> parts_;
};

}  // namespace perigee::bridge
