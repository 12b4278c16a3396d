// Makes implied nodes: the part that the declarations for AMI, AMH and coroutines share.
#pragma once

#include "idlc/frontend/model.h"
#include "idlc/implied/calls.h"
#include "idlc/implied/implied.h"
#include "idlc/implied/names.h"

#include <string>
#include <vector>

namespace perigee::idlc {

/// Makes nodes and types for one model.
class Maker final {
 public:
  explicit Maker(Model& model) : model_(model), names_(model) { void_type_ = &model.make<Type>(); }

  [[nodiscard]] TakenNames& names() { return names_; }
  [[nodiscard]] const Type& void_type() const { return *void_type_; }

  /// A new, empty interface beside the origin, with that name.
  Interface& interface(const Interface& origin, const std::string& name);
  ValueType& value_type(const Interface& origin, const std::string& name);
  Struct& structure(const Interface& origin, const std::string& name);
  /// A standard interface or valuetype that another file declares: "::Messaging::ReplyHandler".
  Interface& standard_interface(const std::string& scoped_name);
  ValueType& standard_value_type(const std::string& scoped_name);
  const Type& basic_type(TypeKind kind);
  const Type& type_of(const Declaration& declaration, TypeKind kind);

  /// Free names in `owner`, one for each of `calls`. Operations get names before attributes:
  /// an operation may be called get_a or set_a. A name that is taken gets the prefix `more`.
  std::vector<std::string> names_in(const Interface& owner, const std::vector<Call>& calls,
                                    const std::string& more);
  /// An operation without a result, in `owner`, for the call.
  Operation& operation(Declaration& owner, const std::string& name, const Call& call);

  /// The name of a parameter that an implied operation has besides the parameters of the call.
  struct ParameterName {
    std::string wanted;
    std::string more;  ///< prefix, if the call has a parameter of that name
  };
  /// An operation that receives the call's results.
  Operation& results(Interface& handler, const std::string& name, const Call& call,
                     const ParameterName& result_name);

  struct ExceptionName {
    std::string results;  ///< the name of the operation that receives results
    std::string more;     ///< prefix, if the name is taken
  };
  struct HolderParameter {
    ParameterName name;
    const Type* type;
  };
  /// An operation that receives an exception instead of the results: get_quote_excep.
  Operation& exception(Interface& handler, const ExceptionName& name, const Call& call,
                       const HolderParameter& holder);

 private:
  void place(Declaration& node, const Declaration& origin, const std::string& name);

  Model& model_;
  TakenNames names_;
  const Type* void_type_ = nullptr;
};

/// A parameter of direction in, with the source location of the call's origin. Its name differs
/// from the names of the call's parameters.
Parameter in_parameter(const Maker::ParameterName& name, const Call& call, const Type& type);
/// Appends the call's in and inout parameters, all with direction in.
void append_inputs(const Call& call, std::vector<Parameter>& parameters);

/// The implied declarations of the interfaces in the list. The list must have each interface after
/// its bases.
/// `polled`: the interfaces that have pollers.
std::vector<Ami> imply_ami(Maker& maker, const std::vector<const Interface*>& interfaces,
                           const std::vector<const Interface*>& polled);
/// `all`: every operation. Otherwise the operations of annotated interfaces, and annotated
/// operations.
std::vector<Amh> imply_amh(Maker& maker, const std::vector<const Interface*>& interfaces, bool all);
std::vector<Async> imply_async(Maker& maker, const std::vector<const Interface*>& interfaces,
                               bool all);

}  // namespace perigee::idlc
