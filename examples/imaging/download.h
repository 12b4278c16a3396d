// An image on its way into a file. What has arrived stands in <file>.<checksum>.part, where a later
// start finds it, until it is whole and its checksum right; only then it gets its name.
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

/// What is wrong on this side: to try again would not help. `what()` says what to do.
class LocalProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One image. Not for several threads; two programs that fetch into one file are told.
class Download {
 public:
  struct What {
    std::uint64_t size = 0;
    Checksum checksum;
  };

  /// Goes on with what an earlier start has left of the same content; what it left of others is
  /// deleted. Throws LocalProblem.
  Download(std::filesystem::path file, What what);

  [[nodiscard]] const What& what() const noexcept { return what_; }
  [[nodiscard]] std::uint64_t arrived() const noexcept { return arrived_; }
  [[nodiscard]] bool is_whole() const noexcept { return arrived_ == what_.size; }

  /// Receives some octets, and adds them to the checksum. False if the stream is over: broken, at
  /// its end, or silent for `limit`. Throws LocalProblem if the file cannot take them.
  bool receive(perigee::ipc::sock::Stream& stream, std::size_t count_max,
               std::chrono::seconds limit);
  /// Gives the file its name if the checksum of what is in it is right; else deletes it and returns
  /// false. Once, when whole.
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
