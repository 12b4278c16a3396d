// A home of the ledger: prints the reference of the ledger, then the reference of the home. Appends
// each ticket to the file that the argument names, before the client gets the reply. `--die-after
// 100` shows what a crash does to a call: it kills the server between the hundredth entry and its
// reply.
#include "forwardingS.h"
#include <perigee/corba.h>
#include <perigee/poa/servant_managers.h>

#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace {

using PortableServer::ObjectId;
using LedgerRef = IDL::traits<Forwarding::Ledger>::ref_type;

class Ledger final : public CORBA::servant_traits<Forwarding::Ledger>::base_type {
 public:
  /// Dies after `die_after` entries; 0: never.
  Ledger(const std::string& file, std::uint64_t die_after)
      : file_(file, std::ios::app), die_after_(die_after) {
    if (!file_) throw std::runtime_error(file + ": cannot be written");
  }
  std::uint64_t enter(std::uint64_t ticket) override {
    const std::lock_guard lock(mutex_);
    file_ << ticket << std::endl;
    if (++entries_ == die_after_) std::raise(SIGKILL);
    return entries_;
  }
  std::uint64_t entries() {
    const std::lock_guard lock(mutex_);
    return entries_;
  }
  void entries(std::uint64_t entries) {
    const std::lock_guard lock(mutex_);
    entries_ = entries;
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::ofstream file_;
  const std::uint64_t die_after_;
  std::uint64_t entries_ = 0;
};

// The POA asks the locator for the ledger before each call. The ledger is here, or it has moved.
// Calls wait while the ledger moves, and the ledger does not move while calls use it. So calls need
// other threads than the thread that moves the ledger. Do not use -ORBThreadStrategy reactive or
// reactor-per-core.
class Locator final : public IDL::traits<PortableServer::ServantLocator>::base_type {
 public:
  explicit Locator(CORBA::servant_reference<Ledger> ledger) : ledger_(std::move(ledger)) {}

  CORBA::servant_reference<PortableServer::Servant> preinvoke(
      const ObjectId&, CORBA::object_reference<PortableServer::POA>, const std::string&,
      Cookie&) override {
    std::shared_lock lock(mutex_);
    moved_.wait(lock, [this] { return !moving_; });
    if (moved_to_) throw PortableServer::ForwardRequest(moved_to_);
    lock.release();  // until `postinvoke`
    return ledger_;
  }
  void postinvoke(const ObjectId&, CORBA::object_reference<PortableServer::POA>, const std::string&,
                  Cookie, CORBA::servant_reference<PortableServer::Servant>) override {
    mutex_.unlock_shared();
  }

  void move_to(const IDL::traits<Forwarding::Home>::ref_type& other) {
    {
      const std::lock_guard lock(mutex_);
      if (moved_to_) return;
      refuse_while_moving();
      moving_ = true;
    }
    Move move{*this};
    move.there = other->receive(ledger_->entries());
  }
  void receive(std::uint64_t entries) {
    const std::lock_guard lock(mutex_);
    refuse_while_moving();
    ledger_->entries(entries);
    moved_to_ = nullptr;
  }

 private:
  struct Move {
    ~Move() {
      const std::lock_guard lock(locator.mutex_);
      locator.moved_to_ = there;
      locator.moving_ = false;
      locator.moved_.notify_all();
    }
    Locator& locator;
    LedgerRef there = {};  // nil if the other home refuses the ledger: then it stays here
  };

  void refuse_while_moving() const {
    if (moving_) throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO, "the ledger is being moved");
  }

  const CORBA::servant_reference<Ledger> ledger_;
  std::shared_mutex mutex_;  // guards the members below
  std::condition_variable_any moved_;
  bool moving_ = false;
  LedgerRef moved_to_;
};

class Home final : public CORBA::servant_traits<Forwarding::Home>::base_type {
 public:
  Home(CORBA::object_reference<Locator> locator, LedgerRef ledger)
      : locator_(std::move(locator)), ledger_(std::move(ledger)) {}

  void move_to(IDL::traits<Forwarding::Home>::ref_type other) override { locator_->move_to(other); }
  LedgerRef receive(std::uint64_t entries) override {
    locator_->receive(entries);
    return ledger_;
  }

 private:
  const CORBA::object_reference<Locator> locator_;
  const LedgerRef ledger_;
};

// Makes a POA that asks the locator before each call. Returns the reference of the ledger.
LedgerRef make_reference(const IDL::traits<PortableServer::POA>::ref_type& root,
                         const CORBA::object_reference<Locator>& locator) {
  using PortableServer::RequestProcessingPolicyValue;
  using PortableServer::ServantRetentionPolicyValue;
  auto poa = root->create_POA(
      "ledgers", root->the_POAManager(),
      {root->create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
       root->create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  poa->set_servant_manager(locator);
  return IDL::traits<Forwarding::Ledger>::unchecked_narrow(
      poa->create_reference(std::string(IDL::traits<Forwarding::Ledger>::repository_id())));
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  const bool dies = argc == 4 && std::string(argv[1]) == "--die-after";
  if (argc != 2 && !dies) {
    std::cerr << "usage: forwarding_server [-ORB...] [--die-after <entries>] <file for tickets>\n";
    return 2;
  }
  const std::uint64_t die_after = dies ? std::stoull(argv[2]) : 0;
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto locator =
      CORBA::make_reference<Locator>(CORBA::make_reference<Ledger>(argv[argc - 1], die_after));
  auto ledger = make_reference(root, locator);
  auto home = CORBA::make_reference<Home>(locator, ledger);
  root->the_POAManager()->activate();
  const std::string references =
      orb->object_to_string(ledger) + '\n' + orb->object_to_string(home->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << references << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "forwarding_server: " << error.what() << '\n';
  return 1;
}
