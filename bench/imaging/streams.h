// Images over streams of their own, by the typed wrappers. A call returns the ticket of a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace perigee::bench {

/// A port and a secret, which a stream shows in its first octets.
struct StreamTicket {
  std::uint16_t port = 0;
  std::uint64_t secret = 0;
};

enum class Direction : std::uint8_t { fetch, upload };

/// Serves streams in a thread of its own, one after the other. Any thread.
class StreamServer {
 public:
  StreamServer();

  /// A ticket for one stream of `size` octets. Throws std::runtime_error if too many tickets are
  /// unused.
  [[nodiscard]] StreamTicket open(std::size_t size, Direction direction);

 private:
  struct State;
  std::shared_ptr<State> state_;  ///< shared with the thread, which runs until the process ends
};

/// Receives an image into `space`, which has its size, and checks the octets. Throws
/// std::runtime_error.
void fetch_by_stream(const StreamTicket& ticket, std::vector<std::uint8_t>& space);
/// Sends an image, and waits until the server reports that the octets were right.
void upload_by_stream(const StreamTicket& ticket, const std::vector<std::uint8_t>& image);

}  // namespace perigee::bench
