// Several callers on one connection: leaders, followers, replies in any order.
#include "orb/fixture.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

orb::Settings one_connection() {
  orb::Settings settings;
  settings.connections_per_endpoint_max = 1;
  settings.first_reply_timeout = {};  // the peers of these tests are slow
  return settings;
}

// A peer that waits until `count` requests are there, and then replies to them in reverse order.
class ReversingPeer {
 public:
  explicit ReversingPeer(std::size_t count) : count_(count) {}

  OnMessage on_message() {
    return [this](ScriptedTransport& transport, const IncomingMessage& message) {
      messaging::ContextStorage contexts;
      auto request = giop_session().parse_request(message, contexts);
      const auto argument = request->body.read<std::int32_t>();
      IncomingMessage copy;
      copy.kind = message.kind;
      copy.version = message.version;
      copy.order = message.order;
      copy.octets = message.octets;
      copy.header_size = message.header_size;
      copy.keep();
      requests_.push_back({std::move(copy), argument});
      if (requests_.size() < count_) return;
      for (; !requests_.empty(); requests_.pop_back())
        send_reply(transport, requests_.back().message, ReplyStatus::no_exception,
                   [&](cdr::Encoder& encoder) { encoder.write(requests_.back().argument); });
    };
  }

 private:
  struct Request {
    IncomingMessage message;
    std::int32_t argument = 0;
  };
  std::size_t count_;
  std::vector<Request> requests_;  // used by the thread that writes
};

}  // namespace

TEST_CASE("callers that share a connection get their own replies, which arrive in any order") {
  constexpr std::int32_t callers = 4;
  constexpr int rounds = 200;
  Fixture fixture(one_connection());
  ReversingPeer peer(callers);
  fixture.peer("peer", peer.on_message());
  const auto object = fixture.object({"peer"});
  std::vector<int> right(callers);
  {
    std::vector<std::jthread> threads;
    for (std::int32_t caller = 0; caller < callers; ++caller)
      threads.emplace_back([&, caller] {
        for (int round = 0; round < rounds; ++round)
          right[static_cast<std::size_t>(caller)] += echo(object, caller) == caller ? 1 : 0;
      });
  }
  CHECK(right == std::vector<int>(callers, rounds));
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("when a shared connection breaks, every caller gets an exception") {
  constexpr int callers = 3;
  Fixture fixture(one_connection());
  int requests = 0;
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage&) {
    if (++requests == callers) transport.end_of_stream();
  });
  const auto object = fixture.object({"peer"});
  std::atomic<int> failures{0};
  {
    std::vector<std::jthread> threads;
    for (int caller = 0; caller < callers; ++caller)
      threads.emplace_back([&] {
        const auto exception = caught<CORBA::COMM_FAILURE>([&] { ping(object); });
        failures += exception.completed() == CORBA::COMPLETED_MAYBE ? 1 : 0;
      });
  }
  CHECK(failures == callers);
}

TEST_CASE("a reply to an unknown request is dropped, and the call goes on") {
  Fixture fixture;
  fixture.peer("peer", [](ScriptedTransport& transport, const IncomingMessage& message) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    giop_session().begin_reply(encoder, {1, 2}, messaging::ReplyHeader{.request_id = 77777},
                               messaging::Body::empty);
    giop_session().finish(encoder);
    transport.deliver(buffer);
    send_reply(transport, message, ReplyStatus::no_exception);
  });
  ping(fixture.object({"peer"}));
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("callers in parallel open connections up to the limit, then share") {
  orb::Settings settings;
  settings.connections_per_endpoint_max = 2;
  settings.first_reply_timeout = {};
  Fixture fixture(settings);
  constexpr std::int32_t callers = 6;
  std::mutex mutex;
  std::condition_variable all_in;
  int waiting = 0;
  const OnMessage answer = reply_with_nothing();
  fixture.peer("peer", answer);
  const auto object = fixture.object({"peer"});
  const auto call = [&] {
    stub::invoke(
        *object, ping_operation,
        [&](cdr::Encoder&) {  // holds a connection until all callers are here
          std::unique_lock lock(mutex);
          ++waiting;
          all_in.notify_all();
          all_in.wait(lock, [&] { return waiting >= callers; });
        },
        nullptr);
  };
  {
    std::vector<std::jthread> threads;
    for (std::int32_t caller = 0; caller < callers; ++caller) threads.emplace_back(call);
  }
  CHECK(fixture.counts("peer").connects == 2);
}

TEST_CASE("threads that call one after the other use one connection") {
  Fixture fixture;
  fixture.peer("peer", reply_with_nothing());
  const auto object = fixture.object({"peer"});
  for (int index = 0; index < 4; ++index) std::jthread([&] { ping(object); }).join();
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("the read role goes to a caller that waits, not to a caller that still sends") {
  Fixture fixture(one_connection());
  std::vector<std::promise<void>> arrived(3);
  std::vector<std::function<void()>> answers(2);
  std::size_t count = 0;
  ScriptedTransport* connection = nullptr;
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    const std::size_t number = count++;
    connection = &transport;
    if (number < 2) {
      auto copy = std::make_shared<IncomingMessage>();
      copy->kind = message.kind;
      copy->version = message.version;
      copy->order = message.order;
      copy->octets = message.octets;
      copy->header_size = message.header_size;
      copy->keep();
      answers[number] = [&transport, copy] {
        send_reply(transport, *copy, ReplyStatus::no_exception);
      };
    } else {  // like a peer that reads on only when its replies have been read
      for (const auto& answer : answers) {
        answer();
        transport.await_read();
      }
      send_reply(transport, message, ReplyStatus::no_exception);
    }
    arrived[number].set_value();
  });
  const auto object = fixture.object({"peer"});
  std::jthread first([&] { ping(object); });
  arrived[0].get_future().wait();
  // Waits until the first caller has left its send. Otherwise it could also send the other
  // requests, and block in this peer's script.
  connection->await_receive();
  std::jthread second([&] { ping(object); });
  arrived[1].get_future().wait();
  ping(object);
  CHECK(fixture.counts("peer").connects == 1);
}

}  // namespace perigee::test
