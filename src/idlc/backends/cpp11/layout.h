// The positions of the members of structs, in CDR and in memory. Makes no C++ text. The
// memory layout is that of x86-64 and AArch64 Linux; generated code asserts the assumptions.
#pragma once

#include "idlc/frontend/model.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// A value of fixed size inside a struct, including members of members.
struct Leaf {
  std::vector<const Member*> path;  ///< from the outer struct's member to the value itself
  const Type* type = nullptr;       ///< unaliased: a basic type or an enum
  std::size_t size = 0;             ///< in CDR and in memory; aligned to its size in both
  std::size_t memory_offset = 0;    ///< from the start of the outer struct
};

/// Octets that generated code copies at once: they have the same order on the wire and in memory.
struct Piece {
  std::size_t wire_offset = 0;
  std::size_t memory_offset = 0;
  std::size_t size = 0;
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Padding on the wire.
struct Gap {
  std::size_t offset = 0;
  std::size_t size = 0;
  friend bool operator==(const Gap&, const Gap&) = default;
};

/// Values of fixed size that follow each other on the wire. Their padding depends on the *phase*:
/// the position of the run's first octet in the message, modulo `phase_count`.
struct Run {
  static constexpr std::size_t phase_count = 8;  // no CDR type has a larger alignment

  std::vector<Leaf> leaves;  // at least one

  /// The largest alignment of a leaf. Phases that are equal modulo it have the same layout.
  [[nodiscard]] std::size_t alignment() const;
  /// Offsets of the leaves from the start, if the run starts at octet number `phase`.
  [[nodiscard]] std::vector<std::size_t> wire_offsets(std::size_t phase) const;
  /// Octets from the start to the end of the last leaf, including leading padding.
  [[nodiscard]] std::size_t wire_size(std::size_t phase) const;
  /// The position of the run's end, modulo `alignment()`. It does not depend on the start, because
  /// the run has a leaf with this alignment. The next run of the same kind starts at this phase.
  [[nodiscard]] std::size_t steady_phase() const;
  /// The copies that make up the run at a phase, in order.
  [[nodiscard]] std::vector<Piece> pieces(std::size_t phase) const;
  /// The padding between the leaves at a phase, in order.
  [[nodiscard]] std::vector<Gap> gaps(std::size_t phase) const;
};

/// A struct whose members all have a fixed size, and are in memory in the order of declaration.
struct FixedLayout {
  Run run;
  std::size_t memory_size = 0;  ///< sizeof
  std::size_t memory_alignment = 1;
  /// Whether consecutive structs have the same octets in CDR and in memory, from the steady phase
  /// on.
  [[nodiscard]] bool is_image() const;
};

/// The layout of a struct of fixed size. None if the struct has a base or no members, or a member
/// of variable size, or a member that cannot be copied unchanged (wchar, long double, an enum that
/// is sent by value). Also none if a nested struct has more than 16 values.
std::optional<FixedLayout> fixed_layout(const Struct& structure);

/// A part of a struct's or exception's members, in order: a run, or one member of variable size.
struct Part {
  std::optional<Run> run;
  const Member* member = nullptr;  ///< if there is no run
};
std::vector<Part> parts(const std::vector<Member>& members);

/// Whether the struct has no base, and its members are unbounded strings or values of fixed size,
/// with at least one string.
bool is_text_run(const Struct& structure);

}  // namespace perigee::idlc::cpp11
