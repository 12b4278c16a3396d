// Finds addresses in profiles by the protocols of the registry, and makes profiles of the bridge.
#include "bridge/references.h"

#include <perigee/iop/components.h>
#include <perigee/transport/address_choice.h>

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::bridge {

using transport::AddressChoice;
using transport::AddressUse;
using transport::Endpoint;
using transport::ProfileTarget;

namespace {

// A routed key begins with the mark, then the number of the target in big endian.
constexpr std::array<std::byte, 4> mark{std::byte{0xff}, std::byte{'P'}, std::byte{'G'},
                                        std::byte{'B'}};
constexpr std::size_t number_size = 8;
constexpr std::size_t routed_prefix_size = mark.size() + number_size;
constexpr std::uint64_t configured_seed = 0;

bool has_mark(OctetSpan key) noexcept {
  return key.size() >= mark.size() && std::ranges::equal(key.first(mark.size()), mark);
}

std::uint64_t read_number(OctetSpan octets) noexcept {
  std::uint64_t number = 0;
  for (const std::byte octet : octets) number = number << 8 | std::to_integer<std::uint8_t>(octet);
  return number;
}

iop::ObjectKey routed_key(std::uint64_t number, OctetSpan key) {
  iop::ObjectKey made(mark.begin(), mark.end());
  for (std::size_t shift = number_size; shift > 0; --shift)
    made.push_back(static_cast<std::byte>(number >> (8 * (shift - 1)) & 0xff));
  made.insert(made.end(), key.begin(), key.end());
  return made;
}

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) | 1;  // never configured_seed
}

// FNV-1a. The seed of learned targets is random, so that a key of another run of the bridge does
// not lead to another target.
std::uint64_t hash(std::uint64_t seed, const Target& target) noexcept {
  std::uint64_t sum = 0xcbf29ce484222325 ^ seed;
  const auto add = [&sum](std::uint8_t octet) { sum = (sum ^ octet) * 0x100000001b3; };
  for (const char each : target.endpoint.scheme) add(static_cast<std::uint8_t>(each));
  add(0);
  for (const char each : target.endpoint.address) add(static_cast<std::uint8_t>(each));
  add(target.version.minor);
  add(target.reads_lite ? 1 : 0);
  return sum ^ seed * 0x9e3779b97f4a7c15;
}

// Addresses and security requirements of the target are not published by the bridge.
bool describes_server(const iop::TaggedComponent& component) noexcept {
  return component.tag == iop::tag_orb_type || component.tag == iop::tag_code_sets ||
         component.tag == iop::tag_giop_lite;
}

/// Whether an address comes before another one in the reference.
bool precedes(const AddressChoice& one, const AddressChoice& other) noexcept {
  return one.profile != other.profile ? one.profile < other.profile
                                      : std::less<>()(one.place, other.place);
}

}  // namespace

References::References(const transport::ProtocolRegistry& protocols)
    : protocols_(protocols), learned_seed_(random_seed()) {}

void References::set_main_target(Target target) {
  main_ = std::move(target);
  (void)number_of(*main_, configured_seed);
}

bool References::is_bridge(const Endpoint& endpoint) const noexcept {
  return std::ranges::any_of(addresses_, [&endpoint](const ListenAddress& address) {
    const transport::Acceptor& acceptor = *address.acceptor;
    return acceptor.published() == endpoint || acceptor.listening() == endpoint ||
           std::ranges::find(acceptor.alternates(), endpoint) != acceptor.alternates().end();
  });
}

std::vector<ProfileTarget> References::claim(const iop::Ior& ior) const {
  std::vector<ProfileTarget> claimed;
  for (const iop::TaggedProfile& profile : ior.profiles)
    if (auto target = protocols_.claim(profile)) claimed.push_back(std::move(*target));
  return claimed;
}

bool References::leads_here(std::span<const ProfileTarget> profiles) const noexcept {
  return std::ranges::any_of(profiles, [this](const ProfileTarget& profile) {
    return std::ranges::any_of(profile.endpoints,
                               [this](const auto& place) { return is_bridge(place.endpoint); });
  });
}

// An address of the main target is taken first, since its objects need no routed keys. Otherwise,
// plain addresses in the network do not count if there is an address of TLS.
std::optional<References::Found> References::choose(std::span<const ProfileTarget> profiles) const {
  const auto choices = transport::choose_addresses(profiles, {});
  const auto is_main = [this](const AddressChoice& choice) {
    return main_ && choice.use != AddressUse::other_host &&
           choice.place->endpoint == main_->endpoint;
  };
  auto choice = std::ranges::find_if(choices, is_main);
  const bool leads_to_main = choice != choices.end();
  for (auto each = choices.begin(); !leads_to_main && each != choices.end(); ++each)
    if (each->use == AddressUse::tried && (choice == choices.end() || precedes(*each, *choice)))
      choice = each;
  if (choice == choices.end()) return std::nullopt;
  Found found = found_in(profiles[choice->profile], choice->place->endpoint);
  if (leads_to_main) found.target = *main_;
  return found;
}

References::Found References::found_in(const ProfileTarget& profile, const Endpoint& endpoint) {
  Found found{{endpoint, {profile.major, profile.minor}, false}, profile.object_key, {}};
  for (const iop::TaggedComponent& component : profile.components)
    if (describes_server(component)) found.components.push_back(component);
  const auto* const lite = iop::find_component(profile.components, iop::tag_giop_lite);
  found.target.reads_lite = lite != nullptr && iop::decode_giop_lite(lite->data);
  return found;
}

std::optional<Target> References::target_of(const iop::Ior& ior) const {
  auto found = choose(claim(ior));
  if (!found) return std::nullopt;
  return std::move(found->target);
}

References::Destination References::find(OctetSpan object_key) const {
  if (!has_mark(object_key)) [[likely]]
    return {&*main_, object_key};
  if (object_key.size() < routed_prefix_size) return {};
  const std::uint64_t number = read_number(object_key.subspan(mark.size(), number_size));
  const std::shared_lock lock(mutex_);
  const auto known = targets_.find(number);
  if (known == targets_.end()) return {};
  return {&known->second, object_key.subspan(routed_prefix_size)};
}

// std::nullopt: there are too many targets, or another target has the same number.
std::optional<std::uint64_t> References::number_of(const Target& target, std::uint64_t seed) {
  const std::uint64_t configured = hash(configured_seed, target);
  const std::uint64_t number = hash(seed, target);
  const std::lock_guard lock(mutex_);
  for (const std::uint64_t each : {configured, number})
    if (const auto known = targets_.find(each); known != targets_.end() && known->second == target)
      return each;
  const bool is_learned = seed != configured_seed;
  if (targets_.contains(number) || (is_learned && learned_ >= learned_max)) return std::nullopt;
  targets_.emplace(number, target);
  if (is_learned) ++learned_;
  return number;
}

// `targets_` also has the main target, for those of its keys that begin with the mark.
std::optional<iop::ObjectKey> References::known_key(const Found& found) const {
  if (main_ && found.target == *main_ && !has_mark(found.object_key)) return found.object_key;
  const std::shared_lock lock(mutex_);
  for (const std::uint64_t seed : {configured_seed, learned_seed_}) {
    const std::uint64_t number = hash(seed, found.target);
    const auto known = targets_.find(number);
    if (known != targets_.end() && known->second == found.target)
      return routed_key(number, found.object_key);
  }
  return std::nullopt;
}

iop::Ior References::make(const std::string& type_id, const Found& found,
                          OctetSpan object_key) const {
  iop::Ior ior{type_id, {}};
  for (const ListenAddress& address : addresses_) {
    const messaging::Version version = std::min(found.target.version, address.version_max);
    ior.profiles.push_back(address.protocol->make_profile(
        address.acceptor->published(), {.major = version.major,
                                        .minor = version.minor,
                                        .object_key = object_key,
                                        .components = found.components,
                                        .alternates = address.acceptor->alternates()}));
  }
  return ior;
}

std::expected<iop::Ior, IoError> References::rewrite(const iop::Ior& ior, std::uint64_t seed) {
  const std::vector<ProfileTarget> profiles = claim(ior);
  if (leads_here(profiles)) return ior;
  const auto found = choose(profiles);
  if (!found) return ior;
  const bool is_main = main_ && found->target == *main_;
  if (is_main && !has_mark(found->object_key)) return make(ior.type_id, *found, found->object_key);
  const auto number = number_of(found->target, seed);
  if (!number)
    return std::unexpected(
        IoError{IoErrorKind::limit, IoOperation::connect, 0,
                to_string(found->target.endpoint) + " (the bridge may learn no more targets)"});
  return make(ior.type_id, *found, routed_key(*number, found->object_key));
}

std::expected<iop::Ior, IoError> References::rewrite(const iop::Ior& ior) {
  return rewrite(ior, learned_seed_);
}

std::expected<iop::Ior, IoError> References::rewrite_configured(const iop::Ior& ior) {
  return rewrite(ior, configured_seed);
}

}  // namespace perigee::bridge
