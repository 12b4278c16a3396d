// The corbaloc parser. CORBA 3.0, 13.6.10.1 to 13.6.10.4.
//
// Extends the standard: addresses of protocols other than iiop, diop and ssliop may be file names,
// which begin with '/', or abstract names, which begin with '@'. Both may contain '/'. So ',' or
// '|' ends them, and '|' separates the key: "uiop:/tmp/s|key", "uiop:@name|key".
#include "iop/text.h"
#include <perigee/iop/corbaloc.h>

#include <algorithm>
#include <charconv>

namespace perigee::iop {

namespace {

using Reason = ReferenceError::Reason;

constexpr std::size_t url_size_max = 65536;
constexpr std::size_t addresses_max = 64;

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

/// Parses a decimal number that consists of digits only and fits into `Number`.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

bool is_host_character(char c) { return is_visible(c) && !std::string_view("[]@/,|").contains(c); }

bool is_scheme_character(char c) {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z') || c == '-' || c == '+' ||
         c == '.' || c == '_';
}

/// The protocols whose addresses are "<host>:<port>". CORBA defines `iiop` only. TAO's `diop` and
/// `ssliop` have the same form.
bool has_host_and_port(std::string_view scheme) {
  return scheme == "iiop" || scheme == "diop" || scheme == "ssliop";
}

/// Takes "<scheme>:" from the front. An absent scheme before the colon means iiop.
std::expected<std::string, ReferenceError> take_scheme(std::string_view& text) {
  const std::size_t colon = text.find_first_of(":,/|");
  if (colon == std::string_view::npos || text[colon] != ':')
    return refuse(
        Reason::bad_address,
        "a corbaloc address does not begin with \"<protocol>:\" or \":\": " + quoted(text));
  const std::string_view name = text.substr(0, colon);
  if (!std::ranges::all_of(name, is_scheme_character))
    return refuse(Reason::bad_address, quoted(name) + " is not the name of a protocol");
  text.remove_prefix(colon + 1);
  if (name.empty()) return "iiop";
  std::string scheme(name);
  std::ranges::transform(scheme, scheme.begin(), to_lower);
  return scheme;
}

/// Takes "<major>.<minor>@" from the front of an address, if it is there. An '@' at the start of
/// the address begins an abstract name.
std::expected<void, ReferenceError> take_version(std::string_view& text, CorbalocAddress& address) {
  if (!has_host_and_port(address.scheme) && text.starts_with('@')) return {};
  const std::size_t at = text.find_first_of("@/|");
  if (at == std::string_view::npos || text[at] != '@') return {};
  const std::string_view version = text.substr(0, at);
  const std::size_t dot = std::min(version.find('.'), version.size());
  const auto major = parse_number<std::uint8_t>(version.substr(0, dot));
  const auto minor = parse_number<std::uint8_t>(version.substr(std::min(dot + 1, version.size())));
  if (!major || !minor)
    return refuse(Reason::bad_address,
                  quoted(version) + " is not a version; write it as in \"1.2@host:2809\"");
  address.major = *major;
  address.minor = *minor;
  text.remove_prefix(at + 1);
  return {};
}

/// CORBA 3.0, 13.6.10.3: an absent host is the local host, an absent port is 2809.
std::expected<void, ReferenceError> complete_host_and_port(CorbalocAddress& address) {
  const auto parsed = parse_host_port(address.address, corbaloc_port_default);
  if (!parsed) return std::unexpected(parsed.error());
  if (parsed->host.empty()) address.address.insert(0, "localhost");
  return {};
}

/// The position where the address at the front of `text` ends: at a separator, or at the end.
std::size_t address_size(std::string_view text, std::string_view scheme) {
  const bool is_name =
      !has_host_and_port(scheme) && (text.starts_with('/') || text.starts_with('@'));
  return std::min(text.find_first_of(is_name ? ",|" : ",/|"), text.size());
}

std::expected<CorbalocAddress, ReferenceError> take_address(std::string_view& text,
                                                            std::string scheme) {
  CorbalocAddress address;
  address.scheme = std::move(scheme);
  const std::string_view whole = text.substr(0, std::min(text.find(','), text.size()));
  std::string_view rest = whole;
  if (const auto version = take_version(rest, address); !version)
    return std::unexpected(version.error());
  text.remove_prefix(whole.size() - rest.size());
  const std::size_t size = address_size(text, address.scheme);
  address.address = text.substr(0, size);
  text.remove_prefix(size);
  if (!has_host_and_port(address.scheme)) {
    if (size == 0) return refuse(Reason::bad_address, "no address after " + address.scheme + ':');
    return address;
  }
  if (const auto completed = complete_host_and_port(address); !completed)
    return std::unexpected(completed.error());
  return address;
}

/// Takes the list of addresses; leaves the separator and the key.
std::expected<void, ReferenceError> take_addresses(std::string_view& text, Corbaloc& corbaloc) {
  while (true) {
    auto scheme = take_scheme(text);
    if (!scheme) return std::unexpected(scheme.error());
    if (*scheme == "rir") {
      corbaloc.rir = true;
      if (corbaloc.addresses.empty() && (text.empty() || text.front() == '/')) return {};
      return refuse(Reason::bad_address, "\"rir:\" in a corbaloc stands alone and has no address");
    }
    if (corbaloc.addresses.size() == addresses_max)
      return refuse(Reason::other, "a corbaloc has too many addresses");
    auto address = take_address(text, std::move(*scheme));
    if (!address) return std::unexpected(address.error());
    corbaloc.addresses.push_back(std::move(*address));
    if (text.empty() || text.front() != ',') return {};
    text.remove_prefix(1);
  }
}

/// CORBA 3.0, 13.6.10.1, lists the characters that need no escape. All other octets are escaped as
/// in RFC 2396.
std::expected<ObjectKey, ReferenceError> unescape_key(std::string_view text) {
  ObjectKey key;
  key.reserve(text.size());
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] != '%') {
      key.push_back(static_cast<std::byte>(text[index]));
      continue;
    }
    const auto high = index + 1 < text.size() ? hex_digit(text[index + 1]) : std::nullopt;
    const auto low = index + 2 < text.size() ? hex_digit(text[index + 2]) : std::nullopt;
    if (!high || !low)
      return refuse(Reason::bad_specific,
                    "a '%' without two hexadecimal digits in the key " + quoted(text));
    key.push_back(static_cast<std::byte>(*high << 4 | *low));
    index += 2;
  }
  return key;
}

}  // namespace

std::expected<Corbaloc, ReferenceError> parse_corbaloc(std::string_view url) {
  std::string_view text = without_trailing_space(url);
  if (!consume_prefix(text, "corbaloc:"))
    return refuse(Reason::bad_scheme, "a reference does not begin with \"corbaloc:\"");
  if (text.size() > url_size_max) return refuse(Reason::other, "a corbaloc is too long");
  if (!std::ranges::all_of(text, is_visible))
    return refuse(Reason::bad_specific, "a corbaloc has a character that must be escaped");
  Corbaloc corbaloc;
  if (const auto addresses = take_addresses(text, corbaloc); !addresses)
    return std::unexpected(addresses.error());
  if (text.empty()) return corbaloc;
  text.remove_prefix(1);
  auto key = unescape_key(text);
  if (!key) return std::unexpected(key.error());
  corbaloc.object_key = std::move(*key);
  return corbaloc;
}

std::string escape_key(OctetSpan key) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view unescaped = ";/:?@&=+$,-_.!~*'()";
  std::string text;
  text.reserve(key.size());
  for (const std::byte octet : key) {
    const auto code = std::to_integer<unsigned char>(octet);
    const char c = static_cast<char>(code);
    const bool letter = to_lower(c) >= 'a' && to_lower(c) <= 'z';
    if (letter || is_digit(c) || unescaped.contains(c))
      text += c;
    else
      text.append({'%', digits[code >> 4], digits[code & 15]});
  }
  return text;
}

std::expected<HostPort, ReferenceError> parse_host_port(std::string_view text,
                                                        std::uint16_t default_port) {
  const auto bad_address = [text](const char* what) {
    return refuse(Reason::bad_address, what + (": " + quoted(text)));
  };
  const bool bracketed = text.starts_with('[');
  const std::size_t host_end = std::min(text.find(bracketed ? ']' : ':'), text.size());
  if (bracketed && (host_end < 2 || host_end == text.size()))
    return bad_address("no IPv6 address in brackets");
  const std::string_view host = text.substr(bracketed, host_end - bracketed);
  const std::string_view port = text.substr(host_end + bracketed);
  if (!bracketed && std::ranges::count(port, ':') > 1)
    return bad_address("an IPv6 address needs brackets");
  if (!std::ranges::all_of(host, is_host_character)) return bad_address("no host name or address");
  if (port.empty()) return HostPort{std::string(host), default_port};
  const auto number = parse_number<std::uint16_t>(port.substr(1));
  if (port.front() != ':' || !number) return bad_address("no port number from 0 to 65535");
  return HostPort{std::string(host), *number};
}

}  // namespace perigee::iop
