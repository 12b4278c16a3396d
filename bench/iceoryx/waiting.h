// Both iceoryx programs wait for a message in this way: they spin if the peer runs on another CPU,
// and then sleep in a WaitSet. Perigee and the C programs wait in the same way.
#pragma once

#include <iceoryx_posh/popo/wait_set.hpp>
#include <sched.h>

#include <cstdint>
#include <stdexcept>

namespace iceoryx_peer {

/// Waits for `state` of `source` with a WaitSet. `source` must outlive this object.
template <typename Source, typename State>
class Waiting {
 public:
  Waiting(Source& source, State state) : source_(source) {
    bool failed = false;
    waits_.attachState(source, state).or_else([&failed](auto&) { failed = true; });
    if (failed) throw std::runtime_error("cannot wait for messages of iceoryx");
  }

  /// The next message. `peer_cpu`: where the peer ran when it last sent; -1: unknown.
  const void* take(std::int32_t peer_cpu) {
    const int turns = peer_cpu >= 0 && peer_cpu != sched_getcpu() ? 4000 : 0;
    for (int turn = 0; turn < turns; ++turn) {
      if (const void* message = try_take()) return message;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    for (;;) {
      if (const void* message = try_take()) return message;
      waits_.wait();
    }
  }

 private:
  const void* try_take() {
    const void* message = nullptr;
    source_.take().and_then([&message](const void* taken) { message = taken; });
    return message;
  }

  Source& source_;
  iox::popo::WaitSet<> waits_;
};

}  // namespace iceoryx_peer
