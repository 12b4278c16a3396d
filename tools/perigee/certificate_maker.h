// Makes certificates for first tries and tests: an authority, and certificates that it signs.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace perigee::tool {

struct FreeKey {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};

/// A certificate with its private key.
struct Identity {
  std::unique_ptr<EVP_PKEY, FreeKey> key;
  std::unique_ptr<X509, FreeCertificate> certificate;
};

/// The contents of a certificate.
struct CertificateContents {
  std::string common_name;
  std::vector<std::string> dns_names;     ///< alternative names of the subject
  std::vector<std::string> ip_addresses;  ///< likewise
  bool is_authority = false;
  std::chrono::hours valid_from{-1};        ///< counted from now; negative, because clocks differ
  std::chrono::hours valid_until{24 * 30};  ///< counted from now
  int rsa_bits = 0;                         ///< 0: a key on the curve P-256
};

/// Makes a key and its certificate. `authority` signs the certificate; null: the certificate is
/// self-signed. Throws std::runtime_error with OpenSSL's reason.
Identity make_identity(const CertificateContents& contents, const Identity* authority = nullptr);

/// Reads PEM files that `write_certificate` and `write_key` have written. Throws
/// std::runtime_error.
Identity read_identity(const std::filesystem::path& certificate, const std::filesystem::path& key);

/// Writes the list of the authority's revoked certificates (a CRL, PEM). The list is valid for the
/// time `valid_until`, counted from now.
void write_revocations(const Identity& authority, const std::vector<const Identity*>& revoked,
                       const std::filesystem::path& path,
                       std::chrono::hours valid_until = std::chrono::hours{24 * 30});

/// Writes PEM files. A key can be read only by its owner; it is encrypted if there is a
/// passphrase. Throws std::runtime_error or std::filesystem::filesystem_error.
void write_certificate(const Identity& identity, const std::filesystem::path& path);
void write_key(const Identity& identity, const std::filesystem::path& path,
               const std::string& passphrase = {});

}  // namespace perigee::tool
