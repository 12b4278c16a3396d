// Service contexts by their ids. A request has only a few, so they are searched one after the
// other.
#include "dynamic/interceptors/contexts.h"

#include "base/octet_vector.h"
#include "dynamic/interceptors/minor_codes.h"
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <string>

namespace perigee::interceptors {

OctetSpan octets_of(const std::vector<std::uint8_t>& data) noexcept {
  return std::as_bytes(std::span(data));
}

void Contexts::assign(std::span<const iop::ServiceContext> contexts) {
  contexts_.clear();
  for (const iop::ServiceContext& context : contexts)
    contexts_.emplace_back(context.id, octet_vector(context.data));
}

const IOP::ServiceContext* Contexts::find(IOP::ServiceId id) const noexcept {
  const auto found = std::ranges::find_if(
      contexts_, [id](const IOP::ServiceContext& context) { return context.context_id() == id; });
  return found != contexts_.end() ? &*found : nullptr;
}

IOP::ServiceContext Contexts::get(IOP::ServiceId id) const {
  const IOP::ServiceContext* const found = find(id);
  if (found == nullptr)
    throw CORBA::BAD_PARAM(minor_no_service_context, CORBA::COMPLETED_NO,
                           "there is no service context with the id " + std::to_string(id));
  return *found;
}

void Contexts::add(const IOP::ServiceContext& context, bool replace) {
  const auto found = std::ranges::find_if(contexts_, [&](const IOP::ServiceContext& other) {
    return other.context_id() == context.context_id();
  });
  if (found == contexts_.end()) {
    contexts_.push_back(context);
    return;
  }
  if (!replace)
    throw CORBA::BAD_INV_ORDER(minor_context_twice, CORBA::COMPLETED_NO,
                               "a service context with the id " +
                                   std::to_string(context.context_id()) + " was added before");
  *found = context;
}

std::span<const iop::ServiceContext> Contexts::after(std::span<const iop::ServiceContext> others) {
  if (contexts_.empty()) return others;
  joined_.assign(others.begin(), others.end());
  for (const IOP::ServiceContext& context : contexts_)
    joined_.push_back({context.context_id(), octets_of(context.context_data())});
  return joined_;
}

}  // namespace perigee::interceptors
