// A disk for SQLite that forgets writes which were not synchronised, as after a loss of power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>

namespace perigee::test {

/// From its construction until `end`, this process opens all files of SQLite through this object.
/// It passes all calls on to the file system, except the synchronisation, and notes all changes. So
/// a test can later look at the files after a loss of power at any moment. Any thread.
class PowerLossDisk {
 public:
  PowerLossDisk();
  ~PowerLossDisk();
  PowerLossDisk(const PowerLossDisk&) = delete;
  PowerLossDisk& operator=(const PowerLossDisk&) = delete;

  /// Notes that a change was acknowledged now.
  void note_acknowledgement();
  /// Files that are opened later are those of the file system.
  void end();
  /// How many changes, synchronisations and acknowledgements were noted.
  [[nodiscard]] std::size_t steps() const;

  enum class Unsynced : std::uint8_t {
    dropped,  ///< no write without a synchronisation is on the disk
    mixed,    ///< some of them are, in any order
  };
  /// Writes the files as they are if the power is lost after this number of steps. Returns how
  /// many acknowledgements were noted before.
  std::size_t restore(std::size_t steps, Unsynced unsynced, std::mt19937& random,
                      const std::filesystem::path& folder) const;

 private:
  class Log;
  std::unique_ptr<Log> log_;
};

}  // namespace perigee::test
