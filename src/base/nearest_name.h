// Finds the known name that a misspelt name most likely means. Header-only, so that the IDL
// compiler and the tools need no library for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace perigee {

inline constexpr std::size_t compared_name_size_max = 64;

/// The smallest number of edits that turn one name into the other. An edit inserts, deletes or
/// replaces a letter, or swaps two neighbours. Upper case equals lower case. Both names have at
/// most `compared_name_size_max` letters.
[[nodiscard]] inline std::size_t spelling_distance(std::string_view a, std::string_view b) {
  constexpr auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  using Row = std::array<std::size_t, compared_name_size_max + 1>;
  Row before_last{};
  Row last{};
  Row row{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j - 1] + (same ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// The candidate with the smallest spelling distance from `name`; among equal distances, the first.
/// Candidates that equal `name`, or whose distance is more than a third of its letters, do not
/// count. Empty if no candidate counts, or if `name` has less than 3 or more than
/// `compared_name_size_max` letters. `candidates`: a range of strings.
template <typename Candidates>
[[nodiscard]] std::string nearest_name(std::string_view name, Candidates&& candidates) {
  // A third of one or two letters is less than one letter, so no letter may differ.
  if (name.size() < 3 || name.size() > compared_name_size_max) return {};
  std::size_t best = name.size() / 3 + 1;
  std::string result;
  for (const auto& each : candidates) {
    const std::string_view candidate(each);
    if (candidate == name || candidate.size() > compared_name_size_max) continue;
    const std::size_t distance = spelling_distance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    result = candidate;
  }
  return result;
}

/// "; did you mean '<prefix><nearest name>'?" for the end of an error text, or nothing.
template <typename Candidates>
[[nodiscard]] std::string did_you_mean(std::string_view name, Candidates&& candidates,
                                       std::string_view prefix = {}) {
  const std::string near = nearest_name(name, candidates);
  if (near.empty()) return {};
  return "; did you mean '" + std::string(prefix) + near + "'?";
}

}  // namespace perigee
