// Memory for sequences that a program shares with programs on the same host. It consists of a pool
// of blocks in a file in memory, and of vectors of numbers in these blocks.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>

namespace perigee {

class shared_pool;

/// A block of a pool. Shares the ownership of the block: the pool uses the memory again when the
/// last copy is destroyed. Several threads may use copies, but not the same object while one of
/// them changes it. Copies refer to the same octets.
class PERIGEE_API shared_buffer final {
 public:
  /// Where the block is in the file of its pool.
  struct Place {
    std::uint64_t offset = 0;      ///< octets
    std::uint64_t size = 0;        ///< octets
    std::uint64_t generation = 0;  ///< no other block of the pool has or had this number
  };

  shared_buffer() noexcept = default;

  [[nodiscard]] std::byte* data() const noexcept { return octets_.data(); }
  /// The number of octets that was asked for.
  [[nodiscard]] std::size_t size() const noexcept { return octets_.size(); }
  [[nodiscard]] MutableOctetSpan octets() const noexcept { return octets_; }
  explicit operator bool() const noexcept { return block_ != nullptr; }
  /// Call it only if there is a block.
  [[nodiscard]] Place place() const noexcept;
  /// Whether the block has further owners: copies of this object, or peers that have received its
  /// octets by a link and still use them. False without a block.
  [[nodiscard]] bool is_shared() const noexcept;
  /// The pool never uses the memory of this block again. Call it only if there is a block.
  void retire() noexcept;

 private:
  friend class shared_pool;
  struct Block;
  shared_buffer(std::shared_ptr<const Block> block, MutableOctetSpan octets) noexcept
      : block_(std::move(block)), octets_(octets) {}

  std::shared_ptr<const Block> block_;  // shared with copies; keeps the pool
  MutableOctetSpan octets_;
};

/// An owner of copies of blocks, some of which it may not need any longer.
class PERIGEE_API BlockHolder {
 public:
  virtual ~BlockHolder() = default;
  /// Destroys the copies of blocks that are not needed any longer. Any thread.
  virtual void collect() noexcept = 0;
};

/// A pool of a fixed size. Any thread. Copies refer to the same pool. Its memory lives until all
/// copies and all blocks are destroyed. Only memory that was used for blocks takes physical memory.
class PERIGEE_API shared_pool final {
 public:
  /// Alignment of blocks in octets.
  static constexpr std::size_t alignment = 64;
  /// The largest pool in octets.
  static constexpr std::size_t size_max = sizeof(std::size_t) > 4 ? 0xf'ffff'f000 : 0x4000'0000;

  /// Makes a pool of `size` octets, rounded up to whole pages. Errors: `limit` (0, or more than
  /// `size_max`), and those of the system, for example the limits of the process.
  [[nodiscard]] static std::expected<shared_pool, IoError> make(std::size_t size);

  /// A block for `size` octets, with undefined contents. Empty: `size` is 0, or the pool has no gap
  /// of this size. Throws bad_alloc if there is no memory for the description of the block.
  [[nodiscard]] shared_buffer allocate(std::size_t size) const;
  /// The block that contains all of `octets`; empty if there is none.
  [[nodiscard]] shared_buffer find(OctetSpan octets) const noexcept;
  /// Octets of the pool.
  [[nodiscard]] std::size_t size() const noexcept;
  /// Octets that blocks take now. A block that a peer still uses counts.
  [[nodiscard]] std::size_t used() const noexcept;
  /// The file of the pool. Other processes can only read it. Lives as long as the pool.
  [[nodiscard]] int file() const noexcept;
  /// The pool asks `holder` to collect blocks before it reports that it is full, and before it
  /// counts owners or used octets. Replaces the previous holder.
  void set_holder(std::weak_ptr<BlockHolder> holder) const;

 private:
  friend class shared_buffer;
  class State;
  explicit shared_pool(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // shared with all blocks, which may outlive the pool object
};

/// A pool that is made when it is first needed. Any thread.
class PERIGEE_API LazyPool final {
 public:
  /// `size`: see shared_pool::make.
  explicit LazyPool(std::size_t size) noexcept : size_(size) {}

  /// Octets of the pool.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The pool. After an error, the next call tries again.
  [[nodiscard]] std::expected<shared_pool, IoError> get();

 private:
  const std::size_t size_;
  std::mutex mutex_;
  std::optional<shared_pool> pool_;
};

/// Numbers in a block of a pool. The number of elements is fixed. Copies share the elements.
template <typename T>
  requires std::integral<T> || std::floating_point<T>
class shared_vector final {
 public:
  shared_vector() noexcept = default;
  /// `count` elements of the value `value`. Throws bad_alloc if the pool has no room for them.
  shared_vector(const shared_pool& pool, std::size_t count, T value = {}) : size_(count) {
    if (count == 0) return;
    if (count > shared_pool::size_max / sizeof(T)) throw std::bad_alloc();
    buffer_ = pool.allocate(count * sizeof(T));
    if (!buffer_) throw std::bad_alloc();
    std::uninitialized_fill_n(data(), count, value);
  }

  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(buffer_.data()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* begin() const noexcept { return data(); }
  [[nodiscard]] T* end() const noexcept { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t index) const noexcept { return data()[index]; }
  [[nodiscard]] const shared_buffer& buffer() const noexcept { return buffer_; }

 private:
  shared_buffer buffer_;
  std::size_t size_ = 0;
};

}  // namespace perigee
