// Turns an IOR into the places where requests can be sent, in the order in which to try them.
#include "orb/client/endpoint_table.h"
#include "orb/context/orb_context.h"
#include "orb/references/mprofile.h"
#include <perigee/base/log.h>
#include <perigee/base/printable.h>
#include <perigee/iop/components.h>
#include <perigee/transport/address_choice.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::orb {

namespace {

using transport::AddressUse;
using transport::Distance;

/// An endpoint of a profile that is going to be used.
struct Candidate {
  const transport::ProfileEndpoint* place;
  std::size_t profile;  ///< in the Binding's profiles
  const transport::Properties* properties;
};

// References come from peers, and each profile costs memory. So `targets_max` limits the profiles.
std::vector<std::uint32_t> claim_profiles(const OrbContext& context, Binding& binding) {
  std::vector<std::uint32_t> indices;
  for (std::size_t index = 0; index < binding.ior.profiles.size(); ++index) {
    if (binding.profiles.size() >= context.settings.targets_max) break;
    auto target = context.protocols.claim(binding.ior.profiles[index]);
    if (!target) continue;
    binding.profiles.push_back(std::move(*target));
    indices.push_back(static_cast<std::uint32_t>(index));
  }
  return indices;
}

void append(std::string& list, const transport::Endpoint& endpoint) {
  list += (list.empty() ? "" : ", ") + to_string(endpoint);
}

// Chooses the endpoints that are tried. The binding notes the other endpoints.
std::vector<Candidate> choose_places(const OrbContext& context, Binding& binding,
                                     const ProtocolPreference* preference) {
  static const transport::Properties none;
  const auto place_of = [&](const std::string& scheme) {
    return preference != nullptr ? preference->place_of(context.protocols, scheme)
                                 : ProtocolPreference::Place{0, &none};
  };
  const auto rank_of = [&](const std::string& scheme) {
    const auto place = place_of(scheme);
    return place ? std::optional(place->rank) : std::nullopt;
  };
  std::vector<Candidate> in_order;
  for (const auto& [profile, place, use] : transport::choose_addresses(binding.profiles, rank_of)) {
    if (use == AddressUse::other_host)
      append(binding.other_hosts, place->endpoint);
    else if (use == AddressUse::excluded || use == AddressUse::unprotected)
      append(binding.excluded, place->endpoint);
    else if (const auto wanted = place_of(place->endpoint.scheme))
      in_order.push_back({place, profile, wanted->properties});
  }
  return in_order;
}

// The highest version that both sides speak, in its shorter form (GIOPlite) if both sides want it.
messaging::Version agreed_version(const OrbContext& context,
                                  const messaging::MessagingProtocol& protocol,
                                  const transport::ProfileTarget& profile) {
  const messaging::Version version =
      std::min(messaging::Version{profile.major, profile.minor}, version_max(context, protocol));
  if (!context.settings.giop_lite) return version;
  const auto* lite = iop::find_component(profile.components, iop::tag_giop_lite);
  const bool understood = lite != nullptr && iop::decode_giop_lite(lite->data);
  return understood ? protocol.short_form(version) : version;
}

std::string_view text_of(Distance distance) noexcept {
  switch (distance) {
    case Distance::same_host:
      return "same host";
    case Distance::network:
      return "network";
    case Distance::other_host:
      return "another host's";
  }
  return "";
}

// Writes one line if there was a choice: an order of endpoints, or endpoints that are left out.
void log_choice(const Binding& binding, const std::vector<Candidate>& places) {
  if (!log::enabled(log::Level::info)) return;
  const bool all_used = binding.other_hosts.empty() && binding.excluded.empty();
  if (places.size() < 2 && all_used) return;
  std::string text = binding.ior.type_id.empty() ? "object" : printable(binding.ior.type_id);
  text += ": ";
  for (const Candidate& candidate : places) {
    if (&candidate != &places.front()) text += ", then ";
    text += to_string(candidate.place->endpoint);
    text.append(" (").append(text_of(candidate.place->distance)).append(")");
  }
  if (places.empty()) text += "no address can be used";
  if (!binding.other_hosts.empty()) text += "; left out, another host's: " + binding.other_hosts;
  if (!binding.excluded.empty()) text += "; left out by policy: " + binding.excluded;
  log::write(log::Level::info, "orb", text);
}

// If a policy orders the protocols, the policy decides, and not the distance.
bool is_chosen_by_distance(const Candidate& candidate, const std::vector<Candidate>& places,
                           const ProtocolPreference* preference) noexcept {
  return preference == nullptr && candidate.place->distance == Distance::same_host &&
         std::ranges::any_of(places, [](const Candidate& other) {
           return other.place->distance == Distance::network;
         });
}

// Equal targets are tried once: a second try would fail like the first.
bool is_known(const std::vector<Target>& targets, const Target& other) {
  return std::ranges::any_of(targets, [&other](const Target& target) {
    return target.endpoint == other.endpoint &&
           std::ranges::equal(target.object_key, other.object_key);
  });
}

}  // namespace

std::shared_ptr<Binding> make_binding(const OrbContext& context, iop::Ior ior, Binding::Kind kind,
                                      const ProtocolPreference* preference) {
  auto binding = std::make_shared<Binding>();
  binding->kind = kind;
  binding->ior = std::move(ior);
  binding->protocol_changes = context.protocols.changes();  // before looking: see renew_base
  const std::vector<std::uint32_t> profile_indices = claim_profiles(context, *binding);
  std::vector<Candidate> places = choose_places(context, *binding, preference);
  log_choice(*binding, places);
  if (places.size() > context.settings.targets_max) places.resize(context.settings.targets_max);

  for (const Candidate& candidate : places) {
    const transport::ProfileTarget& profile = binding->profiles[candidate.profile];
    const transport::Endpoint& endpoint = candidate.place->endpoint;
    const messaging::Version version =
        agreed_version(context, messaging_of(context, endpoint.scheme), profile);
    const auto choice = choose_code_sets(context.settings.code_sets, version, profile.components);
    Target target{
        context.endpoints.find(endpoint, choice.value_or(CodeSetChoice{}), *candidate.properties),
        profile.object_key,
        version,
        context.server != nullptr && context.server->publishes(endpoint),
        choice.has_value(),
        profile_indices[candidate.profile]};
    if (is_chosen_by_distance(candidate, places, preference))
      target.endpoint->note_chosen_by_distance();
    target.remote = !target.collocated && target.compatible;
    if (!is_known(binding->targets, target)) binding->targets.push_back(std::move(target));
  }
  return binding;
}

}  // namespace perigee::orb
