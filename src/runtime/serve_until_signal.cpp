// One thread waits for the signal and shuts the ORB down, which a signal handler may not do.
#include "event/ending_signals.h"
#include "event/thread.h"
#include <perigee/base/log.h>
#include <perigee/event/signal.h>
#include <perigee/orb/exceptions.h>
#include <perigee/runtime/serve_until_signal.h>

#include <cstdint>
#include <exception>
#include <system_error>
#include <utility>

namespace perigee {

namespace {

constexpr std::uint32_t shut_down_minor = CORBA::OMGVMCID | 4;

void shut_down(CORBA::ORB& orb) noexcept {
  try {
    orb.shutdown(true);
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "orb", exception.what());
  }
}

/// The thread that waits for the signal.
class Watch {
 public:
  explicit Watch(CORBA::ORB& orb) : over_(event::Signal::make()) {
    if (!signals_ || !over_)
      throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, "no handle is left to wait for signals");
    try {
      thread_ = event::Thread([this, &orb] {
        if (signals_.wait(over_)) shut_down(orb);
      });
    } catch (const std::system_error& error) {
      throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, error.what());
    }
  }
  ~Watch() {
    over_.raise();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  const event::EndingSignals signals_;
  const event::Signal over_;
  event::Thread thread_;
};

}  // namespace

void serve_until_signal(const CORBA::object_reference<CORBA::ORB>& orb,
                        const std::function<void()>& ready) {
  const event::EndingSignalsBlocked blocked;
  const Watch watch(*orb);
  if (ready) ready();
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER& exception) {
    // The ORB was shut down before this thread called `run`.
    if (exception.minor() != shut_down_minor) throw;
  }
}

}  // namespace perigee
