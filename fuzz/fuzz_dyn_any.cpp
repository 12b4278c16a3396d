// DynAnys of any types and values. The first octet selects the byte order, the position at which
// the value begins, and whether it is an any or a TypeCode. A DynAny is taken apart and put
// together again: the result must be equal. After random changes it must still be a valid value.
#include "dynamic/values/factory.h"
#include "require.h"
#include "support/rebuild_dyn_any.h"
#include <perigee/cdr/typecode.h>
#include <perigee/dynamic/dynamic_any.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace perigee;
using DynamicAny::DynAny;
using DynRef = DynAny::_ref_type;
using fuzz::require;

constexpr std::size_t parts_max = 2000;
constexpr std::uint32_t array_max = 16;
constexpr std::size_t octets_max = 64 * 1024;  // larger values, such as default values, are slow

DynamicAny::DynAnyFactory& factory() {
  static const auto made = dynamic::make_factory({});
  return *made;
}

/// Encodes `any`, and decodes `copy` from the octets. False if a limit refuses the value.
bool send(const CORBA::Any& any, CORBA::Any& copy) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << any;
  if (!encoder.ok()) return false;
  const Octets octets = buffer.flatten();
  cdr::Decoder decoder(octets, std::endian::native);
  decoder >> copy;
  return decoder.ok();
}

/// Whether the any equals its own copy. The limits of comparisons may prevent this.
bool is_comparable(const CORBA::Any& any) {
  CORBA::Any copy;
  return send(any, copy) && copy == any;
}

/// Whether `accepts` is true for a type inside the type.
template <typename Accepts>
bool contains(const cdr::TypeNode& type, Accepts accepts) {
  std::set<const cdr::TypeNode*> known;
  std::vector<const cdr::TypeNode*> types{&type};
  while (!types.empty()) {
    const cdr::TypeNode* const node = types.back();
    types.pop_back();
    if (node == nullptr || !known.insert(node).second) continue;
    if (accepts(*node)) return true;
    types.push_back(node->content);
    types.push_back(node->key);
    for (const cdr::TypeMember& member : node->members) types.push_back(member.type);
  }
  return false;
}

/// Whether the value may contain valuetypes, also in an any inside of it.
bool has_valuetypes(const CORBA::Any& any) {
  return contains(any::Access::type(any), [](const cdr::TypeNode& node) {
    return node.kind == cdr::TypeKind::tk_value || node.kind == cdr::TypeKind::tk_value_box ||
           node.kind == cdr::TypeKind::tk_any;
  });
}

void check_rebuilt(const DynRef& dyn) {
  const CORBA::Any any = dyn->to_any();
  if (!is_comparable(any)) return;
  require(dyn->copy()->equal(dyn));
  const DynRef rebuilt = test::DynAnyRebuilder(factory(), parts_max).rebuild(dyn);
  require(rebuilt->equal(dyn) && dyn->equal(rebuilt));
  // Components that share one valuetype become separate values.
  const DynRef again = test::DynAnyRebuilder(factory(), parts_max).rebuild(rebuilt);
  require(rebuilt->to_any() == any || has_valuetypes(any));
  require(rebuilt->to_any() == again->to_any());
  const DynRef assigned = factory().create_dyn_any_from_type_code(dyn->type());
  assigned->assign(rebuilt);
  require(assigned->equal(dyn));
}

bool is_small(const CORBA::Any& any) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << any;
  return encoder.ok() && buffer.size() <= octets_max;
}

/// Default values of types with large arrays are slow, although they are small on the wire.
bool has_large_arrays(const cdr::TypeNode& type) {
  return contains(type, [](const cdr::TypeNode& node) {
    return node.kind == cdr::TypeKind::tk_array && node.bound > array_max;
  });
}

/// Random operations, from the octets of the input.
class Changes final {
 public:
  explicit Changes(std::span<const std::uint8_t> octets) : octets_(octets) {}

  void apply(const DynRef& root) {
    DynRef current = root;
    for (int step = 0; step != 40; ++step) {
      try {
        current = change(root, current);
        if (!is_small(root->to_any())) return;
        require_all_parts(root);
      } catch (const CORBA::UserException&) {
        current = root;  // the operation has no meaning here
      } catch (const CORBA::SystemException& error) {
        require(is_expected(error));
        current = root;
      }
    }
  }

  /// Limits, operations on removed components, values that cannot be encoded or are in a cycle.
  static bool is_expected(const CORBA::SystemException& error) {
    const std::string name = error._name();
    return name == "IMP_LIMIT" || name == "OBJECT_NOT_EXIST" || name == "MARSHAL" ||
           name == "BAD_TYPECODE" || name == "NO_IMPLEMENT";
  }

 private:
  std::uint8_t next() {
    state_ = state_ * 1103515245 + 12345;
    const std::uint8_t octet = octets_.empty() ? 0 : octets_[position_++ % octets_.size()];
    return static_cast<std::uint8_t>(octet ^ (state_ >> 16));
  }

  /// Checks that each component that is counted can be reached.
  static void require_all_parts(const DynRef& dyn) {
    const DynRef copy = dyn->copy();
    const std::uint32_t count = dyn->component_count();
    require(copy->component_count() == count);
    require(!copy->seek(static_cast<std::int32_t>(count)));
    if (count == 0) return;
    require(copy->seek(static_cast<std::int32_t>(count) - 1));
    require(copy->current_component() != nullptr);
  }

  /// Assigns an earlier value, or the default value, while components are in use.
  void assign_other(const DynRef& dyn) {
    const bool is_default = earlier_.empty() || next() % 2 == 0;
    if (is_default)
      dyn->assign(factory().create_dyn_any_from_type_code(dyn->type()));
    else
      dyn->assign(earlier_[next() % earlier_.size()]);
    require_all_parts(dyn);
  }

  DynRef change(const DynRef& root, const DynRef& current) {
    if (next() % 2 == 0) held_.push_back(current);
    switch (next() % 10) {
      case 8:
        earlier_.push_back(current->copy());
        return current;
      case 9:
        assign_other(current);
        return current;
      case 0:
        return root;
      case 1:
      case 2:
      case 3: {
        current->seek(next() % 4);
        const DynRef component = current->current_component();
        return component ? component : current;
      }
      case 4:
        insert(*current);
        return current;
      case 5:
        reshape(current);
        return current;
      case 6:
        current->assign(current->copy());
        return current;
      default:
        (void)current->to_any();
        return current;
    }
  }

  void insert(DynAny& dyn) {
    switch (next() % 8) {
      case 0:
        return dyn.insert_long(next());
      case 1:
        return dyn.insert_octet(next());
      case 2:
        return dyn.insert_string("text");
      case 3:
        return dyn.insert_boolean(next() % 2 == 0);
      case 4:
        return dyn.insert_double(next());
      case 5:
        return dyn.insert_octet_seq({next(), next()});
      case 6:
        return dyn.insert_any(CORBA::Any());
      default:
        return dyn.insert_ulong(next());
    }
  }

  void reshape(const DynRef& dyn) {
    if (const auto sequence = IDL::traits<DynamicAny::DynSequence>::narrow(dyn))
      sequence->set_length(next() % 4);
    else if (const auto choice = IDL::traits<DynamicAny::DynUnion>::narrow(dyn))
      next() % 2 == 0 ? choice->set_to_default_member() : choice->set_to_no_active_member();
    else if (const auto value = IDL::traits<DynamicAny::DynValueCommon>::narrow(dyn))
      next() % 2 == 0 ? value->set_to_null() : value->set_to_value();
    else if (const auto enumerator = IDL::traits<DynamicAny::DynEnum>::narrow(dyn))
      enumerator->set_as_ulong(next() % 4);
    else if (const auto fixed = IDL::traits<DynamicAny::DynFixed>::narrow(dyn))
      fixed->set_value("-1.5");
  }

  std::span<const std::uint8_t> octets_;
  std::size_t position_ = 0;
  std::uint32_t state_ = 1;
  std::vector<DynRef> held_;     // components stay in use
  std::vector<DynRef> earlier_;  // values of `root` and its components
};

/// Rebuilds a value that has arrived. This may fail only because of the limits, or if its type has
/// no default value. A reference to an earlier valuetype may have the TypeCode of another type.
/// Such a value cannot be written without the earlier one: MARSHAL.
void try_to_rebuild(const DynRef& dyn) {
  try {
    check_rebuilt(dyn);
  } catch (const DynamicAny::DynAnyFactory::InconsistentTypeCode&) {
    return;
  } catch (const DynAny::TypeMismatch&) {
    require(has_valuetypes(dyn->to_any()));
  } catch (const CORBA::SystemException& error) {
    const std::string name = error._name();
    const bool is_odd_value = name == "MARSHAL" && has_valuetypes(dyn->to_any());
    require(name == "IMP_LIMIT" || name == "BAD_TYPECODE" || is_odd_value);
  }
}

void try_dyn_any(const DynRef& dyn, std::span<const std::uint8_t> input) {
  if (!is_small(dyn->to_any())) return;
  try_to_rebuild(dyn);
  if (has_large_arrays(*dyn->type()->_node())) return;
  Changes(input).apply(dyn);
  CORBA::Any copy;
  const CORBA::Any changed = dyn->to_any();
  if (send(changed, copy)) try_to_rebuild(factory().create_dyn_any(copy));
}

DynRef make(cdr::Decoder decoder, bool is_type) {
  if (is_type) {
    cdr::TypeRef type = cdr::decode_type(decoder);
    if (!decoder.ok()) return nullptr;
    return factory().create_dyn_any_from_type_code(CORBA::object_reference<CORBA::TypeCode>(
        make_counted<CORBA::TypeCode>(type.node, type.owner)));
  }
  CORBA::Any any;
  decoder >> any;
  return decoder.ok() ? factory().create_dyn_any(any) : nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> input(data, size);
  const OctetSpan octets = std::as_bytes(input).subspan(1);
  const std::endian order = (data[0] & 1) == 0 ? std::endian::little : std::endian::big;
  const std::size_t start = (data[0] >> 2) & 7u;
  try {
    const DynRef dyn = make(cdr::Decoder(octets, order, start), (data[0] & 2) != 0);
    if (dyn) try_dyn_any(dyn, input);
  } catch (const DynamicAny::DynAnyFactory::InconsistentTypeCode&) {
    return 0;
  } catch (const CORBA::SystemException& error) {
    require(Changes::is_expected(error));
  }
  return 0;
}
