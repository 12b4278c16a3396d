// Reads values of options: numbers within a range, and names from a table. Writes them to members
// of the configuration.
#pragma once

#include "runtime/option_table.h"

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::runtime {

template <std::integral Integer>
Integer parse_number(const std::string& value, Integer least,
                     Integer greatest = std::numeric_limits<Integer>::max()) {
  Integer number{};
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error == std::errc() && stop == end && number >= least && number <= greatest) return number;
  throw BadValue{"a whole number from " + std::to_string(least) + " to " +
                 std::to_string(greatest) + " is needed"};
}

/// The entry of `table` with this name.
template <typename T, std::size_t count>
T parse_name(const std::string& value, const std::pair<std::string_view, T> (&table)[count]) {
  std::string names;
  for (const auto& [name, meaning] : table) {
    if (name == value) return meaning;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw BadValue{"one of " + names + " is needed"};
}

/// The name of a value in `table`.
template <typename T, std::size_t count>
std::string name_of_value(const T& value, const std::pair<std::string_view, T> (&table)[count]) {
  for (const auto& [name, known] : table)
    if (known == value) return std::string(name);
  return {};
}

/// The part of the configuration that is of class `Part`, chosen by a pointer to its member.
template <typename Part, typename Value>
auto& part_of(auto& configuration, Value Part::*) noexcept {
  if constexpr (std::same_as<Part, orb::Settings>)
    return configuration.settings;
  else if constexpr (std::same_as<Part, messaging::Limits>)
    return configuration.limits;
  else if constexpr (std::same_as<Part, cdr::Limits>)
    return configuration.limits.values;
  else if constexpr (std::same_as<Part, iop::IorLimits>)
    return configuration.settings.reference_limits;
  else if constexpr (std::same_as<Part, orb::CodeSetSettings>)
    return configuration.settings.code_sets;
  else if constexpr (std::same_as<Part, Configuration>)
    return (configuration);
  else if constexpr (std::same_as<Part, transport::TcpQueues>)
    return configuration.tcp_queues;
  else
    return configuration.adapter_limits;
}

/// Handlers for a member that is a number, or a time in milliseconds.
template <auto member>
struct NumberIn {
  template <typename T>
  struct Plain {
    using Number = T;
  };
  template <typename T>
    requires requires { typename T::rep; }
  struct Plain<T> {
    using Number = std::int32_t;  // of milliseconds: 24 days
  };
  using Member =
      std::remove_cvref_t<decltype(part_of(std::declval<Configuration&>(), member).*member)>;
  using Number = typename Plain<Member>::Number;

  template <Number least>
  static void apply(Configuration& configuration, const std::string& value) {
    part_of(configuration, member).*member = Member(parse_number(value, least));
  }
  static std::string show(const Configuration& configuration) {
    const Member& value = part_of(configuration, member).*member;
    if constexpr (requires { value.count(); })
      return std::to_string(value.count());
    else
      return std::to_string(value);
  }
};

/// A row for a member that is a number of at least `least`.
template <auto member, typename NumberIn<member>::Number least = 1>
constexpr Option number_option(std::string_view name, std::string_view key, std::string_view unit,
                               std::string_view meaning) {
  return {name,
          key,
          ValueKind::number,
          unit,
          meaning,
          NumberIn<member>::template apply<least>,
          NumberIn<member>::show};
}

}  // namespace perigee::runtime
