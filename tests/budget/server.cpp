// The server of the budget tests: prints its IOR, and serves until a client calls quit().
#include "budgetC.h"
#include "budgetS.h"
#include "counting_allocator.h"
#include <perigee/corba.h>

#include <iostream>

namespace {

class MeterServant final : public CORBA::servant_traits<Budget::Meter>::base_type {
 public:
  explicit MeterServant(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(std::move(orb)) {}
  void nothing() override {}
  std::int32_t add(std::int32_t a, std::int32_t b) override { return a + b; }
  Budget::Measure convert(const Budget::Measure& measure, Budget::Measure& last,
                          bool& changed) override {
    const Budget::Measure previous = last;
    last = measure;
    changed = true;
    return previous;
  }
  void hint(std::int32_t) override {}
  void take_octets(const Budget::Octets&) override {}
  void take_text(const std::string&) override {}
  std::uint64_t allocations() override { return budget::allocations(); }
  void quit() override { orb_->shutdown(false); }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
};

}  // namespace

int main(int argc, char* argv[]) {
  try {
    auto orb = CORBA::ORB_init(argc, argv);
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    auto servant = CORBA::make_reference<MeterServant>(orb);
    auto meter = servant->_this();
    poa->the_POAManager()->activate();
    std::cout << orb->object_to_string(meter) << std::endl;
    orb->run();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "budget_server: " << exception.what() << '\n';
    return 1;
  }
}
