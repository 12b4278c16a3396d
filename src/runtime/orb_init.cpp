// ORB_init, and the ORBs of the process by identifier: the only global state there is.
#include "orb/orb_core.h"
#include "runtime/assembly.h"
#include "runtime/options.h"
#include <perigee/orb/orb.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {

namespace {

using perigee::runtime::Configuration;

// An ORB stays here until it is destroyed, even if nobody refers to it meanwhile.
struct OrbTable {
  std::mutex mutex;  // guards the ORBs
  std::map<std::string, object_reference<ORB>> orbs;
};

// Never destructed: threads of an ORB that nobody destroyed may run until the process ends.
OrbTable& orb_table() {
  static OrbTable& table = *new OrbTable;
  return table;
}

void forget_orb(const std::string& id) {
  object_reference<ORB> forgotten;  // let go of outside the lock
  OrbTable& table = orb_table();
  const std::lock_guard lock(table.mutex);
  if (const auto entry = table.orbs.find(id); entry != table.orbs.end()) {
    forgotten = std::move(entry->second);
    table.orbs.erase(entry);
  }
}

object_reference<ORB> find_or_make_orb(Configuration configuration) {
  const std::string id = configuration.settings.orb_id;
  OrbTable& table = orb_table();
  const std::lock_guard lock(table.mutex);
  if (const auto entry = table.orbs.find(id); entry != table.orbs.end()) return entry->second;
  auto core = perigee::runtime::assemble(std::move(configuration));
  core->at_destroy([id] { forget_orb(id); });
  object_reference<ORB> orb(perigee::make_counted<ORB>(std::move(core)));
  table.orbs.emplace(id, orb);
  return orb;
}

}  // namespace

object_reference<ORB> ORB_init(std::vector<std::string>& arguments,
                               const std::string& orb_identifier) {
  Configuration configuration;
  perigee::runtime::take_options(arguments, configuration);
  // CORBA 3.0, 4.4: the option counts where the argument is empty.
  if (!orb_identifier.empty()) configuration.settings.orb_id = orb_identifier;
  return find_or_make_orb(std::move(configuration));
}

object_reference<ORB> ORB_init(int& argc, char* argv[], const std::string& orb_identifier) {
  std::vector<std::string> arguments(argv, argv + argc);
  auto orb = ORB_init(arguments, orb_identifier);
  // What is left keeps its order, so each argument's own pointer can be kept.
  int kept = 0;
  for (int index = 0; index < argc && static_cast<std::size_t>(kept) < arguments.size(); ++index)
    if (arguments[static_cast<std::size_t>(kept)] == argv[index]) argv[kept++] = argv[index];
  argc = kept;
  argv[argc] = nullptr;
  return orb;
}

}  // namespace perigee_v1
}  // namespace CORBA
