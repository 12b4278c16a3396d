// Compares the layouts that the back end computes with a simple model. The model draws memory and
// the wire, octet by octet.
#include "idlc/backends/cpp11/layout.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <string>

namespace {

using namespace perigee::idlc;
using namespace perigee::idlc::cpp11;

/// Structs of random members, made without the front end.
class Maker final {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  const Struct& structure(int depth) {
    Struct& made = model_.make<Struct>();
    made.is_defined = true;
    made.name = "s";
    const int count = pick(1, depth > 0 ? 5 : 8);
    for (int index = 0; index < count; ++index)
      made.members.push_back({"m" + std::to_string(index), {}, type(depth), {}});
    return made;
  }
  const Type* basic(TypeKind kind) {
    Type& made = model_.make<Type>();
    made.kind = kind;
    return &made;
  }
  const Type* of(const Declaration& declaration, TypeKind kind) {
    Type& made = model_.make<Type>();
    made.kind = kind;
    made.declaration = &declaration;
    return &made;
  }
  Struct& empty_structure() { return model_.make<Struct>(); }

 private:
  int pick(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  const Type* type(int depth) {
    if (depth > 0 && pick(0, 2) == 0) return of(structure(depth - 1), TypeKind::structure);
    static constexpr TypeKind kinds[] = {TypeKind::octet,   TypeKind::boolean, TypeKind::int16,
                                         TypeKind::float32, TypeKind::int64,   TypeKind::char8,
                                         TypeKind::uint32,  TypeKind::float64};
    return basic(kinds[pick(0, std::size(kinds) - 1)]);
  }

  Model model_;
  std::mt19937_64 random_;
};

std::size_t size_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::octet:
    case TypeKind::boolean:
    case TypeKind::char8:
      return 1;
    case TypeKind::int16:
      return 2;
    case TypeKind::float32:
    case TypeKind::uint32:
      return 4;
    default:
      return 8;
  }
}

/// For each octet, the number of the value that it belongs to; -1 is padding.
using Picture = std::vector<int>;

void put(Picture& picture, std::size_t alignment, std::size_t size, int value) {
  while (picture.size() % alignment != 0) picture.push_back(-1);
  picture.insert(picture.end(), size, value);
}

void draw_wire(Picture& picture, const Struct& structure, int& next) {
  for (const Member& member : structure.members) {
    if (const auto* nested = as<Struct>(member.type->declaration))
      draw_wire(picture, *nested, next);
    else
      put(picture, size_of(member.type->kind), size_of(member.type->kind), next++);
  }
}

std::size_t native_alignment(const Struct& structure) {
  std::size_t result = 1;
  for (const Member& member : structure.members) {
    const auto* nested = as<Struct>(member.type->declaration);
    result = std::max(result,
                      nested != nullptr ? native_alignment(*nested) : size_of(member.type->kind));
  }
  return result;
}

Picture draw_memory(const Struct& structure, int& next) {
  Picture picture;
  for (const Member& member : structure.members) {
    if (const auto* nested = as<Struct>(member.type->declaration)) {
      while (picture.size() % native_alignment(*nested) != 0) picture.push_back(-1);
      const Picture inner = draw_memory(*nested, next);
      picture.insert(picture.end(), inner.begin(), inner.end());
    } else {
      put(picture, size_of(member.type->kind), size_of(member.type->kind), next++);
    }
  }
  while (picture.size() % native_alignment(structure) != 0) picture.push_back(-1);
  return picture;
}

/// Returns the picture of the wire that `run` makes at `phase` from the picture of the memory.
Picture copied(const Run& run, std::size_t phase, const Picture& memory) {
  Picture wire(run.wire_size(phase), -2);
  for (const Piece& piece : run.pieces(phase))
    for (std::size_t index = 0; index < piece.size; ++index)
      wire.at(piece.wire_offset + index) = memory.at(piece.memory_offset + index);
  for (const Gap& gap : run.gaps(phase))
    for (std::size_t index = 0; index < gap.size; ++index) wire.at(gap.offset + index) = -1;
  return wire;
}

void check_layout(const Struct& structure, const FixedLayout& layout) {
  int count = 0;
  const Picture memory = draw_memory(structure, count);
  CHECK(layout.memory_size == memory.size());
  CHECK(layout.memory_alignment == native_alignment(structure));
  CHECK(layout.run.leaves.size() == static_cast<std::size_t>(count));
  for (std::size_t phase = 0; phase < Run::phase_count; ++phase) {
    CAPTURE(phase);
    Picture wire(phase, -1);
    int next = 0;
    draw_wire(wire, structure, next);
    const Picture drawn(wire.begin() + static_cast<std::ptrdiff_t>(phase), wire.end());
    CHECK(copied(layout.run, phase, memory) == drawn);
    CHECK(wire.size() % layout.run.alignment() == layout.run.steady_phase());
  }
  // <perigee/cdr/run.h> relies on this when it computes the size of several structs.
  CHECK(layout.run.wire_size(layout.run.steady_phase()) <= layout.memory_size);
}

std::uint64_t seed_of_run() {
  const char* text = std::getenv("PERIGEE_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 20030711;
}

}  // namespace

TEST_CASE("the layouts of random structs equal those of a model of memory and wire") {
  const std::uint64_t seed = seed_of_run();
  int fixed = 0;
  for (std::uint64_t round = 0; round < 400; ++round) {
    CAPTURE(seed + round);
    Maker maker(seed + round);
    const Struct& structure = maker.structure(static_cast<int>(round % 3));
    const std::optional<FixedLayout> layout = fixed_layout(structure);
    if (!layout) continue;  // too many values inside nested structs
    ++fixed;
    check_layout(structure, *layout);
  }
  CHECK(fixed > 350);
}

TEST_CASE("two doubles are in memory as on the wire; three doubles with an octet are not") {
  Maker maker(1);
  Struct& point = maker.empty_structure();
  for (const char* name : {"x", "y"})
    point.members.push_back({name, {}, maker.basic(TypeKind::float64), {}});
  CHECK(fixed_layout(point)->is_image());
  point.members.push_back({"kind", {}, maker.basic(TypeKind::octet), {}});
  CHECK_FALSE(fixed_layout(point)->is_image());
}

TEST_CASE("a struct of booleans is not copied as a whole, since its octets must be checked") {
  Maker maker(1);
  Struct& flags = maker.empty_structure();
  flags.members.push_back({"on", {}, maker.basic(TypeKind::boolean), {}});
  CHECK_FALSE(fixed_layout(flags)->is_image());
}

TEST_CASE("strings, wide characters and long doubles divide the runs of a struct") {
  Maker maker(1);
  std::vector<Member> members;
  for (const TypeKind kind : {TypeKind::int32, TypeKind::octet, TypeKind::string, TypeKind::wchar,
                              TypeKind::float128, TypeKind::int16})
    members.push_back({"m", {}, maker.basic(kind), {}});
  const std::vector<Part> found = parts(members);
  REQUIRE(found.size() == 5);
  CHECK(found[0].run->leaves.size() == 2);
  for (std::size_t index = 1; index < 4; ++index) CHECK(found[index].member == &members[index + 1]);
  CHECK(found[4].run->leaves.size() == 1);
}

TEST_CASE("a struct with a base or without members has no layout") {
  Maker maker(1);
  Struct& structure = maker.empty_structure();
  CHECK_FALSE(fixed_layout(structure).has_value());
  structure.members.push_back({"m", {}, maker.basic(TypeKind::octet), {}});
  CHECK(fixed_layout(structure).has_value());
  structure.base = &maker.empty_structure();
  CHECK_FALSE(fixed_layout(structure).has_value());
}
