// Collects what is logged, for tests of the log.
#pragma once

#include <perigee/base/log.h>

#include <mutex>
#include <string>
#include <string_view>

namespace perigee::test {

/// Collects the log's lines at a level, as long as it lives.
class LogLines {
 public:
  explicit LogLines(log::Level level) {
    log::set_sink(take, this);
    log::set_level(level);
  }
  ~LogLines() {
    log::set_level(log::Level::warning);
    log::set_sink(nullptr, nullptr);
  }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  [[nodiscard]] bool have(std::string_view part) {
    const std::lock_guard lock(mutex_);
    return text_.find(part) != std::string::npos;
  }
  [[nodiscard]] std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  static void take(void* context, log::Level, std::string_view component, std::string_view text) {
    auto& self = *static_cast<LogLines*>(context);
    const std::lock_guard lock(self.mutex_);
    self.text_ += std::string(component) + ": " + std::string(text) + "\n";
  }
  std::mutex mutex_;
  std::string text_;
};

}  // namespace perigee::test
