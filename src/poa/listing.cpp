// Walks the tree of adapters without holding locks of two adapters at once.
#include "poa/listing.h"

#include "orb/core/orb_core.h"
#include "poa/adapter.h"
#include "poa/dispatcher.h"
#include "poa/ior_table.h"
#include "poa/manager.h"

#include <utility>

namespace perigee::poa {

namespace {

std::string escaped(const std::string& name) {
  std::string text;
  for (const char octet : name) {
    if (octet == '/')
      text += "%2F";
    else if (octet == '%')
      text += "%25";
    else
      text += octet;
  }
  return text;
}

std::string state_of(const Adapter& adapter) {
  using State = PortableServer::POAManager::State;
  switch (adapter.manager().state()) {
    case State::HOLDING:
      return "holding";
    case State::ACTIVE:
      return "active";
    case State::DISCARDING:
      return "discarding";
    default:
      return "inactive";
  }
}

std::string path_of(const Adapter& adapter) {
  std::string path;
  for (const std::string& name : adapter.full_name())
    path += (path.empty() ? "" : "/") + escaped(name);
  return path;
}

}  // namespace

std::vector<ListedName> list_names(orb::OrbCore& core) {
  std::vector<ListedName> all;
  if (core.dispatcher() == nullptr) return all;
  for (auto& [name, id] : static_cast<Dispatcher*>(core.dispatcher())->name_table()->names())
    all.push_back({std::move(name), std::move(id)});
  return all;
}

std::vector<ListedAdapter> list_adapters(orb::OrbCore& core) {
  std::vector<ListedAdapter> all;
  if (core.dispatcher() == nullptr) return all;
  const auto& dispatcher = *static_cast<Dispatcher*>(core.dispatcher());
  std::vector<counted_ptr<Adapter>> open;
  for (auto root : {dispatcher.existing_named_root(), dispatcher.existing_root()})
    if (root) open.push_back(std::move(root));
  while (!open.empty()) {
    const counted_ptr<Adapter> adapter = std::move(open.back());
    open.pop_back();
    if (adapter->destroyed()) continue;
    all.push_back({path_of(*adapter), state_of(*adapter), adapter->active_object_count()});
    auto children = adapter->all_children();
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      open.push_back(std::move(*child));
  }
  return all;
}

}  // namespace perigee::poa
