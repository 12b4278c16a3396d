// The resources of the system that this process holds: handles, memory of rings, and threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

namespace perigee::test {

/// Counted by the constructor, from /proc/self.
struct OwnResources {
  std::size_t handles = entries_of("/proc/self/fd");
  std::size_t memory_files = files_of_rings();
  std::size_t mappings = mappings_of_rings();
  std::size_t threads = own_threads();

  friend bool operator==(const OwnResources&, const OwnResources&) = default;

 private:
  static constexpr const char* memory_name = "memfd:perigee";

  static std::size_t entries_of(const char* folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
    return count;
  }
  // A sanitizer starts a thread of its own with the first thread of the program.
  static std::size_t own_threads() {
    static const bool begun = [] {
      std::thread([] {}).join();
      return true;
    }();
    return begun ? entries_of("/proc/self/task") : 0;
  }
  static std::size_t files_of_rings() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code closed_meanwhile;
      const auto file = std::filesystem::read_symlink(entry.path(), closed_meanwhile);
      if (file.string().find(memory_name) != std::string::npos) ++count;
    }
    return count;
  }
  static std::size_t mappings_of_rings() {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);)
      if (line.find(memory_name) != std::string::npos) ++count;
    return count;
  }
};

}  // namespace perigee::test
