// ValuesInterop::Peer as an omniORB servant, and the factories of its valuetypes.
#pragma once

#include "values_interop.hh"

#include <cstring>
#include <string>

namespace interop {

/// A value that implements the operation of its abstract interface.
class NoteValue : public virtual OBV_ValuesInterop::Note,
                  public virtual CORBA::DefaultValueRefCountBase {
 public:
  char* describe(const char* prefix) override {
    return CORBA::string_dup((std::string(prefix) + " note " + text()).c_str());
  }
};
class NoteFactory : public CORBA::ValueFactoryBase {
 public:
  CORBA::ValueBase* create_for_unmarshal() override { return new NoteValue; }
};

class ThingServant : public POA_ValuesInterop::Thing {
 public:
  char* describe(const char* prefix) override {
    return CORBA::string_dup((std::string(prefix) + " thing").c_str());
  }
  CORBA::Long number() override { return 5; }
};

/// Registers the factory of Detailed only if the arguments do not have `--truncate`.
inline void register_factories(CORBA::ORB_ptr orb, int argc, char* argv[]) {
  using namespace ValuesInterop;
  const auto add = [&](const char* id, CORBA::ValueFactoryBase* factory) {
    CORBA::ValueFactoryBase_var owned = factory;
    CORBA::ValueFactoryBase_var earlier = orb->register_value_factory(id, factory);
  };
  bool truncates = false;
  for (int index = 1; index < argc; ++index)
    truncates = truncates || std::strcmp(argv[index], "--truncate") == 0;
  add("IDL:ValuesInterop/Point:1.0", new Point_init);
  add("IDL:ValuesInterop/Named:1.0", new Named_init);
  add("IDL:ValuesInterop/Node:1.0", new Node_init);
  add("IDL:ValuesInterop/Empty:1.0", new Empty_init);
  add("IDL:ValuesInterop/Note:1.0", new NoteFactory);
  if (!truncates) add("IDL:ValuesInterop/Detailed:1.0", new Detailed_init);
}

/// Another reference to the value.
template <typename T>
T* share(T* value) {
  CORBA::add_ref(value);
  return value;
}

class ValuesServant : public POA_ValuesInterop::Peer {
 public:
  explicit ValuesServant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}

#define VALUE(NAME, TYPE)                                                    \
  ValuesInterop::TYPE* NAME(ValuesInterop::TYPE* a, ValuesInterop::TYPE*& b, \
                            ValuesInterop::TYPE##_out c) override {          \
    c = b;                                                                   \
    b = share(a);                                                            \
    return share(a);                                                         \
  }
  VALUE(echo_point, Point)
  VALUE(echo_node, Node)
#undef VALUE
  ValuesInterop::Pair* echo_pair(const ValuesInterop::Pair& a, ValuesInterop::Pair& b,
                                 ValuesInterop::Pair_out c) override {
    c = new ValuesInterop::Pair(b);
    b = a;
    return new ValuesInterop::Pair(a);
  }
  ValuesInterop::Nodes* echo_nodes(const ValuesInterop::Nodes& a) override {
    return new ValuesInterop::Nodes(a);
  }
  ValuesInterop::Number* echo_number(ValuesInterop::Number* a) override { return share(a); }
  ValuesInterop::Title* echo_title(ValuesInterop::Title* a) override { return share(a); }
  ValuesInterop::Longs* echo_longs(ValuesInterop::Longs* a) override { return share(a); }
  ValuesInterop::Empty* echo_empty(ValuesInterop::Empty* a) override { return share(a); }
  CORBA::Any* echo_any(const CORBA::Any& a) override { return new CORBA::Any(a); }
  char* type_of(ValuesInterop::Point* value) override {
    using namespace ValuesInterop;
    const char* const name = value == nullptr                        ? "null"
                             : Detailed::_downcast(value) != nullptr ? "Detailed"
                             : Named::_downcast(value) != nullptr    ? "Named"
                                                                     : "Point";
    return CORBA::string_dup(name);
  }
  char* type_in_any(const CORBA::Any& a) override {
    ValuesInterop::Point* point = nullptr;  // the any owns the value
    return (a >>= point) ? type_of(point) : CORBA::string_dup("no Point");
  }
  ValuesInterop::Thing_ptr make_thing() override { return thing_._this(); }
  ValuesInterop::Described_ptr echo_described(ValuesInterop::Described_ptr a,
                                              ValuesInterop::Described_ptr& b,
                                              ValuesInterop::Described_out c) override {
    c = b;
    b = ValuesInterop::Described::_duplicate(a);
    return ValuesInterop::Described::_duplicate(a);
  }
  ValuesInterop::Labels* echo_labels(const ValuesInterop::Labels& a) override {
    return new ValuesInterop::Labels(a);
  }
  char* describe(ValuesInterop::Described_ptr value) override {
    return CORBA::is_nil(value) ? CORBA::string_dup("nil") : value->describe("the");
  }
  CORBA::Boolean is_same(ValuesInterop::Node* a, ValuesInterop::Node* b) override { return a == b; }
  void refuse(ValuesInterop::Point* place) override {
    throw ValuesInterop::Refused(share(place), "refused");
  }
  void quit() override { orb_->shutdown(false); }

 private:
  CORBA::ORB_var orb_;
  ThingServant thing_;
};

}  // namespace interop
