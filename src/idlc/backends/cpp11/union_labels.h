// The labels of a union: the branch that each value of the discriminator selects.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <cstddef>
#include <functional>
#include <string>

namespace perigee::idlc::cpp11 {

/// Whether several values may select the branch: it has several labels, or is the default branch.
/// Then the setter takes the value as an argument.
bool has_several_labels(const UnionBranch& branch);

/// A value of the discriminator that selects the branch, as a C++ expression: the first label, or
/// for the default branch a value without a label.
std::string label_of(const Union& declared, const UnionBranch& branch);

/// Whether the labels alone cover every value: then there is no default, explicit or implicit.
bool covers_by_labels(const Union& declared);

/// What a union selects: a branch, or no member. `index` is the index of the variant's alternative.
struct InitialBranch {
  std::size_t index;
  std::string label;
};
/// The contents of a default constructed union: the default branch. Without a default branch, if
/// some values select no branch, it is the first branch with the annotation `@default`, or no
/// member. Otherwise it is the first branch.
InitialBranch initial_branch(const Union& declared);
/// The contents without a member. The union must have an implicit default.
InitialBranch without_member(const Union& declared);

/// A `switch` over `expression`. `write_case` writes the statements for a branch; null means no
/// branch. The statements must leave the switch.
void write_switch(Writer& writer, const Union& declared, const std::string& expression,
                  const std::function<void(const UnionBranch* branch)>& write_case);

}  // namespace perigee::idlc::cpp11
