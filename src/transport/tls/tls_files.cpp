// Reads secrets only from files that other users cannot read or replace.
#include "transport/tls/tls_files.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

namespace perigee::transport::tls {
namespace {

std::string reason_of_openssl() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  std::string text = reason != nullptr ? reason : "unknown reason";
  ERR_clear_error();
  return text;
}

std::string system_text(int code) { return std::generic_category().message(code); }

std::expected<std::string, IoError> read_passphrase(const std::string& path) {
  if (const auto checked = check_secret(path); !checked) return std::unexpected(checked.error());
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return bad_file(path, "its first line must be the passphrase");
  return line;
}

// OpenSSL asks for the passphrase of an encrypted key. Without one, it would ask at the terminal.
int give_passphrase(char* buffer, int size, int /*writing*/, void* given) {
  const auto* const passphrase = static_cast<const std::optional<std::string>*>(given);
  if (!*passphrase || size <= 0) return -1;
  const std::size_t length = std::min((*passphrase)->size(), static_cast<std::size_t>(size));
  std::memcpy(buffer, (*passphrase)->data(), length);
  return static_cast<int>(length);
}

}  // namespace

std::unexpected<IoError> bad_file(const std::string& path, const std::string& why) {
  return std::unexpected(
      IoError{IoErrorKind::bad_file, IoOperation::load, 0, path + " (" + why + ")"});
}

std::unexpected<IoError> bad_file_by_openssl(const std::string& path, const std::string& what) {
  return bad_file(path, what + ": " + reason_of_openssl());
}

Checked check_secret(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return bad_file(path, system_text(errno));
  if (!S_ISREG(status.st_mode)) return bad_file(path, "it is no regular file");
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    return bad_file(path, "it belongs to another user: it must belong to you or to root");
  if ((status.st_mode & (S_IRWXO | S_IWGRP)) != 0)
    return bad_file(path, "other users may read or change it: chmod 600");
  if (::access(path.c_str(), R_OK) != 0) return bad_file(path, system_text(errno));
  return {};
}

std::expected<PrivateKey, IoError> read_key(const std::string& path,
                                            const std::string& passphrase_file) {
  if (const auto checked = check_secret(path); !checked) return std::unexpected(checked.error());
  std::optional<std::string> passphrase;
  if (!passphrase_file.empty()) {
    auto read = read_passphrase(passphrase_file);
    if (!read) return std::unexpected(read.error());
    passphrase = std::move(*read);
  }
  const Bio file(BIO_new_file(path.c_str(), "r"));
  if (file == nullptr) return bad_file_by_openssl(path, "it cannot be read");
  PrivateKey key(PEM_read_bio_PrivateKey(file.get(), nullptr, give_passphrase, &passphrase));
  if (passphrase) std::ranges::fill(*passphrase, '\0');
  if (key != nullptr) return key;
  return bad_file_by_openssl(path, passphrase ? "it has no private key that this passphrase opens"
                                              : "it has no private key without a passphrase");
}

}  // namespace perigee::transport::tls
