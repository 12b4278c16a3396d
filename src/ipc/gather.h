// Segments of the caller's memory in the form of the system. Private to ipc.
#pragma once

#include "ipc/deadline.h"
#include <perigee/ipc/io.h>

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>

namespace perigee::ipc::io {

/// As many segments as one call takes, beginning with the first segment that is not empty. A call
/// with only empty segments would transfer nothing, which looks like the end of the stream.
template <typename Segment>
[[nodiscard]] std::span<const Segment> first_batch(std::span<const Segment> segments) noexcept {
  while (!segments.empty() && segments.front().empty()) segments = segments.subspan(1);
  return segments.first(std::min(segments.size(), segments_max));
}

/// Segments in the form of the system, from a position inside the first segment.
template <typename Segment>
class Gather {
 public:
  explicit Gather(std::span<const Segment> segments) noexcept : segments_(segments) {}

  /// Fills in the next batch; the message is valid until `advance` or the end of this object.
  [[nodiscard]] msghdr* message() noexcept {
    std::size_t count = 0;
    std::size_t skip = offset_;
    for (const auto& segment : segments_) {
      if (count == segments_max) break;
      vectors_[count].iov_base = const_cast<std::byte*>(segment.data()) + skip;
      vectors_[count].iov_len = segment.size() - skip;
      ++count;
      skip = 0;
    }
    message_.msg_iov = vectors_;
    message_.msg_iovlen = count;
    return &message_;
  }
  /// The number of octets in the next batch.
  [[nodiscard]] std::size_t batch_size() const noexcept {
    return total_size(segments_.first(std::min(segments_.size(), segments_max))) - offset_;
  }
  void advance(std::size_t count) noexcept {
    count += offset_;
    while (!segments_.empty() && count >= segments_.front().size()) {
      count -= segments_.front().size();
      segments_ = segments_.subspan(1);
    }
    offset_ = count;
  }
  [[nodiscard]] bool done() const noexcept { return segments_.empty(); }
  [[nodiscard]] bool is_single() const noexcept { return segments_.size() == 1; }
  /// The rest of the first segment.
  [[nodiscard]] Segment front() const noexcept { return segments_.front().subspan(offset_); }

 private:
  std::span<const Segment> segments_;
  std::size_t offset_ = 0;
  msghdr message_{};
  iovec vectors_[segments_max];  // deliberately not initialised: only the used elements are touched
};

/// Moves batch after batch. Stops at an error and at a transfer of nothing (the end of the stream).
/// If it must not wait, it also stops at a short transfer: then the queue is full or empty.
template <typename Segment, typename Step>
[[nodiscard]] Transfer transfer_all(std::span<const Segment> segments, TimeLimit limit,
                                    Step&& step) noexcept {
  Gather<Segment> gather(segments);
  const Deadline deadline(limit);
  Transfer total;
  gather.advance(0);  // skips empty segments
  while (!gather.done()) {
    const Transfer moved = step(gather, deadline.remaining());
    total.count += moved.count;
    total.error = moved.error;
    if (moved.error != 0 || moved.count == 0) return total;
    if (limit.is_no_wait() && moved.count < gather.batch_size()) return {total.count, EAGAIN};
    gather.advance(moved.count);
  }
  return total;
}

/// The same for one segment and no limit: makes no list of segments, and reads no clock.
template <typename Segment, typename Step>
[[nodiscard]] Transfer transfer_single(Segment segment, Step&& step) noexcept {
  Transfer total;
  while (total.count < segment.size()) {
    const Transfer moved = step(segment.subspan(total.count));
    total.count += moved.count;
    total.error = moved.error;
    if (moved.error != 0 || moved.count == 0) break;
  }
  return total;
}

}  // namespace perigee::ipc::io
