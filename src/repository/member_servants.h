// The servants of constants, exceptions, attributes, operations and members of valuetypes.
#pragma once

#include "repository/base_servants.h"

namespace perigee::repository {

/// The common part of ConstantDef, AttributeDef and ValueMemberDef: one type.
template <typename Skeleton>
class TypedServant : public virtual Skeleton, public virtual ContainedServant {
 public:
  Ref<CORBA::TypeCode> type() override;
  Ref<CORBA::IDLType> type_def() override;
  void type_def(Ref<CORBA::IDLType> value) override;
};

class ConstantServant final : public virtual TypedServant<POA::CORBA::ConstantDef> {
 public:
  explicit ConstantServant(Shared& shared) noexcept { serve(shared); }
  CORBA::Any value() override;
  void value(const CORBA::Any& value) override;
};

class ExceptionServant final : public virtual POA::CORBA::ExceptionDef,
                               public virtual ContainedServant,
                               public virtual ContainerServant {
 public:
  explicit ExceptionServant(Shared& shared) noexcept { serve(shared); }
  Ref<CORBA::TypeCode> type() override;
  CORBA::StructMemberSeq members() override;
  void members(const CORBA::StructMemberSeq& value) override;
};

class AttributeServant final : public virtual TypedServant<POA::CORBA::ExtAttributeDef> {
 public:
  explicit AttributeServant(Shared& shared) noexcept { serve(shared); }
  CORBA::AttributeMode mode() override;
  void mode(CORBA::AttributeMode value) override;
  CORBA::ExcDescriptionSeq get_exceptions() override;
  void get_exceptions(const CORBA::ExcDescriptionSeq& value) override;
  CORBA::ExcDescriptionSeq set_exceptions() override;
  void set_exceptions(const CORBA::ExcDescriptionSeq& value) override;
  CORBA::ExtAttributeDescription describe_attribute() override;
};

class OperationServant final : public virtual POA::CORBA::OperationDef,
                               public virtual ContainedServant {
 public:
  explicit OperationServant(Shared& shared) noexcept { serve(shared); }
  Ref<CORBA::TypeCode> result() override;
  Ref<CORBA::IDLType> result_def() override;
  void result_def(Ref<CORBA::IDLType> value) override;
  CORBA::ParDescriptionSeq params() override;
  void params(const CORBA::ParDescriptionSeq& value) override;
  CORBA::OperationMode mode() override;
  void mode(CORBA::OperationMode value) override;
  CORBA::ContextIdSeq contexts() override;
  void contexts(const CORBA::ContextIdSeq& value) override;
  CORBA::ExceptionDefSeq exceptions() override;
  void exceptions(const CORBA::ExceptionDefSeq& value) override;
};

class ValueMemberServant final : public virtual TypedServant<POA::CORBA::ValueMemberDef> {
 public:
  explicit ValueMemberServant(Shared& shared) noexcept { serve(shared); }
  std::int16_t access() override;
  void access(std::int16_t value) override;
};

}  // namespace perigee::repository
