// Where the nodes of decoded and created TypeCodes live.
#pragma once

#include <perigee/cdr/typecode.h>

#include <deque>
#include <string>
#include <vector>

namespace perigee::cdr {

/// Owns nodes, their members and the texts that these refer to; addresses never change.
struct TypeArena {
  Octets octets;  ///< a TypeCode's encapsulation: the names of decoded nodes are views into it
  std::deque<TypeNode> nodes;
  std::deque<std::vector<TypeMember>> members;
  std::deque<std::string> texts;
};

}  // namespace perigee::cdr
