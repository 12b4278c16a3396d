// A client whose server lies: each call ends with an answer or an exception, and costs little. This
// file also sets the memory limit of all tests of this program.
#include "faults/hostile_messages.h"
#include "faults/process_limits.h"
#include "orb/fixture.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::test {
namespace {

/// Set before any test runs: the limit holds for the whole program.
const bool limited = [] {
  limit_address_space(std::size_t{1} << 30);
  return true;
}();

/// A reply of GIOP 1.2 to the request, with a long.
Octets make_reply(const IncomingMessage& request) {
  Octets reply = octets('G', 'I', 'O', 'P', 1, 2, 1, 1, 16, 0, 0, 0,  // header: a Reply
                        0, 0, 0, 0,                                   // request id
                        0, 0, 0, 0,                                   // NO_EXCEPTION
                        0, 0, 0, 0,                                   // no contexts
                        7, 0, 0, 0);                                  // result
  std::copy_n(request.octets.begin() + 12, 4, reply.begin() + 12);
  return reply;
}

/// Answers with `octets`, and closes.
OnMessage deliver_and_close(const std::function<Octets(const IncomingMessage&)>& octets) {
  return [octets](ScriptedTransport& transport, const IncomingMessage& message) {
    transport.deliver(octets(message));
    transport.end_of_stream();
  };
}

/// Calls the peer: true if the call has a result, false for a system exception.
bool answered_by(const OnMessage& peer) {
  Fixture fixture;
  fixture.peer("peer", peer);
  try {
    (void)echo(fixture.object({"peer"}));
    return true;
  } catch (const CORBA::SystemException& exception) {
    CHECK(exception.completed() != CORBA::COMPLETED_NO);
    return false;
  }
}

TEST_CASE("a reply with a lie in any field is an answer or an exception, and costs little") {
  const MemoryWatch memory;
  int answers = 0;
  for (std::size_t field = 0; field + 4 <= 28; ++field)
    for (const std::uint32_t lie : {0xffffffffU, 0x7fffffffU, 0x80000000U, 0x03ffff00U, 0U}) {
      if (field > 12 && field < 20 && lie == 0) continue;  // NO_EXCEPTION, or a true id
      answers += answered_by(deliver_and_close([=](const IncomingMessage& request) {
        Octets reply = make_reply(request);
        Writer value(std::endian::little);
        value.ulong(lie);
        std::copy_n(value.octets().begin(), 4, reply.begin() + static_cast<std::ptrdiff_t>(field));
        return reply;
      }));
    }
  CHECK(answers < 28);
  CHECK(memory.grown() < 32u << 20);
}

TEST_CASE("a truncated reply is an exception, and a whole reply is an answer") {
  for (std::size_t size = 0; size <= 28; ++size)
    CHECK(answered_by(deliver_and_close([size](const IncomingMessage& request) {
            const Octets reply = make_reply(request);
            return Octets(reply.begin(), reply.begin() + static_cast<std::ptrdiff_t>(size));
          })) == (size == 28));
}

TEST_CASE("a flood of replies to unknown requests is dropped, and the call gets its reply") {
  const MemoryWatch memory;
  CHECK(answered_by(deliver_and_close([](const IncomingMessage& request) {
    Octets other = make_reply(request);
    other[15] = std::byte{0x40};  // an id that no request has
    return repeated(100'000, [&](std::uint32_t) { return other; }) + make_reply(request);
  })));
  CHECK(memory.grown() < 64u << 20);
}

TEST_CASE("a flood of fragments in place of a reply is an exception") {
  const MemoryWatch memory;
  CHECK_FALSE(answered_by(deliver_and_close([](const IncomingMessage&) {
    return repeated(1000, [](std::uint32_t id) {
      Octets reply = piece(1000 + id, true, true, Octets(64));
      reply[7] = std::byte{1};  // Reply
      return reply;
    });
  })));
  CHECK(memory.grown() < 32u << 20);
}

TEST_CASE("a Request or CancelRequest from the server does not answer the call") {
  const auto request = [](const IncomingMessage&) { return bare_header(0, 0); };
  const auto cancel = [](const IncomingMessage&) { return make_cancel_request(1); };
  for (const auto& octets : {std::function<Octets(const IncomingMessage&)>(request),
                             std::function<Octets(const IncomingMessage&)>(cancel)})
    CHECK_FALSE(answered_by(deliver_and_close(octets)));
}

TEST_CASE("references that forward to each other end with TRANSIENT") {
  Fixture fixture;
  fixture.peer("self", fixture.forward_to(fixture.ior({"self"})));
  CHECK_THROWS_AS(ping(fixture.object({"self"})), CORBA::TRANSIENT);
  fixture.peer("one", fixture.forward_to(fixture.ior({"other"})));
  fixture.peer("other", fixture.forward_to(fixture.ior({"one"})));
  CHECK_THROWS_AS(ping(fixture.object({"one"})), CORBA::TRANSIENT);
  CHECK(fixture.counts("self").sends <= orb::Settings{}.forward_hops_max + 1);
}

TEST_CASE("a forward to a reference of 2^32-1 profiles raises MARSHAL") {
  Fixture fixture;
  fixture.peer("peer", reply_with(ReplyStatus::location_forward, [](cdr::Encoder& encoder) {
                 encoder.write_string("IDL:Test:1.0");
                 encoder.write(std::uint32_t{0xffffffff});
                 encoder.write(std::uint32_t{0});
               }));
  CHECK_THROWS_AS(ping(fixture.object({"peer"})), CORBA::MARSHAL);
}

TEST_CASE("a forward to ten thousand places tries as many as the limit allows") {
  Fixture fixture;
  iop::Ior many = fixture.ior({"nobody"});
  for (int more = 1; more < 10'000; ++more) many.profiles.push_back(many.profiles.front());
  fixture.peer("peer", fixture.forward_to(many));
  CHECK_THROWS_AS(ping(fixture.object({"peer"})), CORBA::SystemException);
  CHECK(fixture.counts("nobody").connects <= 2 * orb::Settings{}.targets_max);
}

}  // namespace
}  // namespace perigee::test
