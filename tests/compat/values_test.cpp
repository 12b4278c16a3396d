// Values and abstract interfaces as programs for TAOX11 use them: `_repository_id` of a valuetype,
// `_to_object` and `_to_value` through operator->, anys with only the client's header, servants
// that are values, factories, and the default of a typedef.
#include "gardenS.h"
#include "two_orbs.h"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

namespace {

class Label : public IDL::traits<Compat::Label>::obv_type {
 public:
  std::string title(const std::string& prefix) override { return prefix + text(); }
};

class LabelFactory : public IDL::traits<Compat::Label>::factory_type {
 public:
  IDL::traits<CORBA::ValueBase>::ref_type create_for_unmarshal() override {
    return CORBA::make_reference<Label>();
  }
};

class Tree final : public virtual CORBA::servant_traits<Compat::Tree>::base_type {
 public:
  std::string title(const std::string& prefix) override { return prefix + "tree"; }
  int32_t height() override { return 12; }
};

class FruitBasket final : public virtual IDL::traits<Compat::FruitBasket>::obv_type,
                          public virtual CORBA::servant_traits<Compat::FruitBasket>::base_type {
 public:
  int32_t count() override { return static_cast<int32_t>(fruits().size()); }
  void add(const std::string& fruit) override { fruits().push_back(fruit); }
};

class FruitBasketFactory final : public IDL::traits<Compat::FruitBasket>::factory_type {
 public:
  Compat::FruitBasket::_ref_type create() override { return CORBA::make_reference<FruitBasket>(); }
  CORBA::ValueBase::_ref_type create_for_unmarshal() override { return create(); }
};

class Garden final : public virtual CORBA::servant_traits<Compat::Garden>::base_type {
 public:
  IDL::traits<Compat::Named>::ref_type find(bool by_value) override {
    if (!by_value) return tree_->_this();
    const auto label = CORBA::make_reference<Label>();
    label->text("label");
    return label;
  }
  CORBA::Any harvest() override {
    CORBA::Any any;
    any <<= Compat::Sizes(1, 2, 3, 4);
    return any;
  }
  void pick(Compat::FruitBasket::_ref_type& by_value,
            Compat::Basket::_ref_type by_reference) override {
    by_reference->add("apple");
    by_value->add("pear");
  }

 private:
  Tree::_ref_type tree_ = CORBA::make_reference<Tree>();
};

struct Gardens {
  Gardens() {
    const auto factory = CORBA::make_reference<LabelFactory>();
    orbs.client->register_value_factory(Compat::Label::_repository_id(), factory);
    const FruitBasketFactory::_ref_type baskets = CORBA::make_reference<FruitBasketFactory>();
    for (const auto& orb : {orbs.client, orbs.server})
      orb->register_value_factory(baskets->_obv_repository_id(), baskets);
    const Garden::_ref_type servant = CORBA::make_reference<Garden>();
    garden = orbs.serve<Compat::Garden>(servant);
  }
  perigee::test::TwoOrbs orbs;
  IDL::traits<Compat::Garden>::ref_type garden;
};

}  // namespace

TEST_CASE("_to_object and _to_value can be called through operator-> of an abstract reference") {
  const Gardens gardens;
  const auto tree = gardens.garden->find(false);
  const IDL::traits<CORBA::Object>::ref_type object = tree->_to_object();
  REQUIRE(object);
  CHECK(object->_is_equivalent(tree._to_object()));
  CHECK(IDL::traits<Compat::Tree>::narrow(object)->height() == 12);
  CHECK(tree->_to_value() == nullptr);

  const auto label = gardens.garden->find(true);
  const IDL::traits<CORBA::ValueBase>::ref_type value = label->_to_value();
  REQUIRE(value);
  CHECK(value == label._to_value());
  CHECK(IDL::traits<Compat::Label>::narrow(value)->text() == "label");
  CHECK(label->_to_object() == nullptr);
}

TEST_CASE("a value that _to_value returned stays alive without its first reference") {
  IDL::traits<Compat::Named>::ref_type label = CORBA::make_reference<Label>();
  const IDL::traits<CORBA::ValueBase>::ref_type value = label->_to_value();
  label = nullptr;
  CHECK(IDL::traits<Compat::Label>::narrow(value)->title("x") == "x");
}

TEST_CASE("valuetypes and boxed values tell their repository id") {
  CHECK(Compat::Seed::_repository_id() == "IDL:Compat/Seed:1.0");
  CHECK(Compat::SeedCount::_repository_id() == "IDL:Compat/SeedCount:1.0");
}

TEST_CASE("the header of the client has the operators for any") {
  const Gardens gardens;
  Compat::Sizes sizes;
  CHECK((gardens.garden->harvest() >>= sizes));
  CHECK(sizes == Compat::Sizes(1, 2, 3, 4));
}

TEST_CASE("the traits of a class of the program are those of its valuetype") {
  const IDL::traits<Compat::Label>::ref_type label = CORBA::make_reference<Label>();
  const IDL::traits<Label>::ref_type narrowed = IDL::traits<Label>::narrow(label);
  REQUIRE(narrowed);
  CHECK(narrowed->title("x") == "x");
  CHECK(IDL::traits<FruitBasket>::narrow(label) == nullptr);
  const IDL::traits<Label>::weak_ref_type weak = narrowed.weak_reference();
  CHECK(weak.lock() == label);
  const CORBA::ValueFactory factory = CORBA::make_reference<LabelFactory>();
  CHECK(IDL::traits<LabelFactory>::narrow(factory) == factory);
  CHECK(IDL::traits<FruitBasketFactory>::narrow(factory) == nullptr);
}

TEST_CASE("constructors of a derived value take its own members, or all members") {
  const Compat::Bulb::_ref_type own =
      CORBA::make_reference<IDL::traits<Compat::Bulb>::obv_type>(10);
  CHECK(own->depth() == 10);
  CHECK(own->kind().empty());
  const Compat::Bulb::_ref_type all = CORBA::make_reference<OBV_Compat::Bulb>("tulip", 12);
  CHECK(all->kind() == "tulip");
}

TEST_CASE("the class with the state of a valuetype has TAOX11's name, too") {
  static_assert(std::is_same_v<Compat::obv::Seed, OBV_Compat::Seed>);
  static_assert(std::is_same_v<Compat::obv::Bulb, IDL::traits<Compat::Bulb>::obv_type>);
}

TEST_CASE("members have the default of their typedef unless they have their own") {
  const Compat::Sizes sizes;
  CHECK(sizes.low() == 8);
  CHECK(sizes.middle() == 8);
  CHECK(sizes.high() == 9);
  CHECK(sizes.plain() == 0);
  const Compat::TooTall exception;
  CHECK(exception.limit() == 8);
  CHECK(exception.kind() == "oak");
}

TEST_CASE("weak references have a name of their own") {
  using Weak = IDL::traits<Compat::Tree>::weak_ref_type;
  CHECK(std::is_same_v<Weak, CORBA::weak_object_reference<Compat::Tree>>);
}

TEST_CASE("an object can be a servant and a value of a valuetype that supports its interface") {
  const Gardens gardens;
  const auto basket = CORBA::make_reference<FruitBasket>();
  Compat::FruitBasket::_ref_type by_value = basket;
  const FruitBasket::_ref_type servant = basket;
  const auto id = gardens.orbs.poa->activate_object(servant);
  const auto object = gardens.orbs.poa->id_to_reference(id);
  gardens.garden->pick(by_value, IDL::traits<Compat::Basket>::narrow(object));
  CHECK(by_value->count() == 1);  // a copy, which the servant of the garden changed
  CHECK(basket->count() == 1);    // changed by a call
  CHECK(by_value != basket);
}

TEST_CASE("factories of values have traits, and tell their repository id") {
  const CORBA::ValueFactoryBase::_ref_type base = CORBA::make_reference<FruitBasketFactory>();
  CHECK(base->_obv_repository_id() == "IDL:Compat/FruitBasket:1.0");
  CHECK(base->_is_equivalent(base));
  CHECK(!base->_is_equivalent(CORBA::make_reference<FruitBasketFactory>()));
  const auto narrowed = IDL::traits<Compat::FruitBasket_init>::narrow(base);
  REQUIRE(narrowed);
  CHECK(narrowed->create()->count() == 0);
  CHECK(IDL::traits<Compat::Seed_init>::narrow(base) == nullptr);
  CHECK(IDL::traits<CORBA::ValueFactoryBase>::is_local());
  CHECK(!IDL::traits<Compat::FruitBasket_init>::is_abstract());
}
