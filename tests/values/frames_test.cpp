// The octets of valuetypes: tags, repository ids, indirections, chunks. CORBA 3.0, 15.3.4.
#include "known_values.h"
#include "support/octets.h"

namespace perigee::test {

namespace {

constexpr std::endian big = std::endian::big;

Octets text(std::string_view value) {
  cdr::Buffer buffer;
  cdr::Encoder(buffer, big).write_string(value);
  return buffer.flatten();
}

/// The parts in turn, each aligned to four octets.
Octets joined(std::initializer_list<Octets> parts) {
  Octets result;
  for (const Octets& part : parts) {
    result.resize((result.size() + 3) & ~std::size_t{3});
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

const Octets id_of_point = text(Ledger::Point::_type_id);
const Octets id_of_named = text(Ledger::Named::_type_id);

}  // namespace

TEST_CASE("a null value is a tag of zero") {
  CHECK(encode_values(big, 0, Ledger::Point::_ref_type()) == octets(0, 0, 0, 0));
  KnownValues known;
  Ledger::Point::_ref_type point = make_point(1, 2);
  CHECK(decode_values(known, octets(0, 0, 0, 0), big, 0, point) == cdr::ErrorKind::none);
  CHECK(point == nullptr);
}

TEST_CASE("a value is a tag, its repository id and its state") {
  const Octets expected = joined({octets(0x7f, 0xff, 0xff, 0x02),          // tag: one repository id
                                  id_of_point, octets(0, 0, 0, 5),         // x
                                  octets(0x3f, 0xf8, 0, 0, 0, 0, 0, 0)});  // y: 1.5
  Octets aligned = expected;
  // y is a double: at a multiple of 8.
  const std::size_t place = expected.size() - 8;
  if (place % 8 != 0) aligned.insert(aligned.end() - 8, 4, std::byte{0});
  CHECK(encode_values(big, 0, make_point(5, 1.5)) == aligned);
}

TEST_CASE("a value that is written again is an indirection to its tag") {
  const auto point = make_point(5, 1.5);
  const Octets once = encode_values(big, 0, point);
  const Octets twice = encode_values(big, 0, point, point);
  const auto distance = static_cast<std::uint32_t>(-(static_cast<std::int32_t>(once.size()) + 4));
  Octets expected = once;
  const Octets indirection =
      octets(0xff, 0xff, 0xff, 0xff, distance >> 24, distance >> 16, distance >> 8, distance);
  expected.insert(expected.end(), indirection.begin(), indirection.end());
  CHECK(twice == expected);

  KnownValues known;
  Ledger::Point::_ref_type first;
  Ledger::Point::_ref_type second;
  REQUIRE(decode_values(known, twice, big, 0, first, second) == cdr::ErrorKind::none);
  CHECK(first == second);
  CHECK(first->x() == 5);
  CHECK(first->y() == 1.5);
}

TEST_CASE("a repository id that is written again is an indirection to the id") {
  const Octets octets = encode_values(big, 0, make_node(1), make_node(2));
  const Octets once = encode_values(big, 0, make_node(1));
  const std::size_t second = once.size();
  CHECK(to_hex(OctetSpan(octets).subspan(second, 8)) == "7f ff ff 02 ff ff ff ff");
}

TEST_CASE("a truncatable value is chunked and lists the ids of its bases") {
  const Octets octets = encode_values(big, 0, make_named(5, 1.5, "n"));
  CHECK(to_hex(OctetSpan(octets).first(8)) == "7f ff ff 0e 00 00 00 02");
  CHECK(to_hex(OctetSpan(octets).last(4)) == "ff ff ff ff");  // end of level 1
}

TEST_CASE("a value without state inside a chunked value has no chunk") {
  KnownValues known;
  const auto deep = CORBA::make_reference<OBV_Ledger::Deep>();
  deep->note("behind a null value and an empty list");
  for (const std::endian order : {std::endian::big, std::endian::little}) {
    const Octets octets = encode_values(order, 0, Ledger::Deep::_ref_type(deep));
    Ledger::Deep::_ref_type decoded;
    REQUIRE(decode_values(known, octets, order, 0, decoded) == cdr::ErrorKind::none);
    CHECK(decoded->note() == deep->note());
  }
}

TEST_CASE("a truncatable value becomes its base if its own type has no factory") {
  KnownValues known;
  known.factories().remove(std::string(Ledger::Deep::_type_id));
  const auto deep = CORBA::make_reference<OBV_Ledger::Deep>();
  deep->x(4);
  deep->name("deep");
  deep->inner(make_named(1, 2, "inner"));
  deep->nodes({make_node(1, make_node(2)), nullptr});
  const Octets octets = encode_values(big, 3, Ledger::Deep::_ref_type(deep), make_point(9, 9));
  Ledger::Point::_ref_type value;
  Ledger::Point::_ref_type behind;
  REQUIRE(decode_values(known, octets, big, 3, value, behind) == cdr::ErrorKind::none);
  const auto named = IDL::traits<Ledger::Named>::narrow(value);
  REQUIRE(named);
  CHECK(named->name() == "deep");
  CHECK(!IDL::traits<Ledger::Deep>::narrow(value));
  CHECK(behind->x() == 9);
}

// In each fragment of GIOP 1.1, alignment begins anew, 4 octets after a multiple of 8. A number
// must not lie in two fragments.
TEST_CASE("values are read from messages in fragments of GIOP 1.1") {
  KnownValues known;
  const auto deep = CORBA::make_reference<OBV_Ledger::Deep>(
      3, 0.25, std::string("a long text that many chunks and fragments divide"), uint16_t{9},
      make_named(5, 6, "inner"), Ledger::Nodes{make_node(1, make_node(2)), nullptr, make_node(3)},
      std::string("note"));
  deep->nodes().push_back(deep->nodes().front());
  const Octets octets = encode_values(big, 0, Ledger::Deep::_ref_type(deep), deep->inner());
  std::size_t read_count = 0;
  std::size_t cut_count = 0;
  for (std::size_t cut = 4; cut < octets.size(); cut += 8) {
    CAPTURE(cut);
    for (std::size_t size = 8; size < 64; size += 8) {
      std::vector<std::size_t> sizes = {cut};
      for (std::size_t done = cut; done < octets.size(); done += sizes.back())
        sizes.push_back(std::min(size, octets.size() - done));
      cdr::Decoder decoder(octets, big);
      decoder.set_environment(&known);
      decoder.set_pieces(sizes.data());
      Ledger::Deep::_ref_type value;
      Ledger::Point::_ref_type inner;
      {
        const value::Reading reading(decoder);
        decoder >> value >> inner;
      }
      ++cut_count;
      if (!decoder.ok()) continue;
      ++read_count;
      CHECK(inner == value->inner());
      CHECK(encode_values(big, 0, value, inner) == octets);
    }
  }
  CHECK(read_count > cut_count / 3);
}

TEST_CASE("an indirection to a skipped value of a known type is accepted") {
  KnownValues known;
  known.factories().remove(std::string(Ledger::Deep::_type_id));
  const auto node = make_node(1, make_node(2));
  const auto deep = CORBA::make_reference<OBV_Ledger::Deep>();
  deep->inner(make_named(1, 2, "inner"));
  deep->nodes({node, nullptr, node});
  for (const std::endian order : {std::endian::big, std::endian::little}) {
    const Octets octets =
        encode_values(order, 0, Ledger::Point::_ref_type(deep), node->next(), node, deep->inner());
    Ledger::Point::_ref_type value;
    Ledger::Node::_ref_type second;
    Ledger::Node::_ref_type first;
    Ledger::Point::_ref_type inner;
    REQUIRE(decode_values(known, octets, order, 0, value, second, first, inner) ==
            cdr::ErrorKind::none);
    CHECK(first->next() == second);
    CHECK(second->id() == 2);
    CHECK(IDL::traits<Ledger::Named>::narrow(inner)->name() == "inner");
  }
}

TEST_CASE("an indirection to a skipped value of an unknown type is refused") {
  KnownValues known;
  known.factories().remove(std::string(Ledger::Deep::_type_id));
  known.factories().remove(std::string(Ledger::Node::_type_id));
  const auto node = make_node(1);
  const auto deep = CORBA::make_reference<OBV_Ledger::Deep>();
  deep->nodes({node});
  const Octets octets = encode_values(big, 0, Ledger::Point::_ref_type(deep), node);
  Ledger::Point::_ref_type value;
  Ledger::Node::_ref_type later;
  CHECK(decode_values(known, octets, big, 0, value, later) == cdr::ErrorKind::bad_value);
}

TEST_CASE("a value of an unknown type is refused if it cannot be truncated") {
  KnownValues known;
  known.factories().remove(std::string(Ledger::Plain::_type_id));
  const auto plain = CORBA::make_reference<OBV_Ledger::Plain>(1, 2.0, uint8_t{3});
  const Octets octets = encode_values(big, 0, Ledger::Point::_ref_type(plain));
  Ledger::Point::_ref_type value;
  CHECK(decode_values(known, octets, big, 0, value) == cdr::ErrorKind::no_value_factory);
  CHECK(!value);
}

TEST_CASE("values of all types survive from every start position in both byte orders") {
  KnownValues known;
  const auto deep = CORBA::make_reference<OBV_Ledger::Deep>(
      3, 0.25, std::string("deep"), uint16_t{9}, make_named(5, 6, "inner"),
      Ledger::Nodes{make_node(1), nullptr}, std::string("note"));
  const Ledger::Number::_ref_type number = CORBA::make_reference<Ledger::Number>(77);
  const Ledger::Words::_ref_type words =
      CORBA::make_reference<Ledger::Words>(std::vector<std::string>{"a", "b"});
  const Ledger::Empty::_ref_type empty = CORBA::make_reference<OBV_Ledger::Empty>();
  for (const std::endian order : {std::endian::big, std::endian::little}) {
    for (std::size_t start = 0; start < 8; ++start) {
      CAPTURE(start);
      const Octets octets = encode_values(order, start, Ledger::Deep::_ref_type(deep), number,
                                          words, empty, number, std::string("end"));
      Ledger::Deep::_ref_type deep_again;
      Ledger::Number::_ref_type number_again;
      Ledger::Words::_ref_type words_again;
      Ledger::Empty::_ref_type empty_again;
      Ledger::Number::_ref_type shared;
      std::string end;
      REQUIRE(decode_values(known, octets, order, start, deep_again, number_again, words_again,
                            empty_again, shared, end) == cdr::ErrorKind::none);
      CHECK(deep_again->name() == "deep");
      CHECK(IDL::traits<Ledger::Named>::narrow(deep_again->inner())->name() == "inner");
      CHECK(deep_again->nodes().at(0)->id() == 1);
      CHECK(deep_again->note() == "note");
      CHECK(number_again->_value() == 77);
      CHECK(shared == number_again);
      CHECK(words_again->_value() == std::vector<std::string>{"a", "b"});
      CHECK(empty_again);
      CHECK(end == "end");
      for (std::size_t size = start; size < octets.size(); ++size) {
        CAPTURE(size);
        CHECK(decode_values(known, OctetSpan(octets).first(size), order, start, deep_again,
                            number_again, words_again, empty_again, shared,
                            end) != cdr::ErrorKind::none);
      }
    }
  }
}

}  // namespace perigee::test
