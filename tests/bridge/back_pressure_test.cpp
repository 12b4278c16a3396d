// Back-pressure: a target that does not read, and clients that keep sending.
#include "bridge/bridged.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace perigee;
using namespace perigee::test;

TEST_CASE("the bridge does not read from a client while the target reads nothing") {
  constexpr std::uint32_t count = 4'000;
  Bridged ends;
  RawClient client = ends.connect();
  const Octets padding(10'000, std::byte{'x'});
  std::atomic<std::uint32_t> sent{0};
  std::thread sender([&] {
    for (std::uint32_t number = 0; number < count; ++number) {
      client.send(make_request({.key = key_k,
                                .id = number,
                                .response_flags = 0,
                                .argument = number,
                                .context_id = 77,
                                .context = padding}));
      sent.fetch_add(1);
    }
  });
  RawClient target = ends.target.accept();
  // Wait until the client has sent nothing for a while. Most of its octets are then in the socket
  // buffers; the bridge holds only a few.
  for (std::uint32_t before = count + 1; before != sent.load();) {
    before = sent.load();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  CHECK(sent.load() < count);
  for (std::uint32_t number = 0; number < count; ++number) {
    const RawReply request(target.receive());
    REQUIRE(request.ulong(request.message.size() - 4) == number);
  }
  sender.join();
}

TEST_CASE("requests that come before the connection to the target wait, and keep their order") {
  Bridged ends;
  RawClient client = ends.connect();
  Octets batch;
  for (std::uint32_t number = 0; number < 50; ++number)
    batch = std::move(batch) + make_request({.key = key_k, .id = number, .argument = number});
  client.send(batch);
  RawClient target = ends.target.accept();
  for (std::uint32_t number = 0; number < 50; ++number) {
    const RawReply request(target.receive());
    CHECK(request.ulong(request.message.size() - 4) == number);
    target.send(make_reply(request.ulong(12), number));
  }
  for (std::uint32_t number = 0; number < 50; ++number) {
    const RawReply reply = client.reply();
    CHECK(reply.id() == number);
    CHECK(reply.result() == number);
  }
}
