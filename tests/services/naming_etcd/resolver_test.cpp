// Requests to a member whose name server does not answer.
#include "services/naming_etcd/hanging_resolver.h"
#include "services/naming_etcd/transfers.h"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>

namespace perigee::naming::test {

namespace {

using namespace std::chrono_literals;

etcd::HttpRequest hanging_request() {
  return {.url = std::string("http://member") + hanging_domain + ":1/v3/kv/range",
          .body = "{}",
          .connect_time_max = 50ms};
}

void await_look_up(etcd::Transfers& transfers, const HangingResolver& resolver) {
  while (resolver.hanging() == 0) transfers.run(1ms);
}

}  // namespace

TEST_CASE("a request ends at its time limit while the look-up of its host hangs" *
          doctest::skip(!can_hang())) {
  const HangingResolver resolver;
  etcd::Transfers transfers(etcd::TlsFiles{});
  std::optional<etcd::HttpAnswer> got;
  transfers.start(hanging_request(), [&got](etcd::HttpAnswer answer) { got = std::move(answer); });
  while (!got) transfers.run(100ms);
  CHECK(got->status == 0);
  CHECK_FALSE(got->was_sent);
  CHECK(got->error.contains("Resolving timed out"));
  CHECK(resolver.hanging() == 1);
}

TEST_CASE("the end of a request does not wait for a look-up that hangs" *
          doctest::skip(!can_hang())) {
  const HangingResolver resolver;
  {
    etcd::Transfers transfers(etcd::TlsFiles{});
    etcd::HttpRequest request = hanging_request();
    request.connect_time_max = 60s;
    const auto id = transfers.start(request, [](const etcd::HttpAnswer&) { FAIL("cancelled"); });
    transfers.start(request, [](const etcd::HttpAnswer&) { FAIL("ended"); });
    await_look_up(transfers, resolver);
    transfers.cancel(id);
  }
  CHECK(resolver.hanging() > 0);
}

}  // namespace perigee::naming::test
