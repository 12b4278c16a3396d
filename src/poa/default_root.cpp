// Weak references to the Root POAs of this process, in the order in which they were made.
#include "poa/default_root.h"

#include "poa/adapter.h"

#include <mutex>
#include <vector>

namespace perigee::poa {

namespace {

struct Roots {
  std::mutex mutex;
  std::vector<weak_counted_ptr<Adapter>> known;
};

// Never destroyed: threads of an ORB that was not destroyed may run until the process ends.
Roots& roots() {
  static Roots& instance = *new Roots;
  return instance;
}

/// Null if the adapter is gone or was destroyed.
counted_ptr<Adapter> in_use(const weak_counted_ptr<Adapter>& known) {
  auto root = known.lock();
  if (root && root->destroyed()) return nullptr;
  return root;
}

}  // namespace

counted_ptr<Adapter> default_root() {
  const std::lock_guard lock(roots().mutex);
  for (const auto& known : roots().known)
    if (auto root = in_use(known)) return root;
  throw CORBA::OBJ_ADAPTER(0, CORBA::COMPLETED_NO, "no Root POA: resolve \"RootPOA\" first");
}

void offer_default_root(const counted_ptr<Adapter>& root) {
  const std::lock_guard lock(roots().mutex);
  std::erase_if(roots().known, [](const auto& known) { return in_use(known) == nullptr; });
  roots().known.push_back(root);
}

}  // namespace perigee::poa
