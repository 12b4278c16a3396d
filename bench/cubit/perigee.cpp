// The cubit experiment over Perigee: the server and the client, each a process of its own.
#include "perigee.h"

#include "cubes.h"
#include "cubitC.h"
#include "cubitS.h"
#include "orb_workloads.h"
#include "serve.h"
#include <perigee/base/probe.h>
#include <perigee/corba.h>
#include <perigee/orb/shared_memory.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace perigee::bench {
namespace {

bool is_cube(const Cubit::Many& result, const Cubit::Many& value) {
  return result.o() == cubit::cube(value.o()) && result.l() == cubit::cube(value.l()) &&
         result.s() == cubit::cube(value.s());
}

/// Measures the time of the servant itself, in the build with time probes.
struct UpcallTime {
  UpcallTime() noexcept { probe::stamp(probe::Point::upcall_begins); }
  ~UpcallTime() { probe::stamp(probe::Point::upcall_ended); }
  UpcallTime(const UpcallTime&) = delete;
  UpcallTime& operator=(const UpcallTime&) = delete;
};

class CuberServant final : public CORBA::servant_traits<Cubit::Cuber>::base_type {
 public:
  void cube_void() override { const UpcallTime time; }
  char next_char(char value) override {
    const UpcallTime time;
    return static_cast<char>(value + 1);
  }
  std::uint8_t cube_octet(std::uint8_t value) override {
    const UpcallTime time;
    return cubit::cube(value);
  }
  std::int16_t cube_short(std::int16_t value) override {
    const UpcallTime time;
    return cubit::cube(value);
  }
  std::int32_t cube_long(std::int32_t value) override {
    const UpcallTime time;
    return cubit::cube(value);
  }
  double cube_double(double value) override {
    const UpcallTime time;
    return cubit::cube(value);
  }
  Cubit::Many cube_struct(const Cubit::Many& value) override {
    const UpcallTime time;
    return cubit::cube(value);
  }
  Cubit::OneOf cube_union(const Cubit::OneOf& value) override {
    const UpcallTime time;
    return cubit::cube(value);
  }
  CORBA::Any cube_any(const CORBA::Any& value) override {
    const UpcallTime time;
    return cubit::cube(value);
  }
  Cubit::OctetSequence echo_octets(const Cubit::OctetSequence& values) override {
    const UpcallTime time;
    return values;
  }
  std::uint32_t count_octets(std::span<const std::uint8_t> values) override {
    return static_cast<std::uint32_t>(values.size());
  }
  Cubit::LongSequence echo_longs(const Cubit::LongSequence& values) override {
    const UpcallTime time;
    return values;
  }
  Cubit::ManySequence echo_structs(const Cubit::ManySequence& values) override {
    const UpcallTime time;
    return values;
  }
};

class Calls {
 public:
  /// `pool`: has the memory for the octets of `count_octets`. Without a pool, this process
  /// allocates private memory for them.
  Calls(IDL::traits<Cubit::Cuber>::ref_type cuber, std::optional<shared_pool> pool)
      : cuber_(std::move(cuber)), pool_(std::move(pool)) {}

  bool cube_void() {
    cuber_->cube_void();
    return true;
  }
  char next_char(char value) { return cuber_->next_char(value); }
  double cube_double(double value) { return cuber_->cube_double(value); }
  std::uint8_t cube_octet(std::uint8_t value) { return cuber_->cube_octet(value); }
  std::int16_t cube_short(std::int16_t value) { return cuber_->cube_short(value); }
  std::int32_t cube_long(std::int32_t value) { return cuber_->cube_long(value); }
  bool cube_struct(std::uint8_t o, std::int32_t l, std::int16_t s) {
    const Cubit::Many value(o, l, s);
    return is_cube(cuber_->cube_struct(value), value);
  }
  bool cube_union(std::uint8_t o, std::int32_t l, std::int16_t s) {
    Cubit::OneOf value;
    value.m(Cubit::Many(o, l, s));
    const Cubit::OneOf result = cuber_->cube_union(value);
    return result._d() == Cubit::Kind::struct_kind && is_cube(result.m(), value.m());
  }
  bool cube_any(std::int32_t number) {
    CORBA::Any value;
    value <<= number;
    const CORBA::Any result = cuber_->cube_any(value);
    std::int32_t cubed = 0;
    return (result >>= cubed) && cubed == cubit::cube(number);
  }
  bool echo_octets(std::size_t count) {
    octets_.resize(count);
    octets_.front() = octets_.back() = static_cast<std::uint8_t>(++number_);
    const Cubit::OctetSequence result = cuber_->echo_octets(octets_);
    return result.size() == count && result.front() == octets_.front() &&
           result.back() == octets_.front();
  }
  bool count_octets(std::size_t count) {
    if (pool_) return count_shared_octets(count);
    octets_.resize(count);
    return cuber_->count_octets(octets_) == count;
  }
  bool echo_longs(std::size_t count) {
    longs_.resize(count);
    longs_.front() = longs_.back() = ++number_;
    const Cubit::LongSequence result = cuber_->echo_longs(longs_);
    return result.size() == count && result.front() == longs_.front() &&
           result.back() == longs_.front();
  }
  bool echo_structs(std::size_t count) {
    structs_.resize(count);
    structs_.front().l(++number_);
    structs_.back() = structs_.front();
    const Cubit::ManySequence result = cuber_->echo_structs(structs_);
    return result.size() == count && result.front() == structs_.front() &&
           result.back() == structs_.front();
  }

 private:
  // The octets are filled when the size changes, not in each call.
  bool count_shared_octets(std::size_t count) {
    if (shared_octets_.size() != count) {
      shared_octets_ = {};
      shared_octets_ = shared_vector<std::uint8_t>(*pool_, count);
    }
    return cuber_->count_octets(shared_octets_) == count;
  }

  IDL::traits<Cubit::Cuber>::ref_type cuber_;
  std::optional<shared_pool> pool_;
  shared_vector<std::uint8_t> shared_octets_;
  Cubit::OctetSequence octets_;
  Cubit::LongSequence longs_;
  Cubit::ManySequence structs_;
  std::int32_t number_ = 0;
};

}  // namespace

int run_perigee_server(const std::string& thread_strategy, const std::string& endpoint,
                       const std::vector<std::string>& options) {
  return serve({thread_strategy, endpoint, options}, CORBA::make_reference<CuberServant>());
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
  const bool links = std::ranges::find(options, "-ORBSharedMemoryTrust") != options.end();
  Calls calls(std::move(cuber),
              links ? std::optional<shared_pool>(shared_pool_of(*orb)) : std::nullopt);
  return cubit::serve_commands(cubit::make_workloads(calls));
}

}  // namespace perigee::bench
