// The requests of `send_multiple_requests_deferred` whose outcome the program has not taken.
#pragma once

#include "dynamic/polling/source.h"
#include <perigee/base/counted_ptr.h>
#include <perigee/orb/orb.h>

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace CORBA {
inline namespace perigee_v1 {
class Request;
}
}  // namespace CORBA

namespace perigee::dynamic {

/// One per ORB. The core of the ORB owns it as an object of this library, until `ORB::destroy`. It
/// is shared: a thread that waits for a response keeps it, too. It owns its requests, which know it
/// by weak pointers. Any thread.
class RequestQueue final {
 public:
  using RequestRef = CORBA::object_reference<CORBA::Request>;

  /// The queue of the ORB; makes it at the first use. Raises BAD_INV_ORDER (OMG minor 4) after
  /// `ORB::destroy`.
  [[nodiscard]] static std::shared_ptr<RequestQueue> of(CORBA::ORB& orb);

  /// Adds a request that is not sent yet. Raises BAD_INV_ORDER (OMG minor 10) if it is in the
  /// queue.
  void add(const RequestRef& request);
  /// The request has its outcome. Does nothing if it is not in the queue.
  void complete(const CORBA::Request* request) noexcept;
  /// Removes the request, if it is in the queue.
  void remove(const CORBA::Request* request) noexcept;

  [[nodiscard]] bool has_complete() const noexcept;
  /// `watcher` is called once, when a request has its outcome. False: there is such a request now.
  [[nodiscard]] bool watch(std::weak_ptr<polling::Watcher> watcher);
  [[nodiscard]] bool empty() const noexcept;
  struct Taken {
    RequestRef request;      ///< nil if no request is complete
    bool was_empty = false;  ///< no request was left, waiting or complete
  };
  /// Removes the request that was completed first, and returns it.
  [[nodiscard]] Taken take() noexcept;

 private:
  using List = std::list<RequestRef>;
  struct Place {
    List* list;
    List::iterator entry;
  };

  mutable std::mutex mutex_;  // guards the members below
  List waiting_;
  List complete_;
  polling::Watchers watchers_;
  std::unordered_map<const CORBA::Request*, Place> places_;  // of each request in the lists
};

}  // namespace perigee::dynamic
