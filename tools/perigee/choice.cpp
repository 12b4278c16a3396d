// Words for what the library decides.
#include "choice.h"

#include "describe.h"
#include <perigee/transport/address_choice.h>

namespace perigee::tool {

namespace {

using transport::AddressChoice;
using transport::AddressUse;
using transport::Distance;

const char* reason_for(const AddressChoice& choice) {
  if (choice.use == AddressUse::other_host)
    return "out of reach: of another host or container, or nobody is trusted there";
  if (choice.use == AddressUse::excluded) return "its protocol is not to be used";
  return choice.place->distance == Distance::same_host
             ? "on this host, without a network: the nearest comes first"
             : "through the network";
}

}  // namespace

std::vector<Choice> choices(const iop::Ior& ior, const transport::ProtocolRegistry& protocols) {
  std::vector<transport::ProfileTarget> profiles;
  std::vector<std::size_t> numbers;  // of these profiles
  std::vector<Choice> not_understood;
  for (std::size_t index = 0; index < ior.profiles.size(); ++index) {
    if (auto target = protocols.claim(ior.profiles[index])) {
      profiles.push_back(std::move(*target));
      numbers.push_back(index + 1);
    } else {
      not_understood.push_back({index + 1, {}, false, "no protocol here understands it"});
    }
  }
  std::vector<Choice> result;
  for (const AddressChoice& choice : transport::choose_addresses(profiles))
    result.push_back({numbers[choice.profile], to_string(choice.place->endpoint),
                      choice.use == AddressUse::tried, reason_for(choice)});
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
