// Reads files from the operating system and from memory.
#include "idlc/frontend/source.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace perigee::idlc {
namespace {

using Unreadable = std::unexpected<std::string>;

Unreadable too_large(std::size_t size_max) {
  return Unreadable("has more than " + std::to_string(size_max) + " octets");
}

// Streams leave the reason of an error in errno.
Unreadable unreadable() {
  return Unreadable("cannot be read: " + std::generic_category().message(errno != 0 ? errno : EIO));
}

}  // namespace

std::expected<std::string, std::string> SystemFiles::read(const std::string& path,
                                                          std::size_t size_max) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return Unreadable("is a folder, not a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return unreadable();
  std::string text;
  std::string chunk(64 * 1024, '\0');
  while (in) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > size_max) return too_large(size_max);
  }
  if (in.bad()) return unreadable();
  return text;
}

std::expected<std::string, std::string> MemoryFiles::read(const std::string& path,
                                                          std::size_t size_max) {
  const auto found = files_.find(path);
  if (found == files_.end()) {
    errno = ENOENT;
    return unreadable();
  }
  if (found->second.size() > size_max) return too_large(size_max);
  return found->second;
}

}  // namespace perigee::idlc
