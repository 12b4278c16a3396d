// The naming client against a naming service of another ORB:
//   naming_client HOST:PORT -ORBInitRef NameService=IOR:... [--whole-address] [Perigee options]
// binds, finds, lists and unbinds names, and resolves corbaname URLs.
#include "CosNamingC.h"
#include "checks.h"
#include <perigee/corba.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <string_view>

namespace {

using CosNaming::Name;
using Context = CosNaming::NamingContextExt;
using ContextRef = IDL::traits<Context>::ref_type;
using ObjectRef = CORBA::object_reference<CORBA::Object>;

Name name(const std::string& id, const std::string& kind = "") {
  return {CosNaming::NameComponent(id, kind)};
}

Name name(const std::string& outer, const std::string& inner, const std::string& kind) {
  return {CosNaming::NameComponent(outer, ""), CosNaming::NameComponent(inner, kind)};
}

/// A reference without a server: the naming service stores any reference.
ObjectRef object(CORBA::ORB& orb, const std::string& key) {
  return orb.string_to_object("corbaloc::127.0.0.1:1/" + key);
}

void check_objects(CORBA::ORB& orb, const ContextRef& root) {
  // JacORB's bind replaces an object that does not reply. A context of the service replies.
  const auto first = root->new_context();
  root->bind(name("printer", "device"), first);
  CHECK(root->resolve(name("printer", "device"))->_is_equivalent(first));
  CHECK_THROWS(root->bind(name("printer", "device"), first),
               CosNaming::NamingContext::AlreadyBound);
  const ObjectRef second = object(orb, "second");
  root->rebind(name("printer", "device"), second);
  CHECK(root->resolve(name("printer", "device"))->_is_equivalent(second));
  CHECK(root->resolve_str("printer.device")->_is_equivalent(second));
  root->unbind(name("printer", "device"));
  CHECK_THROWS((void)root->resolve(name("printer", "device")), CosNaming::NamingContext::NotFound,
               CHECK(caught.why() == CosNaming::NamingContext::NotFoundReason::missing_node);
               CHECK(caught.rest_of_name().size() == 1);
               CHECK(caught.rest_of_name()[0].id() == "printer"));
  first->destroy();
  CHECK_THROWS((void)root->resolve(Name()), CosNaming::NamingContext::InvalidName);
}

void check_contexts(CORBA::ORB& orb, const ContextRef& root) {
  const auto house = root->bind_new_context(name("house"));
  house->bind(name("door"), object(orb, "door"));
  CHECK(root->resolve(name("house", "door", ""))->_is_equivalent(object(orb, "door")));
  CHECK_THROWS((void)root->resolve(name("house", "window", "")), CosNaming::NamingContext::NotFound,
               CHECK(caught.rest_of_name().size() == 1));
  CHECK_THROWS(house->destroy(), CosNaming::NamingContext::NotEmpty);
  const auto shed = root->new_context();
  root->bind_context(name("shed"), shed);
  root->rebind_context(name("shed"), house);
  CHECK(root->resolve(name("shed"))->_is_equivalent(house));
  shed->destroy();
  root->unbind(name("shed"));
  house->unbind(name("door"));
  root->unbind(name("house"));
  house->destroy();
}

void check_list(CORBA::ORB& orb, const ContextRef& root) {
  const auto context = root->bind_new_context(name("many"));
  for (int number = 0; number < 25; ++number)
    context->bind(name("n" + std::to_string(number)), object(orb, std::to_string(number)));
  (void)context->bind_new_context(name("inner"));
  CosNaming::BindingList bindings;
  IDL::traits<CosNaming::BindingIterator>::ref_type rest;
  context->list(10, bindings, rest);
  CHECK(bindings.size() == 10);
  CHECK(rest);
  CosNaming::Binding one;
  CHECK(rest->next_one(one));
  bindings.push_back(one);
  for (CosNaming::BindingList more; rest->next_n(4, more);)
    bindings.insert(bindings.end(), more.begin(), more.end());
  rest->destroy();
  std::set<std::string> ids;
  for (const auto& binding : bindings) ids.insert(binding.binding_name().at(0).id());
  CHECK(ids.size() == 26);
  CHECK(std::ranges::count(bindings, CosNaming::BindingType::ncontext,
                           [](const auto& binding) { return binding.binding_type(); }) == 1);
  context->list(100, bindings, rest);
  CHECK(bindings.size() == 26);
  // If no bindings are left, the JDK's naming service returns an empty iterator, and not nil.
  CHECK(!rest || !rest->next_one(one));
  if (rest) rest->destroy();
}

std::uint32_t bad_param(CORBA::ORB& orb, const std::string& url) {
  try {
    (void)orb.string_to_object(url);
  } catch (const CORBA::BAD_PARAM& exception) {
    return exception.minor() & 0xfff;
  }
  return 0;
}

/// `scheme` is what to_url needs before an address: JacORB wants a whole corbaloc.
void check_corbaname(CORBA::ORB& orb, const ContextRef& root, const std::string& address,
                     const std::string& scheme) {
  const auto context = root->bind_new_context(name("a b"));
  const ObjectRef found = object(orb, "found");
  context->bind(name("x/y.z", "k.1"), found);
  // Escaped once for the URL ("%20"), once for the name ("\/").
  const std::string text = "#a%20b/x%5c/y%5c.z.k%5c.1";
  CHECK(orb.string_to_object("corbaname::" + address + text)->_is_equivalent(found));
  CHECK(orb.string_to_object("corbaname:iiop:1.2@" + address + "/NameService" + text)
            ->_is_equivalent(found));
  CHECK(orb.string_to_object("corbaname:rir:" + text)->_is_equivalent(found));
  CHECK(orb.string_to_object("corbaname:rir:/NameService" + text)->_is_equivalent(found));
  CHECK(
      IDL::traits<CosNaming::NamingContext>::narrow(orb.string_to_object("corbaname::" + address)));
  CHECK(orb.string_to_object(root->to_url(scheme + ":" + address, "a b/x\\/y\\.z.k\\.1"))
            ->_is_equivalent(found));
  CHECK(bad_param(orb, "corbaname::" + address + "#nobody") == 10);
  CHECK(bad_param(orb, "corbaname::" + address + "#a%2") == 9);
  CHECK(bad_param(orb, "corbaname::" + address + "#a//b") == 9);
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    const std::string address = argc > 1 ? argv[1] : "";
    const auto root = IDL::traits<Context>::narrow(orb->resolve_initial_references("NameService"));
    CHECK(root);
    check_objects(*orb, root);
    check_contexts(*orb, root);
    check_list(*orb, root);
    const bool whole =
        std::ranges::count(argv, argv + argc, std::string_view("--whole-address")) != 0;
    check_corbaname(*orb, root, address, whole ? "corbaloc:" : "");
    orb->destroy();
  } catch (const std::exception& exception) {
    std::cerr << "naming_client: " << exception.what() << std::endl;
    interop::check(false, "no exception", __LINE__);
  }
  return interop::finish("naming client");
}
