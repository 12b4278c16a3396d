// Fault scripts, and the protocol that gives each connection its script.
#include "transport/decorated_protocol.h"
#include "transport/faulty_transport.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <iterator>
#include <random>
#include <utility>

namespace perigee::transport {
namespace {

using Side = FaultyConnection::Side;

/// Shared by the connector and the acceptors of a protocol. They may outlive the protocol.
class Injector {
 public:
  explicit Injector(FaultPlan plan) : plan_(std::make_shared<const FaultPlan>(std::move(plan))) {}

  [[nodiscard]] std::unique_ptr<Transport> wrap(std::unique_ptr<Transport> inner, Side side) {
    FaultyConnection connection{connections_++, side, inner->peer()};
    const FaultScript script = plan_->script ? plan_->script(connection) : FaultScript{};
    return std::make_unique<FaultyTransport>(std::move(inner), script, plan_,
                                             std::move(connection));
  }

 private:
  const std::shared_ptr<const FaultPlan> plan_;  // shared with the transports
  std::atomic<std::uint64_t> connections_{0};
};

/// The random numbers of one connection. Each connection has its own, so that the order of
/// connections does not matter.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t connection)
      : random_(seed + (connection + 1) * 0x9e37'79b9'7f4a'7c15ULL) {}
  [[nodiscard]] bool happens(double probability) {
    return std::uniform_real_distribution<>(0, 1)(random_) < probability;
  }
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }

 private:
  std::mt19937_64 random_;
};

FaultScript throw_dice(const RandomFaults& faults, Dice dice) {
  const std::pair<FaultKind, double> chances[] = {{FaultKind::split, faults.split},
                                                  {FaultKind::delay, faults.delay},
                                                  {FaultKind::stall, faults.stall},
                                                  {FaultKind::end_of_stream, faults.end_of_stream},
                                                  {FaultKind::reset, faults.reset}};
  FaultScript script;
  for (const auto& [kind, probability] : chances) {
    if (!dice.happens(probability)) continue;
    Fault fault{.kind = kind, .octet = dice.below(faults.octet_max)};
    if (dice.below(2) == 1) fault.direction = FaultDirection::received;
    if (kind == FaultKind::delay)
      fault.duration = std::chrono::microseconds(
          dice.below(static_cast<std::uint64_t>(faults.delay_max.count()) + 1));
    script.push_back(fault);
  }
  return script;
}

struct Probability {
  std::string_view name;
  double RandomFaults::* value;
};
constexpr Probability probabilities[] = {{"split", &RandomFaults::split},
                                         {"delay", &RandomFaults::delay},
                                         {"stall", &RandomFaults::stall},
                                         {"end_of_stream", &RandomFaults::end_of_stream},
                                         {"reset", &RandomFaults::reset}};

template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

/// Parses one "name=value". False if the text has another form.
bool set_part(std::string_view part, RandomFaults& faults) {
  const std::size_t equals = std::min(part.find('='), part.size());
  const std::string_view name = part.substr(0, equals);
  const std::string_view value = part.substr(std::min(equals + 1, part.size()));
  if (name == "seed") return parse_number(value, faults.seed);
  if (name == "octet_max") return parse_number(value, faults.octet_max);
  if (name == "delay_max") {
    std::uint32_t microseconds = 0;
    if (!parse_number(value, microseconds)) return false;
    faults.delay_max = std::chrono::microseconds(microseconds);
    return true;
  }
  const auto* const known = std::ranges::find(probabilities, name, &Probability::name);
  if (known == std::end(probabilities)) return false;
  double& probability = faults.*(known->value);
  return parse_number(value, probability) && probability >= 0 && probability <= 1;
}

}  // namespace

std::expected<RandomFaults, IoError> parse_random_faults(std::string_view text) {
  RandomFaults faults;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string_view part = text.substr(start, end - start);
    if (!set_part(part, faults))
      return std::unexpected(
          IoError{IoErrorKind::bad_address, IoOperation::option, 0, std::string(part)});
    start = end + 1;
  }
  return faults;
}

std::function<FaultScript(const FaultyConnection&)> random_faults(const RandomFaults& faults) {
  return [faults](const FaultyConnection& connection) {
    return throw_dice(faults, Dice(faults.seed, connection.number));
  };
}

std::unique_ptr<Transport> inject_faults(std::unique_ptr<Transport> inner,
                                         const FaultScript& script) {
  FaultyConnection connection{.peer = inner->peer()};
  return std::make_unique<FaultyTransport>(
      std::move(inner), script, std::make_shared<const FaultPlan>(), std::move(connection));
}

std::unique_ptr<ProtocolFactory> inject_faults(std::unique_ptr<ProtocolFactory> inner,
                                               FaultPlan plan) {
  const auto injector = std::make_shared<Injector>(std::move(plan));
  const auto at_side = [&injector](Side side) {
    return [injector, side](std::unique_ptr<Transport> transport) {
      return injector->wrap(std::move(transport), side);
    };
  };
  return decorate_protocol(std::move(inner), {at_side(Side::connected), at_side(Side::accepted)});
}

}  // namespace perigee::transport
