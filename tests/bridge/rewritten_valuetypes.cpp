// Samples of messages with valuetypes, for tests of the bridge's rewriting of references.
#include "bridge/rewritten_values.h"
#include <perigee/cdr/value_writing.h>

#include <span>
#include <string_view>
#include <utility>

namespace perigee::test {

namespace {

using cdr::Encoder;
using cdr::ValueWriting;
using iop::Ior;
using Chunks = ValueWriting::Chunks;

struct Types {
  TypeMember account_members[3]{{.name = "holder", .type = &cdr::object_node, .label = 1},
                                {.name = "balance", .type = &basic_node<TypeKind::tk_double>},
                                {.name = "next", .type = &account, .label = 1}};
  TypeMember saved_members[2]{{.name = "note", .type = &cdr::string_node<>, .label = 1},
                              {.name = "owner", .type = &cdr::object_node, .label = 1}};
  TypeNode account{.kind = TypeKind::tk_value, .id = "IDL:Account:1.0", .name = "Account"};
  TypeNode saved{.kind = TypeKind::tk_value,
                 .scale = 3,  // CORBA::VM_TRUNCATABLE
                 .id = "IDL:Saved:1.0",
                 .name = "Saved",
                 .content = &account};
  TypeNode custom{.kind = TypeKind::tk_value, .scale = 1, .id = "IDL:Custom:1.0", .name = "Custom"};
  TypeNode box{.kind = TypeKind::tk_value_box,
               .id = "IDL:Box:1.0",
               .name = "Box",
               .content = &cdr::sequence_node<cdr::object_node>};
  TypeNode base{.kind = TypeKind::tk_value,
                .scale = 2,  // CORBA::VM_ABSTRACT
                .id = cdr::value_base_node.id};

  Types() {
    account.members = account_members;
    saved.members = saved_members;
  }
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
};

const Types& types() {
  static const Types made;
  return made;
}

const std::string_view account_ids[] = {"IDL:Account:1.0"};
const std::string_view saved_ids[] = {"IDL:Saved:1.0", "IDL:Account:1.0"};
const std::string_view box_ids[] = {"IDL:Box:1.0"};

using State = std::function<void(Encoder&)>;

/// Returns the key of the value, for `write_earlier`.
const void* write_value(Encoder& encoder, std::span<const std::string_view> ids, Chunks chunks,
                        const State& state) {
  ValueWriting& values = *encoder.values();
  const void* const key = values.make_key();
  CHECK(values.begin(encoder, key, ids, chunks));
  state(encoder);
  values.end(encoder);
  return key;
}

void write_account(Encoder& encoder, const Ior& ior, const State& next) {
  iop::encode(encoder, ior);
  encoder.write(2.5);
  next(encoder);
}

void write_saved(Encoder& encoder, const Ior& ior, const State& next) {
  write_account(encoder, ior, next);
  encoder.write_string("note");
  iop::encode(encoder, ior);
}

/// `write`, called with an encoder that has a ValueWriting.
Write with_values(const Write& write) {
  return [write](Encoder& encoder, const Ior& ior) {
    const ValueWriting values(encoder);
    write(encoder, ior);
  };
}

const State null = [](Encoder& encoder) { ValueWriting::write_null(encoder); };

void add_single(std::vector<Sample>& all, Chunks chunks) {
  const std::string form = chunks == Chunks::yes ? ", chunked" : "";
  all.push_back(
      {"value" + form, &types().account, with_values([chunks](Encoder& encoder, const Ior& ior) {
         write_value(encoder, account_ids, chunks,
                     [&ior](Encoder& state) { write_account(state, ior, null); });
       })});
  all.push_back({"derived value in the place of its base" + form, &types().account,
                 with_values([chunks](Encoder& encoder, const Ior& ior) {
                   write_value(encoder, saved_ids, chunks,
                               [&ior](Encoder& state) { write_saved(state, ior, null); });
                 })});
  all.push_back({"boxed value in the place of ValueBase" + form, &types().base,
                 with_values([chunks](Encoder& encoder, const Ior& ior) {
                   write_value(encoder, box_ids, chunks, [&ior](Encoder& state) {
                     state.write(std::uint32_t{2});
                     iop::encode(state, ior);
                     iop::encode(state, ior);
                   });
                 })});
}

/// Two values that share a third value, and two values in a cycle. Between a value and the
/// indirection to it there are references that the bridge replaces.
void add_shared(std::vector<Sample>& all, Chunks chunks) {
  static constexpr const TypeNode& pair = cdr::array_node<cdr::value_base_node, 2>;
  const std::string form = chunks == Chunks::yes ? ", chunked" : "";
  all.push_back({"values that share a value" + form, &pair,
                 with_values([chunks](Encoder& encoder, const Ior& ior) {
                   const void* shared = nullptr;
                   write_value(encoder, account_ids, chunks, [&](Encoder& first) {
                     write_account(first, ior, [&](Encoder& next) {
                       shared = write_value(next, saved_ids, chunks, [&ior](Encoder& inner) {
                         write_saved(inner, ior, null);
                       });
                     });
                   });
                   write_value(encoder, saved_ids, chunks, [&](Encoder& second) {
                     write_saved(second, ior, [shared](Encoder& next) {
                       CHECK(next.values()->write_earlier(next, shared));
                     });
                   });
                 })});
  all.push_back({"values in a cycle" + form, &types().account,
                 with_values([chunks](Encoder& encoder, const Ior& ior) {
                   ValueWriting& values = *encoder.values();
                   const void* const outer = values.make_key();
                   CHECK(values.begin(encoder, outer, account_ids, chunks));
                   write_account(encoder, ior, [&](Encoder& next) {
                     write_value(next, account_ids, chunks, [&](Encoder& inner) {
                       write_account(inner, ior, [outer](Encoder& last) {
                         CHECK(last.values()->write_earlier(last, outer));
                       });
                     });
                   });
                   values.end(encoder);
                 })});
}

void add_in_other_types(std::vector<Sample>& all) {
  static constexpr TypeNode abstract{.kind = TypeKind::tk_abstract_interface};
  const auto write_saved_value = [](Encoder& encoder, const Ior& ior) {
    write_value(encoder, saved_ids, Chunks::yes,
                [&ior](Encoder& state) { write_saved(state, ior, null); });
  };
  all.push_back({"value in the place of an abstract interface", &abstract,
                 with_values([write_saved_value](Encoder& encoder, const Ior& ior) {
                   encoder.write_boolean(false);
                   write_saved_value(encoder, ior);
                 })});
  all.push_back({"any of a value", &basic_node<TypeKind::tk_any>,
                 with_values([write_saved_value](Encoder& encoder, const Ior& ior) {
                   cdr::encode_type(encoder, types().saved);
                   write_saved_value(encoder, ior);
                 })});
  all.push_back({"anys of a shared value", &cdr::array_node<basic_node<TypeKind::tk_any>, 2>,
                 with_values([](Encoder& encoder, const Ior& ior) {
                   cdr::encode_type(encoder, types().account);
                   const void* const key =
                       write_value(encoder, account_ids, Chunks::no,
                                   [&ior](Encoder& state) { write_account(state, ior, null); });
                   cdr::encode_type(encoder, types().account);
                   CHECK(encoder.values()->write_earlier(encoder, key));
                 })});
}

/// A value with a new chunk after each member.
void add_chunks(std::vector<Sample>& all) {
  all.push_back({"chunked value with chunks after each member", &types().account,
                 with_values([](Encoder& encoder, const Ior& ior) {
                   write_value(encoder, saved_ids, Chunks::yes, [&ior](Encoder& state) {
                     ValueWriting& values = *state.values();
                     iop::encode(state, ior);
                     values.split_chunk(state);
                     state.write(2.5);
                     values.split_chunk(state);
                     ValueWriting::write_null(state);
                     values.split_chunk(state);
                     state.write_string("note");
                     values.split_chunk(state);
                     iop::encode(state, ior);
                   });
                 })});
}

}  // namespace

const TypeNode& account_type() { return types().account; }
const TypeNode& saved_type() { return types().saved; }
const TypeNode& custom_type() { return types().custom; }

const bridge::RewritingPlan& sample_plan() {
  static const auto* const plan = [] {
    auto* const made = new bridge::RewritingPlan;
    for (const TypeNode* const type :
         {&types().account, &types().saved, &types().custom, &types().box})
      made->values.emplace(type->id, type);
    return made;
  }();
  return *plan;
}

std::vector<Sample> valuetype_samples() {
  std::vector<Sample> all;
  for (const Chunks chunks : {Chunks::no, Chunks::yes}) {
    add_single(all, chunks);
    add_shared(all, chunks);
  }
  add_in_other_types(all);
  add_chunks(all);
  return all;
}

}  // namespace perigee::test
