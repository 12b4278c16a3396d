// The catalogue looks at the files at each request, because images may come and go while the server
// runs.
#include "catalogue.h"

#include <perigee/ipc/handle.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

namespace {

namespace fs = std::filesystem;
using perigee::ipc::Handle;

[[noreturn]] void fail(const fs::path& path) {
  throw std::system_error(errno, std::system_category(), path.string());
}

// Does not open a link, which could lead out of the folder, and does not wait if the file is a
// FIFO. Empty if there is no such regular file.
Handle open_regular(const fs::path& path) {
  Handle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT || errno == ELOOP || errno == ENXIO) return {};
    fail(path);
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail(path);
  return S_ISREG(status.st_mode) ? std::move(file) : Handle{};
}

// Reads octets of the file at `offset`, up to the size of the space.
std::size_t read_some(const fs::path& path, int fd, std::span<char> space, off_t offset) {
  ssize_t count = -1;
  do count = ::pread(fd, space.data(), space.size(), offset);
  while (count < 0 && errno == EINTR);
  if (count < 0) fail(path);
  return static_cast<std::size_t>(count);
}

Checksum read_through(const fs::path& path, int fd) {
  Sha256 sha;
  std::vector<char> space(256 * 1024);
  for (off_t offset = 0;;) {
    const std::size_t count = read_some(path, fd, space, offset);
    if (count == 0) return sha.finish();
    sha.add(std::as_bytes(std::span(space).first(count)));
    offset += static_cast<off_t>(count);
  }
}

fs::path checksum_path(const fs::path& image) { return image.string() + ".sha256"; }

std::string first_line(const FileVersion& version) {
  return "# size " + std::to_string(version.size) + " changed " +
         std::to_string(version.changed_ns) + " inode " + std::to_string(version.inode);
}

// Nothing if there is no checksum, or if it belongs to another content. Only a short file that is
// not a link counts: `write_checksum_file` writes no other files.
std::optional<Checksum> read_checksum_file(const fs::path& image, const FileVersion& version) try {
  const fs::path path = checksum_path(image);
  const Handle file = open_regular(path);
  if (!file) return std::nullopt;
  std::array<char, 1024> space;
  std::istringstream input(std::string(space.data(), read_some(path, file.get(), space, 0)));
  std::string line;
  if (!std::getline(input, line) || line != first_line(version)) return std::nullopt;
  std::string hex;
  if (!(input >> hex) || hex.size() != 64) return std::nullopt;
  return from_hex(hex);
} catch (const std::system_error&) {  // unreadable: each start computes the checksum
  return std::nullopt;
}

}  // namespace

FileVersion version_of(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) throw std::system_error(errno, std::system_category(), "fstat");
  return {static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec, status.st_ino};
}

void write_checksum_file(const fs::path& image, const FileVersion& version,
                         const Checksum& checksum) {
  const fs::path path = checksum_path(image);
  // No other user can predict this name, and put a link there.
  std::string unfinished = path.string() + ".XXXXXX";
  const Handle file(::mkstemp(unfinished.data()));
  if (!file || ::fchmod(file.get(), 0644) != 0) fail(unfinished);
  const std::string text =
      first_line(version) + '\n' + to_hex(checksum) + "  " + image.filename().string() + '\n';
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    ::unlink(unfinished.c_str());
    throw std::system_error(error, std::system_category(), path.string());
  }
  fs::rename(unfinished, path);
}

Catalogue::Catalogue(fs::path folder) : folder_(std::move(folder)) {
  if (!fs::is_directory(folder_))
    throw std::system_error(ENOTDIR, std::system_category(), folder_.string());
}

bool Catalogue::is_image_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  return name.size() <= 200 && name.ends_with(".pgm") && is_plain(name.front()) &&
         std::ranges::all_of(
             name, [&](char c) { return is_plain(c) || c == '-' || c == '_' || c == '.'; });
}

std::vector<CatalogueEntry> Catalogue::list() {
  std::vector<CatalogueEntry> entries;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_)) {
    try {
      if (auto entry = find(file.path().filename().string())) entries.push_back(std::move(*entry));
    } catch (const std::system_error&) {  // `find` reports the error of this image
    }
  }
  std::ranges::sort(entries, {}, &CatalogueEntry::name);
  return entries;
}

std::optional<CatalogueEntry> Catalogue::find(const std::string& name) {
  if (!is_image_name(name)) return std::nullopt;
  const Handle file = open_regular(folder_ / name);
  if (!file) return std::nullopt;
  const FileVersion version = version_of(file.get());
  {
    const std::scoped_lock locked(lock_);
    const auto found = known_.find(name);
    if (found != known_.end() && found->second.version == version) return found->second;
  }
  CatalogueEntry entry{name, version, checksum_of(name, file.get(), version)};
  const std::scoped_lock locked(lock_);
  known_[name] = entry;
  return entry;
}

std::optional<perigee::ipc::File> Catalogue::open(const CatalogueEntry& entry) const {
  Handle file = open_regular(folder_ / entry.name);
  if (!file || version_of(file.get()) != entry.version) return std::nullopt;
  return perigee::ipc::File::adopt(file.release());
}

// If a file is written while it is read, the checksum fits neither the old nor the new content. So
// the checksum is stored only if the file has not changed meanwhile. Otherwise the next call finds
// another version, and computes the checksum again.
Checksum Catalogue::checksum_of(const std::string& name, int fd, const FileVersion& version) {
  const fs::path image = folder_ / name;
  if (auto checksum = read_checksum_file(image, version)) return *checksum;
  Checksum checksum = read_through(image, fd);
  if (version_of(fd) != version) return checksum;
  try {
    write_checksum_file(image, version, checksum);
  } catch (const std::system_error&) {  // the folder is read-only: each start computes it again
  }
  return checksum;
}
