// One line on a terminal that says how far a transfer is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

class Progress {
 public:
  enum class Show : std::uint8_t { no, yes };

  /// `begin`: the octets that had arrived before this transfer.
  Progress(std::string name, std::uint64_t size, std::uint64_t begin, Show show);
  /// Ends the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Redraws the line at most ten times a second, and at the end.
  void update(std::uint64_t arrived);

 private:
  using Clock = std::chrono::steady_clock;

  void draw(std::uint64_t arrived, Clock::time_point now);

  const std::string name_;
  const std::uint64_t size_;
  const std::uint64_t begin_;
  const Show show_;
  const Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_{};
};
