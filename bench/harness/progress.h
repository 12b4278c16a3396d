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

  /// Begins one more step. Shows `what` beside the bar. The step counts as `weight` steps. If
  /// the steps differ in length, use their expected seconds as weights.
  void step(const std::string& what, std::size_t weight = 1);
  /// Draws the line again while a long step runs.
  void refresh();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] double seconds() const;
  void draw(double done);
  [[nodiscard]] std::string remaining_time(double done) const;

  std::string title_;
  std::size_t steps_;
  std::size_t done_ = 0;    ///< the steps before the current step
  std::size_t weight_ = 0;  ///< of the current step; 0: no step has begun
  double step_start_ = 0;   ///< in seconds
  std::string what_;
  std::ostream* output_;
  std::size_t columns_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
};

}  // namespace perigee::bench
