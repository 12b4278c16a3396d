// Sends random values of random types to a peer that decodes them and encodes them again, twice (as
// inout parameter and as result): both must come back as they were.
//   properties_perigee_client IOR-FILE [--quit] [--size-max OCTETS]
// Values that take more octets than that are left out.
#include "propertiesC.h"
#include "properties_types.h"
#include "random_value.h"
#include <perigee/corba.h>
#include <perigee/orb/stub.h>

#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>

namespace {

using perigee::test::RandomValues;

constexpr std::uint64_t values_per_type = 10;
std::size_t size_max = std::numeric_limits<std::size_t>::max();
int failures = 0;

template <typename T>
std::size_t encoded_size(const T& value) {
  perigee::cdr::Buffer buffer;
  perigee::cdr::Encoder encoder(buffer);
  encoder << value;
  return buffer.size();
}

template <typename T>
void check(Props::Echo& echo, T (Props::Echo::*operation)(T&), const char* name) {
  for (std::uint64_t round = 0; round < values_per_type; ++round) {
    const std::uint64_t seed = perigee::test::seed_of_run() + round;
    RandomValues random(seed);
    T value{};
    random.fill(value);
    if (encoded_size(value) > size_max) continue;
    T travelling = value;
    const T result = (echo.*operation)(travelling);
    if (result == value && travelling == value) continue;
    std::cerr << name << ": the value of seed " << seed << " came back as another one\n";
    ++failures;
  }
}

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::string& file) {
  std::string ior;
  std::ifstream(file) >> ior;
  const auto echo = IDL::traits<Props::Echo>::narrow(orb->string_to_object(ior));
  if (!echo) {
    std::cerr << "properties_perigee_client: no Props::Echo in " << file << '\n';
    return 1;
  }
  std::cout << "PERIGEE_TEST_SEED=" << perigee::test::seed_of_run() << ", types of seed "
            << PERIGEE_PROPERTY_SEED << std::endl;
#define PERIGEE_CHECK_TYPE(Type, operation) check<Type>(*echo, &Props::Echo::operation, #Type);
  PROPERTIES_FOR_EACH(PERIGEE_CHECK_TYPE)
#undef PERIGEE_CHECK_TYPE
  echo->quit();
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    auto orb = CORBA::ORB_init(argc, argv);
    if (argc < 2) {
      std::cerr << "usage: properties_perigee_client IOR-FILE [--quit]\n";
      return 1;
    }
    for (int index = 2; index + 1 < argc; ++index)
      if (std::string_view(argv[index]) == "--size-max") size_max = std::stoul(argv[index + 1]);
    const int status = run(orb, argv[1]);
    orb->destroy();
    return status;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "properties_perigee_client: " << exception.what() << '\n';
    return 1;
  }
}
