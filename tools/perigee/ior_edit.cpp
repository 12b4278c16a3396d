// Makes references, and changes them: decodes profiles, changes them, and encodes them again.
#include "ior_edit.h"

#include "describe.h"
#include "parts.h"
#include <perigee/iop/components.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/transport/local.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace perigee::tool {

namespace {

using Error = std::unexpected<std::string>;

std::expected<iop::HostPort, std::string> parse_address(const std::string& text) {
  auto address = iop::parse_host_port(text, 0);
  if (!address) return Error(address.error().text);
  if (address->host.empty()) return Error("'" + printable(text) + "' has no host");
  return std::move(*address);
}

std::expected<std::uint8_t, std::string> parse_minor(const std::string& version) {
  if (version == "1.0") return 0;
  if (version == "1.1") return 1;
  if (version == "1.2") return 2;
  return Error("unknown version '" + printable(version) + "' of IIOP; write 1.0, 1.1 or 1.2");
}

/// "old=new", parsed. In the old address, port 0 matches every port. In the new address, port 0
/// keeps the present port.
struct Move {
  iop::HostPort from;
  iop::HostPort to;

  bool apply(std::string& host, std::uint16_t& port) const {
    if (host != from.host || (from.port != 0 && port != from.port)) return false;
    host = to.host;
    if (to.port != 0) port = to.port;
    return true;
  }
};

std::expected<Move, std::string> parse_move(const std::string& text) {
  const std::size_t split = text.find('=');
  if (split == std::string::npos)
    return Error("'" + printable(text) + "': <old host>[:port]=<new host>[:port] is needed");
  auto from = parse_address(text.substr(0, split));
  if (!from) return Error(from.error());
  auto to = parse_address(text.substr(split + 1));
  if (!to) return Error(to.error());
  return Move{std::move(*from), std::move(*to)};
}

bool move_component(iop::TaggedComponent& component, const Move& move) {
  if (component.tag != iop::tag_alternate_iiop_address) return false;
  auto address = iop::decode_alternate_address(component.data);
  if (!address || !move.apply(address->host, address->port)) return false;
  component = iop::encode_alternate_address(*address);
  return true;
}

using ChangeProfile = std::function<bool(iop::IiopProfile&)>;

/// False if no IIOP profile was changed. Other profiles, and profiles that do not decode, stay
/// unchanged.
bool change_profiles(iop::Ior& ior, const ChangeProfile& change) {
  bool changed = false;
  for (iop::TaggedProfile& profile : ior.profiles) {
    if (profile.tag != iop::tag_internet_iop) continue;
    auto decoded = iop::decode_iiop_profile(profile);
    if (!decoded || !change(*decoded)) continue;
    profile = iop::encode_profile(*decoded);
    changed = true;
  }
  return changed;
}

std::expected<void, std::string> move_addresses(iop::Ior& ior, const std::string& text) {
  const auto move = parse_move(text);
  if (!move) return Error(move.error());
  const bool moved = change_profiles(ior, [&](iop::IiopProfile& profile) {
    bool any = move->apply(profile.host, profile.port);
    for (iop::TaggedComponent& component : profile.components)
      any |= move_component(component, *move);
    return any;
  });
  if (!moved) return Error("no IIOP profile has the old address in '" + printable(text) + "'");
  return {};
}

std::expected<void, std::string> remove_components(iop::Ior& ior, std::uint32_t tag) {
  const bool removed = change_profiles(ior, [tag](iop::IiopProfile& profile) {
    return std::erase_if(profile.components,
                         [tag](const auto& component) { return component.tag == tag; }) != 0;
  });
  if (!removed) return Error("no IIOP profile has a component with tag " + std::to_string(tag));
  return {};
}

std::expected<void, std::string> check_profile(const iop::Ior& ior, std::size_t number) {
  if (number >= 1 && number <= ior.profiles.size()) return {};
  return Error("there is no profile " + std::to_string(number) + "; write a number from 1 to " +
               std::to_string(ior.profiles.size()));
}

// Removes from the last profile on, so that the numbers of earlier profiles stay valid.
std::expected<void, std::string> remove_profiles(iop::Ior& ior, std::vector<std::size_t> numbers) {
  std::ranges::sort(numbers, std::greater());
  const auto twice = std::ranges::unique(numbers);
  numbers.erase(twice.begin(), twice.end());
  for (const std::size_t number : numbers) {
    if (auto there = check_profile(ior, number); !there) return there;
    ior.profiles.erase(ior.profiles.begin() + static_cast<std::ptrdiff_t>(number - 1));
  }
  return {};
}

void put_first(iop::Ior& ior, std::size_t number) {
  const auto begin = ior.profiles.begin();
  std::rotate(begin, begin + static_cast<std::ptrdiff_t>(number - 1),
              begin + static_cast<std::ptrdiff_t>(number));
}

// Moves one profile to the front before profiles are removed, and adjusts the numbers of removed
// profiles.
std::expected<void, std::string> arrange(iop::Ior& ior, const IorChanges& changes) {
  std::vector<std::size_t> removed = changes.removed_profiles;
  if (!changes.first_profile) return remove_profiles(ior, std::move(removed));
  const std::size_t first = *changes.first_profile;
  if (auto there = check_profile(ior, first); !there) return there;
  if (std::ranges::find(removed, first) != removed.end())
    return Error("profile " + std::to_string(first) + " cannot be removed and be the first");
  put_first(ior, first);
  for (std::size_t& number : removed)
    if (number != 0 && number < first) ++number;
  return remove_profiles(ior, std::move(removed));
}

std::string profile_title(std::size_t number, std::uint32_t tag) {
  return "profile " + std::to_string(number) + " (tag " + std::to_string(tag) + ")";
}

std::expected<void, std::string> set_key_of(iop::TaggedProfile& profile, const iop::ObjectKey& key,
                                            const transport::ProtocolRegistry* protocols) {
  const auto iiop = iop::make_iiop_codec();
  const iop::ProfileCodec* codec = profile.tag == iiop->tag() ? iiop.get() : nullptr;
  if (codec == nullptr && protocols != nullptr) codec = protocols->codec(profile.tag);
  if (codec == nullptr) return Error("no loaded protocol reads it");
  auto body = codec->decode(profile, {});
  if (!body) return Error("it cannot be decoded: " + cdr::to_string(body.error()));
  body->object_key = key;
  profile = codec->encode(*body);
  return {};
}

std::expected<void, std::string> set_key(iop::Ior& ior, const std::string& text,
                                         const transport::ProtocolRegistry* protocols) {
  const auto key = parse_key(text);
  if (!key) return Error(key.error());
  if (ior.profiles.empty()) return Error("there is no profile for the key");
  for (std::size_t index = 0; index < ior.profiles.size(); ++index)
    if (const auto set = set_key_of(ior.profiles[index], *key, protocols); !set)
      return Error("the key of " + profile_title(index + 1, ior.profiles[index].tag) +
                   " cannot be changed: " + set.error() +
                   "; all profiles must have the same key: load the protocol with " +
                   "-ORBProtocolLibrary, or remove the profile with --remove-profile");
  return {};
}

// Protocols make profiles of any address. An address is invalid if its protocol cannot read the
// profile again.
std::expected<iop::TaggedProfile, std::string> make_profile(
    const std::string& text, const transport::ProfileSource& source,
    const transport::ProtocolRegistry* protocols) {
  const auto endpoint = transport::parse_endpoint(text);
  if (!endpoint) return Error(to_string(endpoint.error()));
  const auto* protocol = protocols != nullptr ? protocols->find(endpoint->scheme) : nullptr;
  if (protocol == nullptr)
    return Error("no loaded protocol has the scheme '" + printable(endpoint->scheme) + "'");
  auto profile = protocol->make_profile(*endpoint, source);
  const auto target = protocols->claim(profile);
  if (!target) return Error("'" + printable(text) + "' is not an address of this protocol");
  for (const transport::ProfileEndpoint& place : target->endpoints)
    if (const std::string why = why_out_of_reach(profile, place.endpoint); !why.empty())
      return Error("no client could use '" + printable(text) + "': " + printable(why) +
                   "; make the reference on the host of the server, when the folder exists");
  return profile;
}

/// "old=new", both endpoints. The text is split at the first '=' that leaves two valid endpoints,
/// because addresses may contain '=', too.
struct EndpointMove {
  std::string from;
  std::string to;
};

std::optional<EndpointMove> parse_endpoint_move(const std::string& text) {
  for (std::size_t split = text.find('='); split != std::string::npos;
       split = text.find('=', split + 1)) {
    EndpointMove move{text.substr(0, split), text.substr(split + 1)};
    if (transport::parse_endpoint(move.from) && transport::parse_endpoint(move.to)) return move;
  }
  return std::nullopt;
}

// In a reference, an endpoint may end with '?' and the user of the server process, as in
// "?user=1000". The command line may leave this part out.
bool is_named(const transport::Endpoint& endpoint, const std::string& text) {
  const std::string whole = to_string(endpoint);
  return whole == text || whole.starts_with(text + "?");
}

std::expected<bool, std::string> move_profile(iop::TaggedProfile& profile, const EndpointMove& move,
                                              const transport::ProtocolRegistry& protocols) {
  auto target = protocols.claim(profile);
  if (!target || !is_named(target->endpoints.front().endpoint, move.from)) return false;
  std::erase_if(target->components, [](const iop::TaggedComponent& component) {
    return component.tag == transport::tag_perigee_place;  // the place of the old address
  });
  auto moved = make_profile(move.to,
                            {.major = target->major,
                             .minor = target->minor,
                             .object_key = target->object_key,
                             .components = target->components},
                            &protocols);
  if (!moved) return Error(moved.error());
  profile = std::move(*moved);
  return true;
}

std::expected<void, std::string> move_endpoint(iop::Ior& ior, const EndpointMove& move,
                                               const transport::ProtocolRegistry* protocols) {
  bool any = false;
  for (iop::TaggedProfile& profile : ior.profiles) {
    const auto moved = protocols != nullptr ? move_profile(profile, move, *protocols)
                                            : std::expected<bool, std::string>(false);
    if (!moved) return Error(moved.error());
    any |= *moved;
  }
  if (!any) return Error("no profile begins with the address '" + printable(move.from) + "'");
  return {};
}

std::expected<void, std::string> change_address(iop::Ior& ior, const std::string& text,
                                                const transport::ProtocolRegistry* protocols) {
  if (const auto move = parse_endpoint_move(text)) return move_endpoint(ior, *move, protocols);
  return move_addresses(ior, text);
}

}  // namespace

std::expected<iop::Ior, std::string> make_ior(const IorParts& parts,
                                              const transport::ProtocolRegistry* protocols) {
  const auto minor = parse_minor(parts.version);
  if (!minor) return Error(minor.error());
  auto key = parse_key(parts.object_key);
  if (!key) return Error(key.error());
  iop::Ior ior{parts.type_id, {}};
  for (const std::string& text : parts.addresses) {
    auto address = parse_address(text);
    if (!address) return Error(address.error());
    if (address->port == 0) return Error("'" + printable(text) + "': the port is missing");
    ior.profiles.push_back(iop::encode_profile(
        {.minor = *minor, .host = address->host, .port = address->port, .object_key = *key}));
  }
  for (const std::string& text : parts.endpoints) {
    auto profile =
        make_profile(text, {.minor = *minor, .object_key = *key, .components = {}}, protocols);
    if (!profile) return Error(profile.error());
    ior.profiles.push_back(std::move(*profile));
  }
  return ior;
}

std::expected<iop::Ior, std::string> edit_ior(iop::Ior ior, const IorChanges& changes,
                                              const transport::ProtocolRegistry* protocols) {
  for (const std::string& text : changes.addresses)
    if (auto moved = change_address(ior, text, protocols); !moved) return Error(moved.error());
  for (const std::uint32_t tag : changes.removed)
    if (auto removed = remove_components(ior, tag); !removed) return Error(removed.error());
  if (auto arranged = arrange(ior, changes); !arranged) return Error(arranged.error());
  if (ior.profiles.empty()) return Error("no profile would remain: the reference would be nil");
  if (changes.type_id) ior.type_id = *changes.type_id;
  if (changes.object_key)
    if (auto set = set_key(ior, *changes.object_key, protocols); !set) return Error(set.error());
  return ior;
}

std::vector<UnmovedProfile> unmoved_profiles(const iop::Ior& before, const iop::Ior& after,
                                             const IorChanges& changes,
                                             const transport::ProtocolRegistry& protocols) {
  std::vector<UnmovedProfile> unmoved;
  if (changes.addresses.empty()) return unmoved;
  for (std::size_t index = 0; index < after.profiles.size(); ++index) {
    const iop::TaggedProfile& profile = after.profiles[index];
    const auto target = protocols.claim(profile);
    const auto is_same = [&](const iop::TaggedProfile& old) {
      const auto then = protocols.claim(old);
      return old == profile || (then && target && then->endpoints == target->endpoints);
    };
    if (profile.tag == iop::tag_internet_iop || std::ranges::none_of(before.profiles, is_same))
      continue;
    unmoved.push_back({index + 1, profile.tag});
    if (target) unmoved.back().endpoint = printable(to_string(target->endpoints.front().endpoint));
  }
  return unmoved;
}

std::string describe(const std::vector<UnmovedProfile>& profiles) {
  std::string text;
  for (const UnmovedProfile& profile : profiles) {
    text += profile_title(profile.number, profile.tag) + " is unchanged";
    if (!profile.endpoint.empty()) text += ": " + profile.endpoint;
    text += '\n';
  }
  return text;
}

}  // namespace perigee::tool
