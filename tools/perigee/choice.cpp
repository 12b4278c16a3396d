// The order is that of `make_binding` in src/orb: the nearest first, among equals the server's.
#include "choice.h"

#include "describe.h"

namespace perigee::tool {

namespace {

using transport::Distance;

const char* reason_for(Distance distance) {
  switch (distance) {
    case Distance::same_host:
      return "on this host, without a network: the nearest comes first";
    case Distance::network:
      return "through the network";
    case Distance::other_host:
      return "out of reach: of another host or container, or nobody is trusted there";
  }
  return "";
}

/// What the protocols say about one profile.
struct Claim {
  std::size_t profile;
  std::vector<transport::ProfileEndpoint> places;
};

void add(std::vector<Choice>& result, const std::vector<Claim>& claims, Distance distance) {
  for (const Claim& claim : claims)
    for (const auto& place : claim.places)
      if (place.distance == distance)
        result.push_back({claim.profile, to_string(place.endpoint),
                          distance != Distance::other_host, reason_for(distance)});
}

}  // namespace

std::vector<Choice> choices(const iop::Ior& ior, const transport::ProtocolRegistry& protocols) {
  std::vector<Claim> claims;
  std::vector<Choice> not_understood;
  for (std::size_t index = 0; index < ior.profiles.size(); ++index) {
    const auto target = protocols.claim(ior.profiles[index]);
    if (target)
      claims.push_back({index + 1, target->endpoints});
    else
      not_understood.push_back({index + 1, {}, false, "no protocol here understands it"});
  }
  std::vector<Choice> result;
  for (const Distance distance : {Distance::same_host, Distance::network, Distance::other_host})
    add(result, claims, distance);
  result.insert(result.end(), not_understood.begin(), not_understood.end());
  return result;
}

std::string describe(const std::vector<Choice>& choices) {
  std::string text;
  std::size_t number = 0;
  for (const Choice& choice : choices) {
    const std::string profile = "profile " + std::to_string(choice.profile);
    if (choice.tried)
      text += "  " + std::to_string(++number) + ". ";
    else
      text += "  not ";
    text += choice.endpoint.empty() ? profile : choice.endpoint + " (" + profile + ")";
    text += ": " + choice.reason + "\n";
  }
  if (text.empty()) return text;
  return (number == 0 ? "a client here can use no address:\n" : "a client here tries:\n") + text;
}

}  // namespace perigee::tool
