// Copies values by their types, and replaces object references in them.
#pragma once

#include "bridge/rewriting/value_frames.h"
#include "cdr/label_index.h"
#include <perigee/base/function_ref.h>
#include <perigee/bridge/rewriting.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/typecode.h>
#include <perigee/iop/ior.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace perigee::bridge {

/// The reference that takes the place of another one. std::nullopt: the reference stays as it is.
using ReplaceReference = function_ref<std::optional<iop::Ior>(const iop::Ior&)>;

/// Copies the octets of values from a decoder to an encoder of the same byte order. The encoder
/// aligns values by its own position, since a replaced reference has another size. Texts are copied
/// as octets: their code sets are agreed between client and target.
///
/// Values and TypeCodes come from the network. The decoder limits the nesting, and counts values
/// that take no octets. So the work is bounded by the octets at hand, as in cdr::skip_value.
///
/// The state of a valuetype is copied by its type: the expected type, or the type of `value_types`
/// with its repository id. State of unknown types, and custom state, pass unread if they are in
/// chunks. References in unread state are not replaced.
class ValueCopier final : private ValueFrames::InnerValues {
 public:
  enum class Phase : std::uint8_t {
    free,
    /// Replaced references get a profile without meaning, so that all octets after them move by a
    /// multiple of 8. So octets that are not read keep their alignment.
    kept,
  };
  struct Options {
    ReplaceReference replace;
    std::size_t size_max = 0;  ///< octets that the encoder's buffer may have
    const RewritingPlan::ByText<const cdr::TypeNode*>& value_types;
    Phase phase = Phase::free;
  };

  /// The decoder and the encoder outlive the copier. The code sets of the decoder decide the form
  /// of wide characters. Copies append to the buffer, and borrow nothing.
  ValueCopier(cdr::Decoder& decoder, cdr::Encoder& encoder, const Options& options) noexcept
      : in_(decoder), out_(encoder), options_(options) {}

  /// Copies a value of the type. After an error, the decoder has failed. The error is
  /// `no_value_factory` for a valuetype whose state can neither be read nor pass unread. May throw
  /// bad_alloc.
  void copy(const cdr::TypeNode& type);
  /// Copies a string unchanged, such as a repository id.
  void copy_text();

  [[nodiscard]] bool has_replaced() const noexcept { return has_replaced_; }
  /// `not_supported`, and its place, if the copy is wrong because it holds unread state that cannot
  /// move. Without a replaced reference, the received octets serve instead of the copy.
  [[nodiscard]] std::optional<cdr::Error> unmovable() const noexcept {
    return frames_ ? frames_->unmovable() : std::nullopt;
  }
  /// Whether the copy is wrong, but may become right with `Phase::kept`.
  [[nodiscard]] bool has_lost_phase() const noexcept {
    return options_.phase == Phase::free && frames_ && frames_->has_lost_phase();
  }

 private:
  /// The type by which the state of a value is copied.
  struct StateType {
    const cdr::TypeNode* node = nullptr;  // null: the state passes unread
    bool is_in_plan = false;              // not from a TypeCode in the message
    bool is_base = false;                 // the value has more state, which passes unread
  };

  [[nodiscard]] bool copy_fixed_size(const cdr::TypeNode& type);
  void copy_simple(const cdr::TypeNode& type);
  void copy_nested(const cdr::TypeNode& type);
  void copy_block(std::size_t alignment, std::size_t size, std::size_t count);
  void copy_cut_block(std::size_t alignment, std::size_t size, std::size_t count);
  void copy_octets(std::size_t count);
  void copy_octet_sequence();
  void copy_wide_text();
  void copy_wide_character();
  void copy_fixed(const cdr::TypeNode& type);
  void copy_reference();
  void keep_phase(iop::Ior& reference);
  void copy_abstract();
  void copy_value(const cdr::TypeNode* expected);
  [[nodiscard]] StateType state_type_of(const cdr::TypeNode* expected,
                                        const cdr::ValueHeader& header);
  /// The type of the plan takes the place of an expected type without known state.
  [[nodiscard]] StateType type_with_id(const cdr::TypeNode* expected, std::string_view id);
  void copy_value_state(const StateType& type, const cdr::ValueHeader& header);
  void copy_state(const cdr::TypeNode& type);
  void copy_inner(const cdr::ValueHeader& header) override;
  void follow() {
    if (frames_) frames_->follow();
  }
  void copy_exception_id(const cdr::TypeNode& type);
  [[nodiscard]] cdr::TypeRef copy_type_code();
  void copy_any();
  void copy_members(const cdr::TypeNode& type);
  void copy_union(const cdr::TypeNode& type);
  void copy_sequence(const cdr::TypeNode& type);
  void copy_elements(const cdr::TypeNode& element, std::uint32_t count);
  [[nodiscard]] std::uint32_t copy_number();
  [[nodiscard]] std::int64_t copy_label(const cdr::TypeNode& type);
  [[nodiscard]] std::int64_t read_label(const cdr::TypeNode& type);
  [[nodiscard]] const cdr::TypeMember* branch_of(const cdr::TypeNode& type, std::int64_t label);
  [[nodiscard]] const cdr::TypeMember* find_branch(const cdr::TypeNode& type, std::int64_t label);
  void check_size();

  cdr::Decoder& in_;
  cdr::Encoder& out_;
  const Options options_;
  iop::Ior reference_;      // the last reference: its memory is used again
  std::uint32_t anys_ = 0;  // the anys whose TypeCodes describe the current value
  cdr::LabelIndex labels_;  // of the types in the innermost any
  bool has_replaced_ = false;
  std::optional<ValueFrames> frames_;  // from the first valuetype on that is not null
};

}  // namespace perigee::bridge
