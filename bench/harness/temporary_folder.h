// A folder for the files of one run: sockets, and what tools write.
#pragma once

#include <filesystem>

namespace perigee::bench {

/// A new folder that only this user can enter, removed with all that is in it by the destructor.
class TemporaryFolder {
 public:
  /// Throws std::runtime_error if there can be none.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace perigee::bench
