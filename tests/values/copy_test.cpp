// _copy_value: deep copies of values.
#include "abstractA.h"
#include "known_values.h"
#include "valuesA.h"
#include <perigee/orb/value_copy.h>

#include <string>
#include <utility>

namespace perigee::test {

namespace {

template <typename T>
T copy_of(const T& value) {
  return IDL::traits<typename T::element_type>::narrow(value->_copy_value());
}

/// Its state member `other` refers to a value by an abstract interface.
class TitledSquare : public virtual OBV_Shapes::Square {
 public:
  std::string title(const std::string&) override { return name; }
  int32_t rank() override { return 0; }
  void rank(int32_t) override {}
  double area(Shapes::Named::_ref_type) override { return side() * side(); }
  CORBA::ValueBase::_ref_type _shallow_copy() const override {
    return CORBA::make_reference<TitledSquare>(*this);
  }
  std::string name;
};

class CopiedPurse final : public virtual OBV_Ledger::Purse {
 public:
  std::string text() override { return name(); }
  int32_t balance(const std::string&) override { return 0; }
  std::string owner() override { return "owner"; }
  void owner(const std::string&) override {}
  void spend(int32_t, Ledger::Point::_ref_type&) override {}
  bool is_empty() override { return true; }
  CORBA::ValueBase::_ref_type _shallow_copy() const override {
    return CORBA::make_reference<CopiedPurse>(*this);
  }
};

/// An environment without value factories.
class NoValues final : public orb::ReferenceFactory {
 public:
  counted_ptr<orb::Reference> make_reference(iop::Ior) override { return nullptr; }
  [[nodiscard]] const iop::IorLimits& reference_limits() const noexcept override { return limits_; }
  [[nodiscard]] CORBA::ValueFactory find_value_factory(std::string_view) override {
    return nullptr;
  }
  [[nodiscard]] std::shared_ptr<ReferenceFactory> share() override { return nullptr; }

 private:
  iop::IorLimits limits_;
};

/// `_shallow_copy` gives the copy a new `part`. `_copy_references` then replaces that part with a
/// copy of it.
class SquareWithPart final : public TitledSquare {
 public:
  CORBA::ValueBase::_ref_type _shallow_copy() const override {
    const auto copy = CORBA::make_reference<SquareWithPart>(*this);
    copy->make_part();
    return copy;
  }
  void _copy_references(value::Copying& copying) override {
    copying.replace(part);
    TitledSquare::_copy_references(copying);
  }
  void make_part() {
    const auto made = CORBA::make_reference<TitledSquare>();
    made->name = "part of " + name;
    part = Shapes::Square::_ref_type(made);
  }
  Shapes::Named::_ref_type part;
};

/// Returns itself as its copy.
class SameNode final : public virtual OBV_Ledger::Node {
 public:
  CORBA::ValueBase::_ref_type _shallow_copy() const override { return itself; }
  CORBA::ValueBase::_ref_type itself;
};

/// Does not override `_shallow_copy`.
class OtherNode final : public virtual OBV_Ledger::Node {};

}  // namespace

TEST_CASE("a copy of a value has the class and the state of the value") {
  const auto named = make_named(1, 2.5, "name");
  const Ledger::Point::_ref_type point = named;
  const auto copy = IDL::traits<Ledger::Named>::narrow(point->_copy_value());
  REQUIRE(copy);
  CHECK(copy != named);
  CHECK(copy->x() == 1);
  CHECK(copy->y() == 2.5);
  CHECK(copy->name() == "name");
  copy->name("other");
  CHECK(named->name() == "name");
  CHECK(copy_of(CORBA::make_reference<Ledger::Number>(5))->_value() == 5);
}

TEST_CASE("copies share values and form cycles like the originals") {
  const auto first = make_node(1);
  const auto second = make_node(2, first);
  first->next(second);
  first->others({second, nullptr, first});
  const auto copy = copy_of(first);
  REQUIRE(copy != first);
  const auto other = copy->next();
  CHECK(other != second);
  CHECK(other->id() == 2);
  CHECK(other->next() == copy);
  CHECK(copy->others() == Ledger::Nodes{other, nullptr, copy});
  for (const auto& node : {first, copy}) {
    node->next(nullptr);
    node->others().clear();
  }
}

TEST_CASE("values in the state of base classes and in sequences are copied") {
  const auto deep = CORBA::make_reference<OBV_Ledger::Deep>();
  deep->inner(make_point(3, 4));
  deep->nodes({make_node(5)});
  const auto copy = copy_of(Ledger::Deep::_ref_type(deep));
  CHECK(copy->inner() != deep->inner());
  CHECK(copy->inner()->x() == 3);
  CHECK(copy->nodes().front() != deep->nodes().front());
  CHECK(copy->nodes().front()->id() == 5);
}

TEST_CASE("a value in an any is copied") {
  const auto purse = CORBA::make_reference<CopiedPurse>();
  purse->extra() <<= make_node(7);
  const Ledger::Purse::_ref_type copy = copy_of(Ledger::Purse::_ref_type(purse));
  Ledger::Node::_ref_type original;
  Ledger::Node::_ref_type copied;
  REQUIRE((purse->extra() >>= original));
  REQUIRE((copy->extra() >>= copied));
  CHECK(copied != original);
  CHECK(copied->id() == 7);

  const auto square = CORBA::make_reference<TitledSquare>();
  square->name = "in any";
  purse->extra() <<= Shapes::Named::_ref_type(Shapes::Square::_ref_type(square));
  Shapes::Named::_ref_type named;
  REQUIRE((copy_of(Ledger::Purse::_ref_type(purse))->extra() >>= named));
  CHECK(named != Shapes::Named::_ref_type(Shapes::Square::_ref_type(square)));
  CHECK(named->title("") == "in any");

  purse->extra() <<= std::string("text");
  std::string text;
  REQUIRE((copy_of(Ledger::Purse::_ref_type(purse))->extra() >>= text));
  CHECK(text == "text");
}

TEST_CASE("a value in an any is copied by its TypeCode if the program has no class for it") {
  CORBA::Any sent;
  sent <<= make_node(1, make_node(2));
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, std::endian::native);
  encoder << sent;
  const Octets octets = buffer.flatten();
  NoValues none;
  cdr::Decoder decoder(octets, std::endian::native);
  decoder.set_environment(&none);
  const auto purse = CORBA::make_reference<CopiedPurse>();
  decoder >> purse->extra();
  REQUIRE(decoder.ok());
  const Ledger::Purse::_ref_type copy = copy_of(Ledger::Purse::_ref_type(purse));
  cdr::Buffer again;
  cdr::Encoder encoder_again(again, std::endian::native);
  encoder_again << copy->extra();
  CHECK(again.flatten() == octets);
}

TEST_CASE("a long list of values is copied without recursion") {
  auto list = make_node(0);
  for (int32_t id = 1; id != 200'000; ++id) list = make_node(id, list);
  const auto copy = copy_of(list);
  CHECK(copy->next()->next()->id() == 199'997);
}

TEST_CASE("a value of a program's class is copied with the values that it refers to") {
  const auto inner = CORBA::make_reference<TitledSquare>();
  inner->name = "inner";
  const auto outer = CORBA::make_reference<TitledSquare>();
  outer->other(Shapes::Square::_ref_type(inner));
  const auto copy = copy_of(Shapes::Square::_ref_type(outer));
  CHECK(copy->other() != outer->other());
  CHECK(copy->other()->title("") == "inner");
}

TEST_CASE("values that the program drops during a copy are not mixed up") {
  const auto inner = CORBA::make_reference<SquareWithPart>();
  inner->name = "inner";
  const auto outer = CORBA::make_reference<SquareWithPart>();
  outer->name = "outer";
  outer->other(Shapes::Square::_ref_type(inner));
  const auto copy = Shapes::Square::_ref_type(outer)->_copy_value();
  const auto* const outer_copy = dynamic_cast<const SquareWithPart*>(copy.get());
  REQUIRE(outer_copy != nullptr);
  const auto* const inner_copy = dynamic_cast<const SquareWithPart*>(outer_copy->other().get());
  REQUIRE(inner_copy != nullptr);
  CHECK(outer_copy->part->title("") == "part of outer");
  CHECK(inner_copy->part->title("") == "part of inner");
}

TEST_CASE("a class that returns the value itself as a copy is refused") {
  const auto node = CORBA::make_reference<SameNode>();
  node->itself = Ledger::Node::_ref_type(node);
  CHECK_THROWS_AS((void)node->_copy_value(), CORBA::NO_IMPLEMENT);
  node->itself.reset();
}

TEST_CASE("copying a value whose class does not override _shallow_copy raises NO_IMPLEMENT") {
  const CORBA::ValueBase::_ref_type other = CORBA::make_reference<OtherNode>();
  CHECK_THROWS_AS((void)other->_copy_value(), CORBA::NO_IMPLEMENT);
  const auto first = make_node(1);
  const auto second = make_node(2, first);
  first->next(second);
  second->others({CORBA::make_reference<OtherNode>()});
  CHECK_THROWS_AS((void)first->_copy_value(), CORBA::NO_IMPLEMENT);
  CHECK(second->next() == first);  // the originals are unchanged
  first->next(nullptr);
}

}  // namespace perigee::test
