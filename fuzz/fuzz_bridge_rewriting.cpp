// The bridge's rewriting of references in bodies. The first octet selects byte order, GIOP version
// and phase (the position of the body modulo 8), the second one the types. A rewritten body has the
// same types, and rewriting it again changes nothing. A body whose references stay is not copied.
#include "bridge/rewriting/body_rewriter.h"
#include "require.h"
#include <perigee/cdr/typecode.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

namespace {

using namespace perigee;
using cdr::TypeKind;
using cdr::TypeMember;
using cdr::TypeNode;
using fuzz::require;

constexpr std::size_t size_max = 4 << 20;

// struct Node { Object here; sequence<Node> below; Choice choice; };
struct NodeType {
  TypeNode below{.kind = TypeKind::tk_sequence};
  TypeMember branches[4]{{.type = &cdr::object_node, .label = -1},
                         {.type = &cdr::basic_node<TypeKind::tk_longdouble>, .label = 2},
                         {.type = &cdr::fixed_node<7, 2>, .label = 3},
                         {.type = &cdr::string_node<>}};
  TypeNode choice{.kind = TypeKind::tk_union,
                  .default_index = 3,
                  .content = &cdr::basic_node<TypeKind::tk_long>,
                  .members = branches};
  TypeMember members[3]{{.type = &cdr::object_node}, {.type = &below}, {.type = &choice}};
  TypeNode node{.kind = TypeKind::tk_struct, .members = members};

  NodeType() { below.content = &node; }
  NodeType(const NodeType&) = delete;
  NodeType& operator=(const NodeType&) = delete;
};

// valuetype Value { public Object here; public double number; public Value next; };
// valuetype Derived : truncatable Value { public string text; public any more; };
// custom valuetype Custom {}; valuetype Box sequence<Object>;
struct ValueTypes {
  TypeMember members[3]{{.type = &cdr::object_node},
                        {.type = &cdr::basic_node<TypeKind::tk_double>},
                        {.type = &value}};
  TypeMember derived_members[2]{{.type = &cdr::string_node<>},
                                {.type = &cdr::basic_node<TypeKind::tk_any>}};
  TypeNode value{.kind = TypeKind::tk_value, .id = "IDL:V:1.0"};
  TypeNode derived{.kind = TypeKind::tk_value, .scale = 3, .id = "IDL:D:1.0", .content = &value};
  TypeNode custom{.kind = TypeKind::tk_value, .scale = 1, .id = "IDL:C:1.0"};
  TypeNode box{.kind = TypeKind::tk_value_box,
               .id = "IDL:B:1.0",
               .content = &cdr::sequence_node<cdr::object_node>};

  ValueTypes() {
    value.members = members;
    derived.members = derived_members;
  }
  ValueTypes(const ValueTypes&) = delete;
  ValueTypes& operator=(const ValueTypes&) = delete;
};

const ValueTypes& value_types() {
  static const ValueTypes types;
  return types;
}

using Types = std::vector<const TypeNode*>;

const std::vector<Types>& all_types() {
  static const NodeType node;
  static constexpr TypeNode abstract{.kind = TypeKind::tk_abstract_interface};
  static const std::vector<Types> all{
      {&cdr::basic_node<TypeKind::tk_any>},
      {&cdr::object_node, &cdr::basic_node<TypeKind::tk_any>},
      {&cdr::basic_node<TypeKind::tk_octet>, &node.node},
      {&cdr::sequence_node<cdr::basic_node<TypeKind::tk_any>>},
      {&cdr::wstring_node<>, &cdr::basic_node<TypeKind::tk_wchar>, &cdr::object_node},
      {&cdr::array_node<cdr::object_node, 3>, &abstract,
       &cdr::sequence_node<cdr::basic_node<TypeKind::tk_double>>},
      {&cdr::basic_node<TypeKind::tk_TypeCode>, &cdr::object_node},
      {&value_types().value, &value_types().derived},
      {&cdr::object_node, &cdr::sequence_node<cdr::value_base_node>},
      {&value_types().custom, &cdr::object_node, &value_types().box}};
  return all;
}

const bridge::RewritingPlan& plan() {
  static const auto* const plan = [] {
    auto* const made = new bridge::RewritingPlan;
    for (const TypeNode* const type :
         {&value_types().value, &value_types().derived, &value_types().custom, &value_types().box})
      made->values.emplace(type->id, type);
    made->exceptions.emplace("IDL:E:1.0", all_types()[2].back());
    return made;
  }();
  return *plan;
}

/// The form in which a body was sent.
struct Form {
  std::endian order;
  std::uint8_t minor;
  std::uint8_t phase;
};

/// The octets of a body after a header that ends at the phase.
class Body {
 public:
  Body(const Form& form, OctetSpan octets) : form_(form), whole_(form.phase) {
    whole_.insert(whole_.end(), octets.begin(), octets.end());
  }

  [[nodiscard]] bridge::RawBody raw() const {
    return {OctetSpan(whole_).subspan(form_.phase), form_.order, form_.phase};
  }
  [[nodiscard]] cdr::Decoder values() const {
    cdr::Decoder decoder(whole_, form_.order, form_.phase);
    decoder.set_code_sets({.giop_minor = form_.minor});
    return decoder;
  }

 private:
  Form form_;
  Octets whole_;
};

/// Replaces each reference except the replacement itself, which may have got a profile that keeps
/// the alignment of unread state. Otherwise each further rewriting would change the body again.
std::optional<iop::Ior> replaced(const iop::Ior& ior) {
  static const iop::Ior made{"IDL:Made:1.0", {{0, Octets(11, std::byte{5})}, {7, {}}}};
  iop::Ior without_padding = ior;
  if (ior.profiles.size() > made.profiles.size()) without_padding.profiles.pop_back();
  if (without_padding == made) return std::nullopt;
  return made;
}

using Result = bridge::BodyRewriter::Result;

Result rewrite(bridge::BodyRewriter& rewriter, const Body& body, const Types* types,
               bridge::ReplaceReference replace) {
  const bridge::RawBody raw = body.raw();
  if (types == nullptr) return rewriter.rewrite_exception({raw, body.values()}, replace);
  return rewriter.rewrite({raw, body.values()}, *types, replace);
}

void try_body(const Form& form, OctetSpan octets, const Types* types) {
  bridge::BodyRewriter rewriter(size_max, plan());
  const Body body(form, octets);
  const auto keep = [](const iop::Ior&) { return std::optional<iop::Ior>(); };
  const auto replace = [](const iop::Ior& ior) { return replaced(ior); };
  const Result kept = rewrite(rewriter, body, types, keep);
  if (kept) require(kept->octets.data() == body.raw().octets.data());
  const Result made = rewrite(rewriter, body, types, replace);
  if (!kept) return require(!made);
  if (!made)
    return require(made.error().kind == cdr::ErrorKind::too_large ||
                   made.error().kind == cdr::ErrorKind::not_supported);
  require(made->phase == form.phase && made->order == form.order);
  require(made->octets.size() <= 16 * octets.size() + 1024);
  const Body again(form, made->octets);
  const Result same = rewrite(rewriter, again, types, replace);
  // The rewritten body may be longer than the read one, and may exceed a limit of the decoder.
  if (same) require(same->octets.data() == again.raw().octets.data());
  rewriter.release();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const OctetSpan octets = std::as_bytes(std::span(data + 2, size - 2));
  Form form{data[0] % 2 != 0 ? std::endian::little : std::endian::big,
            static_cast<std::uint8_t>(data[0] / 2 % 4 % 3),
            static_cast<std::uint8_t>(data[0] / 8 % 2 * 4)};
  const std::size_t choice = data[1] % (all_types().size() + 1);
  try_body(form, octets, choice == all_types().size() ? nullptr : &all_types()[choice]);
  return 0;
}
