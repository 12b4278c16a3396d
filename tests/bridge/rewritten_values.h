// Values of all types as octets, for tests of the bridge's rewriting.
#pragma once

#include "bridge/rewriting/body_rewriter.h"
#include "support/octets.h"
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/typecode.h>
#include <perigee/iop/ior.h>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace perigee::test {

using cdr::basic_node;
using cdr::TypeKind;
using cdr::TypeMember;
using cdr::TypeNode;

/// A reference, and a longer reference that takes its place.
inline const iop::Ior reference_a{"IDL:A:1.0", {{0, octets(1, 2, 3)}}};
inline const iop::Ior reference_b{"IDL:A:1.0", {{0, octets(9, 9, 9, 9, 9, 9, 9)}, {1, octets(7)}}};
/// A reference that is not replaced.
inline const iop::Ior reference_c{"IDL:C:1.0", {{0, octets(5)}}};

inline constexpr auto replace_a = [](const iop::Ior& ior) -> std::optional<iop::Ior> {
  return ior == reference_a ? std::optional(reference_b) : std::nullopt;
};

/// How a body is encoded. `phase` is the position of its first octet in the message, modulo 8.
struct Form {
  std::endian order = std::endian::native;
  std::uint8_t minor = 2;
  std::uint8_t phase = 0;

  [[nodiscard]] cdr::CodeSets code_sets() const {
    cdr::CodeSets code_sets;
    code_sets.giop_minor = minor;
    return code_sets;
  }
};

/// Both byte orders, GIOP 1.0 to 1.2, and the phases that bodies may have.
inline std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const std::endian order : {std::endian::little, std::endian::big})
    for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}})
      for (const std::uint8_t phase : {std::uint8_t{0}, std::uint8_t{4}, std::uint8_t{3}})
        if (minor < 2 || phase == 0) forms.push_back({order, minor, phase});
  return forms;
}

/// Writes a value; `ior` is the reference in it.
using Write = std::function<void(cdr::Encoder&, const iop::Ior& ior)>;

inline Octets encode_value(const Form& form, const Write& write, const iop::Ior& ior) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, form.order, cdr::Encoder::Borrowing::no, form.phase);
  encoder.set_code_sets(form.code_sets());
  write(encoder, ior);
  REQUIRE(encoder.ok());
  return buffer.flatten();
}

/// The octets after a message header that ends at the form's phase.
class Body {
 public:
  Body(const Form& form, const Octets& octets) : form_(form), whole_(form.phase) {
    whole_.insert(whole_.end(), octets.begin(), octets.end());
  }

  [[nodiscard]] bridge::RawBody raw() const {
    return {OctetSpan(whole_).subspan(form_.phase), form_.order, form_.phase};
  }
  [[nodiscard]] cdr::Decoder values() const {
    cdr::Decoder decoder(whole_, form_.order, form_.phase);
    decoder.set_code_sets(form_.code_sets());
    return decoder;
  }

 private:
  Form form_;
  Octets whole_;
};

/// A body after rewriting, or the error.
struct Rewritten {
  Octets octets;
  bool is_new = false;  ///< the octets are in another place than the received body
  cdr::ErrorKind error = cdr::ErrorKind::none;
};

inline constexpr std::size_t rewritten_size_max = 1 << 20;

inline Rewritten rewrite(const Form& form, const Octets& octets,
                         const std::vector<const TypeNode*>& types) {
  bridge::BodyRewriter rewriter(rewritten_size_max);
  const Body body(form, octets);
  const bridge::RawBody raw = body.raw();
  const auto result = rewriter.rewrite({raw, body.values()}, types, replace_a);
  if (!result) return {{}, false, result.error().kind};
  CHECK(result->order == form.order);
  CHECK(result->phase == form.phase);
  return {Octets(result->octets.begin(), result->octets.end()),
          result->octets.data() != raw.octets.data(), cdr::ErrorKind::none};
}

/// A type and a value of it.
struct Sample {
  std::string name;
  const TypeNode* type = nullptr;
  Write write;
  std::uint8_t minor_min = 0;  ///< the first version of GIOP that has the type
};

/// One sample for each kind of type.
std::vector<Sample> all_samples();

}  // namespace perigee::test
