// The labels of a union: which of its branches a value of the discriminator selects.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <cstddef>
#include <functional>
#include <string>

namespace perigee::idlc::cpp11 {

/// Whether several values select the branch, so that whoever sets it may say which.
bool has_several_labels(const UnionBranch& branch);

/// A value of the discriminator, as a C++ expression, that selects the branch: its first label, or
/// for the default branch a value that no label takes.
std::string label_of(const Union& declared, const UnionBranch& branch);

/// Whether the labels alone take every value: there is no default, written or implicit.
bool covers_by_labels(const Union& declared);

/// What a default constructed union holds: the default branch, else none if some values select no
/// branch, else the first. `index` is that of the variant's alternative.
struct InitialBranch {
  std::size_t index;
  std::string label;
};
InitialBranch initial_branch(const Union& declared);

/// A `switch` over `expression`. `write_case` writes the statements for a branch, or for none if
/// its argument is null; they must leave the switch.
void write_switch(Writer& writer, const Union& declared, const std::string& expression,
                  const std::function<void(const UnionBranch* branch)>& write_case);

}  // namespace perigee::idlc::cpp11
