// The places of the sequences at the end of recent messages: guesses for the next message.
#pragma once

#include <perigee/base/octets.h>
#include <perigee/cdr/sequence_memory.h>

#include <array>
#include <bit>
#include <cstddef>
#include <mutex>
#include <optional>

namespace perigee::engine {

/// The data about an incoming message that is known when its first octets have arrived.
struct MessageFront {
  OctetSpan octets;  ///< from the start of the message
  std::endian order = std::endian::little;
  std::size_t header_size = 0;  ///< octets that belong to no value
  std::size_t size = 0;         ///< of the message, or of its first piece
  bool is_whole = true;         ///< false: further pieces follow
  std::size_t size_max = 0;     ///< of the message with all its pieces
};

/// A sequence that a message is likely to end with.
struct ExpectedSequence {
  cdr::SequencePlace place;
  std::size_t head_size = 0;  ///< octets of the message before the elements of the sequence
  std::size_t size = 0;       ///< octets of the elements
};

/// The places of one ORB. Any thread.
class SequencePlaces {
 public:
  void note(const cdr::SequencePlace& place) noexcept;
  /// Marks a wrong guess. The place is not used again until its entry has been replaced, after 16
  /// newer places at most, and the place is noted again.
  void forget(const cdr::SequencePlace& place) noexcept;
  /// A sequence above `size_min` octets whose length fits the message.
  [[nodiscard]] std::optional<ExpectedSequence> find(const MessageFront& front,
                                                     std::size_t size_min) const noexcept;

 private:
  struct Entry {
    cdr::SequencePlace place;
    bool in_use = false;
    bool is_wrong = false;
  };
  [[nodiscard]] Entry* find_entry(const cdr::SequencePlace& place) noexcept;

  mutable std::mutex mutex_;  // guards the members below
  std::array<Entry, 16> entries_;
  std::size_t next_ = 0;  // the entry that the next new place replaces
};

}  // namespace perigee::engine
