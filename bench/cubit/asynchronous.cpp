// Servers of the cubit experiment with asynchronous servants, which reply at once.
#include "asynchronous.h"

#include "cubes.h"
#include "cubitAmhS.h"
#include "cubitAsyncS.h"
#include "serve.h"

#include <cstdint>
#include <stdexcept>

namespace perigee::bench {
namespace {

class Handling final : public CORBA::amh_traits<Cubit::Cuber>::base_type {
  using Handler = CORBA::amh_traits<Cubit::Cuber>::response_handler_ref_type;

 public:
  void cube_void(Handler handler) override { handler->cube_void(); }
  void next_char(Handler handler, char value) override {
    handler->next_char(static_cast<char>(value + 1));
  }
  void cube_octet(Handler handler, std::uint8_t value) override {
    handler->cube_octet(cubit::cube(value));
  }
  void cube_short(Handler handler, std::int16_t value) override {
    handler->cube_short(cubit::cube(value));
  }
  void cube_long(Handler handler, std::int32_t value) override {
    handler->cube_long(cubit::cube(value));
  }
  void cube_double(Handler handler, double value) override {
    handler->cube_double(cubit::cube(value));
  }
  void cube_struct(Handler handler, const Cubit::Many& value) override {
    handler->cube_struct(cubit::cube(value));
  }
  void cube_union(Handler handler, const Cubit::OneOf& value) override {
    handler->cube_union(cubit::cube(value));
  }
  void cube_any(Handler handler, const CORBA::Any& value) override {
    handler->cube_any(cubit::cube(value));
  }
  void echo_octets(Handler handler, const Cubit::OctetSequence& value) override {
    handler->echo_octets(value);
  }
  void count_octets(Handler handler, perigee::pinned<std::uint8_t> value) override {
    handler->count_octets(static_cast<std::uint32_t>(value.size()));
  }
  void echo_longs(Handler handler, const Cubit::LongSequence& value) override {
    handler->echo_longs(value);
  }
  void echo_structs(Handler handler, const Cubit::ManySequence& value) override {
    handler->echo_structs(value);
  }
};

class Returning final : public CORBA::async_traits<Cubit::Cuber>::base_type {
 public:
  task<void> cube_void() override { co_return; }
  task<char> next_char(char value) override { co_return static_cast<char>(value + 1); }
  task<std::uint8_t> cube_octet(std::uint8_t value) override { co_return cubit::cube(value); }
  task<std::int16_t> cube_short(std::int16_t value) override { co_return cubit::cube(value); }
  task<std::int32_t> cube_long(std::int32_t value) override { co_return cubit::cube(value); }
  task<double> cube_double(double value) override { co_return cubit::cube(value); }
  task<Cubit::Many> cube_struct(Cubit::Many value) override { co_return cubit::cube(value); }
  task<Cubit::OneOf> cube_union(Cubit::OneOf value) override { co_return cubit::cube(value); }
  task<CORBA::Any> cube_any(CORBA::Any value) override { co_return cubit::cube(value); }
  task<Cubit::OctetSequence> echo_octets(Cubit::OctetSequence value) override { co_return value; }
  task<std::uint32_t> count_octets(pinned<std::uint8_t> value) override {
    co_return static_cast<std::uint32_t>(value.size());
  }
  task<Cubit::LongSequence> echo_longs(Cubit::LongSequence value) override { co_return value; }
  task<Cubit::ManySequence> echo_structs(Cubit::ManySequence value) override { co_return value; }
};

}  // namespace

int run_asynchronous_server(const std::string& kind, const std::string& endpoint) {
  const Serving serving{"reactive", endpoint, {}};
  if (kind == "AMH") return serve(serving, CORBA::make_reference<Handling>());
  if (kind == "coroutine") return serve(serving, CORBA::make_reference<Returning>());
  throw std::runtime_error("no such kind of servant: " + kind);
}

}  // namespace perigee::bench
