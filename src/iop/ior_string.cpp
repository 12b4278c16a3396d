// "IOR:" strings. CORBA 3.0, 13.6.10 "Stringified Object References".
#include "iop/text.h"
#include <perigee/iop/ior.h>

#include <algorithm>

namespace perigee::iop {

namespace {

using Reason = ReferenceError::Reason;

std::expected<Octets, ReferenceError> parse_hex(std::string_view digits) {
  if (digits.size() % 2 != 0)
    return refuse(Reason::bad_specific, "an IOR string has an odd number of digits");
  Octets octets;
  octets.reserve(digits.size() / 2);
  for (std::size_t index = 0; index < digits.size(); index += 2) {
    const auto high = hex_digit(digits[index]);
    const auto low = hex_digit(digits[index + 1]);
    if (!high || !low)
      return refuse(Reason::bad_specific, "digit " + std::to_string(index + (high ? 2 : 1)) +
                                              " of an IOR string is not hexadecimal");
    octets.push_back(static_cast<std::byte>(*high << 4 | *low));
  }
  return octets;
}

}  // namespace

std::string to_ior_string(const Ior& ior) {
  constexpr std::string_view digits = "0123456789abcdef";
  const Octets octets = cdr::encode_encapsulation(
      std::endian::native, [&ior](cdr::Encoder& encoder) { encode(encoder, ior); });
  constexpr std::string_view prefix = "IOR:";
  std::string text(prefix.size() + 2 * octets.size(), '\0');
  auto at = std::ranges::copy(prefix, text.begin()).out;
  for (const std::byte octet : octets) {
    *at++ = digits[std::to_integer<std::size_t>(octet >> 4)];
    *at++ = digits[std::to_integer<std::size_t>(octet & std::byte{15})];
  }
  return text;
}

std::expected<Ior, ReferenceError> parse_ior_string(std::string_view text,
                                                    const IorLimits& limits) {
  text = without_trailing_space(text);
  if (!consume_prefix(text, "ior:"))
    return refuse(Reason::bad_scheme, "a reference does not begin with \"IOR:\"");
  if (text.size() > limits.ior_string_size_max)
    return refuse(Reason::other, "an IOR string is longer than " +
                                     std::to_string(limits.ior_string_size_max) + " characters");
  const auto octets = parse_hex(text);
  if (!octets) return std::unexpected(octets.error());
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(*octets);
  Ior ior;
  decode(decoder, ior, limits);
  if (!decoder.ok())
    return refuse(Reason::bad_specific,
                  "an IOR string holds no reference: " + cdr::to_string(decoder.error()));
  return ior;
}

}  // namespace perigee::iop
