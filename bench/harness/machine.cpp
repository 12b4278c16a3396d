// Describes the machine of a measurement in one line.
#include "machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace perigee::bench {
namespace {

std::string cpu_model() {
  std::ifstream input("/proc/cpuinfo");
  std::string line;
  while (std::getline(input, line))
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

}  // namespace

std::string machine_description() {
  utsname system{};
  uname(&system);
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
#if defined(NDEBUG) || defined(__OPTIMIZE__)
  const std::string kind = "optimised";
#else
  const std::string kind = "NOT OPTIMISED";
#endif
  return cpu_model() + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " CPUs, Linux " +
         system.release + ", " + compiler + ", " + kind;
}

}  // namespace perigee::bench
