// The types of IDL as TypeCodes, with their names and repository ids: for commands that read IDL
// when they run.
#pragma once

#include "idlc/frontend/model.h"
#include <perigee/cdr/typecode.h>
#include <perigee/orb/typecode.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace perigee::tool {

using TypeCodeRef = CORBA::object_reference<CORBA::TypeCode>;

/// Makes the TypeCodes that generated code has. Each declaration has one node, also if its type
/// contains itself. The TypeCodes keep the nodes and the models alive. Not thread-safe.
class IdlTypeCodes {
 public:
  /// The TypeCodes refer to texts of `model`, so they keep `model` alive.
  void keep(std::shared_ptr<const idlc::Model> model) {
    nodes_->models.push_back(std::move(model));
  }

  [[nodiscard]] TypeCodeRef type_code_of(const idlc::Type& type);
  /// The TypeCode of a struct, union, enum, exception, valuetype, interface, typedef or another
  /// declared type.
  [[nodiscard]] TypeCodeRef type_code_of(const idlc::Declaration& declaration);
  [[nodiscard]] TypeCodeRef type_code_of(const cdr::TypeNode& node) const;
  /// `element` is a TypeCode of this object.
  [[nodiscard]] TypeCodeRef sequence_of(const TypeCodeRef& element);

 private:
  struct Nodes {
    std::vector<std::shared_ptr<const idlc::Model>> models;  // own the texts
    std::deque<cdr::TypeNode> nodes;
    std::deque<std::vector<cdr::TypeMember>> members;
  };

  const cdr::TypeNode& node_of(const idlc::Type& type);
  const cdr::TypeNode& node_of(const idlc::Declaration& declaration);
  const cdr::TypeNode& make_template(const idlc::Type& type);
  cdr::TypeNode& make(cdr::TypeKind kind);
  void fill(cdr::TypeNode& node, const idlc::Declaration& declaration);
  void fill_union(cdr::TypeNode& node, const idlc::Union& declared);
  void fill_value(cdr::TypeNode& node, const idlc::ValueType& declared);
  void set_members(cdr::TypeNode& node, std::vector<cdr::TypeMember> members);
  void add(const std::vector<idlc::Member>& from, std::vector<cdr::TypeMember>& members);
  void add(const idlc::Struct& declared, std::vector<cdr::TypeMember>& members);

  std::shared_ptr<Nodes> nodes_ = std::make_shared<Nodes>();
  std::map<const idlc::Declaration*, cdr::TypeNode*> declared_;
};

}  // namespace perigee::tool
