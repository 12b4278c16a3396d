// An eventfd that is never read.
#include <perigee/event/signal.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace perigee::event {

Signal Signal::make() noexcept {
  return Signal(ipc::Handle(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)));
}

void Signal::raise() const noexcept {
  if (!handle_) return;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(handle_.get(), &one, sizeof(one)));
}

}  // namespace perigee::event
