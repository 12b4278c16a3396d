// Text forms of names.
#include "services/naming/name_text.h"

#include "orb/references/corbaname.h"
#include <perigee/iop/corbaloc.h>

#include <utility>

namespace perigee::naming {

namespace {

constexpr std::string_view special = "/.\\";
// RFC 2396, "reserved" and "unreserved". A URL has these characters, letters and digits unescaped.
constexpr std::string_view url_characters = ";/:?@&=+$,-_.!~*'()";

void append_escaped(std::string& text, std::string_view part) {
  for (const char character : part) {
    if (special.contains(character)) text += '\\';
    text += character;
  }
}

bool is_url_character(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || url_characters.contains(character);
}

}  // namespace

std::string to_text(const Components& name) {
  std::string text;
  for (const Component& component : name) {
    if (&component != &name.front()) text += '/';
    append_escaped(text, component.id);
    if (component.kind.empty() && !component.id.empty()) continue;
    text += '.';
    append_escaped(text, component.kind);
  }
  return text;
}

std::optional<Components> parse_text(std::string_view text) {
  auto parsed = orb::parse_name(text);
  if (!parsed) return std::nullopt;
  Components name;
  name.reserve(parsed->size());
  for (orb::NameComponent& component : *parsed)
    name.push_back({std::move(component.id), std::move(component.kind)});
  return name;
}

std::optional<std::string> make_url(const std::string& address, std::string_view name) {
  if (address.empty() || address.contains('#') || !iop::parse_corbaloc("corbaloc:" + address))
    return std::nullopt;
  std::string url = "corbaname:" + address + '#';
  for (const char character : name) {
    if (is_url_character(character)) {
      url += character;
      continue;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    const auto octet = static_cast<unsigned char>(character);
    url += '%';
    url += digits[octet >> 4U];
    url += digits[octet & 0xfU];
  }
  return url;
}

}  // namespace perigee::naming
