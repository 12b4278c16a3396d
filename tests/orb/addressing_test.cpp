// Servers that need another addressing mode of the target. CORBA 3.0, 15.4.2.2 and 15.4.3.1.
#include "orb/fixture.h"
#include "orb/references/reference.h"

#include <doctest/doctest.h>

namespace perigee::test {

using messaging::AddressingMode;

namespace {

AddressingMode mode_of(const IncomingMessage& message) {
  cdr::Decoder decoder(message.octets, message.order, message.header_size);
  (void)decoder.read<std::uint32_t>();  // request id
  (void)decoder.read<std::uint32_t>();  // response flags, reserved
  return static_cast<AddressingMode>(decoder.read<std::int16_t>());
}

/// Replies 5 if the request has the addressing mode `wanted`, else asks for that mode.
OnMessage wanting(AddressingMode wanted, int& asked) {
  return [wanted, &asked](ScriptedTransport& transport, const IncomingMessage& message) {
    if (mode_of(message) == wanted) return reply_with_long(5)(transport, message);
    ++asked;
    send_reply(transport, message, ReplyStatus::needs_addressing_mode,
               [&](cdr::Encoder& encoder) { encoder.write(static_cast<std::int16_t>(wanted)); });
  };
}

}  // namespace

TEST_CASE("a request is sent again in the addressing mode that the server asks for") {
  for (const auto mode : {AddressingMode::profile, AddressingMode::reference}) {
    Fixture fixture;
    int asked = 0;
    fixture.peer("a", wanting(mode, asked));
    const auto object = fixture.object({"a"});
    CHECK(echo(object) == 5);
    CHECK(echo(object) == 5);
    CHECK(asked == 1);  // the client remembers the mode
  }
}

TEST_CASE("a call fails if the server keeps asking for another addressing mode") {
  Fixture fixture;
  auto asked = std::make_shared<int>(0);
  fixture.peer("a", [=](ScriptedTransport& transport, const IncomingMessage& message) {
    const auto other = static_cast<std::int16_t>(1 + ++*asked % 2);
    send_reply(transport, message, ReplyStatus::needs_addressing_mode,
               [&](cdr::Encoder& encoder) { encoder.write(other); });
  });
  CHECK(caught<CORBA::NO_IMPLEMENT>([&] { ping(fixture.object({"a"})); }).completed() ==
        CORBA::COMPLETED_NO);
  CHECK(*asked == 3);
}

TEST_CASE("an addressing mode that does not exist is not tried") {
  Fixture fixture;
  fixture.peer("a", reply_with(ReplyStatus::needs_addressing_mode,
                               [](cdr::Encoder& encoder) { encoder.write(std::int16_t{7}); }));
  CHECK_THROWS_AS(ping(fixture.object({"a"})), CORBA::NO_IMPLEMENT);
}

}  // namespace perigee::test
