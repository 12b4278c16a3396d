// The servants of types, except for interfaces and valuetypes, and of modules and the repository.
#pragma once

#include "repository/base_servants.h"

namespace perigee::repository {

class RepositoryServant final : public virtual POA::CORBA::Repository,
                                public virtual ContainerServant {
 public:
  explicit RepositoryServant(Shared& shared) noexcept { serve(shared); }
  Ref<CORBA::Contained> lookup_id(const std::string& search_id) override;
  Ref<CORBA::TypeCode> get_canonical_typecode(Ref<CORBA::TypeCode> tc) override;
  Ref<CORBA::PrimitiveDef> get_primitive(CORBA::PrimitiveKind kind) override;
  Ref<CORBA::StringDef> create_string(std::uint32_t bound) override;
  Ref<CORBA::WstringDef> create_wstring(std::uint32_t bound) override;
  Ref<CORBA::SequenceDef> create_sequence(std::uint32_t bound,
                                          Ref<CORBA::IDLType> element_type) override;
  Ref<CORBA::ArrayDef> create_array(std::uint32_t length,
                                    Ref<CORBA::IDLType> element_type) override;
  Ref<CORBA::FixedDef> create_fixed(std::uint16_t digits, std::int16_t scale) override;

 private:
  template <typename T, typename Fill>
  Ref<T> create_unnamed(Kind kind, Fill fill);
};

class ModuleServant final : public virtual POA::CORBA::ModuleDef,
                            public virtual ContainerServant,
                            public virtual ContainedServant {
 public:
  explicit ModuleServant(Shared& shared) noexcept { serve(shared); }
};

class StructServant final : public virtual POA::CORBA::StructDef,
                            public virtual ContainerServant,
                            public virtual ContainedServant,
                            public virtual TypeServant {
 public:
  explicit StructServant(Shared& shared) noexcept { serve(shared); }
  CORBA::StructMemberSeq members() override;
  void members(const CORBA::StructMemberSeq& value) override;
};

class UnionServant final : public virtual POA::CORBA::UnionDef,
                           public virtual ContainerServant,
                           public virtual ContainedServant,
                           public virtual TypeServant {
 public:
  explicit UnionServant(Shared& shared) noexcept { serve(shared); }
  Ref<CORBA::TypeCode> discriminator_type() override;
  Ref<CORBA::IDLType> discriminator_type_def() override;
  void discriminator_type_def(Ref<CORBA::IDLType> value) override;
  CORBA::UnionMemberSeq members() override;
  void members(const CORBA::UnionMemberSeq& value) override;
};

class EnumServant final : public virtual POA::CORBA::EnumDef,
                          public virtual ContainedServant,
                          public virtual TypeServant {
 public:
  explicit EnumServant(Shared& shared) noexcept { serve(shared); }
  CORBA::EnumMemberSeq members() override;
  void members(const CORBA::EnumMemberSeq& value) override;
};

/// AliasDef and ValueBoxDef: both have one original type.
template <typename Skeleton>
class AliasServant final : public virtual Skeleton,
                           public virtual ContainedServant,
                           public virtual TypeServant {
 public:
  explicit AliasServant(Shared& shared) noexcept { serve(shared); }
  Ref<CORBA::IDLType> original_type_def() override;
  void original_type_def(Ref<CORBA::IDLType> value) override;
};

class NativeServant final : public virtual POA::CORBA::NativeDef,
                            public virtual ContainedServant,
                            public virtual TypeServant {
 public:
  explicit NativeServant(Shared& shared) noexcept { serve(shared); }
};

class PrimitiveServant final : public virtual POA::CORBA::PrimitiveDef, public virtual TypeServant {
 public:
  explicit PrimitiveServant(Shared& shared) noexcept { serve(shared); }
  CORBA::PrimitiveKind kind() override;
};

/// StringDef and WstringDef.
template <typename Skeleton>
class StringServant final : public virtual Skeleton, public virtual TypeServant {
 public:
  explicit StringServant(Shared& shared) noexcept { serve(shared); }
  std::uint32_t bound() override;
  void bound(std::uint32_t value) override;
};

class FixedServant final : public virtual POA::CORBA::FixedDef, public virtual TypeServant {
 public:
  explicit FixedServant(Shared& shared) noexcept { serve(shared); }
  std::uint16_t digits() override;
  void digits(std::uint16_t value) override;
  std::int16_t scale() override;
  void scale(std::int16_t value) override;
};

/// The common part of SequenceDef and ArrayDef.
template <typename Skeleton>
class ElementsServant : public virtual Skeleton, public virtual TypeServant {
 public:
  Ref<CORBA::TypeCode> element_type() override;
  Ref<CORBA::IDLType> element_type_def() override;
  void element_type_def(Ref<CORBA::IDLType> value) override;
};

class SequenceServant final : public virtual ElementsServant<POA::CORBA::SequenceDef> {
 public:
  explicit SequenceServant(Shared& shared) noexcept { serve(shared); }
  std::uint32_t bound() override;
  void bound(std::uint32_t value) override;
};

class ArrayServant final : public virtual ElementsServant<POA::CORBA::ArrayDef> {
 public:
  explicit ArrayServant(Shared& shared) noexcept { serve(shared); }
  std::uint32_t length() override;
  void length(std::uint32_t value) override;
};

}  // namespace perigee::repository
