// Values as arguments, results and members of exceptions, in calls over TCP.
#include "compat/two_orbs.h"
#include "counted_node.h"
#include "known_values.h"
#include "orb/values/any_value.h"
#include "secret_value.h"
#include "valuesA.h"
#include "valuesAmhS.h"
#include "valuesAmiC.h"
#include "valuesS.h"
#include "written_types.h"
#include <perigee/cdr/operators.h>
#include <perigee/cdr/typecode.h>
#include <perigee/cdr/value_format.h>
#include <perigee/orb/codec.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

namespace {

class BankServant : public CORBA::servant_traits<Ledger::Bank>::base_type {
 public:
  BankServant() = default;
  BankServant(const BankServant&) = delete;
  BankServant& operator=(const BankServant&) = delete;
  // Its clients send cycles, which nothing else breaks.
  ~BankServant() override {
    for (const Ledger::Node::_ref_type& node : nodes_) node->next(nullptr);
  }

  Ledger::Point::_ref_type echo_point(Ledger::Point::_ref_type value) override { return value; }
  Ledger::Node::_ref_type echo_node(Ledger::Node::_ref_type value, Ledger::Node::_ref_type& other,
                                    Ledger::Nodes& all) override {
    for (const Ledger::Node::_ref_type& node : {value, other})
      if (node) nodes_.push_back(node);
    all = {value, other, value};
    std::swap(value, other);
    return value;
  }
  Ledger::Pair echo_pair(const Ledger::Pair& value) override { return value; }
  Ledger::Choice echo_choice(const Ledger::Choice& value) override { return value; }
  Ledger::Number::_ref_type echo_number(Ledger::Number::_ref_type value,
                                        Ledger::Words::_ref_type words,
                                        Ledger::Title::_ref_type title) override {
    CHECK(words->_value().size() == 2);
    CHECK(title->_value() == "title");
    return value;
  }
  CORBA::Any echo_any(const CORBA::Any& value) override { return value; }
  bool are_equal(const CORBA::Any& first, const CORBA::Any& second) override {
    return first == second;
  }
  CORBA::ValueBase::_ref_type echo_base(CORBA::ValueBase::_ref_type value) override {
    return value;
  }
  Ledger::Printable::_ref_type echo_printable(Ledger::Printable::_ref_type value) override {
    return value;
  }
  Ledger::Points echo_points(const Ledger::Points& values) override { return values; }
  void tell(Ledger::Node::_ref_type) override {}
  void refuse(Ledger::Node::_ref_type value) override {
    throw Ledger::Account::Refused(make_point(7, 8), value);
  }
  Ledger::Secret::_ref_type echo_secret(Ledger::Secret::_ref_type value,
                                        Ledger::Node::_ref_type where) override {
    CHECK(value->where() == where);
    return value;
  }
  Ledger::Deep::_ref_type deep() override { return deep_; }
  void deep(Ledger::Deep::_ref_type value) override { deep_ = std::move(value); }

 private:
  std::vector<Ledger::Node::_ref_type> nodes_;
  Ledger::Deep::_ref_type deep_;
};

/// A purse that the program implements, with the operations of its types.
class PurseValue : public virtual OBV_Ledger::Purse {
 public:
  std::string text() override { return name(); }
  int32_t balance(const std::string&) override { return 0; }
  std::string owner() override { return "owner"; }
  void owner(const std::string&) override {}
  void spend(int32_t, Ledger::Point::_ref_type&) override {}
  bool is_empty() override { return true; }
};
class PurseFactory final : public Ledger::Purse_init {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    return CORBA::make_reference<PurseValue>();
  }
};

void add_all_factories(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  add_factories([&orb](std::string_view id, const CORBA::ValueFactory& factory) {
    CHECK(!orb->register_value_factory(std::string(id), factory));
  });
  orb->register_value_factory(std::string(Ledger::Purse::_type_id),
                              CORBA::make_reference<PurseFactory>());
}

struct Connected : TwoOrbs {
  explicit Connected(const std::vector<std::string>& of_server = {})
      : TwoOrbs("thread-pool", of_server) {
    add_all_factories(server);
    add_all_factories(client);
    for (const auto& orb : {server, client})
      orb->register_value_factory(std::string(Ledger::Secret::_type_id),
                                  CORBA::make_reference<SecretFactory>());
    bank = serve<Ledger::Bank>(CORBA::make_reference<BankServant>());
  }
  IDL::traits<Ledger::Bank>::ref_type bank;
};

}  // namespace

TEST_CASE("values are passed in all directions and keep their sharing") {
  const Connected orbs;
  const auto first = make_node(1);
  auto other = make_node(2, first);
  first->next(other);
  Ledger::Nodes all;
  const auto result = orbs.bank->echo_node(first, other, all);
  CHECK(result->id() == 2);
  CHECK(other->id() == 1);
  REQUIRE(all.size() == 3);
  CHECK(all[0] == other);
  CHECK(all[1] == result);
  CHECK(all[2] == other);
  CHECK(result->next() == other);
  CHECK(other->next() == result);
  first->next(nullptr);
  result->next(nullptr);
}

// The program does not see the struct in the any, so it could not break the cycle.
TEST_CASE("a struct in an any refuses a reference to the value that contains the any") {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, little);
  encoder.write(cdr::value_tag | cdr::value_with_id);
  encoder.write_string(Ledger::Purse::_type_id);
  encoder << std::int32_t{1} << 2.0 << std::string("purse") << std::uint16_t{7};
  const WriteType base = value_type("IDL:omg.org/CORBA/ValueBase:1.0");
  struct_type(cdr::TypeKind::tk_struct, "IDL:S:1.0", {base})(encoder);
  encoder.write(cdr::value_indirection_tag);
  encoder.write(-static_cast<std::int32_t>(encoder.position()));
  const Octets octets = buffer.flatten();
  KnownValues known;
  known.factories().add(std::string(Ledger::Purse::_type_id),
                        CORBA::make_reference<PurseFactory>());
  Ledger::Purse::_ref_type purse;
  CHECK(decode_values(known, octets, little, 0, purse) == cdr::ErrorKind::value_cycle);
  if (purse) purse->extra({});
}

TEST_CASE("with -ORBValueCycles no, a server refuses values that contain themselves") {
  const Connected orbs({"-ORBValueCycles", "no"});
  const auto first = make_node(1);
  const auto second = make_node(2, first);
  auto other = first;
  Ledger::Nodes all;
  CHECK(orbs.bank->echo_node(second, other, all)->id() == 1);  // shared, but not in a cycle
  first->next(second);
  other = nullptr;
  try {
    orbs.bank->echo_node(first, other, all);
    FAIL("no exception");
  } catch (const CORBA::NO_IMPLEMENT& error) {
    CHECK(error.completed() == CORBA::COMPLETED_NO);
  }
  CORBA::Any any;
  any <<= first;
  CHECK_THROWS_AS(orbs.bank->echo_any(any), CORBA::NO_IMPLEMENT);
  any <<= Ledger::Pair(first, nullptr, nullptr);
  CHECK_THROWS_AS(orbs.bank->echo_any(any), CORBA::NO_IMPLEMENT);
  any <<= Ledger::Pair(second, second, nullptr);
  first->next(nullptr);
  CHECK(orbs.bank->echo_any(any).type()->equal(any.type()));
}

namespace {

/// Replies whether a Pair could be extracted from the any.
class ExtractingBank final : public BankServant {
 public:
  CORBA::Any echo_any(const CORBA::Any& value) override {
    Ledger::Pair pair;
    const bool is_extracted = value >>= pair;
    if (is_extracted) pair.first()->next(nullptr);
    CORBA::Any result;
    result <<= is_extracted;
    return result;
  }
};

/// The id of Pair with other members: the value looks plain to a server that does not extract it.
/// A receiver that reads this value as a Pair gets a node that refers to itself.
CORBA::Any make_forged_pair() {
  using cdr::TypeKind;
  static constexpr const cdr::TypeNode* ulong_type = &cdr::basic_node<TypeKind::tk_ulong>;
  static constexpr cdr::TypeMember members[] = {{"tag", ulong_type},    {"id", &cdr::string_node<>},
                                                {"number", ulong_type}, {"next", ulong_type},
                                                {"offset", ulong_type}, {"others", ulong_type},
                                                {"second", ulong_type}, {"count", ulong_type}};
  static constexpr cdr::TypeNode type{
      .kind = TypeKind::tk_struct, .id = "IDL:Ledger/Pair:1.0", .name = "Pair", .members = members};
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, std::endian::native);
  encoder << std::uint32_t{0x7fffff02};  // a value with one repository id
  encoder << std::string(Ledger::Node::_type_id);
  encoder << std::int32_t{7} << std::uint32_t{0xffffffff};  // its number; an indirection
  encoder << -static_cast<std::int32_t>(encoder.position());
  encoder << std::uint32_t{0} << std::uint32_t{0} << std::uint32_t{0};
  const Octets octets = buffer.flatten();
  cdr::Decoder decoder(octets, std::endian::native);
  CORBA::Any any;
  any::decode_value(decoder, {&type, nullptr}, any);
  CHECK(decoder.ok());
  return any;
}

bool extracts_forged_pair(const std::vector<std::string>& of_server) {
  const Connected orbs(of_server);
  auto bank =
      orbs.poa->id_to_reference(orbs.poa->activate_object(CORBA::make_reference<ExtractingBank>()));
  const auto remote = IDL::traits<Ledger::Bank>::narrow(
      orbs.client->string_to_object(orbs.server->object_to_string(bank)));
  bool is_extracted = false;
  REQUIRE((remote->echo_any(make_forged_pair()) >>= is_extracted));
  return is_extracted;
}

}  // namespace

TEST_CASE("with -ORBValueCycles no, a cycle is also refused when an any is extracted") {
  CHECK(extracts_forged_pair({}));
  CHECK_FALSE(extracts_forged_pair({"-ORBValueCycles", "no"}));
}

TEST_CASE("with -ORBValueCycles no, a codec refuses values that contain themselves") {
  const Connected orbs({"-ORBValueCycles", "no"});
  const auto make_codec = [](const auto& orb) {
    return IDL::traits<IOP::CodecFactory>::narrow(orb->resolve_initial_references("CodecFactory"))
        ->create_codec(IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, 2));
  };
  const auto node = make_node(1);
  node->next(node);
  CORBA::Any any;
  any <<= node;
  const auto octets = make_codec(orbs.client)->encode_value(any);
  node->next(nullptr);
  const auto codec = make_codec(orbs.server);
  CHECK_THROWS_AS((void)codec->decode_value(octets, Ledger::_tc_Node), IOP::Codec::TypeMismatch);
}

TEST_CASE("values of derived types keep their type in calls") {
  const Connected orbs;
  const auto point = orbs.bank->echo_point(make_named(1, 2.5, "name"));
  const auto named = IDL::traits<Ledger::Named>::narrow(point);
  REQUIRE(named);
  CHECK(named->name() == "name");
  CHECK(named->y() == 2.5);
  CHECK(!orbs.bank->echo_point(nullptr));
  CHECK(orbs.bank->echo_base(make_node(5)) != nullptr);

  const auto deep = CORBA::make_reference<OBV_Ledger::Deep>();
  deep->nodes({make_node(3), nullptr});
  orbs.bank->deep(deep);
  CHECK(orbs.bank->deep()->nodes().front()->id() == 3);
}

TEST_CASE("values with operations are passed as their abstract type") {
  const Connected orbs;
  const auto purse = CORBA::make_reference<PurseValue>();
  purse->name("purse");
  purse->extra() <<= make_point(3, 4);
  const auto printable = orbs.bank->echo_printable(purse);
  CHECK(printable->text() == "purse");
  const auto again = IDL::traits<Ledger::Purse>::narrow(printable);
  REQUIRE(again);
  Ledger::Point::_ref_type point;
  REQUIRE((again->extra() >>= point));
  CHECK(point->x() == 3);
}

TEST_CASE("values are passed in structs, unions, arrays, boxes and anys") {
  const Connected orbs;
  const auto node = make_node(9);
  const Ledger::Pair pair =
      orbs.bank->echo_pair(Ledger::Pair(node, node, CORBA::make_reference<Ledger::Number>(4)));
  CHECK(pair.first() == pair.second());
  CHECK(pair.count()->_value() == 4);
  Ledger::Choice choice;
  choice.point(make_point(1, 2));
  CHECK(orbs.bank->echo_choice(choice).point()->x() == 1);
  const auto points = orbs.bank->echo_points({make_point(1, 1), make_point(2, 2)});
  CHECK(points[1]->x() == 2);
  CHECK(orbs.bank
            ->echo_number(CORBA::make_reference<Ledger::Number>(5),
                          CORBA::make_reference<Ledger::Words>(std::vector<std::string>(2)),
                          CORBA::make_reference<Ledger::Title>("title"))
            ->_value() == 5);
  CORBA::Any any;
  any <<= Ledger::Point::_ref_type(make_named(1, 2, "in any"));
  Ledger::Named::_ref_type named;
  REQUIRE((orbs.bank->echo_any(any) >>= named));
  CHECK(named->name() == "in any");
}

TEST_CASE("custom values are passed with the values that they share") {
  const Connected orbs;
  const auto secret = CORBA::make_reference<SecretValue>();
  secret->text("hidden");
  secret->where(make_node(5));
  const auto result = orbs.bank->echo_secret(secret, secret->where());
  CHECK(result->text() == "hidden");
  CHECK(result->where()->id() == 5);
}

TEST_CASE("an exception carries values") {
  const Connected orbs;
  try {
    orbs.bank->refuse(make_node(6));
    FAIL("no exception");
  } catch (const Ledger::Account::Refused& refused) {
    CHECK(refused.where()->x() == 7);
    CHECK(refused.by()->id() == 6);
  }
}

TEST_CASE("a value without a factory raises MARSHAL, OMG minor 1") {
  const Connected orbs;
  const std::string id(Ledger::Point::_type_id);
  orbs.server->unregister_value_factory(id);
  try {
    orbs.bank->echo_point(make_point(1, 2));
    FAIL("no exception");
  } catch (const CORBA::MARSHAL& error) {
    CHECK(error.minor() == (CORBA::OMGVMCID | 1));
  }
  CHECK_THROWS_AS(orbs.server->lookup_value_factory(id), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(orbs.server->unregister_value_factory(id), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(orbs.server->register_value_factory(id, nullptr), CORBA::BAD_PARAM);
  const auto factory = CORBA::make_reference<Ledger::Point_init>();
  orbs.server->register_value_factory(id, factory);
  CHECK(orbs.server->lookup_value_factory(id) == factory);
  CHECK(orbs.bank->echo_point(make_point(1, 2))->x() == 1);
}

namespace {

using DeskTraits = CORBA::amic_traits<Ledger::Desk>;

class SwapHandler final : public DeskTraits::replyhandler_base_type {
 public:
  void swap(Ledger::Node::_ref_type ami_return_val, Ledger::Node::_ref_type other,
            const Ledger::Nodes& all) override {
    is_shared = all.size() == 2 && all[0] == other && all[1] == ami_return_val;
    is_done = true;
  }
  void swap_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type) override { is_done = true; }
  bool is_shared = false;
  bool is_done = false;
};

class DeferredDesk final : public CORBA::amh_traits<Ledger::Desk>::base_type {
 public:
  void swap(CORBA::amh_traits<Ledger::Desk>::response_handler_ref_type handler,
            Ledger::Node::_ref_type value, Ledger::Node::_ref_type other) override {
    handler->swap(other, value, {value, other});
  }
};

}  // namespace

TEST_CASE("asynchronous calls and servants keep the sharing of values") {
  TwoOrbs orbs;
  add_all_factories(orbs.server);
  add_all_factories(orbs.client);
  const auto object =
      orbs.poa->id_to_reference(orbs.poa->activate_object(CORBA::make_reference<DeferredDesk>()));
  const auto desk =
      DeskTraits::narrow(orbs.client->string_to_object(orbs.server->object_to_string(object)));
  const auto handler = CORBA::make_reference<SwapHandler>();
  desk->sendc_swap(handler, make_node(1), make_node(2));
  while (!handler->is_done) orbs.client->perform_work(std::chrono::seconds(1));
  CHECK(handler->is_shared);
}

namespace {

/// Receives nodes in a cycle, and breaks it.
class CycleHandler final : public DeskTraits::replyhandler_base_type {
 public:
  void swap(Ledger::Node::_ref_type ami_return_val, Ledger::Node::_ref_type other,
            const Ledger::Nodes&) override {
    is_cycle = ami_return_val->next() == other && other->next() == ami_return_val;
    other->next(nullptr);
    is_done = true;
  }
  void swap_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type) override { is_done = true; }
  std::atomic<bool> is_cycle = false;
  std::atomic<bool> is_done = false;
};

/// Breaks the cycle of its arguments after the reply.
class CycleDesk final : public CORBA::amh_traits<Ledger::Desk>::base_type {
 public:
  void swap(CORBA::amh_traits<Ledger::Desk>::response_handler_ref_type handler,
            Ledger::Node::_ref_type value, Ledger::Node::_ref_type other) override {
    handler->swap(other, value, {});
    value->next(nullptr);
  }
};

}  // namespace

TEST_CASE("cyclic values that pass to a handler object do not stay in memory") {
  TwoOrbs orbs;
  add_all_factories(orbs.server);
  const auto factory = CORBA::make_reference<CountedFactory>();
  orbs.client->register_value_factory(std::string(Ledger::Node::_type_id), factory);
  const auto reference_to = [&orbs](const auto& servant) {
    const auto object = orbs.poa->id_to_reference(orbs.poa->activate_object(servant));
    return orbs.client->string_to_object(orbs.server->object_to_string(object));
  };
  const auto servant = CORBA::make_reference<CycleHandler>();
  const auto handler = DeskTraits::replyhandler_traits::narrow(reference_to(servant));
  const auto desk = DeskTraits::narrow(reference_to(CORBA::make_reference<CycleDesk>()));
  const auto first = make_node(1);
  const auto second = make_node(2, first);
  first->next(second);
  desk->sendc_swap(handler, first, second);
  while (!servant->is_done) orbs.client->perform_work(std::chrono::milliseconds(10));
  first->next(nullptr);
  CHECK(servant->is_cycle);
  CHECK(factory->was_used);
  CHECK(CountedNode::count == 0);
}

}  // namespace perigee::test
