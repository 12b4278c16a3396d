// The order in which addresses are tried. The ORB and the tools that explain its choice share it.
#include <perigee/transport/address_choice.h>

#include <algorithm>
#include <map>
#include <utility>

namespace perigee::transport {

std::vector<AddressChoice> choose_addresses(std::span<const ProfileTarget> profiles,
                                            const SchemeRank& rank) {
  std::multimap<std::pair<std::size_t, Distance>, AddressChoice> tried;
  std::vector<AddressChoice> left_out;
  for (std::size_t profile = 0; profile < profiles.size(); ++profile)
    for (const ProfileEndpoint& place : profiles[profile].endpoints) {
      const auto wanted = rank ? rank(place.endpoint.scheme) : 0;
      if (place.distance == Distance::other_host)
        left_out.push_back({profile, &place, AddressUse::other_host});
      else if (!wanted)
        left_out.push_back({profile, &place, AddressUse::excluded});
      else
        tried.emplace(std::pair(*wanted, place.distance),
                      AddressChoice{profile, &place, AddressUse::tried});
    }
  const bool has_protection =
      std::ranges::any_of(tried, [](const auto& each) { return each.second.place->is_protected; });
  std::vector<AddressChoice> choices;
  for (auto& [order, choice] : tried) {
    const bool is_plain =
        choice.place->distance == Distance::network && !choice.place->is_protected;
    if (has_protection && is_plain) choice.use = AddressUse::unprotected;
    (choice.use == AddressUse::tried ? choices : left_out).push_back(choice);
  }
  choices.insert(choices.end(), left_out.begin(), left_out.end());
  return choices;
}

}  // namespace perigee::transport
