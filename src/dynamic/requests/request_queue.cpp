// The lists of waiting and of complete requests.
#include "dynamic/requests/request_queue.h"

#include "orb/core/orb_core.h"

namespace perigee::dynamic {

namespace {

constexpr const char* queue_name = "PerigeeDeferredRequests";

}  // namespace

// Another thread may register a queue at the same time.
counted_ptr<RequestQueue> RequestQueue::of(CORBA::ORB& orb) {
  orb::OrbCore& core = *orb._core();
  auto queue = make_counted<RequestQueue>();
  try {
    core.register_initial_reference(queue_name, CORBA::object_reference<CORBA::Object>(queue));
    return queue;
  } catch (const CORBA::InvalidName&) {
    auto present =
        dynamic_counted_cast<RequestQueue>(core.resolve_initial_reference(queue_name)._shared());
    if (!present)
      throw CORBA::INTERNAL(0, CORBA::COMPLETED_NO,
                            "the initial reference PerigeeDeferredRequests was replaced");
    return present;
  }
}

void RequestQueue::add(const RequestRef& request) {
  const std::lock_guard lock(mutex_);
  List entry{request};
  places_.emplace(request.get(), Place{&waiting_, entry.begin()});
  waiting_.splice(waiting_.end(), entry);
}

void RequestQueue::complete(const CORBA::Request* request) noexcept {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(request);
  if (place == places_.end()) return;
  complete_.splice(complete_.end(), waiting_, place->second.entry);
  place->second.list = &complete_;
}

// The reference may be the last one to the request, so it is dropped without the lock.
void RequestQueue::remove(const CORBA::Request* request) noexcept {
  List removed;
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(request);
  if (place == places_.end()) return;
  removed.splice(removed.end(), *place->second.list, place->second.entry);
  places_.erase(place);
}

bool RequestQueue::has_complete() const noexcept {
  const std::lock_guard lock(mutex_);
  return !complete_.empty();
}

bool RequestQueue::empty() const noexcept {
  const std::lock_guard lock(mutex_);
  return places_.empty();
}

RequestQueue::RequestRef RequestQueue::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (complete_.empty()) return nullptr;
  RequestRef request = std::move(complete_.front());
  complete_.pop_front();
  places_.erase(request.get());
  return request;
}

}  // namespace perigee::dynamic
