// Private keys in files, and errors about files. Private to transport/tls.
#pragma once

#include "transport/tls/openssl.h"
#include <perigee/base/io_error.h>

#include <expected>
#include <string>

namespace perigee::transport::tls {

using Checked = std::expected<void, IoError>;

/// The error about a file, with the fault and the remedy.
std::unexpected<IoError> bad_file(const std::string& path, const std::string& why);
/// The same with OpenSSL's reason; empties its list of errors.
std::unexpected<IoError> bad_file_by_openssl(const std::string& path, const std::string& what);

/// Reads a private key. Both files must belong to root or to the user of the process. Fails if the
/// group may write one of them, or if users outside of the group may access it.
std::expected<PrivateKey, IoError> read_key(const std::string& path,
                                            const std::string& passphrase_file);

}  // namespace perigee::transport::tls
