// The answer of an Interface Repository about an interface and the types that it uses: plain data,
// read by a bounded number of calls.
#pragma once

#include "call/idl_type_codes.h"
#include "remote/definition_source.h"
#include "remote/member_size.h"
#include <perigee/cdr/typecode.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::tool {

/// A definition with a name.
struct Described {
  std::string id;
  std::string scoped_name;  ///< "::Bank::Account", without escapes; different for each definition
  const cdr::TypeNode* node = nullptr;
  /// The contents of an interface or a valuetype, if they were asked for.
  std::optional<DescribedMembers> members;
};

struct DescriptionLimits {
  std::size_t definitions_max = 2'000;
  std::size_t types_depth_max = 256;  ///< types inside each other
  std::size_t text_size_max = 4'096;  ///< octets of a name or a repository id
  /// Operations, attributes, initializers, their parameters and exceptions, bases, and the contents
  /// of all interfaces and valuetypes.
  std::size_t members_max = 100'000;
  /// Octets of the members' names, ids, TypeCodes and constant values.
  std::size_t octets_max = std::size_t{64} << 20;
  std::chrono::milliseconds time_max{0};  ///< for all calls; 0: no limit
};

/// The definitions, in the order in which they were found. Owns the TypeCodes of the nodes.
class Description {
 public:
  /// Calls the repository. Throws DescriptionError for definitions that have no form in IDL and
  /// beyond a limit; throws the system exceptions of the calls.
  Description(const InterfaceSource& source, Contents contents, const DescriptionLimits& limits);

  [[nodiscard]] const std::vector<std::string>& order() const noexcept { return order_; }
  /// nullptr if there is no such definition.
  [[nodiscard]] const Described* find(std::string_view id) const;
  /// False if all definitions were asked for, and there is no repository that has them.
  [[nodiscard]] bool is_complete() const noexcept {
    return contents_ == Contents::of_one || source_.repository != nullptr;
  }
  /// Whether a definition has this scoped name. Case does not matter.
  [[nodiscard]] bool has_name(const std::string& scoped_name) const;
  [[nodiscard]] const Described& main() const { return definitions_.at(main_id_); }

 private:
  using Ref = CORBA::object_reference<CORBA::Contained>;

  /// Returns its repository id.
  std::string add_interface(const CORBA::object_reference<CORBA::InterfaceDef>& interface);
  void read_contents(CORBA::Container& container, DescribedMembers& members);
  void add_constant(DescribedConstant constant, DescribedMembers& members);
  void read_value(const std::string& id);
  void add_types_of(const DescribedMembers& members);
  void add(const TypeCodeRef& type);
  void add_node(const cdr::TypeNode& node, std::size_t depth);
  void add_inner(const cdr::TypeNode& node, std::size_t depth);
  Described& declare(const cdr::TypeNode& node);
  /// Throws DescriptionError beyond `members_max` or `octets_max`.
  void count(const MemberSize& size);
  void describe_pending();
  std::string scoped_name_of(std::string_view id, std::string_view name);
  std::string unique(const std::string& name);
  std::string asked_name_of(const std::string& id);
  Ref look_up(const std::string& id);
  void check_time() const;
  [[noreturn]] void throw_too_many() const;

  InterfaceSource source_;
  Contents contents_;
  DescriptionLimits limits_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<std::string, Described, std::less<>> definitions_;  // by repository id
  std::vector<std::string> order_;
  std::string main_id_;
  MemberSize size_;
  std::set<std::string> names_;  // of all definitions, in lower case
  std::vector<std::string> pending_;
  std::vector<TypeCodeRef> owned_;
};

/// Whether `name` is an identifier of IDL; it may be a keyword, which IDL text escapes.
[[nodiscard]] bool is_identifier(std::string_view name);
/// "Calls", "Board" of "::Calls::Board".
[[nodiscard]] std::vector<std::string> parts_of(std::string_view scoped_name);
/// Interfaces of all kinds.
[[nodiscard]] bool is_interface(const cdr::TypeNode& node);

}  // namespace perigee::tool
