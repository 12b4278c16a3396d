// Finds the library, and checks that it was built for this ORB.
#include "runtime/interceptors_part.h"

#include "orb/core/dynamic_library.h"
#include "transport/companion.h"
#include <perigee/base/io_error.h>
#include <perigee/orb/exceptions.h>

#include <string>
#include <string_view>

namespace perigee::runtime {

namespace {

constexpr char library_file[] = PERIGEE_DYNAMIC_FILE;

[[noreturn]] void raise_unusable(const char* option, const std::string& why) {
  throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO,
                          std::string(option) + " needs " + library_file + ": " + why);
}

}  // namespace

void load_interceptors(const char* option) {
  if (&interceptors::use_interceptors != nullptr) return interceptors::use_interceptors();
  const auto symbol = transport::companion_symbol(library_file, orb::dynamic_library_symbol);
  if (!symbol) raise_unusable(option, to_string(symbol.error()));
  const auto* const library = static_cast<const orb::DynamicLibrary*>(*symbol);
  if (std::string_view(library->build) != transport::plugin_build)
    raise_unusable(option, "it was built for another version of libperigee");
  if (library->home != &transport::plugin_home)
    raise_unusable(
        option,
        "the program contains a static copy of Perigee: link it with Perigee::static_dynamic, too");
  library->use_interceptors();
}

}  // namespace perigee::runtime
