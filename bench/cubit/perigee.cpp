// The cubit experiment over Perigee: the server and the client, each a process of its own.
#include "perigee.h"

#include "cubitC.h"
#include "cubitS.h"
#include "orb_workloads.h"
#include <perigee/base/probe.h>
#include <perigee/corba.h>

#include <csignal>
#include <iostream>
#include <vector>

namespace perigee::bench {
namespace {

/// The time that the servant itself takes, in the build with time probes.
struct UpcallTime {
  UpcallTime() noexcept { probe::stamp(probe::Point::upcall_begins); }
  ~UpcallTime() { probe::stamp(probe::Point::upcall_ended); }
  UpcallTime(const UpcallTime&) = delete;
  UpcallTime& operator=(const UpcallTime&) = delete;
};

class CuberServant final : public CORBA::servant_traits<Cubit::Cuber>::base_type {
 public:
  void cube_void() override { const UpcallTime time; }
  std::uint8_t cube_octet(std::uint8_t value) override { return cubit::cube(value); }
  std::int16_t cube_short(std::int16_t value) override { return cubit::cube(value); }
  std::int32_t cube_long(std::int32_t value) override { return cubit::cube(value); }
  Cubit::Many cube_struct(const Cubit::Many& value) override {
    return Cubit::Many(cubit::cube(value.o()), cubit::cube(value.l()), cubit::cube(value.s()));
  }
  Cubit::OctetSequence echo_octets(const Cubit::OctetSequence& values) override {
    const UpcallTime time;
    return values;
  }
  Cubit::LongSequence echo_longs(const Cubit::LongSequence& values) override { return values; }
};

class Calls {
 public:
  explicit Calls(IDL::traits<Cubit::Cuber>::ref_type cuber) : cuber_(std::move(cuber)) {}

  bool cube_void() {
    cuber_->cube_void();
    return true;
  }
  std::uint8_t cube_octet(std::uint8_t value) { return cuber_->cube_octet(value); }
  std::int16_t cube_short(std::int16_t value) { return cuber_->cube_short(value); }
  std::int32_t cube_long(std::int32_t value) { return cuber_->cube_long(value); }
  bool cube_struct(std::uint8_t o, std::int32_t l, std::int16_t s) {
    const Cubit::Many result = cuber_->cube_struct(Cubit::Many(o, l, s));
    return result.o() == cubit::cube(o) && result.l() == cubit::cube(l) &&
           result.s() == cubit::cube(s);
  }
  bool echo_octets(std::size_t count) {
    octets_.resize(count);
    octets_.front() = octets_.back() = static_cast<std::uint8_t>(++number_);
    const Cubit::OctetSequence result = cuber_->echo_octets(octets_);
    return result.size() == count && result.front() == octets_.front() &&
           result.back() == octets_.front();
  }
  bool echo_longs(std::size_t count) {
    longs_.resize(count);
    longs_.front() = longs_.back() = ++number_;
    const Cubit::LongSequence result = cuber_->echo_longs(longs_);
    return result.size() == count && result.front() == longs_.front() &&
           result.back() == longs_.front();
  }

 private:
  IDL::traits<Cubit::Cuber>::ref_type cuber_;
  Cubit::OctetSequence octets_;
  Cubit::LongSequence longs_;
  std::int32_t number_ = 0;
};

}  // namespace

int run_perigee_server(const std::string& thread_strategy, const std::string& endpoint,
                       const std::vector<std::string>& options) {
  std::vector<std::string> arguments{"cubit", "-ORBListenEndpoints", endpoint, "-ORBThreadStrategy",
                                     thread_strategy};
  arguments.insert(arguments.end(), options.begin(), options.end());
  auto orb = CORBA::ORB_init(arguments);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto servant = CORBA::make_reference<CuberServant>();
  auto cuber = servant->_this();
  poa->the_POAManager()->activate();
  std::cout << orb->object_to_string(cuber) << std::endl;
  orb->run();
  return 0;
}

int run_perigee_client(const std::string& ior, const std::vector<std::string>& options) {
  std::vector<std::string> arguments{"cubit"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  auto orb = CORBA::ORB_init(arguments);
  auto cuber = IDL::traits<Cubit::Cuber>::narrow(orb->string_to_object(ior));
  if (!cuber) {
    std::cerr << "perigee bench cubit: not a Cubit::Cuber: " << ior << '\n';
    return 1;
  }
  Calls calls(std::move(cuber));
  return cubit::serve_commands(cubit::make_workloads(calls));
}

}  // namespace perigee::bench
