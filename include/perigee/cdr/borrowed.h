// Parameters with the annotation @perigee::borrowed: strings, and sequences of numbers, that are
// not copied. The sender writes from the caller's memory. The receiver gets a view into the
// received octets.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/operators.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::cdr {

/// A view to send: a sequence or a string. For a chain of `encoder <<`.
template <typename View>
struct Lent {
  View view;
};
template <BasicType T>
Lent<std::span<const T>> borrowed(std::span<const T> values) noexcept {
  return {values};
}
inline Lent<std::string_view> borrowed(std::string_view text) noexcept { return {text}; }

template <BasicType T>
Encoder& operator<<(Encoder& encoder, Lent<std::span<const T>> values) {
  encoder.write_length(values.view.size());
  encoder.write_array(values.view);
  return encoder;
}
inline Encoder& operator<<(Encoder& encoder, Lent<std::string_view> text) {
  encoder.write_lasting_string(text.view);
  return encoder;
}

/// Memory for values that cannot be viewed where they were received. Each thread keeps a few
/// buffers and uses them again, so that the steady state does not allocate. The thread that took a
/// buffer must give it back.
class PERIGEE_API Scratch final {
 public:
  Scratch() noexcept = default;
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// At least `size` octets, aligned for every basic type. They are valid until the next call.
  std::byte* take(std::size_t size);

 private:
  std::vector<std::byte> buffer_;  // only grows; its size is the largest size that was asked for
};

/// A sequence as a view into the decoder's octets, or into scratch memory if their byte order or
/// alignment in memory does not fit. The view is valid as long as the octets and this object exist.
template <BasicType T>
class BorrowedSequence final {
 public:
  operator std::span<const T>() const noexcept { return view_; }  // NOLINT: stands for the span

  friend Decoder& operator>>(Decoder& decoder, BorrowedSequence& values) {
    const std::size_t count = decoder.read_length(sizeof(T));
    values.view_ = decoder.view_array<T>(count);
    if (!values.view_.empty() || count == 0) return decoder;
    T* const first = reinterpret_cast<T*>(values.scratch_.take(count * sizeof(T)));
    decoder.read_array(std::span<T>(first, count));
    if (decoder.ok()) values.view_ = {first, count};
    return decoder;
  }

 private:
  std::span<const T> view_;
  Scratch scratch_;
};

/// The same for a string. It is copied only if it must be converted to UTF-8.
class BorrowedString final {
 public:
  operator std::string_view() const noexcept { return view_; }  // NOLINT: stands for the view

  friend Decoder& operator>>(Decoder& decoder, BorrowedString& text) {
    text.view_ = decoder.read_borrowed_string(text.storage_);
    return decoder;
  }

 private:
  std::string_view view_;
  std::string storage_;
};

}  // namespace perigee::cdr
