// The servants of interfaces and valuetypes.
#pragma once

#include "repository/base_servants.h"

namespace perigee::repository {

/// The common part of interfaces and valuetypes.
template <typename Skeleton>
class MembersServant : public virtual Skeleton,
                       public virtual ContainerServant,
                       public virtual ContainedServant,
                       public virtual TypeServant {
 protected:
  /// A new attribute.
  struct AttributeParts {
    Ref<CORBA::IDLType> type;
    CORBA::AttributeMode mode;
    const CORBA::ExceptionDefSeq& get_exceptions;
    const CORBA::ExceptionDefSeq& set_exceptions;
  };
  Ref<CORBA::ExtAttributeDef> add_attribute(const NewName& name, const AttributeParts& parts);
  /// A new operation.
  struct OperationParts {
    Ref<CORBA::IDLType> result;
    CORBA::OperationMode mode;
    const CORBA::ParDescriptionSeq& params;
    const CORBA::ExceptionDefSeq& exceptions;
    const CORBA::ContextIdSeq& contexts;
  };
  Ref<CORBA::OperationDef> add_operation(const NewName& name, const OperationParts& parts);
  /// Whether the definition is the named one or inherits from it.
  bool is_derived(const std::string& id);
};

/// ExtInterfaceDef, ExtAbstractInterfaceDef and ExtLocalInterfaceDef.
template <typename Skeleton>
class InterfaceServant final : public virtual MembersServant<Skeleton> {
 public:
  explicit InterfaceServant(Shared& shared) noexcept { this->serve(shared); }
  CORBA::InterfaceDefSeq base_interfaces() override;
  void base_interfaces(const CORBA::InterfaceDefSeq& value) override;
  bool is_a(const std::string& interface_id) override;
  CORBA::InterfaceDef::FullInterfaceDescription describe_interface() override;
  CORBA::InterfaceAttrExtension::ExtFullInterfaceDescription describe_ext_interface() override;
  Ref<CORBA::AttributeDef> create_attribute(const std::string& id, const std::string& name,
                                            const std::string& version, Ref<CORBA::IDLType> type,
                                            CORBA::AttributeMode mode) override;
  Ref<CORBA::ExtAttributeDef> create_ext_attribute(
      const std::string& id, const std::string& name, const std::string& version,
      Ref<CORBA::IDLType> type, CORBA::AttributeMode mode,
      const CORBA::ExceptionDefSeq& get_exceptions,
      const CORBA::ExceptionDefSeq& set_exceptions) override;
  Ref<CORBA::OperationDef> create_operation(const std::string& id, const std::string& name,
                                            const std::string& version, Ref<CORBA::IDLType> result,
                                            CORBA::OperationMode mode,
                                            const CORBA::ParDescriptionSeq& params,
                                            const CORBA::ExceptionDefSeq& exceptions,
                                            const CORBA::ContextIdSeq& contexts) override;
};

class ValueServant final : public virtual MembersServant<POA::CORBA::ExtValueDef> {
 public:
  explicit ValueServant(Shared& shared) noexcept { serve(shared); }
  CORBA::InterfaceDefSeq supported_interfaces() override;
  void supported_interfaces(const CORBA::InterfaceDefSeq& value) override;
  CORBA::InitializerSeq initializers() override;
  void initializers(const CORBA::InitializerSeq& value) override;
  CORBA::ExtInitializerSeq ext_initializers() override;
  void ext_initializers(const CORBA::ExtInitializerSeq& value) override;
  Ref<CORBA::ValueDef> base_value() override;
  void base_value(Ref<CORBA::ValueDef> value) override;
  CORBA::ValueDefSeq abstract_base_values() override;
  void abstract_base_values(const CORBA::ValueDefSeq& value) override;
  bool is_abstract() override;
  void is_abstract(bool value) override;
  bool is_custom() override;
  void is_custom(bool value) override;
  bool is_truncatable() override;
  void is_truncatable(bool value) override;
  bool is_a(const std::string& id) override;
  CORBA::ValueDef::FullValueDescription describe_value() override;
  CORBA::ExtValueDef::ExtFullValueDescription describe_ext_value() override;
  Ref<CORBA::ValueMemberDef> create_value_member(const std::string& id, const std::string& name,
                                                 const std::string& version,
                                                 Ref<CORBA::IDLType> type,
                                                 std::int16_t access) override;
  Ref<CORBA::AttributeDef> create_attribute(const std::string& id, const std::string& name,
                                            const std::string& version, Ref<CORBA::IDLType> type,
                                            CORBA::AttributeMode mode) override;
  Ref<CORBA::ExtAttributeDef> create_ext_attribute(
      const std::string& id, const std::string& name, const std::string& version,
      Ref<CORBA::IDLType> type, CORBA::AttributeMode mode,
      const CORBA::ExceptionDefSeq& get_exceptions,
      const CORBA::ExceptionDefSeq& set_exceptions) override;
  Ref<CORBA::OperationDef> create_operation(const std::string& id, const std::string& name,
                                            const std::string& version, Ref<CORBA::IDLType> result,
                                            CORBA::OperationMode mode,
                                            const CORBA::ParDescriptionSeq& params,
                                            const CORBA::ExceptionDefSeq& exceptions,
                                            const CORBA::ContextIdSeq& contexts) override;
};

}  // namespace perigee::repository
