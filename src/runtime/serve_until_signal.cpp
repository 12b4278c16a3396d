// One thread waits for the signal and shuts the ORB down, which a signal handler may not do.
#include "event/ending_signals.h"
#include "event/thread.h"
#include "orb/core/orb_core.h"
#include <perigee/base/log.h>
#include <perigee/event/signal.h>
#include <perigee/orb/exceptions.h>
#include <perigee/runtime/serve_until_signal.h>

#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

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

/// Reads the files of all protocols again: their certificates.
void reload(orb::OrbCore& core) noexcept try {
  const auto errors = core.protocols().reload();
  for (const IoError& error : errors)
    log::write(log::Level::error, "orb", to_string(error) + "; the former contents stay in use");
  if (errors.empty())
    log::write(log::Level::warning, "orb", "SIGHUP: the files of the protocols were read again");
} catch (const std::exception& exception) {
  log::write(log::Level::error, "orb", exception.what());
}

/// The ORBs that wait for signals. One of their threads gets SIGHUP, for all of them.
class ServedOrbs {
 public:
  void add(orb::OrbCore& core) {
    const std::lock_guard lock(mutex_);
    cores_.push_back(&core);
  }
  void remove(orb::OrbCore& core) {
    const std::lock_guard lock(mutex_);
    std::erase(cores_, &core);
  }
  void reload_all() {
    const std::lock_guard lock(mutex_);
    for (orb::OrbCore* const core : cores_) reload(*core);
  }

 private:
  std::mutex mutex_;  // guards the vector; held while files are read
  std::vector<orb::OrbCore*> cores_;
};

ServedOrbs& served_orbs() {
  static ServedOrbs served;
  return served;
}

event::HangUp hang_up_of(CORBA::ORB& orb) {
  return orb._core()->protocols().has_files() ? event::HangUp::is_event
                                              : event::HangUp::by_application;
}

/// The thread that waits for the signal.
class Watch {
 public:
  Watch(CORBA::ORB& orb, const std::function<void()>& ending)
      : ending_(ending),
        signals_(hang_up_of(orb)),
        over_(event::Signal::make()),
        core_(*orb._core()) {
    if (!signals_ || !over_)
      throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, "no handle is left to wait for signals");
    served_orbs().add(core_);
    try {
      thread_ = event::Thread([this, &orb] { wait_for_end(orb); });
    } catch (const std::system_error& error) {
      served_orbs().remove(core_);
      throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, error.what());
    }
  }
  ~Watch() {
    served_orbs().remove(core_);
    over_.raise();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  void wait_for_end(CORBA::ORB& orb) noexcept {
    for (;;) {
      const auto came = signals_.wait(over_);
      if (came == event::EndingSignals::Event::ending) {
        if (ending_) ending_();
        shut_down(orb);
      }
      if (came != event::EndingSignals::Event::hang_up) return;
      served_orbs().reload_all();
    }
  }

  const std::function<void()>& ending_;  // outlives this object
  const event::EndingSignals signals_;
  const event::Signal over_;
  orb::OrbCore& core_;
  event::Thread thread_;
};

}  // namespace

void serve_until_signal(const CORBA::object_reference<CORBA::ORB>& orb,
                        const std::function<void()>& ready) {
  serve_until_signal(orb, ready, {});
}

void serve_until_signal(const CORBA::object_reference<CORBA::ORB>& orb,
                        const std::function<void()>& ready, const std::function<void()>& ending) {
  const event::EndingSignalsBlocked blocked;
  const Watch watch(*orb, ending);
  if (ready) ready();
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER& exception) {
    // The ORB was shut down before this thread called `run`.
    if (exception.minor() != shut_down_minor) throw;
  }
}

}  // namespace perigee
