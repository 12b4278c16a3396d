// Logging: levels and sinks.
#include <perigee/base/log.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace log = perigee::log;

namespace {

/// Collects lines for the length of a test, and restores the default after it.
class Collector {
 public:
  Collector() {
    log::set_sink(
        [](void* context, log::Level, std::string_view component, std::string_view text) {
          static_cast<Collector*>(context)->lines.push_back(std::string(component) + ": " +
                                                            std::string(text));
        },
        this);
  }
  ~Collector() {
    log::set_sink(nullptr, nullptr);
    log::set_level(log::Level::warning);
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  std::vector<std::string> lines;
};

}  // namespace

TEST_CASE("by default warnings are written and information is not") {
  const Collector collector;
  log::write(log::Level::info, "cdr", "unseen");
  log::write(log::Level::warning, "cdr", "seen");
  CHECK(collector.lines == std::vector<std::string>{"cdr: seen"});
  CHECK(log::enabled(log::Level::warning));
  CHECK_FALSE(log::enabled(log::Level::info));
}

TEST_CASE("a lower level passes more lines to the log, and the level off passes none") {
  const Collector collector;
  log::set_level(log::Level::trace);
  log::write(log::Level::trace, "a", "1");
  log::set_level(log::Level::off);
  log::write(log::Level::error, "a", "2");
  log::write(log::Level::off, "a", "3");
  CHECK(collector.lines == std::vector<std::string>{"a: 1"});
}
