// Shows the progress of an experiment on a terminal: one line that is redrawn, and erased at the
// end.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace perigee::bench {

/// Counts steps. Draws only between measurements, because the caller steps between them.
class Progress {
 public:
  /// Draws on standard error if that is a terminal, otherwise nowhere.
  Progress(std::string title, std::size_t steps);
  /// Draws on `output`, in lines of `columns`; 0: nowhere.
  Progress(std::string title, std::size_t steps, std::ostream& output, std::size_t columns);
  /// Erases the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins one more step. Shows `what` beside the bar.
  void step(const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;

  void draw(const std::string& what);
  [[nodiscard]] std::string remaining_time() const;

  std::string title_;
  std::size_t steps_;
  std::size_t begun_ = 0;
  std::ostream* output_;
  std::size_t columns_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
};

}  // namespace perigee::bench
