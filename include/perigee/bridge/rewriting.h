// The operations whose bodies a bridge reads, because object references in them are rewritten.
#pragma once

#include <perigee/cdr/typecode.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace perigee::bridge {

/// The types in the bodies of one operation, in their order on the wire. If a list is empty, the
/// bridge does not read this body and passes it on unchanged.
struct OperationTypes {
  std::vector<const cdr::TypeNode*> in;   ///< arguments of the request
  std::vector<const cdr::TypeNode*> out;  ///< the result, then the out and inout arguments
};

/// The types of operations by their names in requests, and the types of user exceptions and of
/// valuetypes by their repository ids. A value.
///
/// The nodes need no names. Nodes of enums need no members, since enumerators are not checked.
/// Members of unions are in the order of their labels, and the default is the last member. Nodes of
/// valuetypes have their repository ids, modifiers and concrete bases, as in TypeCodes. The node of
/// ValueBase has the modifier of an abstract valuetype. Requests do not name their interface, so
/// one entry serves all operations of the same name.
struct RewritingPlan {
  /// Finds a std::string by a std::string_view.
  struct TextHash {
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  template <typename Value>
  using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

  ByText<OperationTypes> operations;
  /// For each exception, a struct that has its members. Exceptions without references are left
  /// out: they pass unread.
  ByText<const cdr::TypeNode*> exceptions;
  /// All valuetypes and boxed values that messages may contain, because a value may have a type
  /// derived from the type of its parameter or member. If the type of a value is missing here, the
  /// bridge reads the value only if it can be truncated to one of these types. Otherwise, state in
  /// chunks passes unread; for other state, the message gets MARSHAL.
  ByText<const cdr::TypeNode*> values;
  /// Keeps the nodes alive. Plans that were copied from each other share the nodes.
  std::shared_ptr<const void> nodes;
};

}  // namespace perigee::bridge
