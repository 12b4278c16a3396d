// Two transports connected through memory, which can split, hold back, cut and reset the stream.
// For tests of the layers above a transport. Conforms to the contract of transport.h.
#pragma once

#include "support/octet_ring.h"
#include <perigee/ipc/lsock.h>
#include <perigee/transport/transport.h>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

namespace perigee::test {

inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// What happens to the octets of one direction.
struct PipeFaults {
  std::size_t capacity = 65536;   ///< octets under way before a sender has to wait; not 0
  bool encodes_in_place = false;  ///< the sender can make messages in the memory of the connection
  std::size_t receive_size_max = no_limit;  ///< most octets that one receive gets
  std::optional<std::size_t> cut_after;     ///< the receiver gets so many octets, and no more
  int cut_code = 0;  ///< what it gets then: 0 the end of the stream, else this errno
};

/// The ends of a connection. A direction is named by the end that sends.
enum class End : std::size_t { first = 0, second = 1 };

/// The connection between two memory transports: where a test interferes. Any thread.
class MemoryConnection {
 public:
  MemoryConnection(const PipeFaults& from_first, const PipeFaults& from_second);

  /// From now on nothing that `sender` sends arrives, until `release`.
  void hold(End sender);
  void release(End sender);
  /// Both ends fail with `code`, at once.
  void reset(int code);
  /// Octets that `sender` has sent so far, delivered or not.
  [[nodiscard]] std::size_t sent(End sender);
  /// Octets of `sender` that the other end has received so far.
  [[nodiscard]] std::size_t received(End sender);
  /// How often senders have sent octets that they had made in place, on all connections.
  [[nodiscard]] static std::size_t commits() noexcept;

 private:
  friend class MemoryTransport;

  /// One direction. All guarded by the connection's mutex.
  struct Pipe {
    explicit Pipe(const PipeFaults& given) : faults(given), octets(given.capacity) {}

    PipeFaults faults;
    OctetRing octets;
    std::size_t sent = 0;
    std::size_t received = 0;
    bool held = false;
    bool closed = false;  ///< the sender will send no more
    bool broken = false;  ///< the receiver is gone
  };
  /// Two connected sockets. `far` becomes readable when something changed, so that a reactor looks
  /// at the end.
  struct ReadinessSignal {
    ipc::lsock::Stream near;
    ipc::lsock::Stream far;
  };

  [[nodiscard]] Pipe& pipe_from(End end) { return pipes_[static_cast<std::size_t>(end)]; }
  static void drain(ReadinessSignal& signal);
  void changed();
  /// Octets of `pipe` that may be received now.
  [[nodiscard]] static std::size_t deliverable(const Pipe& pipe);
  [[nodiscard]] static bool is_cut(const Pipe& pipe);

  std::mutex mutex_;
  std::condition_variable condition_;
  std::array<Pipe, 2> pipes_;
  std::array<ReadinessSignal, 2> signals_;
  std::array<bool, 2> interrupted_{};
  int reset_code_ = 0;
};

struct MemoryPair {
  std::unique_ptr<transport::Transport> first;
  std::unique_ptr<transport::Transport> second;
  /// Shared by the two ends, which may be destroyed in any order, and the test.
  std::shared_ptr<MemoryConnection> connection;
};
[[nodiscard]] MemoryPair make_memory_pair(const PipeFaults& from_first = {},
                                          const PipeFaults& from_second = {});

}  // namespace perigee::test
