// Makes changes of a store, and waits for their results.
#pragma once

#include <perigee/services/naming/store.h>

#include <future>
#include <string>
#include <utility>

namespace perigee::naming::test {

using Outcome = ChangeResult::Outcome;
using Result = std::expected<ChangeResult, StoreError>;

inline Result make(Store& store, Change change) {
  std::promise<Result> made;
  store.change(std::move(change), [&made](Result result) { made.set_value(std::move(result)); });
  return made.get_future().get();
}

inline Change change_of(Change::Kind kind, const std::string& id,
                        ContextNumber context = root_context) {
  return {
      .kind = kind, .context = context, .name = {id, "k"}, .target = {.reference = "ref " + id}};
}

inline Outcome outcome(Store& store, Change change) {
  return make(store, std::move(change)).value().outcome;
}
inline Outcome add(Store& store, const std::string& id, ContextNumber context = root_context) {
  return outcome(store, change_of(Change::Kind::bind, id, context));
}

inline std::string reference_of(Store& store, const std::string& id,
                                ContextNumber context = root_context) {
  const auto found = store.find(context, {id, "k"}).value();
  return found ? found->target.reference : "none";
}

inline std::string ids(Store& store, ContextNumber context, const Component* after,
                       std::size_t count, WallTime now = 0) {
  std::string text;
  const auto page = store.list(context, after, count, now).value();
  for (const Binding& binding : page) text += binding.name.id + " ";
  return text;
}

}  // namespace perigee::naming::test
