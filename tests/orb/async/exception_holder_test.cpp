// Messaging::ExceptionHolder on the wire: its octets as a valuetype, and the forms that peers may
// send.
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/operators.h>
#include <perigee/orb/ami.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace perigee::test {

namespace {

using HolderRef = CORBA::object_reference<Messaging::ExceptionHolder>;

constexpr std::string_view holder_id = "IDL:omg.org/Messaging/ExceptionHolder:1.0";

class Tired final : public CORBA::UserException {
 public:
  static constexpr std::string_view _type_id = "IDL:Tired:1.0";
  const char* _rep_id() const noexcept override { return _type_id.data(); }
  const char* _name() const noexcept override { return "Tired"; }
  [[noreturn]] void _raise() const override { throw *this; }
  void _encode(cdr::Encoder& encoder) const override { encoder.write(hours); }
  std::int32_t hours = 0;
};

[[noreturn]] void raise_tired(cdr::Decoder& decoder) {
  Tired tired;
  tired.hours = decoder.read<std::int32_t>();
  stub::check_decoded(decoder);
  throw tired;
}

constexpr stub::RaisedException raises[] = {{Tired::_type_id, &raise_tired}};
constexpr stub::Operation work{"work", stub::Operation::Kind::twoway, raises};
constexpr stub::Operation rest{"rest", stub::Operation::Kind::twoway, {}};

HolderRef tired(std::int32_t hours) {
  Tired exception;
  exception.hours = hours;
  return stub::hold_exception(std::make_exception_ptr(exception));
}

/// Describes the exception that the holder raises.
std::string raised(const HolderRef& holder) {
  if (!holder) return "nil";
  try {
    holder->raise_exception();
  } catch (const Tired& exception) {
    return "Tired " + std::to_string(exception.hours);
  } catch (const CORBA::SystemException& exception) {
    return std::string(exception._name()) + ' ' + std::to_string(exception.minor());
  }
}

Octets written(const HolderRef& holder, std::endian order) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  encoder << holder;
  REQUIRE(encoder.ok());
  return buffer.flatten();
}

/// A value as a peer sends it, in big endian: the tag and the octets after it.
class Value final {
 public:
  explicit Value(std::uint32_t tag) { encoder.write(tag); }

  Value& number(std::uint32_t value) {
    encoder.write(value);
    return *this;
  }
  Value& id(std::string_view text) {
    encoder.write_string(text);
    return *this;
  }
  /// The members, with the exception Tired of `hours` hours.
  Value& members(std::int32_t hours) {
    encoder.write_boolean(false);
    encoder.write_boolean(false);
    exception(hours);
    return *this;
  }
  Value& exception(std::int32_t hours) {
    cdr::Buffer contents;
    cdr::Encoder inner(contents, std::endian::big);
    inner.write_string(Tired::_type_id);
    inner.write(hours);
    const Octets octets = contents.flatten();
    encoder.write_length(octets.size());
    encoder.write_octets(octets);
    return *this;
  }
  Value& octets(std::initializer_list<std::uint8_t> values) {
    for (const std::uint8_t each : values) encoder.write(each);
    return *this;
  }

  /// Decodes the value and describes it; "refused" if it does not decode.
  std::string read() {
    encoder.write(std::uint32_t{0x12345678});  // the next argument
    const Octets all = buffer.flatten();
    cdr::Decoder decoder(all, std::endian::big);
    HolderRef holder;
    decoder >> stub::HolderToFill{holder, work};
    const auto next = decoder.read<std::uint32_t>();
    if (!decoder.ok()) return holder ? "refused and made" : "refused";
    return next == 0x12345678 ? raised(holder) : "next argument lost";
  }

  cdr::Buffer buffer;
  cdr::Encoder encoder{buffer, std::endian::big};
};

constexpr std::uint32_t plain = 0x7fffff00;
constexpr std::uint32_t codebase = 1;
constexpr std::uint32_t one_id = 2;
constexpr std::uint32_t ids = 6;
constexpr std::uint32_t chunked = 8;
constexpr std::uint32_t end_tag = 0xffffffff;
// Two booleans, padding, the length, and the exception: 14 octets of id after its length, hours.
constexpr std::uint32_t members_size = 2 + 2 + 4 + 4 + 14 + 2 + 4;

}  // namespace

TEST_CASE("a holder is a value with its id, its members, and the exception as in a reply") {
  const Octets octets = written(tired(7), std::endian::little);
  cdr::Decoder decoder(octets, std::endian::little);
  CHECK(decoder.read<std::uint32_t>() == 0x7fffff02);  // CORBA 3.0, 15.3.4.1: one repository id
  CHECK(decoder.read_string_view() == holder_id);
  CHECK_FALSE(decoder.read_boolean());  // is_system_exception
  CHECK(decoder.read_boolean());        // byte_order: little endian
  const OctetSpan marshaled = decoder.read_octet_sequence();
  CHECK(decoder.remaining() == 0);
  cdr::Decoder exception(marshaled, std::endian::little);
  CHECK(exception.read_string_view() == Tired::_type_id);
  CHECK(exception.read<std::int32_t>() == 7);
  CHECK(exception.remaining() == 0);
}

TEST_CASE("a decoded holder raises the exception that was encoded") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const auto back = [order](const HolderRef& holder, const stub::Operation& operation) {
      const Octets octets = written(holder, order);
      cdr::Decoder decoder(octets, order);
      HolderRef read;
      decoder >> stub::HolderToFill{read, operation};
      CHECK(decoder.ok());
      CHECK(decoder.remaining() == 0);
      return raised(read);
    };
    CHECK(back(tired(-1), work) == "Tired -1");
    CHECK(back(tired(1), rest) == "UNKNOWN 1330446337");  // OMG 1: not in the raises clause
    CHECK(back(stub::hold_exception(std::make_exception_ptr(CORBA::NO_MEMORY(7))), work) ==
          "NO_MEMORY 7");
    CHECK(back(stub::hold_exception(std::make_exception_ptr(1)), work) == "UNKNOWN 0");
    CHECK(back(nullptr, work) == "nil");
  }
}

TEST_CASE("all forms of a holder are read") {
  CHECK(Value(0).read() == "nil");
  CHECK(Value(plain).members(1).read() == "Tired 1");
  CHECK(Value(plain | one_id).id(holder_id).members(2).read() == "Tired 2");
  CHECK(Value(plain | one_id | codebase).id("http://x").id(holder_id).members(3).read() ==
        "Tired 3");
  CHECK(Value(plain | ids).number(2).id(holder_id).id("IDL:Base:1.0").members(4).read() ==
        "Tired 4");
  CHECK(Value(plain | chunked).number(members_size).members(5).number(end_tag).read() == "Tired 5");
  CHECK(Value(plain | chunked)
            .number(2)
            .octets({0, 0})
            .number(members_size - 4)
            .exception(6)
            .number(end_tag)
            .read() == "Tired 6");
}

TEST_CASE("the additional members of a derived holder are skipped") {
  Value value(plain | ids | chunked);
  value.number(2).id("IDL:Holder:1.0").id(holder_id).number(members_size + 4).members(7);
  CHECK(value.number(99).number(4).number(98).number(end_tag).read() == "Tired 7");
  CHECK(Value(plain | ids).number(2).id("IDL:Holder:1.0").id(holder_id).members(1).read() ==
        "refused");  // without chunks the size of these members is unknown
}

TEST_CASE("values that are not holders are refused") {
  CHECK(Value(0xffffffff).number(0xfffffff0).read() == "refused");  // an indirection
  CHECK(Value(7).members(1).read() == "refused");
  CHECK(Value(plain | 4).members(1).read() == "refused");
  CHECK(Value(plain | 0x10).members(1).read() == "refused");
  CHECK(Value(plain | one_id).id("IDL:Other:1.0").members(1).read() == "refused");
  CHECK(Value(plain | one_id).number(0xffffffff).number(0xfffffff0).read() == "refused");
  CHECK(Value(plain | ids).number(0).members(1).read() == "refused");
  CHECK(Value(plain | ids).number(0x7fffffff).id(holder_id).members(1).read() == "refused");
  CHECK(Value(plain).octets({2, 0}).exception(1).read() == "refused");
  CHECK(Value(plain).octets({0, 0}).number(0x7fffffff).read() == "refused");
}

TEST_CASE("malformed chunks are refused") {
  for (const std::uint32_t size :
       {0u, 1u, members_size - 1, members_size + 1, 0x7fffff02u, 0x7fffffffu, 0xffffffffu}) {
    CAPTURE(size);
    CHECK(Value(plain | chunked).number(size).members(1).number(end_tag).read() == "refused");
  }
  CHECK(Value(plain | chunked).number(members_size).members(1).number(0).read() == "refused");
  CHECK(Value(plain | chunked).number(members_size).members(1).number(4).number(0).read() ==
        "refused");
}

TEST_CASE("a held exception that does not decode is raised as MARSHAL") {
  const std::string truncated = "MARSHAL " + std::to_string(CORBA::PERIGEE_VMCID | 1);
  CHECK(Value(plain).octets({0, 0}).number(2).octets({1, 2}).read() == truncated);
  CHECK(Value(plain).octets({1, 0}).number(2).octets({1, 2}).read() == "MARSHAL 0");
}

}  // namespace perigee::test
