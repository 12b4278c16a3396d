// Computes the positions of the members of structs in CDR and in memory.
#include "idlc/backends/cpp11/layout.h"

#include "idlc/backends/cpp11/enums.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

// A nested struct is written out in the code of the outer struct, so it must be small.
constexpr std::size_t nested_leaves_max = 16;

std::size_t padding(std::size_t position, std::size_t alignment) {
  return (0 - position) & (alignment - 1);
}

/// The size of a type whose size and alignment are the same number in CDR and in memory; 0 for
/// other types.
std::size_t scalar_size(const Type& type) {
  switch (type.kind) {
    case TypeKind::boolean:
    case TypeKind::octet:
    case TypeKind::char8:
    case TypeKind::int8:
    case TypeKind::uint8:
      return 1;
    case TypeKind::int16:
    case TypeKind::uint16:
      return 2;
    case TypeKind::int32:
    case TypeKind::uint32:
    case TypeKind::float32:
      return 4;
    case TypeKind::int64:
    case TypeKind::uint64:
    case TypeKind::float64:
      return 8;
    case TypeKind::enumeration:
      return travels_by_value(*as<Enum>(type.declaration)) ? 0 : 4;
    default:
      return 0;
  }
}

/// Collects the leaves in the order of the members in memory.
class Collector final {
 public:
  /// False if the member has no fixed size. Then the collected leaves are not usable.
  bool member(const Member& declared) {
    const Type& type = unaliased(*declared.type);
    if (const std::size_t size = scalar_size(type); size != 0) {
      align(size);
      layout_.run.leaves.push_back({{&declared}, &type, size, end_});
      end_ += size;
      return true;
    }
    const auto* structure = as<Struct>(type.declaration);
    if (type.kind != TypeKind::structure || structure == nullptr) return false;
    const std::optional<FixedLayout> nested = fixed_layout(*structure);
    if (!nested || nested->run.leaves.size() > nested_leaves_max) return false;
    append(declared, *nested);
    return true;
  }

  FixedLayout take() {
    align(layout_.memory_alignment);
    layout_.memory_size = end_;
    return std::move(layout_);
  }

 private:
  void align(std::size_t alignment) {
    end_ += padding(end_, alignment);
    layout_.memory_alignment = std::max(layout_.memory_alignment, alignment);
  }
  void append(const Member& declared, const FixedLayout& nested) {
    align(nested.memory_alignment);
    for (Leaf leaf : nested.run.leaves) {
      leaf.path.insert(leaf.path.begin(), &declared);
      leaf.memory_offset += end_;
      layout_.run.leaves.push_back(std::move(leaf));
    }
    end_ += nested.memory_size;
  }

  FixedLayout layout_;
  std::size_t end_ = 0;
};

}  // namespace

std::size_t Run::alignment() const {
  std::size_t largest = 1;
  for (const Leaf& leaf : leaves) largest = std::max(largest, leaf.size);
  return largest;
}

std::vector<std::size_t> Run::wire_offsets(std::size_t phase) const {
  std::vector<std::size_t> offsets;
  std::size_t position = phase;
  for (const Leaf& leaf : leaves) {
    position += padding(position, leaf.size);
    offsets.push_back(position - phase);
    position += leaf.size;
  }
  return offsets;
}

std::size_t Run::wire_size(std::size_t phase) const {
  return wire_offsets(phase).back() + leaves.back().size;
}

std::size_t Run::steady_phase() const { return wire_size(0) % alignment(); }

std::vector<Piece> Run::pieces(std::size_t phase) const {
  const std::vector<std::size_t> offsets = wire_offsets(phase);
  std::vector<Piece> result;
  for (std::size_t index = 0; index < leaves.size(); ++index) {
    const Leaf& leaf = leaves[index];
    const bool continues = !result.empty() && offsets[index] - result.back().wire_offset ==
                                                  leaf.memory_offset - result.back().memory_offset;
    if (!continues) result.push_back({offsets[index], leaf.memory_offset, 0});
    result.back().size = offsets[index] + leaf.size - result.back().wire_offset;
  }
  return result;
}

std::vector<Gap> Run::gaps(std::size_t phase) const {
  const std::vector<std::size_t> offsets = wire_offsets(phase);
  std::vector<Gap> result;
  std::size_t end = 0;
  for (std::size_t index = 0; index < leaves.size(); ++index) {
    if (offsets[index] > end) result.push_back({end, offsets[index] - end});
    end = offsets[index] + leaves[index].size;
  }
  return result;
}

bool FixedLayout::is_image() const {
  const std::size_t phase = run.steady_phase();
  const auto is_any_octet_valid = [](const Leaf& leaf) {
    return leaf.type->kind != TypeKind::boolean && leaf.type->kind != TypeKind::enumeration;
  };
  return run.gaps(phase).empty() && run.pieces(phase) == std::vector{Piece{0, 0, memory_size}} &&
         std::ranges::all_of(run.leaves, is_any_octet_valid);
}

std::optional<FixedLayout> fixed_layout(const Struct& structure) {
  if (structure.base != nullptr || structure.members.empty()) return std::nullopt;
  Collector collector;
  for (const Member& member : structure.members)
    if (!collector.member(member)) return std::nullopt;
  return collector.take();
}

std::vector<Part> parts(const std::vector<Member>& members) {
  std::vector<Part> result;
  for (const Member& member : members) {
    Collector collector;
    if (!collector.member(member)) {
      result.push_back({std::nullopt, &member});
      continue;
    }
    if (result.empty() || !result.back().run) result.push_back({Run{}, nullptr});
    for (const Leaf& leaf : collector.take().run.leaves) result.back().run->leaves.push_back(leaf);
  }
  return result;
}

bool is_text_run(const Struct& structure) {
  const auto is_text = [](const Part& part) {
    if (part.run) return false;
    const Type& type = unaliased(*part.member->type);
    return type.kind == TypeKind::string && type.bound == 0;
  };
  const std::vector<Part> all = parts(structure.members);
  return structure.base == nullptr && std::ranges::any_of(all, is_text) &&
         std::ranges::all_of(all, [&](const Part& part) { return part.run || is_text(part); });
}

}  // namespace perigee::idlc::cpp11
