// A client that binds names until the server ends, or checks the names that are bound:
//   naming_bind_client bind ROOT PREFIX THREADS
//     Binds PREFIX-<number>, and prints each name that was bound.
//   naming_bind_client check ROOT
//     Prints all names. Fails if a name leads to a wrong object.
#include "CosNamingC.h"
#include <perigee/corba.h>

#include <atomic>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using CosNaming::Name;
using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;
using OrbRef = CORBA::object_reference<CORBA::ORB>;

Name name(const std::string& id) { return {CosNaming::NameComponent(id, "")}; }

/// The key of the object is its name, so that `check` sees mixed-up references.
CORBA::object_reference<CORBA::Object> object(const OrbRef& orb, const std::string& id) {
  return orb->string_to_object("corbaloc::127.0.0.1:1/" + id);
}

/// Ends when the server does not reply, or refuses a change. Prints why on standard error.
int bind(const OrbRef& orb, const ContextRef& root, const std::string& prefix, int count) {
  std::mutex output;
  std::atomic<int> number = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < count; ++thread)
    threads.emplace_back([&] {
      try {
        for (;;) {
          const std::string id = prefix + '-' + std::to_string(++number);
          root->bind(name(id), object(orb, id));
          const std::lock_guard lock(output);
          std::cout << id << std::endl;
        }
      } catch (const std::exception& exception) {
        const std::lock_guard lock(output);
        std::cerr << exception.what() << std::endl;
      }
    });
  for (std::thread& thread : threads) thread.join();
  return 0;
}

int check(const OrbRef& orb, const ContextRef& root) {
  CosNaming::BindingList bindings;
  IDL::traits<CosNaming::BindingIterator>::ref_type rest;
  root->list(1'000, bindings, rest);
  if (rest)
    for (CosNaming::BindingList more; rest->next_n(1'000, more);)
      bindings.insert(bindings.end(), more.begin(), more.end());
  for (const CosNaming::Binding& binding : bindings) {
    const std::string& id = binding.binding_name().at(0).id();
    if (!root->resolve(binding.binding_name())->_is_equivalent(object(orb, id))) {
      std::cerr << id << " leads to another object" << std::endl;
      return 1;
    }
    std::cout << id << '\n';
  }
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto root =
        IDL::traits<CosNaming::NamingContext>::narrow(orb->string_to_object(words.at(1)));
    const int status = words.at(0) == "bind" ? bind(orb, root, words.at(2), std::stoi(words.at(3)))
                                             : check(orb, root);
    orb->destroy();
    return status;
  } catch (const std::exception& exception) {
    std::cerr << "naming_bind_client: " << exception.what() << std::endl;
    return 1;
  }
}
