// Rewrites the object references in the body of a message.
#pragma once

#include "bridge/raw_body.h"
#include "bridge/rewriting/value_copier.h"
#include <perigee/bridge/rewriting.h>
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/code_sets.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/errors.h>

#include <cstddef>
#include <expected>
#include <optional>
#include <span>

namespace perigee::bridge {

/// Used by one thread at a time. A body of at most 256 KiB in which nothing is replaced costs no
/// allocation, once the buffer has grown.
class BodyRewriter final {
 public:
  /// A body, and a decoder at its start. The code sets of the decoder decide the form of wide
  /// characters.
  struct Received {
    const RawBody& body;
    cdr::Decoder values;
  };
  using Result = std::expected<RawBody, cdr::Error>;

  /// `size_max`: the largest rewritten body, in octets. The plan must outlive this object.
  BodyRewriter(std::size_t size_max, const RewritingPlan& plan) noexcept
      : size_max_(size_max), plan_(plan) {}

  /// Rewrites a body that holds values of the types. Returns `received.body` if nothing was
  /// replaced. Otherwise the result refers to this object until the next call; fragments of
  /// GIOP 1.1 have become one piece. Error: the octets are not values of the types, octets follow
  /// the values, or the result is too large. `no_value_factory`: a valuetype of an unknown type, or
  /// a custom one, is not in chunks. `not_supported`: a reference was replaced, and unread state of
  /// a valuetype cannot move. It may refer to a place whose distance has changed, would lose its
  /// alignment, or lies in several fragments of GIOP 1.1. May throw bad_alloc.
  [[nodiscard]] Result rewrite(const Received& received,
                               std::span<const cdr::TypeNode* const> types,
                               ReplaceReference replace);
  /// Rewrites a body that holds a user exception. Exceptions that the plan does not contain pass
  /// unread.
  [[nodiscard]] Result rewrite_exception(const Received& received, ReplaceReference replace);
  /// Called by `replace`: whether it is called once more for the references of the same body.
  [[nodiscard]] bool repeats() const noexcept { return repeats_; }
  /// Called when the rewritten body has been sent: frees a buffer of more than 256 KiB.
  void release() noexcept;

 private:
  static constexpr std::size_t kept_size_max = 256 * 1024;

  /// std::nullopt: the copy needs `Phase::kept`.
  [[nodiscard]] std::optional<Result> copy(const Received& received,
                                           std::span<const cdr::TypeNode* const> types,
                                           ReplaceReference replace, ValueCopier::Phase phase);

  const std::size_t size_max_;
  const RewritingPlan& plan_;
  cdr::Buffer buffer_;
  bool repeats_ = false;
};

}  // namespace perigee::bridge
