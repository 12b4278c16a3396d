// Binds names and resolves names through several naming servers until its standard input ends:
//   naming_cluster_client ROOT SERVER SERVER...
// ROOT names all servers, and SERVER one of them. The program binds a context of the first server
// at the second server, and waits until all servers know the binding. Then it binds names in the
// context "objects". It prints each name when it is bound, and at the end how many names were
// resolved. It fails if a name cannot be resolved.
#include "CosNamingC.h"
#include <perigee/corba.h>
#include <perigee/orb/retry.h>
#include <perigee/orb/with_policies.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using CosNaming::Name;
using CosNaming::NamingContext;
using ContextRef = IDL::traits<NamingContext>::ref_type;
using OrbRef = CORBA::object_reference<CORBA::ORB>;

constexpr int stable_names = 50;
std::mutex output;

Name name(const std::string& id) { return {CosNaming::NameComponent(id, "")}; }
Name path(const std::string& context, const std::string& id) {
  return {CosNaming::NameComponent(context, ""), CosNaming::NameComponent(id, "")};
}

CORBA::object_reference<CORBA::Object> object(const OrbRef& orb, const std::string& id) {
  return orb->string_to_object("corbaloc::127.0.0.1:1/" + id);
}

/// A resolve can be repeated in all cases: it changes nothing.
const perigee::RetrySchedule schedule{
    .attempts_max = 6, .first_delay = 10ms, .retry_if = [](const CORBA::SystemException& failure) {
      return dynamic_cast<const CORBA::COMM_FAILURE*>(&failure) != nullptr ||
             dynamic_cast<const CORBA::TRANSIENT*>(&failure) != nullptr ||
             dynamic_cast<const CORBA::TIMEOUT*>(&failure) != nullptr;
    }};

ContextRef context_of(const OrbRef& orb, const std::string& reference) {
  const auto context =
      IDL::traits<NamingContext>::unchecked_narrow(orb->string_to_object(reference));
  return perigee::with_timeout(context, 6s);
}

class Client {
 public:
  Client(OrbRef orb, const std::vector<std::string>& words)
      : orb_(std::move(orb)), root_(context_of(orb_, words.at(0))) {
    const ContextRef first = context_of(orb_, words.at(1));
    (void)first->bind_new_context(name("objects"));
    inner_ = first->bind_new_context(name("inner"));
    for (int number = 0; number < stable_names; ++number)
      inner_->bind(name(std::to_string(number)), object(orb_, std::to_string(number)));
    // The second server may not have learned of the context yet: the binding needs no look-up.
    context_of(orb_, words.at(2))->bind_context(name("alias"), inner_);
    for (std::size_t server = 1; server < words.size(); ++server) await_alias(words[server]);
    inner_ = perigee::with_timeout(inner_, 6s);
  }

  int run() {
    std::vector<std::thread> threads;
    threads.emplace_back([this] { guarded([this] { bind_names(); }); });
    threads.emplace_back([this] { guarded([this] { resolve_names(false); }); });
    threads.emplace_back([this] { guarded([this] { resolve_names(true); }); });
    while (std::cin.get() != std::char_traits<char>::eof()) {
    }
    is_ending_ = true;
    for (std::thread& thread : threads) thread.join();
    std::cout << "resolved " << resolved_ << std::endl;
    return has_failed_ ? 1 : 0;
  }

 private:
  /// A server learns a moment later what was bound at another server.
  void await_alias(const std::string& server) {
    const ContextRef context = context_of(orb_, server);
    const std::string last = std::to_string(stable_names - 1);
    while (true) {
      try {
        (void)context->resolve(path("alias", last));
        return;
      } catch (const NamingContext::NotFound&) {
        std::this_thread::yield();
      }
    }
  }
  template <typename Work>
  void guarded(Work work) noexcept {
    try {
      work();
    } catch (const std::exception& exception) {
      const std::lock_guard lock(output);
      std::cerr << exception.what() << std::endl;
      has_failed_ = true;
    }
  }

  void bind_names() {
    for (int number = 0; !is_ending_; ++number) {
      const std::string id = "n" + std::to_string(number);
      bind(id);
      const std::lock_guard lock(output);
      std::cout << id << std::endl;
    }
  }
  /// Until the name is bound. After an attempt with an unknown result, it may be bound already.
  void bind(const std::string& id) {
    bool is_uncertain = false;
    while (!is_ending_) {
      try {
        return root_->bind(path("objects", id), object(orb_, id));
      } catch (const NamingContext::AlreadyBound&) {
        if (!is_uncertain) throw;
        return;
      } catch (const CORBA::SystemException& failure) {
        if (!schedule.retry_if(failure)) throw;
        if (failure.completed() != CORBA::COMPLETED_NO) is_uncertain = true;
      }
    }
  }

  void resolve_names(bool through_alias) {
    for (int number = 0; !is_ending_; number = (number + 1) % stable_names) {
      const std::string id = std::to_string(number);
      const auto found = perigee::retry(
          [&] {
            if (!through_alias) return inner_->resolve(name(id));
            return root_->resolve(path("alias", id));
          },
          schedule);
      if (!found->_is_equivalent(object(orb_, id)))
        throw std::runtime_error(id + " leads to another object");
      ++resolved_;
    }
  }

  const OrbRef orb_;
  const ContextRef root_;
  ContextRef inner_;
  std::atomic<bool> is_ending_ = false;
  std::atomic<bool> has_failed_ = false;
  std::atomic<long> resolved_ = 0;
};

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    const int status = Client(orb, {argv + 1, argv + argc}).run();
    orb->destroy();
    return status;
  } catch (const std::exception& exception) {
    std::cerr << exception.what() << std::endl;
    return 1;
  }
}
