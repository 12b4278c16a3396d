// Options of a store that are refused before it looks for a server.
#include "services/events_nats/nats_store.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace perigee::events {

namespace {

std::string mistake_in(const NatsStoreOptions& options) {
  return open_nats_store(options).error().text;
}

}  // namespace

TEST_CASE("certificates without TLS are a mistake") {
  NatsStoreOptions options;
  options.servers = {"nats://h:1"};
  options.authorities = "ca.pem";
  const std::string text =
      "certificates and authorities for NATS need TLS; write the servers as tls://<host>:<port>";
  CHECK(mistake_in(options) == text);
  options.authorities.clear();
  options.certificate = "c.pem";
  options.key = "c.key";
  CHECK(mistake_in(options) == text);
}

TEST_CASE("an age limit that is shorter than the time for repeating events is a mistake") {
  NatsStoreOptions options;
  options.servers = {"nats://h:1"};
  for (const int seconds : {1, 19}) {
    options.limits.age_max = std::chrono::seconds(seconds);
    CHECK(mistake_in(options) ==
          "a stream of NATS keeps events for at least 20 s (--store-age-max); 0 is no limit");
  }
}

}  // namespace perigee::events
