// The program of docs/migrating.md after the migration: server and client in one process.
#include "bankS.h"
#include <perigee/corba.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace {

class Account_i : public CORBA::servant_traits<Bank::Account>::base_type {
 public:
  explicit Account_i(std::string owner) : entries_{Bank::Entry(std::move(owner), 100)} {}

  double balance() override {
    double sum = 0;
    for (const Bank::Entry& entry : entries_) sum += entry.amount();
    return sum;
  }
  void withdraw(double amount) override {
    if (amount > balance()) throw Bank::Overdrawn(amount - balance());
    entries_.emplace_back("withdrawal", -amount);
  }
  Bank::Entries history() override { return entries_; }

 private:
  Bank::Entries entries_;
};

class Branch_i : public CORBA::servant_traits<Bank::Branch>::base_type {
 public:
  IDL::traits<Bank::Account>::ref_type open(const std::string& owner) override {
    owners_.push_back(owner);
    return CORBA::make_reference<Account_i>(owner)->_this();
  }
  bool is_customer(const std::string& owner, std::string& greeting) override {
    greeting = "Good morning, " + owner;
    return std::find(owners_.begin(), owners_.end(), owner) != owners_.end();
  }

 private:
  std::vector<std::string> owners_;
};

void use(const IDL::traits<Bank::Branch>::ref_type& branch, std::ostream& out) {
  IDL::traits<Bank::Account>::ref_type account = branch->open("Ada");
  std::string greeting;
  if (branch->is_customer("Ada", greeting)) out << greeting << '\n';
  try {
    account->withdraw(30);
    account->withdraw(500);
  } catch (const Bank::Overdrawn& overdrawn) {
    out << "missing " << overdrawn.missing() << '\n';
  }
  for (const Bank::Entry& entry : account->history()) out << entry << '\n';
}

std::string run(int argc, char* argv[]) {
  IDL::traits<CORBA::ORB>::ref_type orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();

  CORBA::servant_traits<Bank::Branch>::ref_type servant = CORBA::make_reference<Branch_i>();
  std::string ior = orb->object_to_string(servant->_this());

  std::ostringstream out;
  use(IDL::traits<Bank::Branch>::narrow(orb->string_to_object(ior)), out);
  orb->destroy();
  return out.str();
}

}  // namespace

TEST_CASE("the program of the migration guide runs") {
  char name[] = "program";
  char* arguments[] = {name, nullptr};
  CHECK(run(1, arguments) ==
        "Good morning, Ada\n"
        "missing 430\n"
        "Bank::Entry{text=\"Ada\", amount=100}\n"
        "Bank::Entry{text=\"withdrawal\", amount=-30}\n");
}
