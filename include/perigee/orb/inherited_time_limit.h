// InheritedTimeLimit: the time limit of asynchronous calls that are sent in an upcall.
#pragma once

#include <perigee/base/deadline.h>
#include <perigee/base/export.h>

namespace perigee::stub {

/// Asynchronous calls that this thread sends, in the upcall in which this is made and for as long
/// as it lives, may take no longer than until then, whatever the policies say: their caller's own
/// caller waits no longer. Oneways take no notice. Scopes nest.
class PERIGEE_API InheritedTimeLimit {
 public:
  /// By std::chrono::steady_clock.
  explicit InheritedTimeLimit(Deadline until) noexcept;
  ~InheritedTimeLimit();
  InheritedTimeLimit(const InheritedTimeLimit&) = delete;
  InheritedTimeLimit& operator=(const InheritedTimeLimit&) = delete;

  /// What holds for a call of this thread now.
  [[nodiscard]] static Deadline current() noexcept;

 private:
  const Deadline until_;
  const void* const upcall_;
  const InheritedTimeLimit* const outer_;
};

}  // namespace perigee::stub
