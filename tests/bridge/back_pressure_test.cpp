// Back-pressure: a target that does not read, and clients that keep sending.
#include "bridge/bridged.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

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

namespace {

constexpr std::size_t large_size = std::size_t{1} << 20;

Octets large_body(std::uint32_t number) {
  return Octets(large_size + number, static_cast<std::byte>(number + 1));
}

Octets large_request(std::uint32_t number) {
  Writer writer(std::endian::native);
  writer.raw(make_request({.key = key_k, .id = number, .order = std::endian::native}));
  writer.align(8).raw(large_body(number));
  return finish(writer, std::endian::native);
}

/// The next message, without the headers of its fragments.
Octets receive_whole(RawClient& peer) {
  constexpr std::size_t fragment_header_size = 16;
  Octets whole = peer.receive();
  const auto has_more = [](const Octets& frame) {
    return (std::to_integer<unsigned>(frame[6]) & 2) != 0;
  };
  for (bool more = has_more(whole); more;) {
    const Octets next = peer.receive();
    REQUIRE(std::to_integer<unsigned>(next[7]) == 7);
    more = has_more(next);
    whole.insert(whole.end(), next.begin() + fragment_header_size, next.end());
  }
  return whole;
}

bool ends_with(const Octets& message, const Octets& body) {
  return message.size() > body.size() &&
         std::equal(body.begin(), body.end(),
                    message.end() - static_cast<std::ptrdiff_t>(body.size()));
}

}  // namespace

TEST_CASE("large requests and replies that have to wait arrive whole and in order") {
  constexpr std::uint32_t count = 6;
  for (const std::uint32_t fragment_size : {128u << 10, 64u << 20}) {
    Bridged ends([fragment_size](bridge::Options& options) {
      options.messages.fragment_size = fragment_size;
    });
    RawClient client = ends.connect();
    std::thread sender([&client] {
      for (std::uint32_t number = 0; number < count; ++number) client.send(large_request(number));
    });
    RawClient target = ends.target.accept();
    std::vector<std::uint32_t> ids;
    for (std::uint32_t number = 0; number < count; ++number) {
      const RawReply request(receive_whole(target));
      CHECK(ends_with(request.message, large_body(number)));
      ids.push_back(request.ulong(12));
    }
    sender.join();
    // The client reads nothing before all replies have been sent.
    for (std::uint32_t number = 0; number < count; ++number)
      target.send(make_reply_with(ids[number], 0, large_body(number)));
    for (std::uint32_t number = 0; number < count; ++number) {
      const RawReply reply(receive_whole(client));
      CHECK(reply.id() == number);
      CHECK(ends_with(reply.message, large_body(number)));
    }
  }
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
