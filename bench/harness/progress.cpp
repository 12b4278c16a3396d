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
  if (columns_ > 0 && begun_ > 0) *output_ << "\r\033[K" << std::flush;
}

void Progress::step(const std::string& what) {
  begun_ = std::min(begun_ + 1, steps_);
  if (columns_ == 0) return;
  const auto now = Clock::now();
  if (begun_ > 1 && now - drawn_ < drawing_interval) return;
  drawn_ = now;
  draw(what);
}

void Progress::draw(const std::string& what) {
  const std::size_t done = begun_ - 1;
  const std::size_t filled = bar_size * done / steps_;
  std::string line =
      fmt::format("{} [{}{}] {:>3}%{} {}", title_, std::string(filled, '#'),
                  std::string(bar_size - filled, '.'), 100 * done / steps_, remaining_time(), what);
  line.resize(std::min(line.size(), columns_ - 1));  // a wrapped line could not be redrawn
  *output_ << '\r' << line << "\033[K" << std::flush;
}

std::string Progress::remaining_time() const {
  const std::size_t done = begun_ - 1;
  if (done == 0) return {};
  const auto elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const auto seconds =
      static_cast<long>(elapsed * static_cast<double>(steps_ - done) / static_cast<double>(done));
  return fmt::format(" {}:{:02} left,", seconds / 60, seconds % 60);
}

}  // namespace perigee::bench
