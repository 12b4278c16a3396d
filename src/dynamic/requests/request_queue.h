// The requests of `send_multiple_requests_deferred` whose outcome the program has not taken.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/orb.h>

#include <list>
#include <mutex>
#include <unordered_map>

namespace CORBA {
inline namespace perigee_v1 {
class Request;
}
}  // namespace CORBA

namespace perigee::dynamic {

/// One per ORB. The ORB owns it among its initial references, since the core of the ORB does not
/// know this library. It owns its requests, which know it by weak pointers. Any thread.
class RequestQueue final : public virtual CORBA::LocalObject {
 public:
  using RequestRef = CORBA::object_reference<CORBA::Request>;

  /// The queue of the ORB; makes it at the first use.
  [[nodiscard]] static counted_ptr<RequestQueue> of(CORBA::ORB& orb);

  /// Adds a request that is not sent yet.
  void add(const RequestRef& request);
  /// The request has its outcome. Does nothing if it is not in the queue.
  void complete(const CORBA::Request* request) noexcept;
  /// Removes the request, if it is in the queue.
  void remove(const CORBA::Request* request) noexcept;

  [[nodiscard]] bool has_complete() const noexcept;
  [[nodiscard]] bool empty() const noexcept;
  /// Removes the request that was completed first, and returns it; nil if there is none.
  [[nodiscard]] RequestRef take() noexcept;

 private:
  using List = std::list<RequestRef>;
  struct Place {
    List* list;
    List::iterator entry;
  };

  mutable std::mutex mutex_;  // guards the members below
  List waiting_;
  List complete_;
  std::unordered_map<const CORBA::Request*, Place> places_;  // of each request in the lists
};

}  // namespace perigee::dynamic
