// Certificates and keys in files. Private to transport/tls.
#pragma once

#include "transport/tls/openssl.h"
#include <perigee/base/io_error.h>

#include <expected>
#include <string>

namespace perigee::transport::tls {

using Checked = std::expected<void, IoError>;

/// The error about a file, with what is wrong and what to do.
std::unexpected<IoError> bad_file(const std::string& path, const std::string& why);
/// The same with OpenSSL's reason; empties its list of errors.
std::unexpected<IoError> bad_file_by_openssl(const std::string& path, const std::string& what);

/// Fails if the file cannot be read, or if users other than its owner and the group may read it, or
/// if it belongs to another user than root and the user of the process.
Checked check_secret(const std::string& path);

/// Reads a private key. `passphrase_file`: empty if the key is not encrypted.
std::expected<PrivateKey, IoError> read_key(const std::string& path,
                                            const std::string& passphrase_file);

}  // namespace perigee::transport::tls
