// Copies a body at its phase (see RawBody), so that the copy fits after the header of the received
// body.
#include "bridge/rewriting/body_rewriter.h"

#include <perigee/cdr/encoder.h>

#include <string_view>
#include <utility>

namespace perigee::bridge {

namespace {

/// The copy, at the phase of the received body. If no reference was replaced, the result is the
/// received body itself, which needs no copy and keeps its pieces.
BodyRewriter::Result finished(const BodyRewriter::Received& received, cdr::Decoder& values,
                              const ValueCopier& copier, const cdr::Buffer& buffer) {
  if (values.ok() && values.remaining() != 0) values.fail(cdr::ErrorKind::bad_length);
  if (!values.ok()) return std::unexpected(values.error());
  if (!copier.has_replaced()) return received.body;
  if (const auto error = copier.unmovable()) return std::unexpected(*error);
  return RawBody{buffer.own_octets(), received.body.order, received.body.phase};
}

}  // namespace

BodyRewriter::Result BodyRewriter::rewrite(const Received& received,
                                           std::span<const cdr::TypeNode* const> types,
                                           ReplaceReference replace) {
  if (types.empty()) return received.body;
  auto result = copy(received, types, replace, ValueCopier::Phase::free);
  if (!result) result = copy(received, types, replace, ValueCopier::Phase::kept);
  return *std::move(result);
}

// A message needs a second copy only if a reference in it is replaced, and a valuetype passes
// unread.
std::optional<BodyRewriter::Result> BodyRewriter::copy(const Received& received,
                                                       std::span<const cdr::TypeNode* const> types,
                                                       ReplaceReference replace,
                                                       ValueCopier::Phase phase) {
  buffer_.clear();
  repeats_ = phase == ValueCopier::Phase::kept;
  cdr::Decoder values = received.values;
  cdr::Encoder encoder(buffer_, received.body.order, cdr::Encoder::Borrowing::no,
                       received.body.phase);
  ValueCopier copier(
      values, encoder,
      {.replace = replace, .size_max = size_max_, .value_types = plan_.values, .phase = phase});
  for (const cdr::TypeNode* const type : types) copier.copy(*type);
  if (copier.has_replaced() && buffer_.own_size() > size_max_)
    values.fail(cdr::ErrorKind::too_large);
  if (values.ok() && copier.has_replaced() && copier.has_lost_phase()) return std::nullopt;
  Result result = finished(received, values, copier, buffer_);
  if (!result || !copier.has_replaced()) release();
  return result;
}

// CORBA 3.0, 15.4.3.2: the repository id, then the members.
BodyRewriter::Result BodyRewriter::rewrite_exception(const Received& received,
                                                     ReplaceReference replace) {
  cdr::Decoder ahead = received.values;
  const std::string_view id = ahead.read_string_view();
  const auto found = ahead.ok() ? plan_.exceptions.find(id) : plan_.exceptions.end();
  if (found == plan_.exceptions.end()) return received.body;
  const cdr::TypeNode id_type{.kind = cdr::TypeKind::tk_string};
  const cdr::TypeNode* const types[] = {&id_type, found->second};
  return rewrite(received, types, replace);
}

void BodyRewriter::release() noexcept {
  if (buffer_.own_size() > kept_size_max) buffer_ = cdr::Buffer();
}

}  // namespace perigee::bridge
