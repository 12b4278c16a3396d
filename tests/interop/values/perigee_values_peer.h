// ValuesInterop::Peer as a Perigee servant, and the factories of its valuetypes.
#pragma once

#include "values_interopA.h"
#include "values_interopS.h"
#include <perigee/corba.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

namespace interop {

/// A value that implements the operation of its abstract interface.
class NoteValue final : public virtual OBV_ValuesInterop::Note {
 public:
  std::string describe(const std::string& prefix) override { return prefix + " note " + text(); }
};
class NoteFactory final : public ValuesInterop::Note_init {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    return CORBA::make_reference<NoteValue>();
  }
};

enum class Factories { all, without_detailed };

inline void register_factories(CORBA::ORB& orb, Factories factories) {
  using namespace ValuesInterop;
  const auto add = [&orb](std::string_view id, const CORBA::ValueFactory& factory) {
    orb.register_value_factory(std::string(id), factory);
  };
  add(Point::_type_id, CORBA::make_reference<Point_init>());
  add(Named::_type_id, CORBA::make_reference<Named_init>());
  add(Node::_type_id, CORBA::make_reference<Node_init>());
  add(Empty::_type_id, CORBA::make_reference<Empty_init>());
  add(Note::_type_id, CORBA::make_reference<NoteFactory>());
  if (factories == Factories::all) add(Detailed::_type_id, CORBA::make_reference<Detailed_init>());
}

class ThingServant final : public CORBA::servant_traits<ValuesInterop::Thing>::base_type {
 public:
  std::string describe(const std::string& prefix) override { return prefix + " thing"; }
  int32_t number() override { return 5; }
};

class ValuesServant final : public CORBA::servant_traits<ValuesInterop::Peer>::base_type {
 public:
  using PointReference = ValuesInterop::Point::_ref_type;
  using NodeReference = ValuesInterop::Node::_ref_type;
  using DescribedReference = ValuesInterop::Described::_ref_type;

  explicit ValuesServant(std::function<void()> on_quit) : on_quit_(std::move(on_quit)) {}
  ValuesServant(const ValuesServant&) = delete;
  ValuesServant& operator=(const ValuesServant&) = delete;
  // The clients send cycles, which no other code breaks.
  ~ValuesServant() override {
    for (const NodeReference& node : nodes_) {
      node->next(nullptr);
      node->others().clear();
    }
  }

  PointReference echo_point(PointReference a, PointReference& b, PointReference& c) override {
    return echo(a, b, c);
  }
  NodeReference echo_node(NodeReference a, NodeReference& b, NodeReference& c) override {
    keep({a, b});
    return echo(a, b, c);
  }
  ValuesInterop::Pair echo_pair(const ValuesInterop::Pair& a, ValuesInterop::Pair& b,
                                ValuesInterop::Pair& c) override {
    keep({a.first(), a.second(), b.first(), b.second()});
    return echo(a, b, c);
  }
  ValuesInterop::Nodes echo_nodes(const ValuesInterop::Nodes& a) override {
    keep(a);
    return a;
  }
  ValuesInterop::Number::_ref_type echo_number(ValuesInterop::Number::_ref_type a) override {
    return a;
  }
  ValuesInterop::Title::_ref_type echo_title(ValuesInterop::Title::_ref_type a) override {
    return a;
  }
  ValuesInterop::Longs::_ref_type echo_longs(ValuesInterop::Longs::_ref_type a) override {
    return a;
  }
  ValuesInterop::Empty::_ref_type echo_empty(ValuesInterop::Empty::_ref_type a) override {
    return a;
  }
  CORBA::Any echo_any(const CORBA::Any& a) override { return a; }
  std::string type_of(PointReference value) override {
    if (!value) return "null";
    if (IDL::traits<ValuesInterop::Detailed>::narrow(value)) return "Detailed";
    return IDL::traits<ValuesInterop::Named>::narrow(value) ? "Named" : "Point";
  }
  std::string type_in_any(const CORBA::Any& a) override {
    PointReference point;
    return (a >>= point) ? type_of(point) : "no Point";
  }
  bool is_same(NodeReference a, NodeReference b) override {
    keep({a, b});
    return a == b;
  }
  ValuesInterop::Thing::_ref_type make_thing() override { return thing_->_this(); }
  DescribedReference echo_described(DescribedReference a, DescribedReference& b,
                                    DescribedReference& c) override {
    return echo(a, b, c);
  }
  ValuesInterop::Labels echo_labels(const ValuesInterop::Labels& a) override { return a; }
  std::string describe(DescribedReference value) override {
    return value ? value->describe("the") : "nil";
  }
  void refuse(PointReference place) override {
    throw ValuesInterop::Refused(std::move(place), "refused");
  }
  void quit() override { on_quit_(); }

 private:
  void keep(const ValuesInterop::Nodes& nodes) {
    std::ranges::copy_if(nodes, std::back_inserter(nodes_),
                         [](const NodeReference& node) { return static_cast<bool>(node); });
  }
  template <typename T>
  static T echo(const T& a, T& b, T& c) {
    c = std::exchange(b, a);
    return a;
  }

  std::function<void()> on_quit_;
  CORBA::servant_reference<ThingServant> thing_ = CORBA::make_reference<ThingServant>();
  ValuesInterop::Nodes nodes_;
};

}  // namespace interop
