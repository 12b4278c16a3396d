// A thread that runs an ORB.
#pragma once

#include <perigee/corba.h>

#include <thread>
#include <utility>

namespace perigee::test {

/// Runs the ORB on a thread of its own. The destructor shuts the ORB down, and waits for the
/// thread.
class RunningOrb {
 public:
  using OrbRef = CORBA::object_reference<CORBA::ORB>;

  explicit RunningOrb(OrbRef orb) : orb_(std::move(orb)), thread_([this] { run(); }) {}
  ~RunningOrb() {
    orb_->shutdown(false);
    thread_.join();
  }
  RunningOrb(const RunningOrb&) = delete;
  RunningOrb& operator=(const RunningOrb&) = delete;

 private:
  /// The thread may begin after the shutdown. ORB::run then raises BAD_INV_ORDER with the minor
  /// code 4.
  void run() {
    try {
      orb_->run();
    } catch (const CORBA::BAD_INV_ORDER& exception) {
      if (exception.minor() != (CORBA::OMGVMCID | 4)) throw;
    }
  }

  const OrbRef orb_;
  std::thread thread_;
};

}  // namespace perigee::test
