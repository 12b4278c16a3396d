// Calls the Outside::Counter of the first argument and prints the result.
#include "counterC.h"
#include <perigee/orb/orb.h>

#include <iostream>

int main(int argc, char* argv[]) {
  auto orb = CORBA::ORB_init(argc, argv);
  auto counter = IDL::traits<Outside::Counter>::narrow(orb->string_to_object(argv[1]));
  int32_t count = 0;
  const int32_t sum = counter->sum({1, 2, 39}, count);
  std::cout << sum << " of " << count << '\n';
  try {
    counter->sum({}, count);
  } catch (const Outside::Empty& empty) {
    std::cout << empty.reason() << '\n';
  }
}
