// An environment of decoders with the factories of Ledger's valuetypes, without an ORB.
#pragma once

#include "support/value_environment.h"
#include "valuesC.h"
#include <perigee/orb/make_reference.h>

#include <bit>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::test {

/// The byte order of most messages in these tests.
inline constexpr std::endian little = std::endian::little;

class NodeFactory final : public Ledger::Node_init {
 public:
  Ledger::Node::_ref_type make(int32_t id) override {
    Ledger::Node::_ref_type node = CORBA::make_reference<OBV_Ledger::Node>();
    node->id(id);
    return node;
  }
};

/// Calls `add(id, factory)` for each valuetype that the OBV class alone implements.
template <typename Add>
void add_factories(Add add) {
  add(Ledger::Point::_type_id, CORBA::make_reference<Ledger::Point_init>());
  add(Ledger::Named::_type_id, CORBA::make_reference<Ledger::Named_init>());
  add(Ledger::Deep::_type_id, CORBA::make_reference<Ledger::Deep_init>());
  add(Ledger::Plain::_type_id, CORBA::make_reference<Ledger::Plain_init>());
  add(Ledger::Empty::_type_id, CORBA::make_reference<Ledger::Empty_init>());
  add(Ledger::Node::_type_id, CORBA::make_reference<NodeFactory>());
}

class KnownValues final : public ValueEnvironment {
 public:
  KnownValues() {
    add_factories([this](std::string_view id, const CORBA::ValueFactory& factory) {
      factories().add(std::string(id), factory);
    });
  }
};

inline Ledger::Point::_ref_type make_point(int32_t x, double y) {
  return CORBA::make_reference<OBV_Ledger::Point>(x, y);
}
inline Ledger::Named::_ref_type make_named(int32_t x, double y, std::string name) {
  return CORBA::make_reference<OBV_Ledger::Named>(x, y, std::move(name), uint16_t{7});
}
inline Ledger::Node::_ref_type make_node(int32_t id, Ledger::Node::_ref_type next = nullptr) {
  return CORBA::make_reference<OBV_Ledger::Node>(id, std::move(next), Ledger::Nodes());
}

}  // namespace perigee::test
