// Turns implied declarations into the data of the files of asynchronous servants.
#include "idlc/backends/cpp11/amh.h"

#include "idlc/backends/cpp11/names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace perigee::idlc::cpp11 {

namespace {

/// Handlers outlive the upcall, so servants get pinned values instead of borrowed ones. The
/// annotations are those of the original operation, whose `in` and `inout` parameters follow the
/// handler.
Callable request_of(const Operation& node, const Callable& original) {
  Callable request = from_operation(node);
  std::size_t index = 1;
  for (const Parameter& parameter : original.parameters)
    if (parameter.direction != Direction::out)
      request.parameters[index++].annotations = parameter.annotations;
  pin_borrowed(request);
  return request;
}

void add(const ImpliedOperation& implied, std::vector<AmhOperation>& operations) {
  switch (implied.role) {
    case ImpliedRole::synchronous:
      operations.push_back(
          {.callable = callable_of(*implied.origin, implied.half), .is_synchronous = true});
      return;
    case ImpliedRole::request: {
      Callable original = callable_of(*implied.origin, implied.half);
      Callable request = request_of(*implied.node, original);
      operations.push_back({.callable = std::move(original), .request = std::move(request)});
      return;
    }
    case ImpliedRole::answer:
      operations.back().answer = from_operation(*implied.node);
      return;
    case ImpliedRole::answer_exception:
      operations.back().answer_exception = from_operation(*implied.node);
      return;
    case ImpliedRole::raise:
      operations.back().raise = cpp_name(implied.node->name);
      return;
    default:
      return;  // an operation of AMI
  }
}

}  // namespace

const Amh* AmhInterfaces::find(const Interface& interface) const {
  const auto found = std::ranges::find(*all_, &interface, &Amh::origin);
  return found == all_->end() ? nullptr : &*found;
}

std::vector<AmhOperation> AmhInterfaces::operations(const Amh& amh) {
  std::vector<AmhOperation> result;
  for (const ImpliedOperation& implied : amh.operations) add(implied, result);
  return result;
}

SkeletonClass AmhInterfaces::skeleton(const Amh& amh) const {
  return {amh.origin, cpp_name(amh.skeleton->name),
          [this](const Interface& interface) { return skeleton_name(*find(interface)->skeleton); }};
}

std::vector<std::string> AmhInterfaces::parameters() const {
  std::vector<std::string> result;
  for (const Amh& amh : *all_)
    for (const ImpliedOperation& implied : amh.operations)
      for (const Parameter& parameter : implied.node->parameters) result.push_back(parameter.name);
  return result;
}

}  // namespace perigee::idlc::cpp11
