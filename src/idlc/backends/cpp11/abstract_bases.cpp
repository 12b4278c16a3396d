// Searches all bases of an interface for abstract interfaces and for CORBA::AbstractBase.
#include "idlc/backends/cpp11/abstract_bases.h"

#include <algorithm>
#include <vector>

namespace perigee::idlc::cpp11 {

bool adds_abstract_base(const Interface& interface) {
  const std::vector<const Interface*> bases = all_bases(interface);
  const auto is_abstract_base = [](const Interface* base) {
    return base->scoped_name == "::CORBA::AbstractBase";
  };
  return std::ranges::any_of(bases, &Interface::is_abstract) &&
         std::ranges::none_of(bases, is_abstract_base);
}

}  // namespace perigee::idlc::cpp11
