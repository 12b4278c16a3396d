// Describes the operations of an interface for the generators of coroutine calls (clients) and
// coroutine servants.
#include "idlc/backends/cpp11/async.h"

#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

/// A coroutine of a servant outlives the upcall, so it gets pinned values instead of borrowed ones.
Coroutine coroutine_of(const AsyncOperation& operation) {
  Coroutine result{.callable = callable_of(*operation.origin, operation.half),
                   .is_chosen = operation.is_chosen,
                   .results = operation.results,
                   .results_name = cpp_name(operation.results_name)};
  result.callable.is_joined = operation.is_joined;
  if (operation.is_chosen) pin_borrowed(result.callable);
  return result;
}

}  // namespace

const Async* AsyncInterfaces::find(const Interface& interface) const {
  const auto found = std::ranges::find(*all_, &interface, &Async::origin);
  return found == all_->end() ? nullptr : &*found;
}

std::vector<Coroutine> AsyncInterfaces::operations(const Async& async) {
  std::vector<Coroutine> result;
  for (const AsyncOperation& operation : async.operations)
    result.push_back(coroutine_of(operation));
  return result;
}

SkeletonClass AsyncInterfaces::skeleton(const Async& async) const {
  return {async.origin, cpp_name(async.skeleton->name),
          [this](const Interface& interface) { return skeleton_name(*find(interface)->skeleton); }};
}

std::string result_type(const Coroutine& coroutine) {
  if (coroutine.results != nullptr) return qualified_name(*coroutine.results);
  const Callable& callable = coroutine.callable;
  if (!is_void(*callable.return_type)) return cpp_type(*callable.return_type);
  const auto out = std::ranges::find_if(callable.parameters, [](const Parameter& parameter) {
    return parameter.direction != Direction::in;
  });
  return out == callable.parameters.end() ? "void" : cpp_type(*out->type);
}

std::vector<std::string> coroutine_parameters(const Coroutine& coroutine) {
  const auto declared = [](const Parameter& parameter) {
    return cpp_type(*parameter.type) + " " + cpp_name(parameter.name);
  };
  return request_items(coroutine.callable, declared, std::string(context_type) + " _context_");
}

std::vector<std::string> servant_parameters(const Coroutine& coroutine) {
  const auto declared = [](const Parameter& parameter) {
    const Type& type = *parameter.type;
    return (is_pinned(parameter) ? pinned_type(type) : cpp_type(type)) + " " +
           cpp_name(parameter.name);
  };
  return request_items(coroutine.callable, declared, std::string(context_type) + " _context_");
}

Callable arguments_of(const Coroutine& coroutine) {
  Callable result = coroutine.callable;
  std::erase_if(result.parameters,
                [](const Parameter& parameter) { return parameter.direction == Direction::out; });
  return result;
}

void alias_results(Writer& writer, const Coroutine& coroutine) {
  if (coroutine.results == nullptr) return;
  writer.write("using $alias$ = $class$;",
               {{"alias", coroutine.results_name}, {"class", qualified_name(*coroutine.results)}});
}

}  // namespace perigee::idlc::cpp11
