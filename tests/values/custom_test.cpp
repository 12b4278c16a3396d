// Custom valuetypes, whose state the program writes and reads.
#include "known_values.h"
#include "secret_value.h"

namespace perigee::test {

namespace {

using cdr::ErrorKind;

constexpr std::endian big = std::endian::big;

struct Secrets {
  Secrets() {
    known.factories().add(std::string(Ledger::Secret::_type_id),
                          CORBA::make_reference<SecretFactory>());
  }
  Secrets(const Secrets&) = delete;
  Secrets& operator=(const Secrets&) = delete;
  ~Secrets() { SecretValue::more_input = nullptr; }
  KnownValues known;
};

CORBA::valuetype_reference<SecretValue> make_secret() {
  const auto secret = CORBA::make_reference<SecretValue>();
  secret->text("hidden");
  secret->where(make_node(5));
  return secret;
}

/// Sends a secret and an integer after it.
ErrorKind pass(Secrets& secrets, const Ledger::Secret::_ref_type& secret) {
  const Octets octets = encode_values(big, 1, secret, std::int32_t{77});
  Ledger::Secret::_ref_type decoded;
  std::int32_t behind = 0;
  const ErrorKind error = decode_values(secrets.known, octets, big, 1, decoded, behind);
  if (error != ErrorKind::none) return error;
  CHECK(decoded->text() == secret->text());
  CHECK(decoded->where()->id() == 5);
  CHECK(behind == 77);
  return error;
}

}  // namespace

TEST_CASE("a custom value is chunked and keeps its state") {
  Secrets secrets;
  const Ledger::Secret::_ref_type secret = make_secret();
  CHECK(pass(secrets, secret) == ErrorKind::none);
  const Octets octets = encode_values(big, 0, secret);
  CHECK(octets.at(3) == std::byte{0x0a});  // one id, chunked
}

TEST_CASE("state that unmarshal does not read is skipped") {
  Secrets secrets;
  const auto secret = make_secret();
  secret->more_output = [](CORBA::DataOutputStream& output) {
    output.write_string("more");
    output.write_Value(make_point(1, 2));
    output.write_double(1.5);
  };
  CHECK(pass(secrets, secret) == ErrorKind::none);
}

TEST_CASE("unmarshal cannot read beyond the state") {
  Secrets secrets;
  SecretValue::more_input = [](CORBA::DataInputStream& input) { (void)input.read_long(); };
  CHECK_THROWS_AS(pass(secrets, make_secret()), CORBA::MARSHAL);
  SecretValue::more_input = [](CORBA::DataInputStream& input) {
    CORBA::LongSeq longs;
    input.read_long_array(longs, 0, 0xffffffff);
  };
  CHECK_THROWS_AS(pass(secrets, make_secret()), CORBA::MARSHAL);
}

TEST_CASE("exceptions of marshal and unmarshal refuse the value") {
  Secrets secrets;
  const auto secret = make_secret();
  secret->more_output = [](CORBA::DataOutputStream&) { throw CORBA::NO_MEMORY(); };
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << Ledger::Secret::_ref_type(secret);
  CHECK(encoder.error().kind == ErrorKind::bad_value);
  SecretValue::more_input = [](CORBA::DataInputStream&) { throw CORBA::NO_MEMORY(); };
  CHECK_THROWS_AS(pass(secrets, make_secret()), CORBA::NO_MEMORY);
}

TEST_CASE("a stream raises BAD_INV_ORDER after its call") {
  Secrets secrets;
  const auto secret = make_secret();
  CHECK(pass(secrets, secret) == ErrorKind::none);
  CHECK_THROWS_AS(secret->kept_output->write_long(1), CORBA::BAD_INV_ORDER);
}

TEST_CASE("all functions of the streams write and read") {
  Secrets secrets;
  const auto secret = make_secret();
  secret->more_output = [](CORBA::DataOutputStream& output) {
    output.write_boolean(true);
    output.write_char('c');
    output.write_wchar(L'w');
    output.write_short(-2);
    output.write_longlong(-3);
    output.write_float(0.5F);
    output.write_longdouble(0.25L);
    output.write_string("text");
    output.write_wstring(L"wide");
    output.write_Abstract(nullptr);
    output.write_boolean_array({false, true, true}, 1, 2);
    output.write_double_array({1.0, 2.0}, 0, 2);
  };
  SecretValue::more_input = [](CORBA::DataInputStream& input) {
    CHECK(input.read_boolean());
    CHECK(input.read_char() == 'c');
    CHECK(input.read_wchar() == L'w');
    CHECK(input.read_short() == -2);
    CHECK(input.read_longlong() == -3);
    CHECK(input.read_float() == 0.5F);
    CHECK(input.read_longdouble() == 0.25L);
    CHECK(input.read_string() == "text");
    CHECK(input.read_wstring() == L"wide");
    CHECK(!input.read_Abstract());
    CORBA::BooleanSeq booleans{false};
    input.read_boolean_array(booleans, 1, 2);
    CHECK(booleans == CORBA::BooleanSeq{false, true, true});
    CORBA::DoubleSeq doubles;
    input.read_double_array(doubles, 0, 2);
    CHECK(doubles == CORBA::DoubleSeq{1.0, 2.0});
    CHECK_THROWS_AS(input.read_double_array(doubles, 3, 1), CORBA::BAD_PARAM);
  };
  CHECK(pass(secrets, secret) == ErrorKind::none);
}

}  // namespace perigee::test
