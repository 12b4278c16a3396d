// Access to the members of generated unions.
#pragma once

#include <perigee/orb/data_types.h>

#include <cstddef>
#include <variant>

namespace perigee::stub {

/// The member number `Index` of a union. Raises BAD_PARAM if another member is selected.
template <std::size_t Index, typename... Members>
const auto& union_member(const std::variant<Members...>& members) {
  const auto* member = std::get_if<Index>(&members);
  if (member == nullptr) wrong_union_member();
  return *member;
}
template <std::size_t Index, typename... Members>
auto& union_member(std::variant<Members...>& members) {
  auto* member = std::get_if<Index>(&members);
  if (member == nullptr) wrong_union_member();
  return *member;
}

}  // namespace perigee::stub
