// Which streams a store accepts. The test answers the requests of the store itself.
#include "services/events_nats/streams.h"

#include "fake_server.h"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace perigee::events::nats {

namespace {

using std::chrono::milliseconds;

task<void> keep(task<std::expected<StreamInfo, StoreError>> opened, std::string& mistake) {
  const auto result = co_await std::move(opened);
  mistake = result ? "none" : result.error().text;
}

/// The mistake in a stream with further members of its configuration.
std::string mistake_with(const std::string& members, bool keeps_one_of_subject = true) {
  FakeServer server;
  StreamRequest request;
  request.name = "stream";
  request.subject = "s";
  request.keeps_one_of_subject = keeps_one_of_subject;
  request.duplicate_window = milliseconds(120'000);
  std::string mistake;
  server.session.start(keep(
      open_stream(server.session, request, server.clock.now() + milliseconds(1'000)), mistake));
  server.answer(R"({"created":"monday","config":{"subjects":["s"],"retention":"limits",
      "storage":"file","allow_direct":true,"max_msgs_per_subject":)" +
                std::string(keeps_one_of_subject ? "1" : "-1") + members + R"(},"state":{}})");
  return mistake;
}

}  // namespace

TEST_CASE("a stream of subscriptions has no limit that removes subscriptions") {
  const std::string window = R"(,"duplicate_window":120000000000)";
  CHECK(mistake_with(window) == "none");
  CHECK(mistake_with(window + R"(,"max_age":0,"max_msgs":-1,"max_bytes":-1)") == "none");
  for (const char* const limit :
       {R"(,"max_age":300000000000)", R"(,"max_msgs":5)", R"(,"max_bytes":5)"}) {
    CHECK(mistake_with(window + limit).contains("which would remove subscriptions"));
    CHECK(mistake_with(window + limit, false) == "none");
  }
}

TEST_CASE("a stream that denies purges is refused") {
  CHECK(mistake_with(R"(,"duplicate_window":120000000000,"deny_purge":true)")
            .contains("it denies purges"));
}

TEST_CASE("the duplicate window is two minutes, or the age of events if it is shorter") {
  CHECK(mistake_with(R"(,"duplicate_window":119000000000)", false).contains("too short"));
  CHECK(mistake_with(R"(,"duplicate_window":60000000000,"max_age":60000000000)", false) == "none");
  CHECK(mistake_with(R"(,"duplicate_window":59000000000,"max_age":60000000000)", false)
            .contains("too short"));
}

}  // namespace perigee::events::nats
