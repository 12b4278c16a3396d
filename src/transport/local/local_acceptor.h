// Listening at UNIX-domain sockets. Private to transport/local.
#pragma once

#include "transport/local/local_address.h"
#include "transport/local/socket_file.h"
#include "transport/stream/queues.h"
#include <perigee/ipc/lsock.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace perigee::transport {

/// Owns the file of the socket, if it has one. The published address names the user of the server.
class LocalAcceptor final : public Acceptor {
 public:
  static std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint,
                                                                  StreamQueues queues);

  LocalAcceptor(ipc::lsock::Acceptor acceptor, const LocalListenAddress& address,
                std::optional<SocketFile> file, StreamQueues queues);

  std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) override;
  void interrupt() noexcept override;
  [[nodiscard]] int readiness_fd() const noexcept override { return acceptor_.handle(); }
  [[nodiscard]] const Endpoint& listening() const noexcept override { return listening_; }
  [[nodiscard]] const Endpoint& published() const noexcept override { return published_; }
  [[nodiscard]] std::span<const iop::TaggedComponent> iiop_components() const noexcept override {
    return iiop_components_;
  }

 private:
  ipc::lsock::Acceptor acceptor_;
  const StreamQueues queues_;
  std::optional<SocketFile> file_;  // destroyed before the acceptor: see ListeningFile
  Endpoint listening_;
  Endpoint published_;
  std::vector<iop::TaggedComponent> iiop_components_;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace perigee::transport
