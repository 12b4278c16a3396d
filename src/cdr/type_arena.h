// The memory of the nodes of decoded and created TypeCodes.
#pragma once

#include <perigee/cdr/typecode.h>

#include <cstddef>
#include <forward_list>
#include <string>
#include <utility>
#include <vector>

namespace perigee::cdr {

/// Owns nodes, their members and their texts. Addresses never change.
///
/// A message may hold very many small TypeCodes with an arena each, so empty lists allocate
/// nothing.
struct TypeArena {
  TypeNode& add(const TypeNode& node) {
    ++node_count;
    return nodes.emplace_front(node);
  }
  std::vector<TypeMember>& add(std::vector<TypeMember> of_node) {
    return members.emplace_front(std::move(of_node));
  }
  std::string& add(std::string text) { return texts.emplace_front(std::move(text)); }

  Octets octets;  ///< the encapsulation of a TypeCode; names of decoded nodes are views into it
  std::size_t node_count = 0;
  std::forward_list<TypeNode> nodes;
  std::forward_list<std::vector<TypeMember>> members;
  std::forward_list<std::string> texts;
};
static_assert(sizeof(TypeArena) < 100);

}  // namespace perigee::cdr
