// Adds the declarations of an IDL file to an Interface Repository, by the write operations of the
// standard. The repository may be of any ORB.
#pragma once

#include "idlc/frontend/model.h"
#include <perigee/repository.h>

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace perigee::ifr {

/// A declaration that a repository cannot describe, with its position.
class NotDescribed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A declaration that the repository has refused, with its position and the exception.
class Refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "stock.idl:3:7".
[[nodiscard]] std::string describe(const idlc::Location& location);

/// What a load has done.
struct Counts {
  std::size_t added = 0;
  std::size_t present = 0;  ///< definitions that the repository had before
};

/// Adds declarations to one repository. Definitions whose repository ids the repository has already
/// stay as they are, but interfaces and valuetypes get the operations that they lack. Not
/// thread-safe.
class Loader final {
 public:
  Loader(CORBA::object_reference<CORBA::ORB> orb,
         CORBA::object_reference<CORBA::Repository> repository);

  /// Adds the declarations of a file and of the files that it includes. Of the types in `orb.idl`,
  /// adds only the types that these files use. Raises Refused, the exceptions of calls, and
  /// NotDescribed for types of IDL 4 and for components. Definitions that were added before the
  /// exception stay.
  void load(const idlc::Model& model);
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 private:
  template <typename T>
  using Ref = CORBA::object_reference<T>;

  void load_all(const idlc::Declarations& declarations);
  /// The definition; makes it if the repository does not have it.
  Ref<CORBA::Contained> ensure(const idlc::Declaration& declaration);
  /// Makes a definition without its contents. First makes the definitions that it needs. If one of
  /// these has made this definition, too, returns the known definition.
  Ref<CORBA::Contained> create(const idlc::Declaration& declaration);
  Ref<CORBA::Contained> create_in(const Ref<CORBA::Container>& container,
                                  const idlc::Declaration& declaration);
  /// Makes the definitions that the new definition refers to: types and bases.
  void require_used(const idlc::Declaration& declaration);
  /// Makes the named definitions of which a type consists.
  void require(const idlc::Type& type);
  /// Adds what a definition contains. `is_new`: the loader has made the definition.
  void complete(const idlc::Declaration& declaration, bool is_new);

  Ref<CORBA::Contained> create_interface(const Ref<CORBA::Container>& container,
                                         const idlc::Interface& declared);
  Ref<CORBA::Contained> create_value(const Ref<CORBA::Container>& container,
                                     const idlc::ValueType& declared);
  Ref<CORBA::Contained> create_constant(const Ref<CORBA::Container>& container,
                                        const idlc::Constant& declared);
  void complete_interface(const idlc::Interface& declared);
  void complete_value(const idlc::ValueType& declared, bool is_new);
  void complete_union(const idlc::Union& declared);
  void add_attribute(const idlc::Declaration& owner, const idlc::Attribute& declared);
  void add_operation(const idlc::Declaration& owner, const idlc::Operation& declared);
  void add_state(const idlc::ValueType& owner, const idlc::StateMember& declared);

  Ref<CORBA::IDLType> type_of(const idlc::Type& type, const idlc::Location& location);
  Ref<CORBA::IDLType> unnamed_type(const idlc::Type& type, const idlc::Location& location);
  CORBA::StructMemberSeq members_of(const std::vector<idlc::Member>& members);
  CORBA::StructMemberSeq members_of(const std::vector<idlc::Parameter>& parameters);
  CORBA::ExceptionDefSeq exceptions_of(const std::vector<const idlc::Exception*>& exceptions);
  Ref<CORBA::Container> container_of(const idlc::Declaration& declaration);
  template <typename T, typename Declared>
  std::vector<Ref<T>> all(const std::vector<const Declared*>& declarations);
  /// Whether the repository has the id. Counts the definition as present, or else as added.
  bool is_present(const std::string& id);

  Ref<CORBA::ORB> orb_;
  Ref<CORBA::Repository> repository_;
  std::map<std::string, Ref<CORBA::Contained>, std::less<>> known_;  ///< by repository id
  Counts counts_;
};

}  // namespace perigee::ifr
