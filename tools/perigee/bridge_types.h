// The types of IDL in the form in which a bridge walks over values.
#pragma once

#include "idlc/frontend/model.h"
#include <perigee/cdr/typecode.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace perigee::tool {

/// Makes nodes without names: types with the same octets on the wire are equivalent.
class BridgeTypes {
 public:
  /// From now on, `node_of` gets declarations of this model. The model must outlive these calls.
  void use(const idlc::Model& model);

  [[nodiscard]] const cdr::TypeNode& node_of(const idlc::Type& type);
  /// A struct that has the members of the exception.
  [[nodiscard]] const cdr::TypeNode& node_of(const idlc::Exception& exception);
  [[nodiscard]] const cdr::TypeNode& sequence_of(const cdr::TypeNode& element);

  /// What the values of types may contain.
  struct Contents {
    bool has_reference = false;
    /// A part that a bridge does not read, like "valuetype ::Bank::Statement"; empty: there is
    /// none.
    std::string unreadable;
  };
  [[nodiscard]] Contents contents_of(std::span<const cdr::TypeNode* const> types) const;

  /// Keeps the nodes alive.
  [[nodiscard]] std::shared_ptr<const void> owner() const { return nodes_; }

 private:
  struct Nodes {
    std::deque<cdr::TypeNode> nodes;
    std::deque<std::vector<cdr::TypeMember>> members;
  };

  cdr::TypeNode& make(cdr::TypeKind kind);
  cdr::TypeNode& make_unreadable(const std::string& what);
  void set_members(cdr::TypeNode& node, std::vector<cdr::TypeMember> members);
  void add_members(const std::vector<idlc::Member>& from, std::vector<cdr::TypeMember>& members);
  const cdr::TypeNode& make_template(const idlc::Type& type);
  const cdr::TypeNode& make_named(const idlc::Type& type);
  void fill_struct(cdr::TypeNode& node, const idlc::Struct& declared);
  void fill_union(cdr::TypeNode& node, const idlc::Union& declared);
  void fill_value(cdr::TypeNode& node, const idlc::ValueType& declared);
  void fill_enum(cdr::TypeNode& node, const idlc::Enum& declared);
  void find_values(const idlc::Declarations& declarations);

  std::shared_ptr<Nodes> nodes_ = std::make_shared<Nodes>();
  std::map<const cdr::TypeNode*, std::string> unreadable_;
  std::map<const idlc::Declaration*, cdr::TypeNode*> declared_;  // of the model
  std::vector<const idlc::ValueType*> values_;                   // of the model
};

}  // namespace perigee::tool
