// Logging over spdlog. The level and the sink belong to the process, not to an ORB: lines are also
// logged before the first ORB exists and after the last one has ended.
#include "base/log_annotation.h"
#include <perigee/base/log.h>

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

namespace perigee::log {

namespace {

struct Target {
  std::mutex mutex;  // held while a sink runs, so set_sink waits until the old sink is idle
  Sink sink = nullptr;
  void* context = nullptr;
};

std::atomic<Level> current_level{Level::warning};
std::atomic<Annotate> annotation{nullptr};

// Never destroyed: threads may still log while the process ends.
Target& target() {
  static Target& instance = *new Target;
  return instance;
}

spdlog::logger& default_logger() {
  static spdlog::logger& instance = *[] {
    auto* logger = new spdlog::logger("perigee", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_level(spdlog::level::trace);  // the level was checked before
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
    logger->flush_on(spdlog::level::trace);
    return logger;
  }();
  return instance;
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::trace:
      return spdlog::level::trace;
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
    case Level::off:
      return spdlog::level::off;
  }
  return spdlog::level::err;
}

// The line is joined here: a format string would bring fmt's formatting into the library (70 KB).
// The buffer is on the stack, so a short line needs no memory.
void write_to_stderr(Level level, std::string_view component, std::string_view text) {
  spdlog::memory_buf_t line;
  for (const std::string_view part : {component, std::string_view(": "), text})
    line.append(part.data(), part.data() + part.size());
  default_logger().log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

/// The text of a line, and what a library adds to it.
class Annotated {
 public:
  explicit Annotated(std::string_view text) noexcept : text_(text) {
    const Annotate annotate = annotation.load(std::memory_order_acquire);
    if (annotate == nullptr) return;
    try {
      longer_ = text;
      annotate(longer_);
      text_ = longer_;
    } catch (const std::exception&) {  // no memory: the text alone is written
      text_ = text;
    }
  }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  std::string longer_;
  std::string_view text_;
};

}  // namespace

void set_annotation(Annotate annotate) noexcept {
  annotation.store(annotate, std::memory_order_release);
}

void set_level(Level level) noexcept { current_level.store(level, std::memory_order_relaxed); }

bool enabled(Level level) noexcept {
  return level != Level::off && level >= current_level.load(std::memory_order_relaxed);
}

void write(Level level, std::string_view component, std::string_view text) noexcept {
  if (!enabled(level)) return;
  const Annotated line(text);
  try {
    Target& destination = target();
    const std::lock_guard lock(destination.mutex);
    if (destination.sink != nullptr)
      destination.sink(destination.context, level, component, line.text());
    else
      write_to_stderr(level, component, line.text());
  } catch (...) {
    // A line that cannot be written is lost: logging never makes its caller fail.
  }
}

void set_sink(Sink sink, void* context) noexcept {
  Target& destination = target();
  const std::lock_guard lock(destination.mutex);
  destination.sink = sink;
  destination.context = context;
}

}  // namespace perigee::log
