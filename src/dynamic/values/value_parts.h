// Values of anys in parts: reads a value one level deep, makes values from octets, makes default
// values. Knows no DynAny. All functions raise CORBA exceptions.
#pragma once

#include "orb/values/reference_factory.h"
#include <perigee/base/function_ref.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any.h>
#include <perigee/orb/any_operators.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace perigee::cdr {
class LabelIndex;
}

namespace perigee::dynamic {

/// The ORB that makes object references and values; may be empty, or no longer exist.
using References = std::weak_ptr<orb::ReferenceFactory>;

/// Components of one value that become separate values, and all parts of a default value together.
/// Each takes about 70 octets, far more than an octet on the wire.
inline constexpr std::uint32_t components_max = 1 << 20;
/// Levels of values inside each other; the decoder has the same limit.
inline constexpr std::uint32_t levels_max = 128;

[[nodiscard]] cdr::TypeRef type_of(const CORBA::Any& any);
[[nodiscard]] bool is_valuetype(cdr::TypeKind kind) noexcept;

/// Calls `read` with a decoder at the value. The value is of a type that is not basic. Raises
/// MARSHAL or IMP_LIMIT unless `read` reads the whole value.
void read_value(const CORBA::Any& any, const References& references,
                function_ref<void(cdr::Decoder&)> read);
/// A whole value, as `read_value` reads it.
template <typename T>
T read_one(const CORBA::Any& any, const References& references) {
  T value{};
  read_value(any, references, [&value](cdr::Decoder& decoder) { decoder >> value; });
  return value;
}
/// A value of the type from the octets that `write` writes. Raises MARSHAL, BAD_PARAM or IMP_LIMIT.
[[nodiscard]] CORBA::Any make_value(const cdr::TypeRef& type, const References& references,
                                    function_ref<void(cdr::Encoder&)> write);
/// The same value with another type, which must be equivalent. None if it is not. A foreign type
/// may have the id of `type` but other members: then the value must be one of `type` too.
[[nodiscard]] std::optional<CORBA::Any> with_type(const CORBA::Any& any, const cdr::TypeRef& type,
                                                  const References& references);

/// Whether the type or one of its parts, at any level, is of such a kind.
[[nodiscard]] bool contains_kind(const cdr::TypeNode& type, bool (*accepts)(cdr::TypeKind));
/// Whether the types have the same members. Equivalent types with one repository id may differ.
[[nodiscard]] bool is_same_type(const cdr::TypeNode& a, const cdr::TypeNode& b);

struct Parts {
  std::vector<CORBA::Any> values;
  std::size_t octets = 0;  // of the whole value
};

/// The components of a value, which is not null. See DynAny. Raises IMP_LIMIT beyond
/// `components_max`. The types must outlive `labels`.
[[nodiscard]] Parts read_parts(const CORBA::Any& any, const References& references,
                               cdr::LabelIndex& labels);
/// The length of a sequence.
[[nodiscard]] std::uint32_t read_length(const CORBA::Any& any);

/// Raises InconsistentTypeCode if there are no DynAnys of the type.
void require_supported(const cdr::TypeNode& type);
/// Raises InconsistentTypeCode, IMP_LIMIT.
[[nodiscard]] CORBA::Any default_value(const cdr::TypeRef& type, const References& references);

/// An object, a value or nil in an any; `type` is an abstract interface.
[[nodiscard]] CORBA::Any abstract_value(const cdr::TypeRef& type, any::AbstractReference reference);
/// A reference in an any; `type` is an interface.
[[nodiscard]] CORBA::Any reference_value(const cdr::TypeRef& type,
                                         const CORBA::object_reference<CORBA::Object>& object);

/// @name Valuetypes.
/// @{
/// The state members, those of the bases first. Raises BAD_TYPECODE for more than 64 bases.
[[nodiscard]] std::vector<const cdr::TypeMember*> state_members(const cdr::TypeNode& type);
[[nodiscard]] CORBA::Any kept_value(const cdr::TypeRef& type,
                                    const CORBA::valuetype_reference<CORBA::ValueBase>& value);
/// How the type of a value relates to the TypeCode.
enum class Fit : std::uint8_t { same, derived, unknown };
[[nodiscard]] Fit fit_of(const CORBA::ValueBase& value, const cdr::TypeNode& type);
/// Whether a program can read the components of a value. Other values than valuetypes are `known`.
enum class State : std::uint8_t { null, known, unknown };
/// `unknown` if the TypeCode is custom, or does not describe the type of the value.
[[nodiscard]] State state_of(const CORBA::Any& any);
/// Writes what stands in front of the state of a new value, calls `write_state`, and ends the
/// value.
void write_value(cdr::Encoder& encoder, const cdr::TypeNode& type,
                 function_ref<void()> write_state);
/// @}

/// @name Discriminators of unions, as labels of cdr::TypeMember.
/// @{
[[nodiscard]] std::int64_t label_of(const CORBA::Any& discriminator);
void write_discriminator(cdr::Encoder& encoder, const cdr::TypeNode& discriminator,
                         std::int64_t label);
/// The index of the member that the label selects; -1 if it selects none.
[[nodiscard]] std::int32_t selected_member(const cdr::TypeNode& type, std::int64_t label,
                                           cdr::LabelIndex& labels);
/// A label that no member has; none if all values of the discriminator are labels.
[[nodiscard]] std::optional<std::int64_t> unused_label(const cdr::TypeNode& type);
/// @}

}  // namespace perigee::dynamic
