// A limit of requests that wait at the same time.
#pragma once

#include <perigee/orb/exceptions.h>
#include <perigee/services/events/options.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace perigee::events {

/// Any thread.
class RequestLimit {
 public:
  /// `minor` is the minor code of TRANSIENT.
  RequestLimit(std::size_t max, std::uint32_t minor) noexcept : max_(max), minor_(minor) {}
  RequestLimit(const RequestLimit&) = delete;
  RequestLimit& operator=(const RequestLimit&) = delete;

  /// One request. Raises TRANSIENT beyond the limit.
  class Place {
   public:
    explicit Place(RequestLimit& limit) : limit_(limit) {
      if (limit_.count_.fetch_add(1) < limit_.max_) return;
      --limit_.count_;
      throw CORBA::TRANSIENT(limit_.minor_, CORBA::COMPLETED_NO,
                             "the event service lets at most " + std::to_string(limit_.max_) +
                                 " such requests wait; try again later");
    }
    ~Place() { --limit_.count_; }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    RequestLimit& limit_;
  };

 private:
  const std::size_t max_;
  const std::uint32_t minor_;
  std::atomic<std::size_t> count_ = 0;
};

}  // namespace perigee::events
