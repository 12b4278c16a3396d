// Golden octets of every message type, in all versions and both byte orders, for encoding and
// parsing. Source: CORBA 3.0, 15.4; interop facts 1 to 6, 13, 14 of docs/interop.md.
#include "giop/wire.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

// clang-format off: one line a field or a group of fields, with its meaning beside it.
namespace perigee::giop::test {
namespace {

using messaging::Body;
using messaging::LocateStatus;
using messaging::ReplyStatus;
using messaging::ResponseFlags;
using messaging::Version;

const Octets key = octets_from("obj7");
const Octets context_data = octets_from("\x01" "ab");
const std::vector<iop::ServiceContext> one_context = {{0x11, context_data}};

template <typename Check>
void in_both_orders(Check check) {
  for (const std::endian order : both_orders) {
    CAPTURE(order == std::endian::little);
    check(order);
  }
}

/// A request "add" to "obj7" with id 5, one service context, and a body of a two-octet sequence.
Octets encoded_request(Version version, std::endian order, ResponseFlags response) {
  return encoded(order, [&](cdr::Encoder& encoder) {
    giop->begin_request(encoder, version, {5, response, key, "add", one_context, {}},
                        Body::present);
    encoder.write(std::uint32_t{2});
    encoder.write_octets(octets_from("hi"));
    giop->finish(encoder);
    CHECK(encoder.ok());
  });
}

Octets encoded_reply(Version version, std::endian order, ReplyStatus status) {
  return encoded(order, [&](cdr::Encoder& encoder) {
    giop->begin_reply(encoder, version, {5, status, one_context}, Body::present);
    encoder.write(std::uint32_t{0x01020304});
    giop->finish(encoder);
  });
}

void check_request(const Octets& octets, ResponseFlags response) {
  messaging::ContextStorage contexts;
  const messaging::IncomingMessage message = incoming(octets);
  auto parsed = giop->parse_request(message, contexts);
  REQUIRE(parsed);
  CHECK(parsed->header.request_id == 5);
  CHECK(parsed->header.response == response);
  CHECK(text_from(parsed->header.object_key) == "obj7");
  CHECK(parsed->header.addressing == messaging::AddressingMode::key);
  CHECK(parsed->header.operation == "add");
  REQUIRE(parsed->header.contexts.size() == 1);
  CHECK(parsed->header.contexts[0].id == 0x11);
  CHECK(hex(parsed->header.contexts[0].data) == hex(context_data));
  CHECK(text_from(parsed->body.read_octet_sequence()) == "hi");
  CHECK(parsed->body.ok());
  CHECK(parsed->body.remaining() == 0);
}

void check_reply(const Octets& octets, ReplyStatus status) {
  messaging::ContextStorage contexts;
  const messaging::IncomingMessage message = incoming(octets);
  auto parsed = giop->parse_reply(message, contexts);
  REQUIRE(parsed);
  CHECK(parsed->header.request_id == 5);
  CHECK(parsed->header.status == status);
  REQUIRE(parsed->header.contexts.size() == 1);
  CHECK(hex(parsed->header.contexts[0].data) == hex(context_data));
  CHECK(parsed->body.read<std::uint32_t>() == 0x01020304);
  CHECK(parsed->body.remaining() == 0);
}

TEST_CASE("a request of 1.0 has its contexts first, a boolean and an empty principal") {
  in_both_orders([](std::endian order) {
    const Wire wire = Wire(order)
                          .frame({1, 0}, 0, 50)
                          .ulong(1)                     // one service context
                          .ulong(0x11)                  // its id
                          .ulong(3).octet(1).text("ab")  // its data
                          .zeros(1)                     // padding
                          .ulong(5)                     // request id
                          .octet(1)                     // response_expected
                          .zeros(3)                     // padding
                          .ulong(4).text("obj7")        // object key
                          .ulong(4).text("add").octet(0)  // operation
                          .ulong(0)                     // requesting_principal
                          .ulong(2).text("hi");         // body: not aligned to 8
    const Octets octets = encoded_request({1, 0}, order, ResponseFlags::with_target);
    CHECK(hex(octets) == hex(wire.get()));
    check_request(octets, ResponseFlags::with_target);
  });
}

TEST_CASE("a request of 1.1 differs in three reserved octets; without response its boolean is 0") {
  in_both_orders([](std::endian order) {
    const Wire wire = Wire(order)
                          .frame({1, 1}, 0, 50)
                          .ulong(1).ulong(0x11).ulong(3).octet(1).text("ab").zeros(1)  // contexts
                          .ulong(5)                       // request id
                          .octet(0)                       // response_expected
                          .zeros(3)                       // reserved
                          .ulong(4).text("obj7")          // object key
                          .ulong(4).text("add").octet(0)  // operation
                          .ulong(0)                       // requesting_principal
                          .ulong(2).text("hi");           // body
    const Octets octets = encoded_request({1, 1}, order, ResponseFlags::none);
    CHECK(hex(octets) == hex(wire.get()));
    check_request(octets, ResponseFlags::none);
  });
}

TEST_CASE("a request of 1.2 has its target by key, its contexts last, and its body aligned to 8") {
  in_both_orders([](std::endian order) {
    const Wire wire = Wire(order)
                          .frame({1, 2}, 0, 50)
                          .ulong(5)                       // request id
                          .octet(3)                       // response_flags: with target
                          .zeros(3)                       // reserved
                          .ushort(0).zeros(2)             // KeyAddr, padding
                          .ulong(4).text("obj7")          // object key
                          .ulong(4).text("add").octet(0)  // operation
                          .ulong(1)                       // one service context
                          .ulong(0x11)                    // its id
                          .ulong(3).octet(1).text("ab")   // its data
                          .zeros(1)                       // padding to octet 56
                          .ulong(2).text("hi");           // body
    const Octets octets = encoded_request({1, 2}, order, ResponseFlags::with_target);
    CHECK(hex(octets) == hex(wire.get()));
    check_request(octets, ResponseFlags::with_target);
  });
}

TEST_CASE("the body of a 1.2 request begins at a multiple of 8 after keys and operations of any size") {
  for (std::size_t key_size = 0; key_size < 9; ++key_size)
    for (std::size_t operation_size = 1; operation_size < 9; ++operation_size) {
      const Octets any_key = pattern(key_size);
      const std::string operation(operation_size, 'x');
      const Octets octets = encoded(std::endian::big, [&](cdr::Encoder& encoder) {
        giop->begin_request(encoder, {1, 2}, {.object_key = any_key, .operation = operation},
                            Body::present);
        CHECK(encoder.position() % 8 == 0);
        encoder.write(std::uint8_t{9});
        giop->finish(encoder);
      });
      messaging::ContextStorage contexts;
      const messaging::IncomingMessage message = incoming(octets);
      auto parsed = giop->parse_request(message, contexts);
      REQUIRE(parsed);
      CHECK(parsed->header.operation == operation);
      CHECK(hex(parsed->header.object_key) == hex(any_key));
      CHECK(parsed->body.read<std::uint8_t>() == 9);
    }
}

TEST_CASE("response flags of 1.2 say when the server replies") {
  struct Row {
    ResponseFlags flags;
    unsigned octet;
  };
  for (const Row row : {Row{ResponseFlags::none, 0}, Row{ResponseFlags::with_server, 1},
                        Row{ResponseFlags::with_target, 3}}) {
    const Octets octets = encoded_request({1, 2}, std::endian::little, row.flags);
    CHECK(std::to_integer<unsigned>(octets[16]) == row.octet);
    check_request(octets, row.flags);
  }
}

TEST_CASE("response flags 2 are an error, and the six high bits have no meaning") {
  Octets octets = encoded_request({1, 2}, std::endian::little, ResponseFlags::with_target);
  octets[16] = std::byte{0xfd};
  check_request(octets, ResponseFlags::with_server);
  octets[16] = std::byte{2};
  messaging::ContextStorage contexts;
  CHECK(giop->parse_request(incoming(octets), contexts).error() ==
        messaging::FramingError::bad_header);
}

TEST_CASE("any response_expected but 0 is true in 1.0 and 1.1") {
  Octets octets = encoded_request({1, 0}, std::endian::big, ResponseFlags::with_server);
  check_request(octets, ResponseFlags::with_target);
  octets[12 + 20] = std::byte{0xff};
  check_request(octets, ResponseFlags::with_target);
}

TEST_CASE("the principal of a 1.0 request does not belong to the body, and is written again") {
  const Wire wire = Wire()
                        .frame({1, 0}, 0, 36)
                        .ulong(0)                     // no contexts
                        .ulong(5)                     // request id
                        .octet(1).zeros(3)            // response_expected
                        .ulong(1).text("k").zeros(3)  // object key
                        .ulong(2).text("f").octet(0)  // operation
                        .zeros(2)
                        .ulong(3).text("me!")         // requesting_principal
                        .text("b");                   // body
  messaging::ContextStorage contexts;
  const messaging::IncomingMessage message = incoming(wire);
  auto parsed = giop->parse_request(message, contexts);
  REQUIRE(parsed);
  CHECK(parsed->header.operation == "f");
  CHECK(text_from(parsed->header.principal) == "me!");
  CHECK(text_from(parsed->body.read_octets(1)) == "b");
  CHECK(parsed->body.remaining() == 0);
  const Octets written = encoded(std::endian::little, [&](cdr::Encoder& encoder) {
    giop->begin_request(encoder, {1, 0}, parsed->header, Body::present);
    encoder.write_octets(octets_of("b"));
    giop->finish(encoder);
  });
  CHECK(hex(written) == hex(wire.get()));
}

TEST_CASE("a reply of 1.0 and 1.1 has its contexts first and an unaligned body") {
  for (const Version version : {Version{1, 0}, Version{1, 1}})
    in_both_orders([&](std::endian order) {
      const Wire wire = Wire(order)
                            .frame(version, 1, 28)
                            .ulong(1).ulong(0x11).ulong(3).octet(1).text("ab").zeros(1)  // contexts
                            .ulong(5)            // request id
                            .ulong(1)            // USER_EXCEPTION
                            .ulong(0x01020304);  // body, at octet 36
      const Octets octets = encoded_reply(version, order, ReplyStatus::user_exception);
      CHECK(hex(octets) == hex(wire.get()));
      check_reply(octets, ReplyStatus::user_exception);
    });
}

TEST_CASE("a reply of 1.2 has its contexts last and its body aligned to 8") {
  in_both_orders([](std::endian order) {
    const Wire wire = Wire(order)
                          .frame({1, 2}, 1, 32)
                          .ulong(5)                                           // request id
                          .ulong(3)                                           // LOCATION_FORWARD
                          .ulong(1).ulong(0x11).ulong(3).octet(1).text("ab")  // contexts
                          .zeros(5)                                           // padding to 40
                          .ulong(0x01020304);                                 // body (fact 6)
    const Octets octets = encoded_reply({1, 2}, order, ReplyStatus::location_forward);
    CHECK(hex(octets) == hex(wire.get()));
    check_reply(octets, ReplyStatus::location_forward);
  });
}

// Interop fact 4 of docs/interop.md.
TEST_CASE("a message of 1.2 with an empty body gets no padding") {
  in_both_orders([](std::endian order) {
    const Octets request = encoded(order, [](cdr::Encoder& encoder) {
      giop->begin_request(encoder, {1, 2}, {.request_id = 6, .object_key = key, .operation = "go"},
                          Body::empty);
      giop->finish(encoder);
    });
    CHECK(hex(request) == hex(Wire(order)
                                  .frame({1, 2}, 0, 32)
                                  .ulong(6).octet(3).zeros(3)   // id, response flags
                                  .ushort(0).zeros(2)           // KeyAddr
                                  .ulong(4).text("obj7")        // object key
                                  .ulong(3).text("go").zeros(2)  // operation, padding
                                  .ulong(0)                     // no contexts
                                  .get()));
    const Octets reply = encoded(order, [](cdr::Encoder& encoder) {
      giop->begin_reply(encoder, {1, 2}, {6, ReplyStatus::no_exception, one_context}, Body::empty);
      giop->finish(encoder);
    });
    CHECK(reply.size() == 12 + 4 + 4 + 4 + 4 + 4 + 3);
  });
}

// Interop fact 4 of docs/interop.md.
TEST_CASE("padding for an empty body is accepted, even too little of it") {
  for (const std::size_t padding : {0u, 1u, 3u, 5u}) {
    const Wire wire = Wire()
                          .frame({1, 2}, 1, static_cast<std::uint32_t>(23 + padding))
                          .ulong(6).ulong(0)                                  // id, NO_EXCEPTION
                          .ulong(1).ulong(0x11).ulong(3).octet(1).text("ab")  // ends at octet 35
                          .zeros(padding);
    messaging::ContextStorage contexts;
    const messaging::IncomingMessage message = incoming(wire);
    const auto parsed = giop->parse_reply(message, contexts);
    REQUIRE(parsed);
    CHECK(parsed->body.ok());
    CHECK(parsed->body.remaining() == 0);
  }
}

TEST_CASE("reply statuses have the numbers of the specification in each version") {
  const auto status_of = [](Version version, ReplyStatus status) {
    const Octets octets = encoded(std::endian::little, [&](cdr::Encoder& encoder) {
      giop->begin_reply(encoder, version, {1, status, {}}, Body::empty);
      giop->finish(encoder);
    });
    return std::to_integer<unsigned>(octets[version.minor < 2 ? 20 : 16]);
  };
  CHECK(status_of({1, 2}, ReplyStatus::location_forward_perm) == 4);
  CHECK(status_of({1, 2}, ReplyStatus::needs_addressing_mode) == 5);
  CHECK(status_of({1, 1}, ReplyStatus::system_exception) == 2);
  CHECK(status_of({1, 1}, ReplyStatus::location_forward_perm) == 3);
  CHECK(status_of({1, 0}, ReplyStatus::location_forward_perm) == 3);
}

TEST_CASE("a status that a version does not have is an error of the encoder") {
  for (const Version version : {Version{1, 0}, Version{1, 1}}) {
    cdr::Buffer buffer;
    cdr::Encoder reply(buffer);
    giop->begin_reply(reply, version, {1, ReplyStatus::needs_addressing_mode, {}}, Body::present);
    CHECK(reply.error().kind == cdr::ErrorKind::not_in_version);
    buffer.clear();
    cdr::Encoder locate(buffer);
    giop->begin_locate_reply(locate, version, {1, LocateStatus::system_exception});
    CHECK(locate.error().kind == cdr::ErrorKind::not_in_version);
  }
}

TEST_CASE("a status that the version does not have is a bad header") {
  messaging::ContextStorage contexts;
  const auto reply = [&](Version version, std::uint32_t status) {
    Wire wire = version.minor < 2 ? Wire().frame(version, 1, 12).ulong(0).ulong(1).ulong(status)
                                  : Wire().frame(version, 1, 12).ulong(1).ulong(status).ulong(0);
    return giop->parse_reply(incoming(wire), contexts).has_value();
  };
  const auto locate = [&](Version version, std::uint32_t status) {
    const Wire wire = Wire().frame(version, 4, 8).ulong(1).ulong(status);
    return giop->parse_locate_reply(incoming(wire)).has_value();
  };
  for (const Version version : all_versions) {
    const std::uint32_t replies = version.minor < 2 ? 4 : 6;
    CHECK(reply(version, replies - 1));
    CHECK_FALSE(reply(version, replies));
    const std::uint32_t locates = version.minor < 2 ? 3 : 6;
    CHECK(locate(version, locates - 1));
    CHECK_FALSE(locate(version, locates));
  }
}

TEST_CASE("a cancel request is its request id, in all versions") {
  for (const Version version : all_versions)
    in_both_orders([&](std::endian order) {
      const Octets octets = encoded(order, [&](cdr::Encoder& encoder) {
        giop->encode_cancel_request(encoder, version, 0x0a0b0c0d);
      });
      CHECK(hex(octets) == hex(Wire(order).frame(version, 2, 4).ulong(0x0a0b0c0d).get()));
      CHECK(giop->parse_cancel_request(incoming(octets)) == 0x0a0b0c0du);
    });
}

TEST_CASE("a locate request is an id and a key; 1.2 puts the kind of target between") {
  for (const Version version : all_versions)
    in_both_orders([&](std::endian order) {
      const Octets octets = encoded(order, [&](cdr::Encoder& encoder) {
        giop->encode_locate_request(encoder, version, {.request_id = 8, .object_key = key});
      });
      Wire wire(order);
      if (version.minor < 2) {
        wire.frame(version, 3, 12).ulong(8);
      } else {
        wire.frame(version, 3, 16).ulong(8).ushort(0).zeros(2);  // KeyAddr
      }
      wire.ulong(4).text("obj7");
      CHECK(hex(octets) == hex(wire.get()));
      const messaging::IncomingMessage message = incoming(octets);
      const auto header = giop->parse_locate_request(message);
      REQUIRE(header);
      CHECK(header->request_id == 8);
      CHECK(text_from(header->object_key) == "obj7");
    });
}

// Interop fact 5 of docs/interop.md.
TEST_CASE("the body of a locate reply follows its header directly, in 1.2 too") {
  for (const Version version : all_versions)
    in_both_orders([&](std::endian order) {
      const Octets octets = encoded(order, [&](cdr::Encoder& encoder) {
        giop->begin_locate_reply(encoder, version, {8, LocateStatus::object_forward});
        CHECK(encoder.position() == 20);
        encoder.write(std::uint32_t{77});
        giop->finish(encoder);
      });
      CHECK(hex(octets) == hex(Wire(order)
                                   .frame(version, 4, 12)
                                   .ulong(8)    // request id
                                   .ulong(2)    // OBJECT_FORWARD
                                   .ulong(77)   // body
                                   .get()));
      const messaging::IncomingMessage message = incoming(octets);
      auto parsed = giop->parse_locate_reply(message);
      REQUIRE(parsed);
      CHECK(parsed->header.status == LocateStatus::object_forward);
      CHECK(parsed->body.read<std::uint32_t>() == 77);
    });
}

TEST_CASE("a permanent forward of a locate reply is sent as a plain forward before 1.2") {
  const auto status_of = [](Version version) {
    return std::to_integer<unsigned>(encoded(std::endian::little, [&](cdr::Encoder& encoder) {
      giop->begin_locate_reply(encoder, version, {8, LocateStatus::object_forward_perm});
      giop->finish(encoder);
    })[16]);
  };
  CHECK(status_of({1, 0}) == 2);
  CHECK(status_of({1, 1}) == 2);
  CHECK(status_of({1, 2}) == 3);
}

TEST_CASE("CloseConnection and MessageError are bare headers of twelve octets") {
  for (const Version version : all_versions)
    in_both_orders([&](std::endian order) {
      CHECK(hex(encoded(order, [&](cdr::Encoder& encoder) {
              giop->encode_close_connection(encoder, version);
            })) == hex(Wire(order).frame(version, 5, 0).get()));
      CHECK(hex(encoded(order, [&](cdr::Encoder& encoder) {
              giop->encode_message_error(encoder, version);
            })) == hex(Wire(order).frame(version, 6, 0).get()));
    });
}

TEST_CASE("an operation with a NUL inside is an error of the encoder") {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  giop->begin_request(encoder, {1, 2}, {.operation = std::string_view("a\0b", 3)}, Body::empty);
  CHECK(encoder.error().kind == cdr::ErrorKind::bad_string);
}

TEST_CASE("a message above the size limit is an error of the encoder when it is finished") {
  const auto small = open_giop({.message_size_max = 64});
  const auto ok_with = [&](std::size_t body_size) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    small->begin_reply(encoder, {1, 2}, {1, ReplyStatus::no_exception, {}}, Body::present);
    encoder.write_octets(pattern(body_size));
    small->finish(encoder);
    return encoder.ok();
  };
  CHECK(ok_with(64 - 24));
  CHECK_FALSE(ok_with(64 - 23));
}

}  // namespace
}  // namespace perigee::giop::test
