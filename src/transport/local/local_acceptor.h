// Listening at UNIX-domain sockets. Private to transport/local.
#pragma once

#include "transport/local/socket_file.h"
#include "transport/stream/queues.h"
#include <perigee/ipc/lsock.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <expected>
#include <memory>
#include <optional>
#include <utility>

namespace perigee::transport {

/// Owns the file of the socket, if it has one, and removes it at the end.
class LocalAcceptor final : public Acceptor {
 public:
  static std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint,
                                                                  StreamQueues queues);

  LocalAcceptor(ipc::lsock::Acceptor acceptor, StreamQueues queues, Endpoint listening,
                const ipc::UnixAddr& place, std::optional<FileIdentity> file) noexcept
      : acceptor_(std::move(acceptor)),
        queues_(queues),
        listening_(std::move(listening)),
        place_(place),
        file_(file) {}
  ~LocalAcceptor() override;

  std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) override;
  void interrupt() noexcept override;
  [[nodiscard]] int readiness_fd() const noexcept override { return acceptor_.handle(); }
  [[nodiscard]] const Endpoint& listening() const noexcept override { return listening_; }
  [[nodiscard]] const Endpoint& published() const noexcept override { return listening_; }

 private:
  ipc::lsock::Acceptor acceptor_;
  const StreamQueues queues_;
  Endpoint listening_;
  ipc::UnixAddr place_;
  std::optional<FileIdentity> file_;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace perigee::transport
