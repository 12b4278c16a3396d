// Makes implied nodes: what both families have in common.
#pragma once

#include "idlc/frontend/model.h"
#include "idlc/implied/calls.h"
#include "idlc/implied/implied.h"
#include "idlc/implied/names.h"

#include <string>
#include <vector>

namespace perigee::idlc {

/// Nodes and types for one model.
class Maker final {
 public:
  explicit Maker(Model& model) : model_(model), names_(model) { void_type_ = &model.make<Type>(); }

  [[nodiscard]] TakenNames& names() { return names_; }
  [[nodiscard]] const Type& void_type() const { return *void_type_; }

  /// Beside the origin, with that name; nothing in it yet.
  Interface& interface(const Interface& origin, const std::string& name);
  ValueType& value_type(const Interface& origin, const std::string& name);
  Struct& structure(const Interface& origin, const std::string& name);
  /// A standard interface or valuetype, that another file declares: "::Messaging::ReplyHandler".
  Interface& standard_interface(const std::string& scoped_name);
  ValueType& standard_value_type(const std::string& scoped_name);
  const Type& type_of(const Declaration& declaration, TypeKind kind);

  /// Names for the calls in `owner`, in their order. Operations keep theirs, if they can; what
  /// halves of attributes would be called may be an operation's name.
  std::vector<std::string> names_in(const Interface& owner, const std::vector<Call>& calls,
                                    const std::string& more);
  /// An operation without a result, in `owner`, for the call.
  Operation& operation(Declaration& owner, const std::string& name, const Call& call);

  /// Of a parameter beside the call's own.
  struct ParameterName {
    std::string wanted;
    std::string more;  ///< in front of it if the call has such a parameter
  };
  /// One that takes the call's results.
  Operation& results(Interface& handler, const std::string& name, const Call& call,
                     const ParameterName& result_name);

  struct ExceptionName {
    std::string results;  ///< of the operation that takes results
    std::string more;     ///< in front of the name if it is taken
  };
  struct HolderParameter {
    ParameterName name;
    const Type* type;
  };
  /// One that takes an exception instead of them: get_quote_excep.
  Operation& exception(Interface& handler, const ExceptionName& name, const Call& call,
                       const HolderParameter& holder);

 private:
  void place(Declaration& node, const Declaration& origin, const std::string& name);

  Model& model_;
  TakenNames names_;
  const Type* void_type_ = nullptr;
};

/// A parameter of direction in, at the origin's place, which is called like none of the call's.
Parameter in_parameter(const Maker::ParameterName& name, const Call& call, const Type& type);
/// The call's in and inout parameters, all as in.
void append_inputs(const Call& call, std::vector<Parameter>& parameters);

/// What the interfaces of the list imply, each behind its bases.
std::vector<Ami> imply_ami(Maker& maker, const std::vector<const Interface*>& interfaces);
/// `all`: every operation. Else those of annotated interfaces, and annotated operations.
std::vector<Amh> imply_amh(Maker& maker, const std::vector<const Interface*>& interfaces, bool all);
std::vector<Async> imply_async(Maker& maker, const std::vector<const Interface*>& interfaces,
                               bool all);

}  // namespace perigee::idlc
