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
#include <string_view>
#include <vector>

namespace perigee::tool {

/// Makes nodes without names: types with the same octets on the wire are equivalent. Valuetypes
/// have their repository ids.
class BridgeTypes {
 public:
  /// Makes the nodes of the model's valuetypes. Called for all models before `contents_of`. The
  /// model must outlive the calls of `node_of`.
  void add_values(const idlc::Model& model);

  [[nodiscard]] const cdr::TypeNode& node_of(const idlc::Type& type);
  /// A struct that has the members of the exception.
  [[nodiscard]] const cdr::TypeNode& node_of(const idlc::Exception& exception);
  [[nodiscard]] const cdr::TypeNode& sequence_of(const cdr::TypeNode& element);

  /// What a value may contain.
  struct Contents {
    /// A reference that a bridge finds. Unread state of valuetypes does not count.
    bool has_reference = false;
    /// A part that a bridge does not read, like "native type ::Bank::Handle"; empty if there is no
    /// such part.
    std::string unreadable;
  };
  [[nodiscard]] Contents contents_of(std::span<const cdr::TypeNode* const> types) const;

  /// A valuetype or boxed value of the models, which is not abstract.
  struct ValueType {
    const idlc::Declaration& declared;
    const cdr::TypeNode& node;
  };
  [[nodiscard]] const std::vector<ValueType>& values() const noexcept { return values_; }
  /// The node of CORBA::StringValue or CORBA::WStringValue.
  [[nodiscard]] const cdr::TypeNode& box_of(const cdr::TypeNode& content, const std::string& id);

  /// Keeps the nodes alive.
  [[nodiscard]] std::shared_ptr<const void> owner() const { return nodes_; }

 private:
  struct Nodes {
    std::deque<cdr::TypeNode> nodes;
    std::deque<std::vector<cdr::TypeMember>> members;
    std::deque<std::string> ids;
  };

  cdr::TypeNode& make(cdr::TypeKind kind);
  cdr::TypeNode& make_with_id(cdr::TypeKind kind, const std::string& id);
  cdr::TypeNode& make_unreadable(const std::string& what);
  cdr::TypeNode& make_declared(const idlc::Declaration& declared);
  void set_members(cdr::TypeNode& node, std::vector<cdr::TypeMember> members);
  void add_members(const std::vector<idlc::Member>& from, std::vector<cdr::TypeMember>& members);
  const cdr::TypeNode& make_template(const idlc::Type& type);
  const cdr::TypeNode& make_named(const idlc::Type& type);
  void fill_struct(cdr::TypeNode& node, const idlc::Struct& declared);
  void fill_union(cdr::TypeNode& node, const idlc::Union& declared);
  void fill_value(cdr::TypeNode& node, const idlc::ValueType& declared);
  void fill_enum(cdr::TypeNode& node, const idlc::Enum& declared);
  void add_values(const idlc::Declarations& declarations);

  std::shared_ptr<Nodes> nodes_ = std::make_shared<Nodes>();
  std::map<const cdr::TypeNode*, std::string> unreadable_;
  std::map<const idlc::Declaration*, cdr::TypeNode*> declared_;
  std::vector<ValueType> values_;
  // By the repository id of the base. All valuetypes have the base ValueBase. Valuetypes with state
  // also have their own id here.
  std::multimap<std::string_view, const cdr::TypeNode*> derived_;
};

}  // namespace perigee::tool
