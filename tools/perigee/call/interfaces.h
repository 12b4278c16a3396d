// The interfaces that `perigee call` knows from IDL files.
#pragma once

#include "call/idl_type_codes.h"
#include "idl_nodes.h"
#include <perigee/dynamic/named_value.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::tool {

/// A mistake in the IDL, or a name that the IDL does not have. `what()` is a message for the user.
class InterfaceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ParameterType {
  std::string name;
  CORBA::Flags direction = CORBA::ARG_IN;
  TypeCodeRef type;
};

/// An operation, or one of the two operations of an attribute.
struct OperationTypes {
  std::string name;  ///< on the wire: "_get_balance" for an attribute
  bool is_oneway = false;
  TypeCodeRef result;  ///< tk_void if there is none
  std::vector<ParameterType> parameters;
  std::vector<TypeCodeRef> exceptions;
  std::vector<std::string> contexts;  ///< the names of its `context` clause
};

/// Not thread-safe.
class Interfaces {
 public:
  /// Reads and checks the files. Throws InterfaceError, with the place in the IDL.
  explicit Interfaces(const IdlFiles& idl, idlc::FileProvider& files);

  /// The interface of this name ("Bank::Account", "::Bank::Account") or repository id. Throws
  /// InterfaceError if the IDL does not have it.
  [[nodiscard]] const idlc::Interface& interface_of(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& repository_id) const {
    return by_id_.contains(repository_id);
  }

  /// The operation of the interface or of one of its bases. `name` may be an attribute, which is
  /// read without arguments and written with one argument. Throws InterfaceError.
  [[nodiscard]] OperationTypes operation_of(const idlc::Interface& interface,
                                            const std::string& name, std::size_t argument_count);

  /// The type of this name: "long", "string<8>", "sequence<Bank::Account>", a scoped name, or a
  /// repository id. Throws InterfaceError.
  [[nodiscard]] TypeCodeRef type_of(std::string_view name);
  /// The repository id of a declared type; otherwise the type as text of IDL. `type_of` understands
  /// this name if the IDL has the type.
  [[nodiscard]] static std::string name_of(const CORBA::TypeCode& type);

 private:
  void add(const idlc::Declarations& declarations);
  void add(const idlc::Declaration& declaration);
  TypeCodeRef sequence_type_of(std::string_view inner);
  OperationTypes types_of(const idlc::Operation& operation);
  OperationTypes reading(const idlc::Attribute& attribute);
  OperationTypes writing(const idlc::Attribute& attribute);
  std::vector<TypeCodeRef> types_of(const std::vector<const idlc::Exception*>& raised);

  IdlTypeCodes type_codes_;
  std::map<std::string, const idlc::Interface*> by_name_;  // "Bank::Account"
  std::map<std::string, const idlc::Interface*> by_id_;
  std::map<std::string, const idlc::Declaration*> types_by_name_;
  std::map<std::string, const idlc::Declaration*> types_by_id_;
};

}  // namespace perigee::tool
