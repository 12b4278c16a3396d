// Shows the progress of an experiment on a terminal.
#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

namespace perigee::bench {
namespace {

constexpr std::size_t bar_size = 24;
constexpr std::chrono::milliseconds drawing_interval{100};

std::size_t terminal_columns() {
  if (isatty(STDERR_FILENO) == 0) return 0;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

Progress::Progress(std::string title, std::size_t steps)
    : Progress(std::move(title), steps, std::cerr, terminal_columns()) {}

Progress::Progress(std::string title, std::size_t steps, std::ostream& output, std::size_t columns)
    : title_(std::move(title)),
      steps_(std::max<std::size_t>(steps, 1)),
      output_(&output),
      columns_(columns) {}

Progress::~Progress() {
  if (columns_ > 0 && weight_ > 0) *output_ << "\r\033[K" << std::flush;
}

void Progress::step(const std::string& what, std::size_t weight) {
  const bool is_first = weight_ == 0;
  done_ = std::min(done_ + weight_, steps_ - 1);
  weight_ = weight;
  step_start_ = seconds();
  what_ = what;
  if (columns_ == 0) return;
  const auto now = Clock::now();
  if (!is_first && now - drawn_ < drawing_interval) return;
  drawn_ = now;
  draw(static_cast<double>(done_));
}

// The part of the current step that is done follows from the time of the steps before. Before the
// first step has ended, a weight counts as a second.
void Progress::refresh() {
  if (columns_ == 0 || weight_ == 0) return;
  const double second =
      done_ == 0 || step_start_ <= 0 ? 1 : static_cast<double>(done_) / step_start_;
  const double part = (seconds() - step_start_) * second;
  draw(static_cast<double>(done_) + std::min(part, static_cast<double>(weight_) * 0.95));
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::draw(double done) {
  const double part = done / static_cast<double>(steps_);
  const auto filled = static_cast<std::size_t>(static_cast<double>(bar_size) * part);
  std::string line = fmt::format("{} [{}{}] {:>3}%{} {}", title_, std::string(filled, '#'),
                                 std::string(bar_size - filled, '.'), static_cast<int>(100 * part),
                                 remaining_time(done), what_);
  line.resize(std::min(line.size(), columns_ - 1));  // a wrapped line could not be redrawn
  *output_ << '\r' << line << "\033[K" << std::flush;
}

std::string Progress::remaining_time(double done) const {
  if (done <= 0) return {};
  const auto left = static_cast<long>(seconds() * (static_cast<double>(steps_) - done) / done);
  return fmt::format(" {}:{:02} left,", left / 60, left % 60);
}

}  // namespace perigee::bench
