// Prints the progress in one line, which each call writes again. The line goes to standard error,
// so that standard output has only results.
#include "progress.h"

#include <cstdio>
#include <utility>

Progress::Progress(std::string name, std::uint64_t size, std::uint64_t begin, Show show)
    : name_(std::move(name)), size_(size), begin_(begin), show_(show) {}

Progress::~Progress() {
  if (show_ == Show::yes && drawn_ != Clock::time_point{}) std::fputc('\n', stderr);
}

void Progress::update(std::uint64_t arrived) {
  if (show_ == Show::no) return;
  const auto now = Clock::now();
  if (arrived == size_ || now - drawn_ >= std::chrono::milliseconds(100)) draw(arrived, now);
}

void Progress::draw(std::uint64_t arrived, Clock::time_point now) {
  drawn_ = now;
  constexpr double mib = 1024 * 1024;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double speed = seconds > 0 ? static_cast<double>(arrived - begin_) / mib / seconds : 0;
  const double percent =
      size_ > 0 ? 100.0 * static_cast<double>(arrived) / static_cast<double>(size_) : 100;
  std::fprintf(stderr, "\r%s: %.1f of %.1f MiB, %3.0f %%, %.1f MiB/s ", name_.c_str(),
               static_cast<double>(arrived) / mib, static_cast<double>(size_) / mib, percent,
               speed);
}
