// The images of a folder: regular files whose names end in .pgm.
//
// The checksum of <name>.pgm lies beside it in <name>.pgm.sha256, which `sha256sum -c` understands.
// The comment in the .sha256 file has the size, the time of change and the inode of the image. If
// the image no longer has these values, the checksum is computed again.
#pragma once

#include "checksum.h"
#include <perigee/ipc/file.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Distinguishes the contents of a file without reading them.
struct FileVersion {
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;  ///< time of the last change
  std::uint64_t inode = 0;
  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

struct CatalogueEntry {
  std::string name;
  FileVersion version;
  Checksum checksum;
};

/// Any thread. Errors of the file system are thrown as std::system_error with the path.
class Catalogue {
 public:
  explicit Catalogue(std::filesystem::path folder);

  /// All images, by name. The list leaves out images that cannot be read.
  [[nodiscard]] std::vector<CatalogueEntry> list();
  /// Nothing if there is no image of this name. A name is not a path: it consists of letters,
  /// digits and `-_.`, and begins with a letter or a digit.
  [[nodiscard]] std::optional<CatalogueEntry> find(const std::string& name);
  /// Opens the file for sending; nothing if the file has changed since the entry was made.
  [[nodiscard]] std::optional<perigee::ipc::File> open(const CatalogueEntry& entry) const;

  [[nodiscard]] static bool is_image_name(std::string_view name);

 private:
  [[nodiscard]] Checksum checksum_of(const std::string& name, int fd, const FileVersion& version);

  const std::filesystem::path folder_;
  std::mutex lock_;
  std::map<std::string, CatalogueEntry> known_;  ///< entries with checksums that were found before
};

/// Writes the checksum of an image to the file beside it.
void write_checksum_file(const std::filesystem::path& image, const FileVersion& version,
                         const Checksum& checksum);
/// The version of an open file.
[[nodiscard]] FileVersion version_of(int fd);
