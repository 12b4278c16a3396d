// Turns implied declarations into the data of the files of asynchronous calls.
#include "idlc/backends/cpp11/ami.h"

#include "idlc/backends/cpp11/names.h"

#include <algorithm>
#include <cstddef>

namespace perigee::idlc::cpp11 {

namespace {

/// Arguments are not borrowed, because the call outlives the function that starts it.
Callable send_of(const Operation& node) {
  Callable send = from_operation(node);
  for (Parameter& parameter : send.parameters) parameter.annotations.clear();
  return send;
}

void add(const ImpliedOperation& implied, std::vector<AmiOperation>& operations) {
  if (implied.role == ImpliedRole::send)
    operations.push_back(
        {.callable = callable_of(*implied.origin, implied.half), .send = send_of(*implied.node)});
  if (implied.role == ImpliedRole::reply) operations.back().reply = from_operation(*implied.node);
  if (implied.role == ImpliedRole::reply_exception)
    operations.back().reply_exception = from_operation(*implied.node);
}

/// The operations of pollers come after all others, in the same order.
void add_polled(const std::vector<ImpliedOperation>& all, std::vector<AmiOperation>& operations) {
  std::size_t index = 0;
  for (const ImpliedOperation& implied : all) {
    if (implied.role == ImpliedRole::send_polled)
      operations[index].send_polled = send_of(*implied.node);
    if (implied.role == ImpliedRole::poll) operations[index++].poll = from_operation(*implied.node);
  }
}

}  // namespace

const Ami* AmiInterfaces::find(const Interface& interface) const {
  const auto found = std::ranges::find(*all_, &interface, &Ami::origin);
  return found == all_->end() ? nullptr : &*found;
}

SkeletonClass AmiInterfaces::skeleton(const Ami& ami) {
  return {ami.handler, cpp_name(*ami.handler), [](const Interface& interface) {
            // The base of all reply handlers has no operations.
            return interface.scoped_name == "::Messaging::ReplyHandler"
                       ? "::PortableServer::Servant"
                       : skeleton_name(interface);
          }};
}

std::vector<AmiOperation> AmiInterfaces::operations(const Ami& ami) {
  std::vector<AmiOperation> result;
  for (const ImpliedOperation& implied : ami.operations) add(implied, result);
  add_polled(ami.operations, result);
  return result;
}

std::vector<std::string> AmiInterfaces::parameters() const {
  std::vector<std::string> result;
  for (const Ami& ami : *all_)
    for (const ImpliedOperation& implied : ami.operations)
      for (const Parameter& parameter : implied.node->parameters) result.push_back(parameter.name);
  return result;
}

}  // namespace perigee::idlc::cpp11
