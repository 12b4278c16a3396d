// Reads secrets only from files that other users cannot read or change.
#include "transport/tls/tls_files.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
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

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The permissions are those of the file that is read: its path may lead to another file later.
std::expected<File, IoError> open_secret(const std::string& path) {
  File file(std::fopen(path.c_str(), "re"));
  struct stat status{};
  if (file == nullptr || ::fstat(::fileno(file.get()), &status) != 0)
    return bad_file(path, system_text(errno));
  if (!S_ISREG(status.st_mode)) return bad_file(path, "it is not a regular file");
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    return bad_file(path, "it belongs to another user: it must belong to you or to root");
  if ((status.st_mode & (S_IRWXO | S_IWGRP)) != 0)
    return bad_file(path, "other users may read or change it: chmod 600");
  return file;
}

/// A text whose memory is cleared at the end.
struct Passphrase {
  Passphrase() = default;
  ~Passphrase() { OPENSSL_cleanse(text.data(), text.size()); }
  Passphrase(const Passphrase&) = delete;
  Passphrase& operator=(const Passphrase&) = delete;

  [[nodiscard]] std::string_view line() const noexcept {
    const std::string_view all(text.data(), size);
    return all.substr(0, all.find_first_of("\r\n"));
  }
  std::array<char, PEM_BUFSIZE + 1> text{};
  std::size_t size = 0;
  bool is_given = false;
};

Checked read_passphrase(const std::string& path, Passphrase& passphrase) {
  const auto file = open_secret(path);
  if (!file) return std::unexpected(file.error());
  passphrase.size = std::fread(passphrase.text.data(), 1, passphrase.text.size(), file->get());
  passphrase.is_given = true;
  if (passphrase.line().empty()) return bad_file(path, "its first line must be the passphrase");
  if (passphrase.line().size() > PEM_BUFSIZE)
    return bad_file(path, "a passphrase has at most 1024 octets");
  return {};
}

// OpenSSL asks for the passphrase of an encrypted key. Without one, it would ask at the terminal.
int give_passphrase(char* buffer, int size, int /*writing*/, void* given) {
  const auto& passphrase = *static_cast<const Passphrase*>(given);
  const std::string_view line = passphrase.line();
  if (!passphrase.is_given || line.size() > static_cast<std::size_t>(size)) return -1;
  std::memcpy(buffer, line.data(), line.size());
  return static_cast<int>(line.size());
}

}  // namespace

std::unexpected<IoError> bad_file(const std::string& path, const std::string& why) {
  return std::unexpected(
      IoError{IoErrorKind::bad_file, IoOperation::load, 0, path + " (" + why + ")"});
}

std::unexpected<IoError> bad_file_by_openssl(const std::string& path, const std::string& what) {
  return bad_file(path, what + ": " + reason_of_openssl());
}

std::expected<PrivateKey, IoError> read_key(const std::string& path,
                                            const std::string& passphrase_file) {
  const auto file = open_secret(path);
  if (!file) return std::unexpected(file.error());
  Passphrase passphrase;
  if (!passphrase_file.empty())
    if (const auto read = read_passphrase(passphrase_file, passphrase); !read)
      return std::unexpected(read.error());
  PrivateKey key(PEM_read_PrivateKey(file->get(), nullptr, give_passphrase, &passphrase));
  if (key != nullptr) return key;
  return bad_file_by_openssl(
      path,
      passphrase.is_given
          ? "it has no private key that the passphrase opens"
          : "it has no unencrypted private key: for an encrypted key, set -ORBTlsPassphraseFile");
}

}  // namespace perigee::transport::tls
