// OpenSSL's settings for all connections of a protocol. Private to transport/tls.
#pragma once

#include "transport/tls/openssl.h"
#include "transport/tls/tls_files.h"
#include "transport/tls/tls_sessions.h"
#include <perigee/base/io_error.h>
#include <perigee/transport/tls.h>

#include <expected>
#include <memory>
#include <mutex>
#include <string>

namespace perigee::transport::tls {

/// The contexts of clients and servers, from one reading of the files. Connections share it.
struct TlsContexts {
  Context client;
  Context server;  ///< null: there is no certificate, so the process can only be a client
  mutable TlsSessions sessions;
};
using SharedContexts = std::shared_ptr<const TlsContexts>;

/// Reads the files of the options, now and at each `reload`. Any thread.
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
};

}  // namespace perigee::transport::tls
