// Malformed valuetypes: they are refused, within the octets, memory and stack of their message.
#include "known_values.h"
#include "support/octets.h"
#include <perigee/cdr/value_format.h>

#include <functional>
#include <string_view>

namespace perigee::test {

namespace {

using cdr::Encoder;
using cdr::ErrorKind;

/// The error of a value that `write` has written, as a Point.
ErrorKind error_of(const std::function<void(Encoder&)>& write) {
  KnownValues known;
  cdr::Buffer buffer;
  Encoder encoder(buffer, little);
  write(encoder);
  const Octets octets = buffer.flatten();
  Ledger::Point::_ref_type point;
  const ErrorKind error = decode_values(known, octets, little, 0, point);
  CHECK((error == ErrorKind::none || error == octets_left || !point));
  return error;
}

void write_tag(Encoder& encoder, std::uint32_t bits) { encoder.write(cdr::value_tag | bits); }

/// The tag of a chunked value of that type, and its id.
void begin_chunked(Encoder& encoder, std::string_view id) {
  write_tag(encoder, cdr::value_with_id | cdr::value_chunked_bit);
  encoder.write_string(id);
}

/// A chunk with the state of a point. The chunk begins at a multiple of four.
void write_point_chunk(Encoder& encoder, std::int32_t size_error = 0) {
  encoder.align(4);
  const std::size_t padding = (encoder.position() + 8) % 8;
  encoder.write(static_cast<std::int32_t>(12 + padding) + size_error);
  encoder << std::int32_t{5} << 1.5;
}

void write_end(Encoder& encoder, std::int32_t level) { encoder.write(-level); }

}  // namespace

TEST_CASE("a chunked value is accepted in one chunk and in several") {
  CHECK(error_of([](Encoder& encoder) {
          begin_chunked(encoder, Ledger::Point::_type_id);
          write_point_chunk(encoder);
          write_end(encoder, 1);
        }) == ErrorKind::none);
  CHECK(error_of([](Encoder& encoder) {
          begin_chunked(encoder, Ledger::Point::_type_id);
          encoder.write(std::int32_t{4});
          encoder << std::int32_t{5};
          const std::size_t padding = (encoder.position() + 4) % 8;
          encoder.write(static_cast<std::int32_t>(8 + padding));
          encoder << 1.5;
          write_end(encoder, 1);
        }) == ErrorKind::none);
}

TEST_CASE("chunks with false lengths are refused") {
  const auto with_size_error = [](std::int32_t size_error) {
    return error_of([size_error](Encoder& encoder) {
      begin_chunked(encoder, Ledger::Point::_type_id);
      write_point_chunk(encoder, size_error);
      write_end(encoder, 1);
      encoder << std::uint64_t{0};
    });
  };
  CHECK(with_size_error(0) == octets_left);
  CHECK(with_size_error(-12) != ErrorKind::none);
  CHECK(with_size_error(-1) != ErrorKind::none);
  CHECK(with_size_error(4) != ErrorKind::none);
  CHECK(with_size_error(1'000'000) == ErrorKind::bad_length);
  CHECK(with_size_error(0x7f000000) != ErrorKind::none);
}

TEST_CASE("values that do not end, or end wrongly, are refused") {
  CHECK(error_of([](Encoder& encoder) {
          begin_chunked(encoder, Ledger::Point::_type_id);
          write_point_chunk(encoder);
        }) == ErrorKind::truncated);
  for (const std::int32_t level : {0, 2, 1000, -5}) {
    CAPTURE(level);
    CHECK(error_of([level](Encoder& encoder) {
            begin_chunked(encoder, Ledger::Point::_type_id);
            write_point_chunk(encoder);
            write_end(encoder, level);
          }) != ErrorKind::none);
  }
  CHECK(error_of([](Encoder& encoder) {  // more state than the type has
          begin_chunked(encoder, Ledger::Point::_type_id);
          write_point_chunk(encoder);
          write_point_chunk(encoder);
          write_end(encoder, 1);
        }) == ErrorKind::bad_value);
  CHECK(error_of([](Encoder& encoder) {  // the end tag where state is missing
          begin_chunked(encoder, Ledger::Point::_type_id);
          write_end(encoder, 1);
          encoder << std::uint64_t{0} << std::uint64_t{0};
        }) == ErrorKind::bad_value);
}

TEST_CASE("unknown tags are refused") {
  for (const std::uint32_t tag :
       {1u, 0x7ffffeffu, 0x7fffff04u, 0x7fffff10u, 0x7fffffffu, 0x80000000u, 0xfffffffeu}) {
    CAPTURE(tag);
    CHECK(error_of([tag](Encoder& encoder) {
            encoder.write(tag);
            encoder.write_string(Ledger::Point::_type_id);
            encoder << std::int32_t{5} << 1.5;
          }) != ErrorKind::none);
  }
}

TEST_CASE("indirections that do not lead to an earlier value are refused") {
  for (const std::int32_t distance : {0, 4, -4, -8, -5, 100, -1000, 0x7fffffff, -0x7fffffff - 1}) {
    CAPTURE(distance);
    CHECK(error_of([distance](Encoder& encoder) {
            encoder.write(cdr::value_indirection_tag);
            encoder.write(distance);
          }) == ErrorKind::bad_value);
  }
  KnownValues known;
  cdr::Buffer buffer;
  Encoder encoder(buffer, little);
  begin_chunked(encoder, Ledger::Point::_type_id);
  const std::size_t chunk = encoder.position();
  write_point_chunk(encoder);
  write_end(encoder, 1);
  encoder.write(cdr::value_indirection_tag);  // into the chunk
  encoder.write(static_cast<std::int32_t>(chunk + 4 - encoder.position()));
  const Octets octets = buffer.flatten();
  Ledger::Point::_ref_type first;
  Ledger::Point::_ref_type second;
  CHECK(decode_values(known, octets, little, 0, first, second) == ErrorKind::bad_value);
}

/// Two points with code base URLs. The second URL is an indirection to the place that `target`
/// gives for the places of the first value's tag, URL and id.
Octets points_with_urls(
    const std::function<std::size_t(std::size_t tag, std::size_t url, std::size_t id)>& target) {
  cdr::Buffer buffer;
  Encoder encoder(buffer, little);
  constexpr std::uint32_t bits = cdr::value_codebase_bit | cdr::value_with_id;
  write_tag(encoder, bits);
  const std::size_t url = encoder.position();
  encoder.write_string("http://127.0.0.1/classes");
  encoder.align(4);
  const std::size_t id = encoder.position();
  encoder.write_string(Ledger::Point::_type_id);
  encoder << std::int32_t{5} << 1.5;
  write_tag(encoder, bits);
  encoder.write(cdr::value_indirection_tag);
  encoder.write(static_cast<std::int32_t>(target(0, url, id) - encoder.position()));
  encoder.write_string(Ledger::Point::_type_id);
  encoder << std::int32_t{6} << 2.5;
  return buffer.flatten();
}

TEST_CASE("code base URLs of values are ignored, also as an indirection to an earlier URL") {
  const auto to_url = [](std::size_t, std::size_t url, std::size_t) { return url; };
  KnownValues known;
  Ledger::Point::_ref_type first;
  Ledger::Point::_ref_type second;
  REQUIRE(decode_values(known, points_with_urls(to_url), little, 0, first, second) ==
          ErrorKind::none);
  CHECK(first->x() == 5);
  CHECK(second->x() == 6);
  CHECK(second->y() == 2.5);
}

TEST_CASE("an indirection in the place of a code base URL must lead to an earlier URL") {
  using Places = std::size_t (*)(std::size_t, std::size_t, std::size_t);
  const Places wrong[] = {[](std::size_t tag, std::size_t, std::size_t) { return tag; },
                          [](std::size_t, std::size_t, std::size_t id) { return id; },
                          [](std::size_t, std::size_t url, std::size_t) { return url + 1; },
                          [](std::size_t, std::size_t, std::size_t) { return std::size_t{1000}; }};
  for (const Places& target : wrong) {
    KnownValues known;
    Ledger::Point::_ref_type first;
    Ledger::Point::_ref_type second;
    CHECK(decode_values(known, points_with_urls(target), little, 0, first, second) ==
          ErrorKind::bad_value);
  }
}

TEST_CASE("an indirection to a value of another type is refused") {
  KnownValues known;
  const Octets octets = encode_values(little, 0, make_point(1, 2));
  cdr::Buffer buffer;
  Encoder encoder(buffer, little);
  encoder.write_octets(octets);
  encoder.write(cdr::value_indirection_tag);
  encoder.write(-static_cast<std::int32_t>(octets.size() + 4));
  const Octets message = buffer.flatten();
  Ledger::Point::_ref_type point;
  Ledger::Node::_ref_type node;
  CHECK(decode_values(known, message, little, 0, point, node) == ErrorKind::bad_value);
}

TEST_CASE("a value of another type than the declared one is refused") {
  KnownValues known;
  const Octets octets = encode_values(little, 0, make_node(1));
  Ledger::Point::_ref_type point;
  CHECK(decode_values(known, octets, little, 0, point) == ErrorKind::bad_value);
}

TEST_CASE("lists of repository ids that are empty, long or refer to themselves are refused") {
  const auto with_list = [](const std::function<void(Encoder&)>& write_list) {
    return error_of([&](Encoder& encoder) {
      write_tag(encoder, cdr::value_with_ids | cdr::value_chunked_bit);
      write_list(encoder);
      write_point_chunk(encoder);
      write_end(encoder, 1);
    });
  };
  CHECK(with_list([](Encoder& encoder) { encoder.write(std::uint32_t{0}); }) ==
        ErrorKind::bad_value);
  CHECK(with_list([](Encoder& encoder) {
          encoder.write(std::uint32_t{65});
          for (int index = 0; index < 65; ++index) encoder.write_string("IDL:Unknown:1.0");
        }) == ErrorKind::too_large);
  CHECK(with_list([](Encoder& encoder) {
          encoder.write(std::uint32_t{2});
          encoder.write_string(std::string(cdr::value_id_size_max + 1, 'x'));
          encoder.write_string(Ledger::Point::_type_id);
        }) == ErrorKind::too_large);
  CHECK(with_list([](Encoder& encoder) {  // the list is its own first element
          encoder.write(std::uint32_t{1});
          encoder.write(cdr::value_indirection_tag);
          encoder.write(std::int32_t{-8});
        }) == ErrorKind::bad_value);
  CHECK(with_list([](Encoder& encoder) {  // an indirection to itself as a list
          encoder.write(cdr::value_indirection_tag);
          encoder.write(std::int32_t{-4});
        }) == ErrorKind::bad_value);
  CHECK(with_list([](Encoder& encoder) {
          encoder.write(std::uint32_t{2});
          encoder.write_string("IDL:Unknown:1.0");
          encoder.write_string(Ledger::Point::_type_id);
        }) == ErrorKind::none);
}

TEST_CASE("a value without chunks inside a chunked value is refused") {
  KnownValues known;
  cdr::Buffer buffer;
  Encoder encoder(buffer, little);
  begin_chunked(encoder, Ledger::Node::_type_id);
  encoder.align(4);
  encoder.write(std::int32_t{4});
  encoder << std::int32_t{1};
  write_tag(encoder, cdr::value_without_type);
  encoder << std::int32_t{2} << std::uint32_t{0} << std::uint32_t{0};
  Ledger::Node::_ref_type node;
  const Octets octets = buffer.flatten();
  CHECK(decode_values(known, octets, little, 0, node) == ErrorKind::bad_value);
}

TEST_CASE("one end tag may end several values, whose state is then over") {
  KnownValues known;
  const auto message = [](bool has_more) {
    cdr::Buffer buffer;
    Encoder encoder(buffer, little);
    begin_chunked(encoder, Ledger::Node::_type_id);  // level 1
    encoder.align(4);
    encoder.write(std::int32_t{4});
    encoder << std::int32_t{1};
    write_tag(encoder, cdr::value_without_type | cdr::value_chunked_bit);  // next: level 2
    encoder.write(std::int32_t{8});
    encoder << std::int32_t{2};
    encoder << std::uint32_t{0};  // next: null
    encoder.write(std::int32_t{4});
    encoder << std::uint32_t{0};  // others: none
    write_end(encoder, has_more ? 2 : 1);
    if (has_more) {
      encoder.write(std::int32_t{4});
      encoder << std::uint32_t{0};
      write_end(encoder, 1);
    } else {
      encoder << std::uint64_t{0};
    }
    return buffer.flatten();
  };
  Ledger::Node::_ref_type node;
  CHECK(decode_values(known, message(true), little, 0, node) == ErrorKind::none);
  CHECK(node->next()->id() == 2);
  CHECK(decode_values(known, message(false), little, 0, node) == ErrorKind::bad_value);
}

TEST_CASE("skipped state may hold nested values without a limit of depth") {
  KnownValues known;
  cdr::Buffer buffer;
  Encoder encoder(buffer, little);
  write_tag(encoder, cdr::value_with_ids | cdr::value_chunked_bit);
  encoder.write(std::uint32_t{2});
  encoder.write_string("IDL:Derived:1.0");
  encoder.write_string(Ledger::Point::_type_id);
  write_point_chunk(encoder);
  constexpr int depth = 100'000;
  for (int level = 0; level < depth; ++level)
    write_tag(encoder, cdr::value_without_type | cdr::value_chunked_bit);
  write_end(encoder, 2);
  encoder.write(std::uint32_t{0});  // a null value
  write_end(encoder, 1);
  encoder << std::int32_t{77};
  const Octets octets = buffer.flatten();
  Ledger::Point::_ref_type point;
  std::int32_t behind = 0;
  CHECK(decode_values(known, octets, little, 0, point, behind) == ErrorKind::none);
  CHECK(behind == 77);
}

TEST_CASE("texts and numbers that chunks divide are put together") {
  KnownValues known;
  cdr::Buffer buffer;
  Encoder encoder(buffer, little);
  begin_chunked(encoder, Ledger::Title::_type_id);
  encoder.align(4);
  encoder.write(std::int32_t{6});
  encoder << std::uint32_t{4} << 'a' << 'b';
  encoder.write(std::int32_t{2});
  encoder << 'c' << '\0';
  write_end(encoder, 1);
  const Octets octets = buffer.flatten();
  Ledger::Title::_ref_type title;
  REQUIRE(decode_values(known, octets, little, 0, title) == ErrorKind::none);
  CHECK(title->_value() == "abc");
}

TEST_CASE("the memory of values counts against the limits of the message") {
  KnownValues known;
  Ledger::Nodes nodes;
  for (int index = 0; index < 1000; ++index) nodes.push_back(make_node(index));
  const Octets octets = encode_values(little, 0, nodes);
  cdr::Limits limits;
  limits.objects_max = 999;
  cdr::Decoder decoder(octets, little, 0, limits);
  decoder.set_environment(&known);
  Ledger::Nodes decoded;
  const value::Reading reading(decoder);
  decoder >> decoded;
  CHECK(decoder.error().kind == ErrorKind::too_large);
}

namespace {

class NullFactory final : public Ledger::Point_init {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override { return nullptr; }
};
class ThrowingFactory final : public Ledger::Point_init {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    throw CORBA::NO_RESOURCES(3, CORBA::COMPLETED_NO);
  }
};

}  // namespace

TEST_CASE("a factory that returns null refuses the value, and its exceptions reach the caller") {
  KnownValues known;
  const Octets octets = encode_values(little, 0, make_point(1, 2));
  Ledger::Point::_ref_type point;
  const std::string id(Ledger::Point::_type_id);
  known.factories().add(id, CORBA::make_reference<NullFactory>());
  CHECK(decode_values(known, octets, little, 0, point) == ErrorKind::no_value_factory);
  known.factories().add(id, CORBA::make_reference<ThrowingFactory>());
  CHECK_THROWS_AS(decode_values(known, octets, little, 0, point), CORBA::NO_RESOURCES);
}

}  // namespace perigee::test
