// The cubit experiment over omniORB, as a peer in the same run: server and client in one program.
//   cubit_omniorb server [omniORB options]      prints its IOR
//   cubit_omniorb client IOR [omniORB options]  answers commands (workloads.h)
#include "cubit.hh"
#include "orb_workloads.h"

#include <csignal>
#include <cstring>
#include <iostream>
#include <string>

namespace {

Cubit::Many cube(const Cubit::Many& value) {
  Cubit::Many result;
  result.o = cubit::cube(std::uint8_t{value.o});
  result.l = cubit::cube(std::int32_t{value.l});
  result.s = cubit::cube(std::int16_t{value.s});
  return result;
}

Cubit::Many make_many(std::uint8_t o, std::int32_t l, std::int16_t s) {
  Cubit::Many value;
  value.o = o;
  value.l = l;
  value.s = s;
  return value;
}

bool is_cube(const Cubit::Many& result, const Cubit::Many& value) {
  const Cubit::Many cubed = cube(value);
  return result.o == cubed.o && result.l == cubed.l && result.s == cubed.s;
}

class CuberServant : public POA_Cubit::Cuber {
 public:
  void cube_void() override {}
  CORBA::Octet cube_octet(CORBA::Octet value) override { return cubit::cube(std::uint8_t{value}); }
  CORBA::Short cube_short(CORBA::Short value) override { return cubit::cube(std::int16_t{value}); }
  CORBA::Long cube_long(CORBA::Long value) override { return cubit::cube(std::int32_t{value}); }
  CORBA::Char next_char(CORBA::Char value) override { return static_cast<CORBA::Char>(value + 1); }
  CORBA::Double cube_double(CORBA::Double value) override { return cubit::cube(double{value}); }
  Cubit::Many cube_struct(const Cubit::Many& value) override { return cube(value); }
  Cubit::OneOf cube_union(const Cubit::OneOf& value) override {
    Cubit::OneOf result;
    result.m(cube(value.m()));
    return result;
  }
  CORBA::Any* cube_any(const CORBA::Any& value) override {
    CORBA::Long number = 0;
    value >>= number;
    auto* result = new CORBA::Any;
    *result <<= CORBA::Long{cubit::cube(std::int32_t{number})};
    return result;
  }
  Cubit::OctetSequence* echo_octets(const Cubit::OctetSequence& values) override {
    return new Cubit::OctetSequence(values);
  }
  CORBA::ULong count_octets(const Cubit::OctetSequence& values) override {
    return values.length();
  }
  Cubit::LongSequence* echo_longs(const Cubit::LongSequence& values) override {
    return new Cubit::LongSequence(values);
  }
  Cubit::ManySequence* echo_structs(const Cubit::ManySequence& values) override {
    return new Cubit::ManySequence(values);
  }
};

class Calls {
 public:
  explicit Calls(Cubit::Cuber_ptr cuber) : cuber_(Cubit::Cuber::_duplicate(cuber)) {
    octets_.length(cubit::large_sequence_size);
    longs_.length(cubit::large_sequence_size / 4);
  }
  bool cube_void() {
    cuber_->cube_void();
    return true;
  }
  char next_char(char value) { return static_cast<char>(cuber_->next_char(value)); }
  double cube_double(double value) { return cuber_->cube_double(value); }
  std::uint8_t cube_octet(std::uint8_t value) { return cuber_->cube_octet(value); }
  std::int16_t cube_short(std::int16_t value) { return cuber_->cube_short(value); }
  std::int32_t cube_long(std::int32_t value) { return cuber_->cube_long(value); }
  bool cube_struct(std::uint8_t o, std::int32_t l, std::int16_t s) {
    const Cubit::Many value = make_many(o, l, s);
    return is_cube(cuber_->cube_struct(value), value);
  }
  bool cube_union(std::uint8_t o, std::int32_t l, std::int16_t s) {
    Cubit::OneOf value;
    value.m(make_many(o, l, s));
    const Cubit::OneOf result = cuber_->cube_union(value);
    return result._d() == Cubit::struct_kind && is_cube(result.m(), value.m());
  }
  bool cube_any(std::int32_t number) {
    CORBA::Any value;
    value <<= CORBA::Long{number};
    CORBA::Any_var result = cuber_->cube_any(value);
    CORBA::Long cubed = 0;
    return (result.in() >>= cubed) && cubed == cubit::cube(number);
  }
  bool echo_octets(std::size_t count) {
    octets_.length(static_cast<CORBA::ULong>(count));
    octets_[0] = octets_[octets_.length() - 1] = ++number_ & 0xff;
    Cubit::OctetSequence_var result = cuber_->echo_octets(octets_);
    return result->length() == count && result[0] == octets_[0] &&
           result[result->length() - 1] == octets_[0];
  }
  bool count_octets(std::size_t count) {
    octets_.length(static_cast<CORBA::ULong>(count));
    return cuber_->count_octets(octets_) == count;
  }
  bool echo_longs(std::size_t count) {
    longs_.length(static_cast<CORBA::ULong>(count));
    longs_[0] = longs_[longs_.length() - 1] = ++number_;
    Cubit::LongSequence_var result = cuber_->echo_longs(longs_);
    return result->length() == count && result[0] == longs_[0] &&
           result[result->length() - 1] == longs_[0];
  }
  bool echo_structs(std::size_t count) {
    structs_.length(static_cast<CORBA::ULong>(count));
    structs_[0] = structs_[structs_.length() - 1] = make_many(7, ++number_, -23);
    Cubit::ManySequence_var result = cuber_->echo_structs(structs_);
    return result->length() == count && result[0].l == number_ &&
           result[result->length() - 1].l == number_;
  }

 private:
  Cubit::Cuber_var cuber_;
  Cubit::OctetSequence octets_;
  Cubit::LongSequence longs_;
  Cubit::ManySequence structs_;
  std::int32_t number_ = 0;
};

int run_server(CORBA::ORB_ptr orb) {
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  PortableServer::Servant_var<CuberServant> servant = new CuberServant;
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  CORBA::Object_var reference = poa->id_to_reference(id);
  CORBA::String_var ior = orb->object_to_string(reference);
  poa->the_POAManager()->activate();
  std::cout << ior.in() << std::endl;
  orb->run();
  return 0;
}

int run_client(CORBA::ORB_ptr orb, const char* ior) {
  CORBA::Object_var object = orb->string_to_object(ior);
  Cubit::Cuber_var cuber = Cubit::Cuber::_narrow(object);
  if (CORBA::is_nil(cuber)) {
    std::cerr << "cubit_omniorb: not a Cubit::Cuber: " << ior << std::endl;
    return 1;
  }
  Calls calls(cuber);
  return cubit::serve_commands(cubit::make_workloads(calls));
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    if (argc == 2 && std::strcmp(argv[1], "server") == 0) return run_server(orb);
    if (argc == 3 && std::strcmp(argv[1], "client") == 0) return run_client(orb, argv[2]);
    std::cerr << "usage: cubit_omniorb server | client IOR" << std::endl;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "cubit_omniorb: " << exception._name() << std::endl;
  }
  return 1;
}
