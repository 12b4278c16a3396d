// The TLS addresses in the security mechanisms of CSIv2.

#include "support/octets.h"
#include <perigee/cdr/encoder.h>
#include <perigee/iop/components.h>
#include <perigee/iop/security_mechanisms.h>

#include <doctest/doctest.h>

#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

using iop::TlsAddress;

constexpr std::uint32_t no_transport = 34;  // TAG_NULL_TAG

/// A mechanism as an application server writes it: TLS, a password, and an identity.
struct Mechanism {
  std::uint32_t tag = iop::tag_tls_transport;
  std::vector<TlsAddress> addresses;
};

void write_octets(cdr::Encoder& encoder, const Octets& data) {
  encoder.write_length(data.size());
  encoder.write_octets(data);
}

Octets encoded_transport(const Mechanism& mechanism, std::endian order) {
  if (mechanism.tag == no_transport) return {};
  return cdr::encode_encapsulation(order, [&mechanism](cdr::Encoder& encoder) {
    encoder.write(std::uint16_t{102});
    encoder.write(std::uint16_t{38});
    encoder.write_length(mechanism.addresses.size());
    for (const TlsAddress& address : mechanism.addresses) {
      encoder.write_string(address.host);
      encoder.write(address.port);
    }
  });
}

Octets encoded(const std::vector<Mechanism>& mechanisms, std::endian order) {
  return cdr::encode_encapsulation(order, [&](cdr::Encoder& encoder) {
    encoder.write_boolean(true);
    encoder.write_length(mechanisms.size());
    for (const Mechanism& mechanism : mechanisms) {
      encoder.write(std::uint16_t{64});
      encoder.write(mechanism.tag);
      write_octets(encoder, encoded_transport(mechanism, order));
      encoder.write(std::uint16_t{64});
      encoder.write(std::uint16_t{64});
      write_octets(encoder, octets(6, 6, 103, 129, 2, 1, 1, 1));  // GSSUP
      write_octets(encoder, octets('r', 'e', 'a', 'l', 'm'));
      encoder.write(std::uint16_t{1024});
      encoder.write(std::uint16_t{0});
      encoder.write_length(1);
      encoder.write(std::uint32_t{7});
      write_octets(encoder, octets('a'));
      encoder.write_length(2);
      write_octets(encoder, octets(1, 2, 3));
      write_octets(encoder, {});
      encoder.write(std::uint32_t{15});
    }
  });
}

const std::vector<Mechanism> examples{
    {.addresses = {{102, 38, "bank.example.org", 2810}, {102, 38, "192.0.2.7", 2811}}},
    {.tag = no_transport, .addresses = {}},
    {.addresses = {{102, 38, "b", 1}}},
};

}  // namespace

TEST_CASE("security mechanisms: the addresses of TLS are read in their order") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const auto addresses = iop::decode_tls_addresses(encoded(examples, order));
    REQUIRE(addresses.has_value());
    CHECK((*addresses == std::vector<TlsAddress>{{102, 38, "bank.example.org", 2810},
                                                 {102, 38, "192.0.2.7", 2811},
                                                 {102, 38, "b", 1}}));
  }
  CHECK(iop::decode_tls_addresses(encoded({}, std::endian::big))->empty());
}

TEST_CASE("security mechanisms: data that is cut at any octet is refused") {
  const Octets data = encoded(examples, std::endian::little);
  for (std::size_t size = 0; size < data.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(iop::decode_tls_addresses(OctetSpan(data).first(size)).has_value());
  }
}

TEST_CASE("security mechanisms: more mechanisms or addresses than the limits are refused") {
  const auto with = [](std::size_t mechanisms, std::size_t addresses) {
    const Mechanism one{.addresses = std::vector<TlsAddress>(addresses, {0, 0, "h", 1})};
    return iop::decode_tls_addresses(
        encoded(std::vector<Mechanism>(mechanisms, one), std::endian::native));
  };
  CHECK(with(16, 4)->size() == 64);
  REQUIRE_FALSE(with(17, 1).has_value());
  CHECK(with(17, 1).error().kind == cdr::ErrorKind::too_large);
  REQUIRE_FALSE(with(13, 5).has_value());
  CHECK(with(13, 5).error().kind == cdr::ErrorKind::too_large);
}

}  // namespace perigee::test
