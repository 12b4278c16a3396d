// ORB_init, and the ORBs of the process by identifier: the only global state of this layer.
#include "orb/core/orb_core.h"
#include "orb/core/orb_making.h"
#include "runtime/assembly.h"
#include "runtime/interceptors_part.h"
#include "runtime/options.h"
#include <perigee/orb/orb.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {

namespace {

using perigee::runtime::Configuration;

// An ORB stays here until it is destroyed, even if no reference to it is left.
struct OrbTable {
  struct Entry {
    object_reference<ORB> orb;  // nil: it is being made
    std::thread::id maker;
  };
  std::mutex mutex;  // guards the ORBs
  std::condition_variable made;
  std::map<std::string, Entry> orbs;
};

// Never destroyed: threads of an ORB that was not destroyed may run until the process ends.
OrbTable& orb_table() {
  static OrbTable& table = *new OrbTable;
  return table;
}

void forget_orb(const std::string& id) {
  object_reference<ORB> forgotten;  // released after unlocking
  OrbTable& table = orb_table();
  const std::lock_guard lock(table.mutex);
  if (const auto entry = table.orbs.find(id); entry != table.orbs.end()) {
    forgotten = std::move(entry->second.orb);
    table.orbs.erase(entry);
    table.made.notify_all();
  }
}

// The ORB of this identifier. Waits while another thread makes it. nil: the caller has to make it.
object_reference<ORB> find_or_reserve(const std::string& id) {
  OrbTable& table = orb_table();
  std::unique_lock lock(table.mutex);
  for (;;) {
    const auto [entry, is_new] = table.orbs.try_emplace(id, nullptr, std::this_thread::get_id());
    if (is_new || entry->second.orb) return entry->second.orb;
    if (entry->second.maker == std::this_thread::get_id())
      throw INITIALIZE(0, COMPLETED_NO, "this thread is already making the ORB '" + id + "'");
    table.made.wait(lock);
  }
}

// If an initializer fails, destroys the ORB and everything that the initializers have made.
void run_making_hook(const std::shared_ptr<perigee::orb::OrbCore>& core,
                     const std::vector<std::string>& arguments) {
  try {
    if (core->settings().trace_use != perigee::orb::TraceUse::no)
      perigee::runtime::load_interceptors();
    if (const auto hook = perigee::orb::orb_making_hook()) hook(core, arguments);
  } catch (...) {
    core->destroy();
    throw;
  }
}

// Makes the ORB without the lock: a loaded library and an initializer may make ORBs of their own.
object_reference<ORB> find_or_make_orb(Configuration configuration,
                                       const std::vector<std::string>& arguments) {
  const std::string id = configuration.settings.orb_id;
  if (auto known = find_or_reserve(id)) return known;
  try {
    auto core = perigee::runtime::assemble(std::move(configuration));
    run_making_hook(core, arguments);
    core->at_destroy([id] { forget_orb(id); });
    object_reference<ORB> orb = core->orb();
    OrbTable& table = orb_table();
    const std::lock_guard lock(table.mutex);
    table.orbs.at(id).orb = orb;
    table.made.notify_all();
    return orb;
  } catch (...) {
    forget_orb(id);
    throw;
  }
}

}  // namespace

object_reference<ORB> ORB_init(std::vector<std::string>& arguments,
                               const std::string& orb_identifier) {
  Configuration configuration;
  perigee::runtime::take_options(arguments, configuration);
  // CORBA 3.0, 4.4: if the argument is empty, the option applies.
  if (!orb_identifier.empty()) configuration.settings.orb_id = orb_identifier;
  return find_or_make_orb(std::move(configuration), arguments);
}

object_reference<ORB> ORB_init(int& argc, char* argv[], const std::string& orb_identifier) {
  std::vector<std::string> arguments(argv, argv + argc);
  auto orb = ORB_init(arguments, orb_identifier);
  // The remaining arguments keep their order, so each argument's own pointer can be kept.
  int kept = 0;
  for (int index = 0; index < argc && static_cast<std::size_t>(kept) < arguments.size(); ++index)
    if (arguments[static_cast<std::size_t>(kept)] == argv[index]) argv[kept++] = argv[index];
  argc = kept;
  if (argv != nullptr) argv[argc] = nullptr;
  return orb;
}

}  // namespace perigee_v1
}  // namespace CORBA
