// Determines which addresses of a reference an ORB here would use, and describes the reasons.
#include "choice.h"

#include "describe.h"
#include "parts.h"
#include <perigee/transport/address_choice.h>

namespace perigee::tool {

namespace {

using transport::AddressChoice;
using transport::AddressUse;
using transport::Distance;

std::string reason_for(const AddressChoice& choice, const iop::TaggedProfile& profile) {
  if (choice.use == AddressUse::other_host)
    return "out of reach: " + why_left_out(profile, choice.place->endpoint);
  if (choice.use == AddressUse::excluded) return "a policy excludes its protocol";
  if (choice.use == AddressUse::unprotected) return "another address of the reference uses TLS";
  if (choice.place->distance != Distance::same_host) return "through the network";
  return choice.place->endpoint.scheme == "shmiop"
             ? "on this host, through shared memory: tried before others"
             : "on this host, without a network: tried before others";
}

}  // namespace

std::string why_left_out(const iop::TaggedProfile& profile, const transport::Endpoint& endpoint) {
  if (endpoint.scheme != "uiop" && endpoint.scheme != "shmiop")
    return "it is on another host, and only programs of that host reach it";
  const std::string why = why_out_of_reach(profile, endpoint);
  return why.empty() ? "-ORBUiopTrust does not name its folder or prefix (write own,/<folder> or "
                       "own,@<prefix>)"
                     : printable(why);
}

std::string why_no_address(const iop::TaggedProfile& profile,
                           const transport::ProtocolRegistry& protocols) {
  const iop::ProfileCodec* const codec = protocols.codec(profile.tag);
  if (codec == nullptr)
    return "no loaded protocol reads it (tag " + std::to_string(profile.tag) + ")";
  const auto body = codec->decode(profile, {});
  if (!body) return "it is damaged: " + cdr::to_string(body.error());
  if (tls_port(body->components) != 0)
    return "its address is for TLS, which this program does not use: set -ORBTls allowed";
  return "no loaded protocol can use its address: '" + printable(body->address) + "'";
}

std::vector<Choice> choices(const iop::Ior& ior, const transport::ProtocolRegistry& protocols) {
  std::vector<transport::ProfileTarget> profiles;
  std::vector<std::size_t> numbers;  // the numbers of these profiles
  std::vector<Choice> not_understood;
  for (std::size_t index = 0; index < ior.profiles.size(); ++index) {
    const iop::TaggedProfile& profile = ior.profiles[index];
    if (auto target = protocols.claim(profile)) {
      profiles.push_back(std::move(*target));
      numbers.push_back(index + 1);
    } else {
      not_understood.push_back({index + 1, {}, false, why_no_address(profile, protocols)});
    }
  }
  std::vector<Choice> result;
  for (const AddressChoice& choice : transport::choose_addresses(profiles)) {
    const std::size_t number = numbers[choice.profile];
    result.push_back({number, to_string(choice.place->endpoint), choice.use == AddressUse::tried,
                      reason_for(choice, ior.profiles[number - 1])});
  }
  result.insert(result.end(), not_understood.begin(), not_understood.end());
  return result;
}

std::vector<Choice> choices(const iop::Corbaloc& reference,
                            const transport::ProtocolRegistry& protocols) {
  iop::Ior ior;
  std::vector<Choice> unknown;
  for (const iop::CorbalocAddress& place : reference.addresses) {
    const transport::ProtocolFactory* const protocol = protocols.find(place.scheme);
    const transport::Endpoint endpoint{place.scheme, place.address};
    if (protocol == nullptr)
      unknown.push_back({0, to_string(endpoint), false, "no loaded protocol has this scheme"});
    else
      ior.profiles.push_back(
          protocol->make_profile(endpoint, {place.major, place.minor, reference.object_key, {}}));
  }
  std::vector<Choice> result = choices(ior, protocols);
  for (Choice& choice : result) choice.profile = 0;
  result.insert(result.end(), unknown.begin(), unknown.end());
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
    if (choice.profile == 0)
      text += choice.endpoint;
    else
      text += choice.endpoint.empty() ? profile : choice.endpoint + " (" + profile + ")";
    text += ": " + choice.reason + "\n";
  }
  if (text.empty()) return text;
  return (number == 0 ? "a client here can use no address:\n" : "a client here tries:\n") + text;
}

}  // namespace perigee::tool
