// Types, modules and the repository.
#include "repository/type_servants.h"

#include "repository/conversion.h"

#include <memory>

namespace perigee::repository {

namespace {

void require(bool is_right, const char* text) {
  if (!is_right) raise_bad_param(0, text);
}

constexpr const char* bound_text = "the bound of a string or the length of an array must not be 0";

Ref<CORBA::IDLType> type_reference(const Access& access) {
  return access.shared().reference<CORBA::IDLType>(access->type);
}

void set_type(const Access& access, const Ref<CORBA::IDLType>& value) {
  access.change([&](Definition& changed) { changed.type = &type_of(access, value); });
}

void set_bound(const Access& access, std::uint32_t value) {
  access.change([&](Definition& changed) { changed.bound = value; });
}

}  // namespace

Ref<CORBA::Contained> RepositoryServant::lookup_id(const std::string& search_id) {
  const Access access = reading();
  return access.shared().reference<CORBA::Contained>(access.store().find_id(search_id));
}

Ref<CORBA::TypeCode> RepositoryServant::get_canonical_typecode(Ref<CORBA::TypeCode> tc) {
  const Access access = reading();
  return canonical(access.store(), tc);
}

Ref<CORBA::PrimitiveDef> RepositoryServant::get_primitive(CORBA::PrimitiveKind kind) {
  const Access access = reading();
  return access.shared().reference<CORBA::PrimitiveDef>(&access.store().primitive(kind));
}

template <typename T, typename Fill>
Ref<T> RepositoryServant::create_unnamed(Kind kind, Fill fill) {
  const Access access = writing();
  auto prepared = std::make_unique<Definition>();
  prepared->kind = kind;
  fill(access, *prepared);
  return access.shared().reference<T>(&access.commit_anonymous(std::move(prepared)));
}

Ref<CORBA::StringDef> RepositoryServant::create_string(std::uint32_t bound) {
  require(bound != 0, bound_text);
  return create_unnamed<CORBA::StringDef>(
      Kind::dk_String, [bound](const Access&, Definition& made) { made.bound = bound; });
}

Ref<CORBA::WstringDef> RepositoryServant::create_wstring(std::uint32_t bound) {
  require(bound != 0, bound_text);
  return create_unnamed<CORBA::WstringDef>(
      Kind::dk_Wstring, [bound](const Access&, Definition& made) { made.bound = bound; });
}

Ref<CORBA::SequenceDef> RepositoryServant::create_sequence(std::uint32_t bound,
                                                           Ref<CORBA::IDLType> element_type) {
  return create_unnamed<CORBA::SequenceDef>(Kind::dk_Sequence,
                                            [&](const Access& access, Definition& made) {
                                              made.bound = bound;
                                              made.type = &type_of(access, element_type);
                                            });
}

Ref<CORBA::ArrayDef> RepositoryServant::create_array(std::uint32_t length,
                                                     Ref<CORBA::IDLType> element_type) {
  require(length != 0, bound_text);
  return create_unnamed<CORBA::ArrayDef>(Kind::dk_Array,
                                         [&](const Access& access, Definition& made) {
                                           made.bound = length;
                                           made.type = &type_of(access, element_type);
                                         });
}

Ref<CORBA::FixedDef> RepositoryServant::create_fixed(std::uint16_t digits, std::int16_t scale) {
  return create_unnamed<CORBA::FixedDef>(Kind::dk_Fixed, [&](const Access&, Definition& made) {
    made.digits = digits;
    made.scale = scale;
  });
}

CORBA::StructMemberSeq StructServant::members() {
  const Access access = reading();
  return struct_members(access, access->parts);
}

void StructServant::members(const CORBA::StructMemberSeq& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { changed.parts = parts_of(access, value); });
}

Ref<CORBA::TypeCode> UnionServant::discriminator_type() {
  const Access access = reading();
  return type_code(access.store(), *access->type);
}

Ref<CORBA::IDLType> UnionServant::discriminator_type_def() { return type_reference(reading()); }
void UnionServant::discriminator_type_def(Ref<CORBA::IDLType> value) { set_type(writing(), value); }

CORBA::UnionMemberSeq UnionServant::members() {
  const Access access = reading();
  return union_members(access, access->parts);
}

void UnionServant::members(const CORBA::UnionMemberSeq& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { changed.parts = parts_of(access, value); });
}

CORBA::EnumMemberSeq EnumServant::members() { return reading()->names; }
void EnumServant::members(const CORBA::EnumMemberSeq& value) {
  writing().change([&](Definition& changed) { changed.names = value; });
}

template <typename Skeleton>
Ref<CORBA::IDLType> AliasServant<Skeleton>::original_type_def() {
  return type_reference(reading());
}
template <typename Skeleton>
void AliasServant<Skeleton>::original_type_def(Ref<CORBA::IDLType> value) {
  set_type(writing(), value);
}
template class AliasServant<POA::CORBA::AliasDef>;
template class AliasServant<POA::CORBA::ValueBoxDef>;

CORBA::PrimitiveKind PrimitiveServant::kind() { return reading()->primitive; }

template <typename Skeleton>
std::uint32_t StringServant<Skeleton>::bound() {
  return reading()->bound;
}
template <typename Skeleton>
void StringServant<Skeleton>::bound(std::uint32_t value) {
  require(value != 0, bound_text);
  set_bound(writing(), value);
}
template class StringServant<POA::CORBA::StringDef>;
template class StringServant<POA::CORBA::WstringDef>;

std::uint16_t FixedServant::digits() { return reading()->digits; }
void FixedServant::digits(std::uint16_t value) {
  writing().change([&](Definition& changed) { changed.digits = value; });
}
std::int16_t FixedServant::scale() { return reading()->scale; }
void FixedServant::scale(std::int16_t value) {
  writing().change([&](Definition& changed) { changed.scale = value; });
}

template <typename Skeleton>
Ref<CORBA::TypeCode> ElementsServant<Skeleton>::element_type() {
  const Access access = reading();
  return type_code(access.store(), *access->type);
}
template <typename Skeleton>
Ref<CORBA::IDLType> ElementsServant<Skeleton>::element_type_def() {
  return type_reference(reading());
}
template <typename Skeleton>
void ElementsServant<Skeleton>::element_type_def(Ref<CORBA::IDLType> value) {
  set_type(writing(), value);
}
template class ElementsServant<POA::CORBA::SequenceDef>;
template class ElementsServant<POA::CORBA::ArrayDef>;

std::uint32_t SequenceServant::bound() { return reading()->bound; }
void SequenceServant::bound(std::uint32_t value) { set_bound(writing(), value); }

std::uint32_t ArrayServant::length() { return reading()->bound; }
void ArrayServant::length(std::uint32_t value) {
  require(value != 0, bound_text);
  set_bound(writing(), value);
}

}  // namespace perigee::repository
