// Writes references as text: the output of `perigee ior`.
#include "describe.h"

#include "parts.h"
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <expected>
#include <optional>

namespace perigee::tool {

namespace {

std::string octet_count(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " octet" : " octets");
}

std::string describe(const iop::TaggedComponent& component) {
  std::string text = "  component:  " + std::string(component_name(component.tag)) + " (tag " +
                     std::to_string(component.tag) + "), ";
  if (const std::string contents = component_contents(component); !contents.empty())
    return text + contents + "\n";
  return text + octet_count(component.data.size()) + "\n" + hex_dump(component.data, "    ");
}

std::string describe_object_key(OctetSpan key) {
  return "  object key: " + octet_count(key.size()) + "\n" + hex_dump(key, "    ");
}

std::string corbaloc_line(const std::string& text) {
  return text.empty() ? text : "  corbaloc:   " + text + "\n";
}

std::string describe(const iop::IiopProfile& profile) {
  std::string text = "  version:    " + std::to_string(profile.major) + "." +
                     std::to_string(profile.minor) +
                     "\n  address:    " + address(profile.host, profile.port) + "\n" +
                     describe_object_key(profile.object_key) + corbaloc_line(corbaloc(profile));
  for (const iop::TaggedComponent& component : profile.components) text += describe(component);
  return text;
}

std::string describe(const LocalProfile& body) {
  std::string text = "  version:    " + std::to_string(body.major) + "." +
                     std::to_string(body.minor) +
                     "\n  address:    " + local_address(body.host, body.address) + "\n" +
                     describe_object_key(body.object_key) + corbaloc_line(corbaloc(body));
  for (const iop::TaggedComponent& component : body.components) text += describe(component);
  return text;
}

template <typename Body>
std::string describe_decoded(const iop::TaggedProfile& profile,
                             const std::expected<Body, cdr::Error>& decoded) {
  if (decoded) return describe(*decoded);
  return "  cannot be decoded: " + cdr::to_string(decoded.error()) + "\n" +
         hex_dump(profile.data, "    ");
}

// The profile as its protocol's codec reads it.
std::string describe(const transport::ProfileTarget& target) {
  std::string text =
      "  version:    " + std::to_string(target.major) + "." + std::to_string(target.minor) + "\n";
  for (const auto& place : target.endpoints)
    text += "  address:    " + printable(to_string(place.endpoint)) + "\n";
  text += describe_object_key(target.object_key);
  for (const iop::TaggedComponent& component : target.components) text += describe(component);
  return text;
}

std::string describe(const iop::TaggedProfile& profile,
                     const transport::ProtocolRegistry* protocols) {
  std::string text = std::string(profile_name(profile.tag)) + " (tag " +
                     std::to_string(profile.tag) + "), " + octet_count(profile.data.size()) + "\n";
  switch (profile.tag) {
    case iop::tag_internet_iop:
      return text + describe_decoded(profile, iop::decode_iiop_profile(profile));
    case transport::tag_perigee_local:
    case transport::tag_perigee_shared_memory:
      return text + describe_decoded(profile, decode_local(profile));
    default:
      if (const auto target = protocols != nullptr ? protocols->claim(profile) : std::nullopt)
        return text + describe(*target);
      return text + hex_dump(profile.data, "    ");
  }
}

}  // namespace

std::string hex_dump(OctetSpan octets, std::string_view indent) {
  constexpr std::size_t line_size = 16;
  std::string text;
  for (std::size_t start = 0; start < octets.size(); start += line_size) {
    const OctetSpan line = octets.subspan(start, std::min(line_size, octets.size() - start));
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "%04zx ", start);
    text += std::string(indent) + number.data();
    std::string ascii;
    for (const std::byte octet : line) {
      std::snprintf(number.data(), number.size(), " %02x", std::to_integer<unsigned>(octet));
      text += number.data();
      const char character = std::to_integer<char>(octet);
      ascii += character >= ' ' && character <= '~' ? character : '.';
    }
    text += std::string((line_size - line.size()) * 3, ' ') + "  |" + ascii + "|\n";
  }
  return text;
}

std::string describe(const iop::Ior& ior, const transport::ProtocolRegistry* protocols) {
  if (ior.is_nil()) return "the nil reference\n";
  std::string text =
      "type id: " + (ior.type_id.empty() ? "(empty)" : printable(ior.type_id)) + "\n";
  for (std::size_t i = 0; i < ior.profiles.size(); ++i)
    text += "profile " + std::to_string(i + 1) + ": " + describe(ior.profiles[i], protocols);
  return text;
}

std::string describe(const iop::Corbaloc& reference, std::string_view name) {
  const std::string_view key(reinterpret_cast<const char*>(reference.object_key.data()),
                             reference.object_key.size());
  std::string text;
  if (reference.rir)
    text = "initial reference: " + (key.empty() ? "NameService" : printable(key)) + "\n";
  for (const iop::CorbalocAddress& place : reference.addresses)
    text += "address: " + printable(place.scheme) + " " + std::to_string(place.major) + "." +
            std::to_string(place.minor) + " at " + printable(place.address) + "\n";
  if (!reference.rir) text += describe_object_key(reference.object_key);
  if (!name.empty()) text += "  name in the context: " + printable(name) + "\n";
  return text;
}

}  // namespace perigee::tool
