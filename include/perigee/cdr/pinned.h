// Parameters with the annotation @perigee::borrowed in asynchronous servants: views of the received
// octets, which stay valid as long as the servant keeps them.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/kept_sequence.h>
#include <perigee/cdr/operators.h>
#include <perigee/cdr/pinned_memory.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace perigee {

template <typename T>
class pinned;

namespace cdr {

/// Memory of pinned values, or of kept service contexts, that is charged to the budget of decoded
/// values. The destructor releases it.
class PERIGEE_API PinCharge final {
 public:
  /// If `environment` is null or has no budget, `try_charge` succeeds and charges nothing.
  explicit PinCharge(Environment* environment) noexcept;
  PinCharge(PinCharge&& other) noexcept
      : budget_(std::move(other.budget_)), charged_(std::exchange(other.charged_, 0)) {}
  PinCharge& operator=(PinCharge&&) = delete;
  ~PinCharge();

  /// Charges `octets`. If the budget has no room for them, charges nothing and returns false. Call
  /// it once.
  [[nodiscard]] bool try_charge(std::uint64_t octets) noexcept;

 private:
  counted_ptr<DecodedBudget> budget_;
  std::uint64_t charged_ = 0;
};

/// Owns the memory of a message that is being decoded, and can share it with pinned values.
class PinSource {
 public:
  /// Shares the memory of the message. Null: `octets` are not in such memory, are too few, or are
  /// too small a part of it, so the caller must copy them. If the budget has no room, fails
  /// `decoder` with `memory_full` and returns null. Throws bad_alloc.
  [[nodiscard]] virtual counted_ptr<PinnedMemory> share(Decoder& decoder, OctetSpan octets) = 0;

 protected:
  ~PinSource() = default;
};

/// Decodes pinned values.
struct Pinning {
  template <BasicType T>
  static void read(Decoder& decoder, PinSource& source, pinned<T>& values);
  PERIGEE_API static void read(Decoder& decoder, PinSource& source, pinned<char>& text);
};

/// A value to decode, with the owner of the message. For a chain of `decoder >>`.
template <typename T>
struct PinnedFrom {
  PinSource& source;
  pinned<T>& value;

  friend Decoder& operator>>(Decoder& decoder, PinnedFrom from) {
    Pinning::read(decoder, from.source, from.value);
    return decoder;
  }
};
template <typename T>
[[nodiscard]] PinnedFrom<T> pinned_from(PinSource& source, pinned<T>& value) noexcept {
  return {source, value};
}

}  // namespace cdr

/// A sequence of numbers, or a string (`pinned<char>`), that shares the ownership of its memory.
///
/// Asynchronous servants get it for `in` parameters with the annotation `@perigee::borrowed`. The
/// elements stay valid and unchanged as long as this object, or a copy of it, exists. They outlive
/// the upcall, the reply, the connection and the ORB. A copy shares the memory.
///
/// A large sequence is in the memory of its message, and keeps all of this memory. A sequence in a
/// shared buffer is in memory of a client on the same host, which is trusted not to change it (see
/// docs/shared_memory.md). Other sequences are in memory of their own. Memory of this process
/// counts against `-ORBDecodedTotalSizeMax` until the last copy is destroyed or assigned to.
/// Several threads may use copies, but not the same object while one of them changes it. A
/// default-constructed or moved-from object is empty.
template <typename T>
class pinned final {
 public:
  using element_type = const T;
  using value_type = T;
  using size_type = std::size_t;
  using iterator = const T*;
  using const_iterator = const T*;

  pinned() noexcept = default;
  pinned(const pinned& other) noexcept = default;
  pinned(pinned&& other) noexcept
      : memory_(std::move(other.memory_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  pinned& operator=(const pinned& other) noexcept = default;
  pinned& operator=(pinned&& other) noexcept {
    memory_ = std::move(other.memory_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~pinned() = default;

  /// The first element; null if the sequence is empty. A string has no NUL at its end.
  [[nodiscard]] const T* data() const noexcept { return data_; }
  /// The number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  /// `index` must be less than `size()`.
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data_[index]; }

  /// The elements; valid as long as the memory is shared. A pinned sequence also converts to
  /// std::span by the constructor of ranges.
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  /// The text of a pinned string; valid as long as the memory is shared.
  operator std::string_view() const noexcept  // NOLINT(google-explicit-constructor): is a text
    requires std::same_as<T, char>
  {
    return {data_, size_};
  }
  friend bool operator==(const pinned& text, std::string_view other) noexcept
    requires std::same_as<T, char>
  {
    return std::string_view(text) == other;
  }

 private:
  friend struct cdr::Pinning;
  pinned(counted_ptr<cdr::PinnedMemory> memory, std::span<const T> elements) noexcept
      : memory_(std::move(memory)), data_(elements.data()), size_(elements.size()) {}

  counted_ptr<cdr::PinnedMemory> memory_;  // owns the elements; null only if there are none
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

namespace cdr {

// The definitions are in the library (src/cdr/pinned.cpp).
#define PERIGEE_DECLARE(T) \
  extern template void Pinning::read(Decoder& decoder, PinSource& source, pinned<T>& values);
PERIGEE_KEPT_ELEMENTS(PERIGEE_DECLARE)
#undef PERIGEE_DECLARE

}  // namespace cdr
}  // namespace perigee
