// The streams over which images travel: who connects with a ticket gets the octets that it is for.
//
// The client sends the ticket's secret; the server answers with one octet, a StreamAnswer, and
// after `octets_follow` sends the octets and closes. They go from the file to the socket by
// sendfile.
#pragma once

#include "catalogue.h"
#include "tickets.h"
#include <perigee/ipc/sock.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <thread>

enum class StreamAnswer : unsigned char {
  octets_follow = 1,
  ticket_refused = 2,  ///< expired, used or never issued
  image_changed = 3,   ///< since the ticket was issued
};

/// A fixed number of threads; each serves one connection after the other. More clients wait in the
/// system's queue of connections.
class ImageStreams {
 public:
  struct Options {
    perigee::ipc::InetAddr address;      ///< where to listen
    std::size_t transfers_max = 8;       ///< at the same time
    std::chrono::seconds for_chunk{30};  ///< how long a client may take for `chunk_size` octets
    std::chrono::seconds for_ticket{5};  ///< and to show its ticket
  };
  static constexpr std::size_t chunk_size = 1024 * 1024;

  /// Both outlive this object. Throws std::system_error if the address cannot be listened at.
  ImageStreams(const Catalogue& catalogue, Tickets& tickets, const Options& options);
  ~ImageStreams() { end(std::chrono::seconds(0)); }
  ImageStreams(const ImageStreams&) = delete;
  ImageStreams& operator=(const ImageStreams&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Accepts no more connections; cuts those that are not through after `grace`.
  void end(std::chrono::seconds grace);

 private:
  using Stream = perigee::ipc::sock::Stream;
  struct Worker {
    Stream stream;  ///< changed, and interrupted by others, under the lock
    bool busy = false;
    std::thread thread;
  };

  void work(Worker& worker);
  void take(Worker& worker, Stream stream);
  void drop(Worker& worker);
  void serve(Stream& stream);
  void send_octets(Stream& stream, const perigee::ipc::File& file, const Transfer& transfer);

  const Catalogue& catalogue_;
  Tickets& tickets_;
  const Options options_;
  perigee::ipc::sock::Acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::mutex lock_;
  std::condition_variable idle_;
  bool cut_ = false;  ///< under the lock: connections are over
  std::atomic<bool> ending_{false};
  std::list<Worker> workers_;
};
