// The lists of waiting and of complete requests.
#include "dynamic/requests/request_queue.h"

#include "dynamic/requests/minor_codes.h"
#include "orb/core/orb_core.h"

#include <utility>
#include <vector>

namespace perigee::dynamic {

std::shared_ptr<RequestQueue> RequestQueue::of(CORBA::ORB& orb) {
  static constexpr char key = 0;  // its address is the key
  return std::static_pointer_cast<RequestQueue>(
      orb._core()->library_object(&key, [] { return std::make_shared<RequestQueue>(); }));
}

void RequestQueue::add(const RequestRef& request) {
  const std::lock_guard lock(mutex_);
  List entry{request};
  if (!places_.emplace(request.get(), Place{&waiting_, entry.begin()}).second)
    throw CORBA::BAD_INV_ORDER(minor_sent_before, CORBA::COMPLETED_NO,
                               "the request was sent before");
  waiting_.splice(waiting_.end(), entry);
}

void RequestQueue::complete(const CORBA::Request* request) noexcept {
  std::vector<std::weak_ptr<polling::Watcher>> watchers;
  {
    const std::lock_guard lock(mutex_);
    const auto place = places_.find(request);
    if (place == places_.end()) return;
    complete_.splice(complete_.end(), waiting_, place->second.entry);
    place->second.list = &complete_;
    watchers = watchers_.take();
  }
  polling::Watchers::tell(watchers);
}

bool RequestQueue::watch(std::weak_ptr<polling::Watcher> watcher) {
  const std::lock_guard lock(mutex_);
  if (!complete_.empty()) return false;
  watchers_.add(std::move(watcher));
  return true;
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

RequestQueue::Taken RequestQueue::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (complete_.empty()) return {nullptr, places_.empty()};
  RequestRef request = std::move(complete_.front());
  complete_.pop_front();
  places_.erase(request.get());
  return {std::move(request), false};
}

}  // namespace perigee::dynamic
