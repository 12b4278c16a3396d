// Reads the TLS transports of CSI mechanisms (CSIIOP::CompoundSecMechList), and skips the rest.
#include <perigee/cdr/decoder.h>
#include <perigee/iop/security_mechanisms.h>

#include <utility>

namespace perigee::iop {
namespace {

constexpr std::size_t mechanisms_max = 16;
constexpr std::size_t tls_addresses_max = 64;
constexpr std::size_t tls_mechanism_size_min = 40;
constexpr std::size_t tls_address_size_min = 8;  // the length of the host, an empty host, the port
constexpr std::size_t length_size = 4;

using Addresses = std::vector<TlsAddress>;

void read_tls_transport(OctetSpan data, cdr::Decoder& outer, Addresses& addresses) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  TlsAddress address;
  address.supports = decoder.read<std::uint16_t>();
  address.needs = decoder.read<std::uint16_t>();
  const std::size_t count = decoder.read_length(tls_address_size_min);
  if (count > tls_addresses_max - addresses.size()) return outer.fail(cdr::ErrorKind::too_large);
  for (std::size_t index = 0; index < count && decoder.ok(); ++index) {
    decoder.read_string(address.host);
    address.port = decoder.read<std::uint16_t>();
    if (decoder.ok()) addresses.push_back(address);
  }
  if (!decoder.ok()) outer.fail(decoder.error().kind);
}

// AS_ContextSec: how the client proves its identity, for example by a password.
void skip_client_authentication(cdr::Decoder& decoder) {
  (void)decoder.read<std::uint16_t>();  // supports
  (void)decoder.read<std::uint16_t>();  // requires
  (void)decoder.read_octet_sequence();  // the mechanism
  (void)decoder.read_octet_sequence();  // the name of the server
}

// SAS_ContextSec: attributes of the caller.
void skip_attributes(cdr::Decoder& decoder) {
  (void)decoder.read<std::uint16_t>();  // supports
  (void)decoder.read<std::uint16_t>();  // requires
  const std::size_t services = decoder.read_length(2 * length_size);
  for (std::size_t index = 0; index < services && decoder.ok(); ++index) {
    (void)decoder.read<std::uint32_t>();  // the kind of the name
    (void)decoder.read_octet_sequence();
  }
  const std::size_t namings = decoder.read_length(length_size);
  for (std::size_t index = 0; index < namings && decoder.ok(); ++index)
    (void)decoder.read_octet_sequence();
  (void)decoder.read<std::uint32_t>();  // kinds of identities
}

void read_mechanism(cdr::Decoder& decoder, Addresses& addresses) {
  (void)decoder.read<std::uint16_t>();  // the requirements of all layers
  const auto tag = decoder.read<std::uint32_t>();
  const OctetSpan transport = decoder.read_octet_sequence();
  if (decoder.ok() && tag == tag_tls_transport) read_tls_transport(transport, decoder, addresses);
  skip_client_authentication(decoder);
  skip_attributes(decoder);
}

}  // namespace

std::expected<std::vector<TlsAddress>, cdr::Error> decode_tls_addresses(OctetSpan data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  Addresses addresses;
  (void)decoder.read_boolean();  // whether the server keeps the context of a client
  const std::size_t count = decoder.read_length(tls_mechanism_size_min);
  if (count > mechanisms_max) decoder.fail(cdr::ErrorKind::too_large);
  for (std::size_t index = 0; index < count && decoder.ok(); ++index)
    read_mechanism(decoder, addresses);
  if (!decoder.ok()) return std::unexpected(decoder.error());
  return addresses;
}

}  // namespace perigee::iop
