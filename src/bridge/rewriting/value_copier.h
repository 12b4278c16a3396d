// Copies values by their types, and replaces object references in them.
#pragma once

#include "cdr/label_index.h"
#include <perigee/base/function_ref.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/typecode.h>
#include <perigee/iop/ior.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace perigee::bridge {

/// The reference that takes the place of another one. Nothing: the reference stays as it is.
using ReplaceReference = function_ref<std::optional<iop::Ior>(const iop::Ior&)>;

/// Copies the octets of values from a decoder to an encoder of the same byte order. The encoder
/// aligns values by its own position, since a replaced reference has another size. Texts are copied
/// as octets: their code sets are agreed between client and target.
///
/// Values and TypeCodes come from the network. The decoder limits the nesting, and counts values
/// that take no octets. So the work is bounded by the octets at hand, as in cdr::skip_value.
class ValueCopier final {
 public:
  struct Options {
    ReplaceReference replace;
    std::size_t size_max = 0;  ///< octets that the encoder's buffer may have
  };

  /// The decoder and the encoder outlive the copier. The code sets of the decoder decide the form
  /// of wide characters. Copies append to the buffer, and borrow nothing.
  ValueCopier(cdr::Decoder& decoder, cdr::Encoder& encoder, const Options& options) noexcept
      : in_(decoder), out_(encoder), options_(options) {}

  /// Copies a value of the type. After an error, the decoder has failed. The error is
  /// `not_supported` for valuetypes other than null. May throw bad_alloc.
  void copy(const cdr::TypeNode& type);
  /// Copies a string unchanged, such as a repository id.
  void copy_text();

  [[nodiscard]] bool has_replaced() const noexcept { return has_replaced_; }

 private:
  [[nodiscard]] bool copy_fixed_size(const cdr::TypeNode& type);
  void copy_simple(const cdr::TypeNode& type);
  void copy_nested(const cdr::TypeNode& type);
  void copy_block(std::size_t alignment, std::size_t size, std::size_t count);
  void copy_octets(std::size_t count);
  void copy_octet_sequence();
  void copy_wide_text();
  void copy_wide_character();
  void copy_fixed(const cdr::TypeNode& type);
  void copy_reference();
  void copy_abstract();
  void copy_null_value();
  void copy_exception_id(const cdr::TypeNode& type);
  [[nodiscard]] cdr::TypeRef copy_type_code();
  void copy_any();
  void copy_members(const cdr::TypeNode& type);
  void copy_union(const cdr::TypeNode& type);
  void copy_sequence(const cdr::TypeNode& type);
  void copy_elements(const cdr::TypeNode& element, std::uint32_t count);
  [[nodiscard]] std::uint32_t copy_number();
  [[nodiscard]] std::int64_t copy_label(const cdr::TypeNode& type);
  [[nodiscard]] const cdr::TypeMember* branch_of(const cdr::TypeNode& type, std::int64_t label);
  [[nodiscard]] const cdr::TypeMember* find_branch(const cdr::TypeNode& type, std::int64_t label);
  void check_size();

  cdr::Decoder& in_;
  cdr::Encoder& out_;
  const Options options_;
  iop::Ior reference_;      // the last reference: its memory is used again
  std::uint32_t anys_ = 0;  // the anys around the current value
  cdr::LabelIndex labels_;  // of the types in the innermost any
  bool has_replaced_ = false;
};

}  // namespace perigee::bridge
