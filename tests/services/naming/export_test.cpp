// `perigee name export` of naming services that do not keep to the rules.
#include "name_tree.h"
#include "services/naming/naming_server.h"

#include <CosNamingS.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace perigee::naming::test {

namespace {

using CosNaming::BindingList;
using CosNaming::BindingType;
using PlainContextRef = IDL::traits<NamingContext>::ref_type;

[[noreturn]] void refuse() { throw CORBA::NO_IMPLEMENT(0, CORBA::COMPLETED_NO); }

/// A service whose lists and objects the test chooses.
struct Behaviour {
  BindingList bindings;
  std::function<ObjectRef()> resolved = [] { return nullptr; };
  std::function<bool(BindingList&)> next;  ///< empty: there is no iterator
  bool was_destroyed = false;              ///< whether the iterator was destroyed
};

class HostileIterator final : public CORBA::servant_traits<CosNaming::BindingIterator>::base_type {
 public:
  explicit HostileIterator(Behaviour& behaviour) : behaviour_(behaviour) {}
  bool next_one(CosNaming::Binding& /*b*/) override { refuse(); }
  bool next_n(std::uint32_t /*how_many*/, BindingList& bl) override { return behaviour_.next(bl); }
  void destroy() override { behaviour_.was_destroyed = true; }

 private:
  Behaviour& behaviour_;
};

class HostileContext final : public CORBA::servant_traits<NamingContext>::base_type {
 public:
  explicit HostileContext(Behaviour& behaviour) : behaviour_(behaviour) {}
  void bind(const Name& /*n*/, ObjectRef /*obj*/) override { refuse(); }
  void rebind(const Name& /*n*/, ObjectRef /*obj*/) override { refuse(); }
  void bind_context(const Name& /*n*/, PlainContextRef /*nc*/) override { refuse(); }
  void rebind_context(const Name& /*n*/, PlainContextRef /*nc*/) override { refuse(); }
  ObjectRef resolve(const Name& /*n*/) override { return behaviour_.resolved(); }
  void unbind(const Name& /*n*/) override { refuse(); }
  PlainContextRef new_context() override { refuse(); }
  PlainContextRef bind_new_context(const Name& /*n*/) override { refuse(); }
  void destroy() override { refuse(); }
  void list(std::uint32_t /*how_many*/, BindingList& bl, IteratorRef& bi) override {
    bl = behaviour_.bindings;
    if (behaviour_.next) bi = CORBA::make_reference<HostileIterator>(behaviour_)->_this();
  }

 private:
  Behaviour& behaviour_;
};

class HostileServer {
 public:
  HostileServer()
      : poa_(
            IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"))) {
    poa_->the_POAManager()->activate();
  }
  ~HostileServer() { orb_->shutdown(true); }
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  /// A new context with a reference of its own.
  ObjectRef make_context() {
    return poa_->id_to_reference(
        poa_->activate_object(CORBA::make_reference<HostileContext>(behaviour)));
  }
  /// What the export of a context throws, or "none".
  std::string failure_of_export(std::size_t bindings_max = 1'000) {
    const TestOrb client;
    const auto root = IDL::traits<NamingContext>::unchecked_narrow(
        client->string_to_object(orb_->object_to_string(make_context())));
    try {
      (void)tool::export_tree(*client.ref(), root, bindings_max);
    } catch (const tool::NamingFailure& failure) {
      return failure.text;
    }
    return "none";
  }

  Behaviour behaviour;

 private:
  TestOrb orb_;
  IDL::traits<PortableServer::POA>::ref_type poa_;
};

}  // namespace

TEST_CASE("export refuses bindings with names of no component, and of several components") {
  HostileServer server;
  for (const Name& wrong : {Name(), name({"a", "b"})}) {
    server.behaviour.bindings = {CosNaming::Binding(wrong, BindingType::nobject)};
    CHECK(server.failure_of_export().contains("it must have one component"));
  }
}

TEST_CASE("export refuses an inner context whose bindings have empty names") {
  HostileServer server;
  server.behaviour.bindings = {CosNaming::Binding(name({"a"}), BindingType::ncontext)};
  server.behaviour.resolved = [&server] {
    server.behaviour.bindings = {CosNaming::Binding(Name(), BindingType::ncontext)};
    return server.make_context();
  };
  CHECK(server.failure_of_export() ==
        "the context 'a' has a binding with a name of 0 components; it must have one component");
}

TEST_CASE("export ends in a service whose contexts are nested without an end") {
  HostileServer server;
  server.behaviour.bindings = {CosNaming::Binding(name({"a"}), BindingType::ncontext)};
  server.behaviour.resolved = [&server] { return server.make_context(); };
  CHECK(server.failure_of_export().contains("the contexts are nested deeper than 100"));
}

TEST_CASE("export counts the bindings of all contexts towards its limit") {
  HostileServer server;
  server.behaviour.bindings = {CosNaming::Binding(name({"a"}), BindingType::ncontext),
                               CosNaming::Binding(name({"b"}), BindingType::ncontext)};
  server.behaviour.resolved = [&server] { return server.make_context(); };
  CHECK(server.failure_of_export(50).contains("more bindings than the limit"));
}

TEST_CASE("export ends an iterator that returns bindings or empty lists without an end") {
  HostileServer server;
  server.behaviour.next = [](BindingList& list) {
    list = {CosNaming::Binding(name({"a"}), BindingType::nobject)};
    return true;
  };
  CHECK(server.failure_of_export().contains("more bindings than the limit"));
  CHECK(server.behaviour.was_destroyed);
  server.behaviour.was_destroyed = false;
  server.behaviour.next = [](BindingList& list) {
    list.clear();
    return true;
  };
  CHECK(server.failure_of_export().contains("empty lists without an end"));
  CHECK(server.behaviour.was_destroyed);
}

TEST_CASE("export keeps the nil reference of a context that the service does not return") {
  HostileServer server;
  server.behaviour.bindings = {CosNaming::Binding(name({"a"}), BindingType::ncontext)};
  CHECK(server.failure_of_export() == "none");
}

}  // namespace perigee::naming::test
