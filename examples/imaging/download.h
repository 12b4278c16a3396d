// An image on its way into a file. The octets that have arrived are in <file>.<checksum>.part,
// where a later start finds them. The file gets its name when it is whole and its checksum is
// right.
#pragma once

#include "checksum.h"
#include <perigee/ipc/file.h>
#include <perigee/ipc/sock.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>

/// A problem of this side, for which another try would not help. `what()` says what to do.
class LocalProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One image. Used by one thread. A second program that fetches into the same file gets a
/// LocalProblem.
class Download {
 public:
  struct What {
    std::uint64_t size = 0;
    Checksum checksum;
  };

  /// Continues the .part file that an earlier start has left for the same content. Deletes the
  /// .part files of other contents of this image. Throws LocalProblem.
  Download(std::filesystem::path file, What what);

  [[nodiscard]] const What& what() const noexcept { return what_; }
  [[nodiscard]] std::uint64_t arrived() const noexcept { return arrived_; }
  [[nodiscard]] bool is_whole() const noexcept { return arrived_ == what_.size; }

  /// Receives some octets, and adds them to the checksum. False if the stream is over: broken, at
  /// its end, or silent for `limit`. Throws LocalProblem if the file cannot take them.
  bool receive(perigee::ipc::sock::Stream& stream, std::size_t count_max,
               std::chrono::seconds limit);
  /// Gives the file its name if its checksum is right; else deletes it and returns false. Called
  /// once, when the image is whole.
  [[nodiscard]] bool finish();

 private:
  void open_part();
  void lock_part();
  void add_to_checksum(std::uint64_t end);

  const std::filesystem::path file_;
  const What what_;
  const std::filesystem::path part_;
  perigee::ipc::OutputFile output_;
  perigee::ipc::File input_;
  Sha256 sha_;
  std::uint64_t arrived_ = 0;  ///< octets that are in the file and in the checksum
};
