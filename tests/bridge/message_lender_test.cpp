// The choice between sharing a received message and copying a part of it.
#include "bridge/message_lender.h"

#include <doctest/doctest.h>

using namespace perigee;
using bridge::MessageLender;

namespace {

constexpr std::size_t message_size = 64 * 1024;

messaging::IncomingMessage stored_message() {
  messaging::IncomingMessage message;
  REQUIRE(message.storage.reserve({0, message_size, message_size, true}, nullptr));
  message.octets = {message.storage.data(), message_size};
  return message;
}

}  // namespace

TEST_CASE("the bridge shares the memory of a message only for a large part of the message") {
  messaging::IncomingMessage message = stored_message();
  const OctetSpan whole = message.octets;
  const MessageLender lender(message);
  CHECK(lender.lends(whole));
  CHECK(lender.lends(whole.first(message_size / 4)));
  CHECK(lender.lends(whole.last(message_size / 4)));
  CHECK_FALSE(lender.lends(whole.first(message_size / 8)));
  CHECK_FALSE(lender.lends(whole.last(message_size / 8)));
}

TEST_CASE("the bridge does not share octets outside of the memory of a message") {
  messaging::IncomingMessage message = stored_message();
  messaging::IncomingMessage other = stored_message();
  const MessageLender lender(message);
  CHECK_FALSE(lender.lends(other.octets));
  messaging::IncomingMessage small;
  small.octets = other.octets;
  CHECK_FALSE(MessageLender(small).lends(small.octets));
}
