// Sends random values of random types to a peer that decodes them and encodes them again, twice (as
// inout parameter and as result): both must come back as they were.
//   properties_perigee_client IOR-FILE [--quit] [--wide]
// Without --wide, types with wide characters are left out. Values that omniORB cannot send back are
// always left out: `long double`; `fixed` without a typedef or in a union, where omniORB loses the
// digits; and single or bounded wchars beyond U+FFFF, which are two wchars in omniORB.
#include "any_types.h"
#include <perigee/corba.h>
#include <perigee/orb/stub.h>

#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

namespace {

using perigee::test::Features;
using perigee::test::RandomValues;

constexpr std::uint64_t values_per_type = 10;
Features features_of_peer = Features::none;
int types = 0;
int failures = 0;

template <typename T>
void check(Props::Echo& echo, T (Props::Echo::*operation)(T&), const char* name,
           Features features) {
  if (!perigee::test::has(features_of_peer, features)) return;
  ++types;
  for (std::uint64_t round = 0; round < values_per_type; ++round) {
    const std::uint64_t seed = perigee::test::seed_of_run() + round;
    RandomValues random(seed, features_of_peer, perigee::test::property_types());
    T value{};
    random.fill(value);
    T travelling = value;
    const T result = (echo.*operation)(travelling);
    if (result == value && travelling == value) continue;
    std::cerr << name << ": the value of seed " << seed << " came back as another value\n";
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
#define PERIGEE_CHECK_TYPE(Type, type_code, operation, features, memory) \
  check<Type>(*echo, &Props::Echo::operation, #Type, features);
  PROPERTIES_FOR_EACH(PERIGEE_CHECK_TYPE)
#undef PERIGEE_CHECK_TYPE
  echo->quit();
  std::cout << types << " types" << std::endl;
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    auto orb = CORBA::ORB_init(argc, argv);
    if (argc < 2) {
      std::cerr << "usage: properties_perigee_client IOR-FILE [--quit] [--wide]\n";
      return 1;
    }
    for (int index = 2; index < argc; ++index) {
      if (std::string_view(argv[index]) == "--wide") features_of_peer = Features::wide;
    }
    const int status = run(orb, argv[1]);
    orb->destroy();
    return status;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "properties_perigee_client: " << exception.what() << '\n';
    return 1;
  }
}
