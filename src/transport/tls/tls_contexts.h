// OpenSSL's settings for all connections of a protocol. Private to transport/tls.
#pragma once

#include "transport/tls/openssl.h"
#include "transport/tls/tls_files.h"
#include "transport/tls/tls_sessions.h"
#include <perigee/base/io_error.h>
#include <perigee/transport/tls.h>

#include <atomic>
#include <cstddef>
#include <expected>
#include <memory>
#include <mutex>
#include <string>

namespace perigee::transport::tls {

/// Counts the connections that keep OpenSSL's buffers between records: about 34 KiB each. All other
/// connections allocate and free the buffers for each record, which takes 2,800 instructions of a
/// call on each side. The limit bounds the memory of idle connections. Any thread.
class KeptBuffers {
 public:
  static constexpr std::size_t connections_max = 256;

  /// Whether one more connection may keep its buffers. It must call `give_back` when it ends.
  [[nodiscard]] bool take() noexcept {
    if (count_.fetch_add(1, std::memory_order_relaxed) < connections_max) return true;
    give_back();
    return false;
  }
  void give_back() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> count_{0};
};

/// The contexts of clients and servers, from one reading of the files. Connections share them.
struct TlsContexts {
  Context client;
  Context server;  ///< null: there is no certificate, so the process can only be a client
  mutable TlsSessions sessions;
  std::shared_ptr<KeptBuffers> kept_buffers;  ///< shared with the contexts of other readings
};
using SharedContexts = std::shared_ptr<const TlsContexts>;

/// Reads the files of the options at each `reload`. Before the first `reload`, `current` is null.
/// Any thread.
class ContextSource {
 public:
  explicit ContextSource(TlsOptions options) : options_(std::move(options)) {}

  /// Reads the files, and uses their contents for connections made from now on.
  Checked reload();
  [[nodiscard]] SharedContexts current() const;
  [[nodiscard]] const TlsOptions& options() const noexcept { return options_; }

 private:
  const TlsOptions options_;
  std::mutex reading_;        // held from reading the files to replacing the contexts
  mutable std::mutex mutex_;  // guards the contexts
  SharedContexts contexts_;
  const std::shared_ptr<KeptBuffers> kept_buffers_ = std::make_shared<KeptBuffers>();
};

}  // namespace perigee::transport::tls
