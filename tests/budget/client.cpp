// The client of the budget tests. It always ends the server.
//   budget_client FILE --calls N        makes N calls of nothing(); strace counts system calls
//   budget_client FILE --allocations    fails if a call allocates, on either side
//   budget_client FILE --copies         fails if the client copies large arguments
#include "budgetC.h"
#include "counting_allocator.h"
#include "counting_copies.h"
#include <perigee/corba.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace {

using Meter = IDL::traits<Budget::Meter>::ref_type;

constexpr int warm_up_calls = 200;
constexpr int counted_calls = 100;
constexpr int attempts_max = 50;

struct Allocations {
  std::uint64_t client = 0;
  std::uint64_t server = 0;
};

Allocations count_allocations(const Meter& meter, const std::function<void()>& call) {
  meter->allocations();
  const std::uint64_t server_before = meter->allocations();
  const std::uint64_t client_before = budget::allocations();
  for (int index = 0; index < counted_calls; ++index) call();
  const std::uint64_t client = budget::allocations() - client_before;
  return {client, meter->allocations() - server_before};
}

// Prints the counts of the last attempt. Returns false if `call` allocates in the steady state in
// every attempt. One attempt is not enough, since a loaded machine may make the server start a
// helper thread.
bool allocates_nothing(const Meter& meter, const char* name, const std::function<void()>& call) {
  for (int index = 0; index < warm_up_calls; ++index) call();
  Allocations counted;
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    counted = count_allocations(meter, call);
    if (counted.client == 0 && counted.server == 0) break;
  }
  std::cout << name << ": " << counted.client << " allocations by the client, " << counted.server
            << " by the server, in " << counted_calls << " calls\n";
  return counted.client == 0 && counted.server == 0;
}

bool check_allocations(const Meter& meter) {
  Budget::Measure last(1, 2, 3, 4.0, Budget::Unit::second);
  const Budget::Measure measure(5, 6, 7, 8.0, Budget::Unit::metre);
  bool good = true;
  good &= allocates_nothing(meter, "void", [&] { meter->nothing(); });
  good &= allocates_nothing(meter, "long", [&] {
    if (meter->add(20, 22) != 42) throw CORBA::INTERNAL();
  });
  good &= allocates_nothing(meter, "struct", [&] {
    bool changed = false;
    meter->convert(measure, last, changed);
    if (!changed) throw CORBA::INTERNAL();
  });
  good &= allocates_nothing(meter, "oneway and void", [&] {
    meter->hint(1);
    meter->nothing();
  });
  return good;
}

// The octets that one call copies, except for its header. It is the least of several attempts, as
// copies of other threads are counted, too.
std::uint64_t copied_by(const std::function<void()>& call) {
  call();  // warm up
  std::uint64_t least = UINT64_MAX;
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    const std::uint64_t before = budget::copied_octets();
    call();
    least = std::min(least, budget::copied_octets() - before);
  }
  return least;
}

bool check_copies(const Meter& meter) {
  const Budget::Octets small(4096, 7);
  const Budget::Octets large(64 * 1024, 7);
  const std::string text(64 * 1024, 'x');
  const std::uint64_t of_small = copied_by([&] { meter->take_octets(small); });
  const std::uint64_t of_large = copied_by([&] { meter->take_octets(large); });
  const std::uint64_t of_text = copied_by([&] { meter->take_text(text); });
  std::cout << "copied: " << of_small << " octets of a call with 4 KiB, " << of_large
            << " with 64 KiB, " << of_text << " with a string of 64 KiB\n";
  return of_small >= small.size() && of_large < 1024 && of_text < 1024;
}

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::vector<std::string>& arguments) {
  std::string ior;
  std::ifstream(arguments.at(1)) >> ior;
  const auto meter = IDL::traits<Budget::Meter>::narrow(orb->string_to_object(ior));
  int status = 0;
  for (std::size_t index = 2; index < arguments.size(); ++index) {
    if (arguments[index] == "--allocations" && !check_allocations(meter)) status = 1;
    if (arguments[index] == "--copies" && !check_copies(meter)) status = 1;
    if (arguments[index] == "--calls")
      for (long left = std::stol(arguments.at(index + 1)); left > 0; --left) meter->nothing();
  }
  meter->quit();
  return status;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    auto orb = CORBA::ORB_init(argc, argv);
    const int status = run(orb, {argv, argv + argc});
    orb->destroy();
    return status;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "budget_client: " << exception.what() << '\n';
    return 1;
  }
}
