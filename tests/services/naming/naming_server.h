// A naming service in an ORB of its own, and clients in another ORB of the test.
#pragma once

#include <perigee/corba.h>
#include <perigee/services/naming/service.h>

#include <PerigeeNamingC.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace perigee::naming::test {

using CosNaming::Name;
using CosNaming::NameComponent;
using CosNaming::NamingContext;
using ContextRef = IDL::traits<CosNaming::NamingContextExt>::ref_type;
using IteratorRef = IDL::traits<CosNaming::BindingIterator>::ref_type;
using ObjectRef = CORBA::object_reference<CORBA::Object>;
using Reason = NamingContext::NotFoundReason;

inline CORBA::object_reference<CORBA::ORB> make_orb(std::vector<std::string> options = {}) {
  static std::atomic<int> count = 0;
  for (const char* option :
       {"-ORBListenEndpoints", "iiop://127.0.0.1:0", "-ORBLocalTransports", "none"})
    options.emplace_back(option);
  return CORBA::ORB_init(options, "naming test " + std::to_string(++count));
}

/// An ORB that ends with the test.
class TestOrb {
 public:
  TestOrb() : orb_(make_orb()) {}
  ~TestOrb() { orb_->destroy(); }
  TestOrb(const TestOrb&) = delete;
  TestOrb& operator=(const TestOrb&) = delete;
  CORBA::ORB* operator->() const { return orb_.operator->(); }
  [[nodiscard]] const CORBA::object_reference<CORBA::ORB>& ref() const { return orb_; }

 private:
  CORBA::object_reference<CORBA::ORB> orb_;
};

class Server {
 public:
  explicit Server(Options options = {}, std::unique_ptr<Store> store = make_memory_store())
      : service_(orb_.ref(), std::move(store), std::move(options)) {
    IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"))
        ->the_POAManager()
        ->activate();
  }
  ~Server() { orb_->shutdown(true); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The root context, for a client in another ORB.
  [[nodiscard]] ContextRef root(const TestOrb& client) const {
    return IDL::traits<CosNaming::NamingContextExt>::narrow(
        client->string_to_object(orb_->object_to_string(service_.root())));
  }

 private:
  TestOrb orb_;
  NamingService service_;
};

/// A name of ids, without kinds.
inline Name name(std::initializer_list<const char*> ids) {
  Name result;
  for (const char* id : ids) result.emplace_back(id, "");
  return result;
}

/// A reference without a server: a naming service stores any reference.
inline ObjectRef object(const TestOrb& orb, const std::string& key) {
  return orb->string_to_object("corbaloc::127.0.0.1:1/" + key);
}

/// The reason and the first id of the rest, like "missing_node a", or what else was raised.
template <typename Call>
std::string failure(Call call) {
  try {
    call();
  } catch (const NamingContext::NotFound& exception) {
    const char* const reasons[] = {"missing_node", "not_context", "not_object"};
    std::string text = reasons[static_cast<std::size_t>(exception.why())];
    for (const NameComponent& component : exception.rest_of_name()) text += " " + component.id();
    return text;
  } catch (const NamingContext::CannotProceed& exception) {
    std::string text = "CannotProceed";
    for (const NameComponent& component : exception.rest_of_name()) text += " " + component.id();
    return text;
  } catch (const CORBA::Exception& exception) {
    return exception._name();
  }
  return "none";
}

}  // namespace perigee::naming::test
