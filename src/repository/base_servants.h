// The base interfaces of the repository: IRObject, Contained, Container, IDLType. The servants of
// all kinds are made of these classes.
#pragma once

#include "repository/shared.h"
#include <perigee/repository/InterfaceRepositoryS.h>

#include <string>
#include <utility>

namespace perigee::repository {

template <typename T>
using Ref = CORBA::object_reference<T>;
using Right = Access::Right;

class ObjectServant : public virtual POA::CORBA::IRObject {
 public:
  CORBA::DefinitionKind def_kind() override;
  void destroy() override;

 protected:
  /// Sets the data that the servant uses. Called by the constructors of the servants.
  void serve(Shared& shared) noexcept { shared_ = &shared; }
  [[nodiscard]] Access reading() const { return Access(*shared_, Right::read); }
  [[nodiscard]] Access writing() const { return Access(*shared_, Right::write); }

 private:
  Shared* shared_ = nullptr;
};

class TypeServant : public virtual POA::CORBA::IDLType, public virtual ObjectServant {
 public:
  Ref<CORBA::TypeCode> type() override;
};

class ContainedServant : public virtual POA::CORBA::Contained, public virtual ObjectServant {
 public:
  std::string id() override;
  void id(const std::string& value) override;
  std::string name() override;
  void name(const std::string& value) override;
  std::string version() override;
  void version(const std::string& value) override;
  Ref<CORBA::Container> defined_in() override;
  std::string absolute_name() override;
  Ref<CORBA::Repository> containing_repository() override;
  CORBA::Contained::Description describe() override;
  void move(Ref<CORBA::Container> new_container, const std::string& new_name,
            const std::string& new_version) override;
};

class ContainerServant : public virtual POA::CORBA::Container, public virtual ObjectServant {
 public:
  using Kind = CORBA::DefinitionKind;
  Ref<CORBA::Contained> lookup(const std::string& search_name) override;
  CORBA::ContainedSeq contents(Kind limit_type, bool exclude_inherited) override;
  CORBA::ContainedSeq lookup_name(const std::string& search_name, std::int32_t levels_to_search,
                                  Kind limit_type, bool exclude_inherited) override;
  CORBA::Container::DescriptionSeq describe_contents(Kind limit_type, bool exclude_inherited,
                                                     std::int32_t max_returned_objs) override;

  Ref<CORBA::ModuleDef> create_module(const std::string& id, const std::string& name,
                                      const std::string& version) override;
  Ref<CORBA::ConstantDef> create_constant(const std::string& id, const std::string& name,
                                          const std::string& version, Ref<CORBA::IDLType> type,
                                          const CORBA::Any& value) override;
  Ref<CORBA::StructDef> create_struct(const std::string& id, const std::string& name,
                                      const std::string& version,
                                      const CORBA::StructMemberSeq& members) override;
  Ref<CORBA::UnionDef> create_union(const std::string& id, const std::string& name,
                                    const std::string& version,
                                    Ref<CORBA::IDLType> discriminator_type,
                                    const CORBA::UnionMemberSeq& members) override;
  Ref<CORBA::EnumDef> create_enum(const std::string& id, const std::string& name,
                                  const std::string& version,
                                  const CORBA::EnumMemberSeq& members) override;
  Ref<CORBA::AliasDef> create_alias(const std::string& id, const std::string& name,
                                    const std::string& version,
                                    Ref<CORBA::IDLType> original_type) override;
  Ref<CORBA::InterfaceDef> create_interface(const std::string& id, const std::string& name,
                                            const std::string& version,
                                            const CORBA::InterfaceDefSeq& base_interfaces) override;
  Ref<CORBA::ValueDef> create_value(const std::string& id, const std::string& name,
                                    const std::string& version, bool is_custom, bool is_abstract,
                                    Ref<CORBA::ValueDef> base_value, bool is_truncatable,
                                    const CORBA::ValueDefSeq& abstract_base_values,
                                    const CORBA::InterfaceDefSeq& supported_interfaces,
                                    const CORBA::InitializerSeq& initializers) override;
  Ref<CORBA::ValueBoxDef> create_value_box(const std::string& id, const std::string& name,
                                           const std::string& version,
                                           Ref<CORBA::IDLType> original_type_def) override;
  Ref<CORBA::ExceptionDef> create_exception(const std::string& id, const std::string& name,
                                            const std::string& version,
                                            const CORBA::StructMemberSeq& members) override;
  Ref<CORBA::NativeDef> create_native(const std::string& id, const std::string& name,
                                      const std::string& version) override;
  Ref<CORBA::AbstractInterfaceDef> create_abstract_interface(
      const std::string& id, const std::string& name, const std::string& version,
      const CORBA::AbstractInterfaceDefSeq& base_interfaces) override;
  Ref<CORBA::LocalInterfaceDef> create_local_interface(
      const std::string& id, const std::string& name, const std::string& version,
      const CORBA::InterfaceDefSeq& base_interfaces) override;
  Ref<CORBA::ExtValueDef> create_ext_value(const std::string& id, const std::string& name,
                                           const std::string& version, bool is_custom,
                                           bool is_abstract, Ref<CORBA::ValueDef> base_value,
                                           bool is_truncatable,
                                           const CORBA::ValueDefSeq& abstract_base_values,
                                           const CORBA::InterfaceDefSeq& supported_interfaces,
                                           const CORBA::ExtInitializerSeq& initializers) override;

 protected:
  /// Makes a definition inside this one. `fill` sets its fields.
  template <typename T, typename Fill>
  Ref<T> create(Kind kind, const NewName& name, Fill fill) {
    const Access access = writing();
    auto prepared = access.store().prepare(*access, kind, name);
    fill(access, *prepared);
    return access.shared().reference<T>(&access.commit(std::move(prepared)));
  }
};

/// Checks and converts the bases of an interface of the kind. Raises BAD_PARAM (OMG minor 11) if an
/// abstract interface has a base that is not abstract.
template <typename Sequence>
std::vector<Definition*> interface_bases(const Access& access, Kind kind,
                                         const Sequence& references);

/// Sets the bases and supported interfaces of a valuetype. Raises BAD_PARAM (OMG minor 12) if the
/// valuetype supports several interfaces that are not abstract.
void set_supported(const Access& access, Definition& value,
                   const CORBA::InterfaceDefSeq& interfaces);
void set_base_value(const Access& access, Definition& value, const Ref<CORBA::ValueDef>& base);
void set_abstract_bases(const Access& access, Definition& value, const CORBA::ValueDefSeq& bases);

}  // namespace perigee::repository
