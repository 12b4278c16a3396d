// The CPUs that a process may use.
#include "event/cpus.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <optional>
#include <thread>

using namespace perigee::event;

TEST_CASE("the quota of a cgroup is a number of CPUs, rounded up") {
  CHECK(cpus_of_quota("200000 100000") == 2);
  CHECK(cpus_of_quota("150000 100000") == 2);
  CHECK(cpus_of_quota("1000 100000") == 1);
}

TEST_CASE("text without a valid quota sets no limit") {
  for (const char* text : {"max 100000", "", "100000", "100000 ", "100000 0", "0 100000",
                           "-5 100000", "1e5 100000", "99999999999999999999 100000"})
    CHECK(cpus_of_quota(text) == std::nullopt);
}

TEST_CASE("a process uses at most the CPUs of its affinity mask") {
  CHECK(usable_cpus() >= 1);
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    if (::sched_setaffinity(0, sizeof one, &one) == 0) CHECK(usable_cpus() == 1);
  }).join();
}
