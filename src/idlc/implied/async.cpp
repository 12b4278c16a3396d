// Coroutines: names of clients and skeletons, and classes for several results.
#include "idlc/implied/maker.h"

#include <algorithm>
#include <map>

namespace perigee::idlc {
namespace {

class AsyncMaker final {
 public:
  AsyncMaker(Maker& maker, bool all) : maker_(maker), all_(all) {}

  Async make(const Interface& origin) {
    const std::string scope = scope_of(origin);
    Interface& skeleton =
        maker_.interface(origin, maker_.names().take(scope, "ASYNC_", "ASYNC_", origin.name));
    skeleton.is_local = true;
    Interface& client =
        maker_.interface(origin, maker_.names().take(scope, "", "ASYNC_", origin.name + "Async"));
    for (const Interface* base : concrete_bases(origin)) client.bases.push_back(clients_.at(base));
    clients_[&origin] = &client;
    Async async{&origin, &client, &skeleton, {}};
    const bool whole = all_ || origin.annotation("perigee::async") != nullptr;
    for (const Call& call : calls_of(origin, maker_.void_type(), Joined::declare)) {
      // The struct of the results would differ from those of the bases.
      if (call.is_joined && result_count(call) > 1) continue;
      AsyncOperation operation{call.half, call.origin, false, call.is_joined, nullptr, {}};
      operation.is_chosen = whole || call.origin->annotation("perigee::async") != nullptr;
      if (result_count(call) > 1) add_results(origin, call, operation);
      async.operations.push_back(std::move(operation));
    }
    return async;
  }

 private:
  static bool is_result(const Parameter& parameter) { return parameter.direction != Direction::in; }

  static std::ptrdiff_t result_count(const Call& call) {
    return std::ranges::count_if(call.parameters, is_result) +
           (call.return_type->kind != TypeKind::void_type ? 1 : 0);
  }

  void add_results(const Interface& origin, const Call& call, AsyncOperation& operation) {
    Struct& results =
        maker_.structure(origin, maker_.names().take(scope_of(origin), "", "ASYNC_",
                                                     origin.name + '_' + call.name + "_results"));
    if (call.return_type->kind != TypeKind::void_type) {
      const Parameter value = in_parameter({"return_value", "async_"}, call, *call.return_type);
      results.members.push_back({value.name, value.location, value.type, {}});
    }
    for (const Parameter& each : call.parameters)
      if (is_result(each)) results.members.push_back({each.name, each.location, each.type, {}});
    operation.results = &results;
    operation.results_name =
        maker_.names().take(origin, "", "async_", call.name + "_results", hides(call));
  }

  Maker& maker_;
  const bool all_;
  std::map<const Interface*, const Interface*> clients_;
};

}  // namespace

std::vector<Async> imply_async(Maker& maker, const std::vector<const Interface*>& interfaces,
                               bool all) {
  AsyncMaker async(maker, all);
  std::vector<Async> result;
  for (const Interface* each : interfaces) result.push_back(async.make(*each));
  return result;
}

}  // namespace perigee::idlc
