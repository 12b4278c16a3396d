// Reads files from the operating system and from memory.
#include "idlc/frontend/source.h"

#include <filesystem>
#include <fstream>

namespace perigee::idlc {

std::optional<std::string> SystemFiles::read(const std::string& path, std::size_t size_max) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text;
  std::string chunk(64 * 1024, '\0');
  while (in) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > size_max) return std::nullopt;
  }
  if (in.bad()) return std::nullopt;
  return text;
}

std::optional<std::string> MemoryFiles::read(const std::string& path, std::size_t size_max) {
  const auto found = files_.find(path);
  if (found == files_.end() || found->second.size() > size_max) return std::nullopt;
  return found->second;
}

}  // namespace perigee::idlc
