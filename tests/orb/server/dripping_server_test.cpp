// Hostile servers that send their replies slowly, in small parts. The client's call must end, and
// must free its thread and its connection.
#include "orb/async/observers.h"
#include "orb/server/server_fixture.h"
#include <perigee/orb/stub.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>

using namespace perigee;
using namespace perigee::test;

namespace {

using std::chrono::milliseconds;

constexpr stub::Operation act{"act", stub::Operation::Kind::twoway, {}};

orb::Settings hurried() {
  orb::Settings settings;
  settings.pace_grace = milliseconds(300);
  return settings;
}

Octets padded_reply(std::uint32_t id, std::size_t padding) {
  Octets reply = make_reply(id, 1);
  reply.resize(reply.size() + padding);
  const auto size = static_cast<std::uint32_t>(reply.size() - 12);
  std::memcpy(reply.data() + 8, &size, 4);
  return reply;
}

/// The first message of a reply in fragments. Its size is a multiple of eight, as GIOP 1.2 demands.
Octets first_fragment(std::uint32_t id) {
  Octets reply = padded_reply(id, 4);
  reply[6] |= std::byte{2};
  return reply;
}
/// A fragment that another fragment follows.
Octets next_fragment(std::uint32_t id) {
  Writer writer(std::endian::native);
  begin_message(writer, 2, std::endian::native, 7);
  writer.ulong(id).ulong(0).ulong(0);
  Octets fragment = finish(writer, std::endian::native);
  fragment[6] |= std::byte{2};
  return fragment;
}

/// A server that receives one request. It sends its reply in small parts, slowly, until the client
/// has closed the connection.
class Dripper {
 public:
  enum class Unit : std::uint8_t { octet, fragment };

  explicit Dripper(Unit unit) : unit_(unit), thread_([this] { run(); }) {}
  ~Dripper() { thread_.join(); }
  Dripper(const Dripper&) = delete;
  Dripper& operator=(const Dripper&) = delete;

  [[nodiscard]] std::string reference() const { return server_.reference(); }

 private:
  void run() {
    RawClient client = server_.accept();
    const std::uint32_t id = RawReply(client.receive()).ulong(12);
    if (unit_ == Unit::octet) return drip_octets(client, padded_reply(id, 100'000));
    for (Octets next = first_fragment(id); client.try_send(next); next = next_fragment(id))
      std::this_thread::sleep_for(milliseconds(60));
  }

  static void drip_octets(RawClient& client, const Octets& reply) {
    for (std::size_t place = 0; place < reply.size(); ++place) {
      if (!client.try_send(OctetSpan(reply).subspan(place, 1))) return;
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

  const Unit unit_;
  RawServer server_;
  std::thread thread_;
};

Dripper::Unit each_unit() {
  Dripper::Unit unit = Dripper::Unit::octet;
  SUBCASE("octets") {}
  SUBCASE("fragments") { unit = Dripper::Unit::fragment; }
  return unit;
}

}  // namespace

TEST_CASE("a call ends with COMM_FAILURE if its reply arrives too slowly") {
  const Dripper server(each_unit());
  const TestOrb client(TestParts{.settings = hurried()});
  const auto object = client.core().string_to_object(server.reference());
  try {
    stub::invoke(*object, act, nullptr, [](cdr::Decoder&) {});
    FAIL("the call has ended without an exception");
  } catch (const CORBA::COMM_FAILURE& failure) {
    CHECK(failure.completed() == CORBA::COMPLETED_MAYBE);
  }
  CHECK(client.core().evictions() == 1);
}

TEST_CASE("an asynchronous call ends with COMM_FAILURE if its reply arrives too slowly") {
  const Dripper server(each_unit());
  const TestOrb client(TestParts{.settings = hurried()});
  const auto object = client.core().string_to_object(server.reference());
  Observed observed;
  stub::send(*object, act, {}, observed).wait();
  CHECK(observed.text().find("COMM_FAILURE") != std::string::npos);
  CHECK(client.core().evictions() == 1);
}

TEST_CASE("a call out of an upcall ends if its reply arrives too slowly") {
  const Dripper dripper(each_unit());
  orb::Settings settings = server_settings(each_strategy());
  settings.pace_grace = milliseconds(300);
  CORBA::object_reference<CORBA::Object> target;
  std::atomic<int> ended{0};
  ServerFixture server(settings, [&](orb::ServerRequest& request) {
    try {
      stub::invoke(*target, act, nullptr, [](cdr::Decoder&) {});
    } catch (const CORBA::COMM_FAILURE&) {
      ++ended;
    }
    add_one(request);
  });
  target = server.orb.core().string_to_object(dripper.reference());
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == 2);
  CHECK(ended == 1);
  target.reset();
}
