// The streams over which images are sent. A client that shows a ticket gets the octets of the
// ticket.
//
// The client sends the ticket's secret. The server answers with one octet, a StreamAnswer; after
// `octets_follow` it sends the octets, by sendfile, and closes.
#pragma once

#include "catalogue.h"
#include "reception.h"
#include "tickets.h"
#include <perigee/ipc/sock.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

enum class StreamAnswer : unsigned char {
  octets_follow = 1,
  ticket_refused = 2,  ///< expired, used or never issued
  image_changed = 3,   ///< since the ticket was issued
  wait = 4,            ///< `transfers_max` is reached; repeated each second
  too_many_wait = 5,   ///< try again later, with another ticket
};

/// A fixed number of threads. Each thread serves one transfer after the other. While all threads
/// are busy, a client that has shown a ticket waits in a queue.
class ImageStreams final : private Reception::Host {
 public:
  struct Options {
    Reception::Options reception;
    std::size_t transfers_max = 8;       ///< at the same time
    std::size_t waiting_max = 64;        ///< clients that wait for their turn
    std::chrono::seconds for_chunk{30};  ///< how long a client may take for `chunk_size` octets
  };
  static constexpr std::size_t chunk_size = 1024 * 1024;

  /// `catalogue` and `tickets` must outlive this object. Throws std::system_error if listening at
  /// the address fails.
  ImageStreams(const Catalogue& catalogue, Tickets& tickets, const Options& options);
  ~ImageStreams() { end(std::chrono::seconds(0)); }
  ImageStreams(const ImageStreams&) = delete;
  ImageStreams& operator=(const ImageStreams&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return reception_.port(); }
  /// Accepts no more connections, and closes waiting connections. Ends transfers that are still in
  /// progress after `grace`.
  void end(std::chrono::seconds grace);

 private:
  using Stream = perigee::ipc::sock::Stream;
  struct Waiting {
    Stream stream;
    Transfer transfer;
  };
  struct Worker {
    Stream stream;  ///< changed and interrupted under the lock
    bool busy = false;
    std::thread thread;
  };

  void ticket_shown(Stream stream, const Tickets::Secret& secret) noexcept override;
  void second_has_passed() noexcept override;
  StreamAnswer answer_to(Stream& stream, const Tickets::Secret& secret);
  void work(Worker& worker);
  std::optional<Transfer> next(Worker& worker);
  void drop(Worker& worker);
  void serve(Stream& stream, const Transfer& transfer);
  void send_octets(Stream& stream, const perigee::ipc::File& file, const Transfer& transfer);

  const Catalogue& catalogue_;
  Tickets& tickets_;
  const Options options_;
  std::mutex lock_;  ///< guards the members below except `reception_`, and the workers' streams
  std::condition_variable work_;
  std::condition_variable idle_;
  bool ending_ = false;
  std::list<Waiting> waiting_;
  std::list<Worker> workers_;
  Reception reception_;  ///< last, because it calls this object during its whole lifetime
};
