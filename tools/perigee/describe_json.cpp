// Writes references as JSON: the output of `perigee ior --json`.
#include "describe_json.h"

#include "describe.h"
#include "parts.h"
#include "result.h"
#include <perigee/iop/profile_codec.h>

#include <nlohmann/json.hpp>

#include <expected>
#include <optional>

namespace perigee::tool {

namespace {

using nlohmann::json;

std::string hex(OctetSpan octets) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte octet : octets) {
    const auto value = std::to_integer<std::size_t>(octet);
    text += digits[value / 16];
    text += digits[value % 16];
  }
  return text;
}

json to_json(const iop::TaggedComponent& component) {
  json entry{{"tag", component.tag},
             {"name", component_name(component.tag)},
             {"data", hex(component.data)}};
  if (const std::string text = component_contents(component); !text.empty()) entry["text"] = text;
  return entry;
}

// Adds the fields of profiles of all kinds. `Body`: IiopProfile or LocalProfile.
template <typename Body>
void add_body(json& entry, const Body& body, const std::string& where) {
  entry["version"] = std::to_string(body.major) + "." + std::to_string(body.minor);
  entry["address"] = where;
  entry["object_key"] = hex(body.object_key);
  if (const std::string text = corbaloc(body); !text.empty()) entry["corbaloc"] = text;
  entry["components"] = json::array();
  for (const iop::TaggedComponent& component : body.components)
    entry["components"].push_back(to_json(component));
}

std::string where(const iop::IiopProfile& body) { return address(body.host, body.port); }
std::string where(const LocalProfile& body) { return local_address(body.host, body.address); }

template <typename Body>
void add_decoded(json& entry, const std::expected<Body, cdr::Error>& decoded) {
  if (decoded)
    add_body(entry, *decoded, where(*decoded));
  else
    entry["error"] = cdr::to_string(decoded.error());
}

void add_target(json& entry, const transport::ProfileTarget& target) {
  entry["version"] = std::to_string(target.major) + "." + std::to_string(target.minor);
  entry["addresses"] = json::array();
  for (const auto& place : target.endpoints)
    entry["addresses"].push_back(printable(to_string(place.endpoint)));
  entry["object_key"] = hex(target.object_key);
  entry["components"] = json::array();
  for (const iop::TaggedComponent& component : target.components)
    entry["components"].push_back(to_json(component));
}

json to_json(const iop::TaggedProfile& profile, const transport::ProtocolRegistry* protocols) {
  json entry{
      {"tag", profile.tag}, {"name", profile_name(profile.tag)}, {"data", hex(profile.data)}};
  if (profile.tag == iop::tag_internet_iop)
    add_decoded(entry, iop::decode_iiop_profile(profile));
  else if (is_local(profile.tag))
    add_decoded(entry, decode_local(profile));
  else if (const auto target = protocols != nullptr ? protocols->claim(profile) : std::nullopt)
    add_target(entry, *target);
  return entry;
}

json to_json(const Choice& choice) {
  json entry{{"tried", choice.tried}, {"reason", choice.reason}};
  if (choice.profile != 0) entry["profile"] = choice.profile;
  if (!choice.endpoint.empty()) entry["endpoint"] = choice.endpoint;
  return entry;
}

}  // namespace

std::string to_json(const iop::Ior& ior, const std::vector<Choice>& choices,
                    const transport::ProtocolRegistry* protocols) {
  json document{
      {"type_id", printable(ior.type_id)}, {"profiles", json::array()}, {"choices", json::array()}};
  for (const iop::TaggedProfile& profile : ior.profiles)
    document["profiles"].push_back(to_json(profile, protocols));
  for (const Choice& choice : choices) document["choices"].push_back(to_json(choice));
  return json_line(document);
}

std::string to_json(const iop::Corbaloc& reference, const std::vector<Choice>& choices,
                    std::string_view name) {
  json document{{"addresses", json::array()},
                {"object_key", hex(reference.object_key)},
                {"choices", json::array()}};
  for (const Choice& choice : choices) document["choices"].push_back(to_json(choice));
  if (!name.empty()) document["name"] = printable(name);
  if (reference.rir) document["initial_reference"] = true;
  for (const iop::CorbalocAddress& place : reference.addresses)
    document["addresses"].push_back(
        {{"scheme", printable(place.scheme)},
         {"version", std::to_string(place.major) + "." + std::to_string(place.minor)},
         {"address", printable(place.address)}});
  return json_line(document);
}

}  // namespace perigee::tool
