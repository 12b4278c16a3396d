// The programs of docs/adapters.md: servants that are found or made when requests need them, and
// names for objects of the ORB.
#include "bankS.h"
#include <perigee/corba.h>

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using AccountRef = IDL::traits<Bank::Account>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using ServantRef = CORBA::servant_reference<PortableServer::Servant>;

using Balances = std::map<std::string, double>;  // stands for a database

class Account final : public CORBA::servant_traits<Bank::Account>::base_type {
 public:
  explicit Account(double balance, PoaRef poa = {}) : balance_(balance), poa_(std::move(poa)) {}

  PoaRef _default_POA() override {
    return poa_ ? poa_ : PortableServer::Servant::_default_POA();  // the Root POA
  }

  double balance() override { return balance_; }
  void withdraw(double amount) override { balance_ -= amount; }
  Bank::Entries history() override { return {}; }

 private:
  double balance_;
  const PoaRef poa_;
};

class AccountActivator final : public IDL::traits<PortableServer::ServantActivator>::base_type {
 public:
  explicit AccountActivator(Balances& balances) : balances_(balances) {}

  ServantRef incarnate(const PortableServer::ObjectId& id, PoaRef) override {
    const auto stored = balances_.find(PortableServer::ObjectId_to_string(id));
    if (stored == balances_.end()) throw CORBA::OBJECT_NOT_EXIST();
    return CORBA::make_reference<Account>(stored->second);
  }
  void etherealize(const PortableServer::ObjectId& id, PoaRef, ServantRef servant, bool,
                   bool) override {
    balances_[PortableServer::ObjectId_to_string(id)] = dynamic_cast<Account&>(*servant).balance();
  }

 private:
  Balances& balances_;  // incarnate and etherealize are called one at a time
};

class AccountLocator final : public IDL::traits<PortableServer::ServantLocator>::base_type {
 public:
  explicit AccountLocator(const Balances& balances) : balances_(balances) {}

  ServantRef preinvoke(const PortableServer::ObjectId& id, PoaRef, const std::string& operation,
                       Cookie&) override {
    const auto stored = balances_.find(PortableServer::ObjectId_to_string(id));
    if (stored == balances_.end()) throw CORBA::OBJECT_NOT_EXIST();
    if (operation == "withdraw") throw CORBA::NO_PERMISSION();
    return CORBA::make_reference<Account>(stored->second);
  }
  void postinvoke(const PortableServer::ObjectId&, PoaRef, const std::string&, Cookie,
                  ServantRef) override {}

 private:
  const Balances& balances_;
};

class AnyAccount final : public CORBA::servant_traits<Bank::Account>::base_type {
 public:
  AnyAccount(const OrbRef& orb, const Balances& balances)
      : current_(IDL::traits<PortableServer::Current>::narrow(
            orb->resolve_initial_references("POACurrent"))),
        balances_(balances) {}

  double balance() override { return balances_.at(id()); }
  void withdraw(double) override { throw CORBA::NO_PERMISSION(); }
  Bank::Entries history() override { return {}; }

 private:
  std::string id() { return PortableServer::ObjectId_to_string(current_->get_object_id()); }

  const IDL::traits<PortableServer::Current>::ref_type current_;
  const Balances& balances_;
};

class BranchActivator final : public IDL::traits<PortableServer::AdapterActivator>::base_type {
 public:
  explicit BranchActivator(Balances& balances) : balances_(balances) {}

  bool unknown_adapter(PoaRef parent, const std::string& name) override;

 private:
  Balances& balances_;
};

PoaRef make_accounts(const PoaRef& parent, const std::string& name, Balances& balances) {
  const CORBA::PolicyList policies{
      parent->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT),
      parent->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
      parent->create_request_processing_policy(
          PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER)};
  auto poa = parent->create_POA(name, parent->the_POAManager(), policies);
  poa->set_servant_manager(CORBA::make_reference<AccountActivator>(balances));
  return poa;
}

bool BranchActivator::unknown_adapter(PoaRef parent, const std::string& name) {
  if (!name.starts_with("branch-")) return false;
  (void)make_accounts(parent, name, balances_);
  return true;
}

AccountRef reference_to(const PoaRef& poa, const std::string& owner) {
  const auto id = PortableServer::string_to_ObjectId(owner);
  return IDL::traits<Bank::Account>::narrow(
      poa->create_reference_with_id(id, std::string(Bank::Account::_type_id)));
}

/// An ORB with an active Root POA.
struct Server {
  Server() {
    std::vector<std::string> arguments;
    orb = CORBA::ORB_init(arguments, "adapters");
    root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
  }
  ~Server() { orb->destroy(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  OrbRef orb;
  PoaRef root;
};

}  // namespace

TEST_CASE("a servant activator of docs/adapters.md makes servants at the first request") {
  Balances balances{{"Ada", 100}};
  Server server;
  const auto poa = make_accounts(server.root, "accounts", balances);

  const AccountRef account = reference_to(poa, "Ada");                // makes no servant
  account->withdraw(30);                                              // incarnate
  CHECK(account->balance() == 70);                                    // the same servant
  poa->deactivate_object(PortableServer::string_to_ObjectId("Ada"));  // etherealize
  CHECK(balances.at("Ada") == 70);
  CHECK_THROWS_AS((void)reference_to(poa, "Bob")->balance(), CORBA::OBJECT_NOT_EXIST);
  account->withdraw(20);
  server.orb->destroy();
  CHECK(balances.at("Ada") == 50);
}

TEST_CASE("a servant locator of docs/adapters.md chooses a servant for each request") {
  const Balances balances{{"Ada", 100}};
  Server server;
  auto poa = server.root->create_POA(
      "read-only", server.root->the_POAManager(),
      {server.root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
       server.root->create_servant_retention_policy(
           PortableServer::ServantRetentionPolicyValue::NON_RETAIN),
       server.root->create_request_processing_policy(
           PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  poa->set_servant_manager(CORBA::make_reference<AccountLocator>(balances));

  CHECK(reference_to(poa, "Ada")->balance() == 100);
  CHECK_THROWS_AS(reference_to(poa, "Ada")->withdraw(1), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS((void)reference_to(poa, "Bob")->balance(), CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("a default servant of docs/adapters.md serves all objects of its POA") {
  const Balances balances{{"Ada", 100}, {"Bob", 200}};
  Server server;
  auto poa = server.root->create_POA(
      "all", server.root->the_POAManager(),
      {server.root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
       server.root->create_id_uniqueness_policy(
           PortableServer::IdUniquenessPolicyValue::MULTIPLE_ID),
       server.root->create_request_processing_policy(
           PortableServer::RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)});
  poa->set_servant(CORBA::make_reference<AnyAccount>(server.orb, balances));

  CHECK(reference_to(poa, "Ada")->balance() == 100);
  CHECK(reference_to(poa, "Bob")->balance() == 200);
}

TEST_CASE("a factory of docs/adapters.md makes POAManagers with names") {
  Server server;
  const auto root = server.root;
  auto factory = root->the_POAManagerFactory();
  auto manager = factory->create_POAManager("accounts", {});
  auto accounts = root->create_POA("accounts", manager, {});
  factory->find("accounts")->activate();
  CHECK(accounts->the_POAManager()->get_state() == PortableServer::POAManager::State::ACTIVE);
  CHECK(factory->list().size() == 2);
}

TEST_CASE("_this activates the servant of docs/adapters.md in the POA of _default_POA") {
  Server server;
  auto poa = server.root->create_POA(
      "others", server.root->the_POAManager(),
      {server.root->create_implicit_activation_policy(
          PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION)});

  auto servant = CORBA::make_reference<Account>(100, poa);
  const AccountRef account = servant->_this();
  CHECK(account->balance() == 100);
  CHECK(poa->reference_to_servant(account) == servant);
  CHECK_THROWS_AS((void)server.root->reference_to_servant(account),
                  PortableServer::POA::WrongAdapter);
  auto explicit_only = server.root->create_POA("explicit", server.root->the_POAManager(), {});
  CHECK_THROWS_AS((void)CORBA::make_reference<Account>(100, explicit_only)->_this(),
                  PortableServer::POA::ServantNotActive);
}

TEST_CASE("an adapter activator of docs/adapters.md makes the POA that a request needs") {
  Balances balances{{"Ada", 100}};
  Server server;
  server.root->the_activator(CORBA::make_reference<BranchActivator>(balances));

  auto poa = server.root->find_POA("branch-7", true);  // a request for an object does the same
  CHECK(reference_to(poa, "Ada")->balance() == 100);
  CHECK_THROWS_AS((void)server.root->find_POA("other", true),
                  PortableServer::POA::AdapterNonExistent);
}

TEST_CASE("code finds the object of docs/adapters.md by its name in the ORB") {
  Server server;
  const OrbRef& orb = server.orb;
  auto servant = CORBA::make_reference<Account>(100);
  orb->register_initial_reference("Account", servant->_this());

  auto account = IDL::traits<Bank::Account>::narrow(orb->resolve_initial_references("Account"));
  CHECK(account->balance() == 100);
  CHECK_THROWS_AS(orb->register_initial_reference("Account", account), CORBA::InvalidName);
  CHECK_THROWS_AS((void)orb->resolve_initial_references("Bank"), CORBA::InvalidName);
}
