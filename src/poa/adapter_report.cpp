// Walks the tree of adapters. Adapters may come and go meanwhile, so the walk holds one lock at a
// time, and moves from a child to the child with the next name.
#include "poa/adapter_report.h"

#include "orb/core/orb_core.h"
#include "poa/adapter.h"
#include "poa/dispatcher.h"
#include "poa/manager.h"

namespace perigee::poa {

namespace {

AdapterReport report(const Adapter& adapter) {
  const counted_ptr<Manager>& manager = adapter.shared_manager();
  return {adapter.full_name(), manager->get_id(), manager->state(), adapter.active_object_count()};
}

void add_tree(AdapterReports& reports, const counted_ptr<Adapter>& root, std::size_t count_max) {
  std::vector<counted_ptr<Adapter>> path{root};  // the adapter to report, and its ancestors
  while (!path.empty()) {
    if (reports.adapters.size() == count_max) {
      reports.is_cut = true;
      return;
    }
    reports.adapters.push_back(report(*path.back()));
    counted_ptr<Adapter> next = path.back()->first_child();
    while (!next && path.size() > 1) {
      const counted_ptr<Adapter> done = std::move(path.back());
      path.pop_back();
      next = path.back()->child_after(*done);
    }
    if (!next) return;
    path.push_back(std::move(next));
  }
}

}  // namespace

std::string_view text_of(PortableServer::POAManager::State state) noexcept {
  using State = PortableServer::POAManager::State;
  switch (state) {
    case State::HOLDING:
      return "holding";
    case State::ACTIVE:
      return "active";
    case State::DISCARDING:
      return "discarding";
    case State::INACTIVE:
      return "inactive";
  }
  return "";
}

AdapterReports report_adapters(const orb::OrbCore& core, std::size_t count_max) {
  AdapterReports reports;
  const auto* const dispatcher = static_cast<const Dispatcher*>(core.dispatcher());
  if (dispatcher == nullptr) return reports;
  for (const auto& root : {dispatcher->existing_root(), dispatcher->existing_named_root()})
    if (root) add_tree(reports, root, count_max);
  return reports;
}

}  // namespace perigee::poa
