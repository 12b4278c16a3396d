// The certificates of a test: an authority, a server and a client, in files of a temporary folder.
#pragma once

#include "certificate_maker.h"
#include "support/temporary_folder.h"
#include <perigee/transport/tls.h>

#include <string>
#include <utility>

namespace perigee::test {

/// An authority, and the files of certificates that it has signed.
class TestCertificates {
 public:
  TestCertificates() : authority_(tool::make_identity(contents_of_authority())) {
    tool::write_certificate(authority_, path("authority.pem"));
    issue("server", {.common_name = "server",
                     .dns_names = {"localhost"},
                     .ip_addresses = {"127.0.0.1", "::1"}});
    issue("client", {.common_name = "client"});
  }

  [[nodiscard]] std::string path(const std::string& file) const { return folder_.file(file); }
  [[nodiscard]] const tool::Identity& authority() const noexcept { return authority_; }
  /// Makes `<name>.pem` and `<name>.key`.
  tool::Identity issue(const std::string& name, const tool::CertificateContents& contents) {
    return write(name, tool::make_identity(contents, &authority_));
  }
  tool::Identity write(const std::string& name, tool::Identity identity) const {
    tool::write_certificate(identity, path(name + ".pem"));
    tool::write_key(identity, path(name + ".key"));
    return identity;
  }
  /// The TLS options of a client or server that trusts the authority. `name`: the certificate that
  /// it uses; empty: it has no certificate.
  [[nodiscard]] transport::TlsOptions options(const std::string& name) const {
    transport::TlsOptions options;
    options.authorities = path("authority.pem");
    if (name.empty()) return options;
    options.certificate_file = path(name + ".pem");
    options.key_file = path(name + ".key");
    return options;
  }

 private:
  static tool::CertificateContents contents_of_authority() {
    tool::CertificateContents contents;
    contents.common_name = "authority of a test";
    contents.is_authority = true;
    return contents;
  }

  TemporaryFolder folder_;
  tool::Identity authority_;
};

}  // namespace perigee::test
