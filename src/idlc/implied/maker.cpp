// Makes implied nodes, and gives them names, repository ids and positions.
#include "idlc/implied/maker.h"

#include "idlc/frontend/lexer.h"

#include <algorithm>

namespace perigee::idlc {
namespace {

/// The origin's repository id with another last name: "IDL:Stock/Quoter:1.0" becomes
/// "IDL:Stock/AMI_QuoterHandler:1.0". If the origin's id has another format, the result has no
/// scope: "IDL:AMI_QuoterHandler:1.0".
std::string id_beside(const Declaration& origin, const std::string& name) {
  const std::string& id = origin.repository_id;
  const std::size_t version = id.rfind(':');
  const std::size_t start = version - origin.name.size();
  if (id.starts_with("IDL:") && version > origin.name.size() &&
      id.compare(start, origin.name.size(), origin.name) == 0)
    return id.substr(0, start) + name + id.substr(version);
  return "IDL:" + name + ":1.0";
}

std::string id_within(const Declaration& owner, const std::string& name) {
  const std::size_t version = owner.repository_id.rfind(':');
  return owner.repository_id.substr(0, version) + '/' + name + ":1.0";
}

template <typename T>
T& standard(Model& model, const std::string& scoped_name) {
  T& node = model.make<T>();
  node.name = scoped_name.substr(scoped_name.rfind(':') + 1);
  node.scoped_name = scoped_name;
  node.repository_id = "IDL:omg.org/Messaging/" + node.name + ":1.0";
  node.is_imported = true;
  node.is_defined = true;
  return node;
}

}  // namespace

void Maker::place(Declaration& node, const Declaration& origin, const std::string& name) {
  node.name = name;
  node.scoped_name = scope_of(origin) + "::" + name;
  node.repository_id = id_beside(origin, name);
  node.location = origin.location;
  node.unit = origin.unit;
  node.is_imported = origin.is_imported;
  node.parent = origin.parent;
}

Interface& Maker::interface(const Interface& origin, const std::string& name) {
  Interface& node = model_.make<Interface>();
  place(node, origin, name);
  node.is_defined = true;
  return node;
}

ValueType& Maker::value_type(const Interface& origin, const std::string& name) {
  ValueType& node = model_.make<ValueType>();
  place(node, origin, name);
  node.is_defined = true;
  node.is_holder = true;
  return node;
}

Struct& Maker::structure(const Interface& origin, const std::string& name) {
  Struct& node = model_.make<Struct>();
  place(node, origin, name);
  node.is_defined = true;
  return node;
}

Interface& Maker::standard_interface(const std::string& scoped_name) {
  return standard<Interface>(model_, scoped_name);
}

ValueType& Maker::standard_value_type(const std::string& scoped_name) {
  ValueType& node = standard<ValueType>(model_, scoped_name);
  node.is_holder = true;
  return node;
}

const Type& Maker::basic_type(TypeKind kind) {
  Type& type = model_.make<Type>();
  type.kind = kind;
  return type;
}

const Type& Maker::type_of(const Declaration& declaration, TypeKind kind) {
  Type& type = model_.make<Type>();
  type.kind = kind;
  type.declaration = &declaration;
  return type;
}

std::vector<std::string> Maker::names_in(const Interface& owner, const std::vector<Call>& calls,
                                         const std::string& more) {
  std::vector<std::string> result(calls.size());
  for (const bool is_operation : {true, false})
    for (std::size_t index = 0; index < calls.size(); ++index)
      if ((calls[index].half == Half::operation) == is_operation)
        result[index] = names_.take(owner, "", more, calls[index].name, hides(calls[index]));
  return result;
}

Operation& Maker::operation(Declaration& owner, const std::string& name, const Call& call) {
  Operation& node = model_.make<Operation>();
  node.name = name;
  node.scoped_name = owner.scoped_name + "::" + name;
  node.repository_id = id_within(owner, name);
  node.location = call.origin->location;
  node.unit = owner.unit;
  node.is_imported = owner.is_imported;
  node.parent = &owner;
  node.return_type = void_type_;
  node.is_joined = call.is_joined;
  return node;
}

Operation& Maker::results(Interface& handler, const std::string& name, const Call& call,
                          const ParameterName& result_name) {
  Operation& node = operation(handler, name, call);
  if (call.return_type->kind != TypeKind::void_type)
    node.parameters.push_back(in_parameter(result_name, call, *call.return_type));
  for (const Parameter& each : call.parameters) {
    if (each.direction == Direction::in) continue;
    node.parameters.push_back(each);
    node.parameters.back().direction = Direction::in;
  }
  handler.contents.push_back(&node);
  return node;
}

Operation& Maker::exception(Interface& handler, const ExceptionName& name, const Call& call,
                            const HolderParameter& holder) {
  const std::string free =
      names_.take(handler, "", name.more, name.results + "_excep", hides(call));
  Operation& node = operation(handler, free, call);
  node.parameters.push_back(in_parameter(holder.name, call, *holder.type));
  handler.contents.push_back(&node);
  return node;
}

Parameter in_parameter(const Maker::ParameterName& name, const Call& call, const Type& type) {
  std::string free = name.wanted;
  const auto is_taken = [&](const Parameter& each) {
    return lower_case(each.name) == lower_case(free);
  };
  while (std::ranges::any_of(call.parameters, is_taken)) free = name.more + free;
  return {free, call.origin->location, Direction::in, &type, {}};
}

void append_inputs(const Call& call, std::vector<Parameter>& parameters) {
  for (const Parameter& each : call.parameters) {
    if (each.direction == Direction::out) continue;
    parameters.push_back(each);
    parameters.back().direction = Direction::in;
  }
}

}  // namespace perigee::idlc
