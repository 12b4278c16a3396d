// serve_until_signal: runs a server until its process is asked to end.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>

#include <functional>

namespace perigee {

/// Runs the ORB until SIGTERM or SIGINT comes or until the ORB is shut down; then returns. Returns
/// at once if the ORB was shut down before.
///
/// The first signal calls `ORB::shutdown(true)`: requests in progress get their replies, and
/// clients are told that their connections end. A second signal ends the process at once. Works
/// with all thread strategies, and with threads that the application has started before. Several
/// threads may serve an ORB each: the signal shuts down all these ORBs.
///
/// If the ORB has TLS, SIGHUP makes it read its certificates and keys again, unless the application
/// handles or ignores this signal. Later connections use the new files. If a file cannot be used,
/// the log says why and the former contents stay in use.
///
/// `ready` is called on the calling thread once signals are handled. It is the place to publish a
/// reference. The calling thread blocks both signals until the function returns. Then the
/// application's signal mask and signal handlers are as before.
///
/// Throws the exceptions of `ORB::run` and `ready`, and CORBA::NO_RESOURCES if the system has no
/// handle or no thread left.
PERIGEE_API void serve_until_signal(const CORBA::object_reference<CORBA::ORB>& orb,
                                    const std::function<void()>& ready = {});

/// Does the same, and calls `ending` after the first signal, before the shutdown. `ending` runs on
/// a thread of this function. Meanwhile the ORB still serves requests, and `ending` may make calls.
/// `ending` must not throw. It is not called if the ORB ends without a signal.
PERIGEE_API void serve_until_signal(const CORBA::object_reference<CORBA::ORB>& orb,
                                    const std::function<void()>& ready,
                                    const std::function<void()>& ending);

}  // namespace perigee
