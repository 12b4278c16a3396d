// A folder for the files of one run: sockets, and output files of tools.
#pragma once

#include <filesystem>

namespace perigee::bench {

/// A new folder that only this user can enter. The destructor removes it with its contents.
class TemporaryFolder {
 public:
  /// Throws std::runtime_error if the folder cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace perigee::bench
