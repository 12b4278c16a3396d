// A message that is put together in storage of its own, because it is large or arrives in
// fragments. The inbox decides when octets are added. This class decides how the storage grows.
#pragma once

#include <perigee/cdr/landed_sequence.h>
#include <perigee/messaging/protocol.h>
#include <perigee/messaging/storage.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace perigee::engine {

/// Octets that have arrived of one message, without the headers of its continuations.
///
/// The storage takes physical memory only for octets that have arrived. If the system reserves no
/// address space, the storage takes at most a fixed multiple of their size: see
/// messaging::MessageStorage. So a sender cannot use up memory by announcing a large size.
class Assembly {
 public:
  using Source = std::shared_ptr<messaging::StorageSource>;

  Assembly() noexcept = default;
  /// `first` is the frame of the message, or of its first piece.
  explicit Assembly(const messaging::Frame& first) noexcept
      : first_(first), more_(first.more), is_fragmented_(first.more) {}

  [[nodiscard]] const messaging::Frame& first() const noexcept { return first_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t fragments() const noexcept { return fragments_; }
  /// Whether another piece follows the piece that was begun last.
  [[nodiscard]] bool more() const noexcept { return more_; }

  /// The octets that have arrived, without the elements of a landed sequence.
  [[nodiscard]] OctetSpan head() const noexcept {
    return {storage_.data(), landed_ ? landed_->head_size() : size_};
  }
  /// Physical memory that the storage takes.
  [[nodiscard]] std::size_t memory() const noexcept {
    return landed_ ? storage_.charged(landed_->head_size()) + landed_->memory()
                   : storage_.charged(size_);
  }

  /// Puts the elements at the end of the message into the sequence `landed`; null: into the
  /// storage. If the message does not end with this sequence, the elements move to the storage
  /// later. Call this function before the first `append`, which must contain the whole head.
  void land(std::unique_ptr<cdr::LandedSequence> landed, cdr::SequenceMemory& memory) noexcept {
    landed_ = std::move(landed);
    memory_of_landed_ = &memory;
  }

  /// Called before the first octets of a continuation are appended.
  void begin_continuation(const messaging::Frame& frame);
  /// Appends a copy of `octets`. `announced` more octets of the same piece are to come.
  void append(OctetSpan octets, std::size_t announced, const Source& source);
  /// Room for some of the `announced` octets to come: at least one octet, or none if no octet is to
  /// come.
  [[nodiscard]] MutableOctetSpan space(std::size_t announced, const Source& source);
  /// `count` octets were put into the last space.
  void filled(std::size_t count) noexcept { size_ += count; }

  /// Gives the message away, with the header of a message in one piece. This object is empty then.
  void release(messaging::IncomingMessage& message, const messaging::Session& session);

 private:
  void append_landed(OctetSpan octets, const Source& source);
  [[nodiscard]] std::size_t landed_end() const noexcept {
    return landed_->head_size() + landed_->size();
  }
  /// The memory of the elements that have not arrived. Requires that the head has arrived.
  [[nodiscard]] MutableOctetSpan landed_rest() const noexcept {
    return landed_->octets().subspan(size_ - landed_->head_size());
  }
  void leave_landed(std::size_t announced, const Source& source);
  void reserve(std::size_t needed, std::size_t announced, const Source& source);
  [[nodiscard]] std::unique_ptr<std::size_t[]> piece_sizes() const;

  messaging::MessageStorage storage_;
  std::unique_ptr<cdr::LandedSequence> landed_;  // null: all octets are in storage_
  cdr::SequenceMemory* memory_of_landed_ = nullptr;
  std::size_t size_ = 0;
  std::unique_ptr<std::vector<std::size_t>> cuts_;  // where alignment restarts; GIOP 1.1 only
  messaging::Frame first_;
  std::uint32_t fragments_ = 0;
  bool more_ = false;
  bool is_fragmented_ = false;
};

}  // namespace perigee::engine
