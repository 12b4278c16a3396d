// Compares the octets first, and takes values apart only if their octets differ. Makes no nodes.
#include "dynamic/values/comparison.h"

#include "cdr/label_index.h"
#include <perigee/cdr/operators.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace perigee::dynamic {

namespace {

using any::Access;
using cdr::TypeNode;
using enum cdr::TypeKind;
using ValueReference = CORBA::valuetype_reference<CORBA::ValueBase>;

/// Whether equal values of this kind may have different octets.
bool is_loose_kind(cdr::TypeKind kind) {
  switch (kind) {
    case tk_any:
    case tk_TypeCode:
    case tk_objref:
    case tk_local_interface:
    case tk_value:
    case tk_value_box:
    case tk_abstract_interface:
      return true;
    default:
      return false;
  }
}

class Comparison final {
 public:
  explicit Comparison(const References& references) : references_(references) {}

  bool run(const CORBA::Any& a, const CORBA::Any& b) {
    if (!cdr::equivalent(Access::type(a), Access::type(b))) return false;
    if (a == b) return true;
    const TypeNode& type = cdr::unaliased(Access::type(a));
    if (!is_loose(type)) return false;
    if (level_ == levels_max)
      throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO, "a value has more than 128 levels");
    ++level_;
    const bool is_equal = different_octets(type, a, b);
    --level_;
    return is_equal;
  }

 private:
  bool different_octets(const TypeNode& type, const CORBA::Any& a, const CORBA::Any& b) {
    switch (type.kind) {
      case tk_TypeCode:
        return type_codes(a, b);
      case tk_objref:
      case tk_local_interface:
        return references(a, b);
      case tk_any:
        return anys(a, b);
      case tk_struct:
      case tk_except:
      case tk_union:
      case tk_sequence:
      case tk_array:
        return parts(a, b);
      case tk_value:
      case tk_value_box:
        return values(a, b);
      case tk_abstract_interface:
        return abstract_references(a, b);
      default:
        return false;
    }
  }

  bool type_codes(const CORBA::Any& a, const CORBA::Any& b) {
    const auto mine = read_one<CORBA::object_reference<CORBA::TypeCode>>(a, references_);
    return mine->equivalent(read_one<CORBA::object_reference<CORBA::TypeCode>>(b, references_));
  }

  static bool references(const CORBA::Any& a, const CORBA::Any& b) {
    CORBA::object_reference<CORBA::Object> mine;
    CORBA::object_reference<CORBA::Object> its;
    if (!any::extract_object(a, mine) || !any::extract_object(b, its)) return false;
    if (!mine || !its) return !mine && !its;
    return mine->_is_equivalent(its);
  }

  // The TypeCode does not describe the state of a value, so values are compared by their octets.
  static bool abstract_references(const CORBA::Any& a, const CORBA::Any& b) {
    any::AbstractReference mine;
    any::AbstractReference its;
    if (!any::find_abstract(a, mine) || !any::find_abstract(b, its)) return false;
    if (mine == its) return true;
    const auto object = mine._to_object();
    const auto other = its._to_object();
    if (object || other) return object && other && object->_is_equivalent(other);
    if (!mine || !its) return false;
    const std::optional<Octets> octets = octets_of(mine);
    return octets && octets == octets_of(its);
  }

  // Empty if the value cannot be encoded: then it equals only itself.
  static std::optional<Octets> octets_of(const any::AbstractReference& reference) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    encoder << reference;
    return encoder.ok() ? std::optional(buffer.flatten()) : std::nullopt;
  }

  // The types of the values inside of the anys exist only until the end of this function.
  bool anys(const CORBA::Any& a, const CORBA::Any& b) {
    const auto mine = read_one<CORBA::Any>(a, references_);
    const auto its = read_one<CORBA::Any>(b, references_);
    cdr::LabelIndex outer_labels = std::exchange(labels_, {});
    std::map<const TypeNode*, bool> outer_loose = std::exchange(loose_, {});
    const bool is_equal = run(mine, its);
    labels_ = std::move(outer_labels);
    loose_ = std::move(outer_loose);
    return is_equal;
  }

  bool values(const CORBA::Any& a, const CORBA::Any& b) {
    if (state_of(a) != State::known || state_of(b) != State::known) return false;
    if (pairs_left_-- == 0)
      throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO,
                             "a comparison of more than 65536 pairs of valuetypes");
    return parts(a, b);
  }

  // A valuetype that several parts share is the same object in all of them. Each pair is compared
  // once; otherwise the work would double with each level.
  bool parts(const CORBA::Any& a, const CORBA::Any& b) {
    const std::vector<CORBA::Any> mine = read_parts(a, references_, labels_).values;
    const std::vector<CORBA::Any> its = read_parts(b, references_, labels_).values;
    if (mine.size() != its.size()) return false;
    std::set<std::pair<const void*, const void*>> compared;
    for (std::size_t index = 0; index != mine.size(); ++index) {
      const std::pair pair{value_in(mine[index]), value_in(its[index])};
      const bool is_pair = pair.first != nullptr && pair.second != nullptr;
      if (is_pair && !compared.insert(pair).second) continue;
      if (!run(mine[index], its[index])) return false;
    }
    return true;
  }

  static const void* value_in(const CORBA::Any& any) {
    if (!is_valuetype(cdr::unaliased(Access::type(any)).kind)) return nullptr;
    ValueReference value;
    (void)any::find_value(any, value);
    return value.get();
  }

  bool is_loose(const TypeNode& type) {
    const auto [found, is_new] = loose_.try_emplace(&type);
    if (is_new) found->second = contains_kind(type, &is_loose_kind);
    return found->second;
  }

  const References& references_;
  cdr::LabelIndex labels_;
  std::map<const TypeNode*, bool> loose_;
  std::uint32_t level_ = 0;
  std::uint32_t pairs_left_ = value_pairs_max;
};

}  // namespace

bool equal_values(const CORBA::Any& a, const CORBA::Any& b, const References& references) {
  return Comparison(references).run(a, b);
}

}  // namespace perigee::dynamic
