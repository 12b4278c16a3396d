// InheritedTimeLimit: the time limit of asynchronous calls that are sent in an upcall.
#pragma once

#include <perigee/base/deadline.h>
#include <perigee/base/export.h>

namespace perigee::stub {

/// Limits the time of asynchronous calls that this thread sends in the present upcall while this
/// object lives. The calls end at `until` at the latest, whatever the policies say, since the
/// client of the upcall stops waiting then. Oneways are not limited. Objects of this class nest.
class PERIGEE_API InheritedTimeLimit {
 public:
  /// By std::chrono::steady_clock.
  explicit InheritedTimeLimit(Deadline until) noexcept;
  ~InheritedTimeLimit();
  InheritedTimeLimit(const InheritedTimeLimit&) = delete;
  InheritedTimeLimit& operator=(const InheritedTimeLimit&) = delete;

  /// The limit of a call that this thread sends now.
  [[nodiscard]] static Deadline current() noexcept;

 private:
  const Deadline until_;
  const void* const upcall_;
  const InheritedTimeLimit* const outer_;
};

}  // namespace perigee::stub
