// The parts that all commands with IDL share: nodes of basic types, labels, texts of errors.
#pragma once

#include "idlc/frontend/compile.h"
#include "idlc/frontend/model.h"
#include <perigee/cdr/typecode.h>

#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace perigee::tool {

/// The node of a type without parameters and without a declaration; otherwise nullptr.
[[nodiscard]] const cdr::TypeNode* basic_node_of(idlc::TypeKind kind);

/// Whether the enum's values are sent by their numbers, because of @value or @bit_bound.
[[nodiscard]] bool has_values(const idlc::Enum& declared);
[[nodiscard]] std::uint32_t bit_bound(const idlc::Enum& declared);

/// The label as in a TypeCode: enumerators as ordinals or values, characters as code points.
[[nodiscard]] std::int64_t label_of(const idlc::Value& label);

/// Bounds above 2^32 - 1 become 2^32 - 1.
[[nodiscard]] std::uint32_t to_bound(std::uint64_t bound);

/// The IDL files of a command, from its options.
struct IdlFiles {
  std::vector<std::string> files;
  std::vector<std::string> include_folders;
  std::vector<std::string> macros;  ///< "NAME" or "NAME=TEXT"
};
/// Reads and checks one of the files. On failure, returns the first error with its place, as one
/// line.
[[nodiscard]] std::expected<std::unique_ptr<idlc::Model>, std::string> read_model(
    const std::string& file, const IdlFiles& idl, idlc::FileProvider& files);

/// The node of an array: `dimensions` of `element`, the outermost first. `nodes` owns the new
/// nodes.
[[nodiscard]] const cdr::TypeNode& array_of(const cdr::TypeNode& element,
                                            const std::vector<std::uint64_t>& dimensions,
                                            std::deque<cdr::TypeNode>& nodes);

/// "bank.idl:7:11: ", for the beginning of an error text.
[[nodiscard]] std::string place_of(const idlc::Location& location);

}  // namespace perigee::tool
