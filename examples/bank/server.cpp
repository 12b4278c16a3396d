// Offers one Banking::Bank and prints its reference. Shuts down on SIGINT and SIGTERM.
#include "bankS.h"
#include <perigee/corba.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace {

class Account final : public CORBA::servant_traits<Banking::Account>::base_type {
 public:
  int32_t balance() override { return balance_; }
  void deposit(int32_t amount) override {
    balance_ += amount;
    int32_t largest = largest_;
    while (largest < amount && !largest_.compare_exchange_weak(largest, amount)) continue;
  }
  int32_t largest_deposit() const { return largest_; }

 private:
  std::atomic<int32_t> balance_{0};
  std::atomic<int32_t> largest_{0};
};

class Bank final : public CORBA::servant_traits<Banking::Bank>::base_type {
 public:
  explicit Bank(IDL::traits<PortableServer::POA>::ref_type poa) : poa_(std::move(poa)) {}

  IDL::traits<Banking::Account>::ref_type open() override {
    return CORBA::make_reference<Account>()->_this();
  }

  // The POA finds the servant only if the reference leads to this server.
  int32_t largest_deposit(IDL::traits<Banking::Account>::ref_type account) override try {
    const auto own = CORBA::servant_traits<Account>::narrow(poa_->reference_to_servant(account));
    if (!own) throw Banking::Bank::NotOurs();
    return own->largest_deposit();
  } catch (const PortableServer::POA::WrongAdapter&) {
    throw Banking::Bank::NotOurs();
  }

 private:
  const IDL::traits<PortableServer::POA>::ref_type poa_;
};

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto root = orb->resolve_initial_references("RootPOA");
  auto poa = IDL::traits<PortableServer::POA>::narrow(root);
  poa->the_POAManager()->activate();

  auto bank = CORBA::make_reference<Bank>(poa);
  const std::string reference = orb->object_to_string(bank->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "server: " << error.what() << '\n';
  return 1;
}
