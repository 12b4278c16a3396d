// What skeleton classes of all kinds have in common: the ordinary ones, and those whose servants
// answer later.
#pragma once

#include "idlc/backends/cpp11/callables.h"
#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::idlc::cpp11 {

/// A skeleton class of an interface.
struct SkeletonClass {
  const Interface* interface = nullptr;
  std::string name;  ///< in its namespace: "Quoter"
  /// The class of the same kind for an interface, one of the bases: "::POA::Stock::Quoter".
  std::function<std::string(const Interface&)> class_of;
};

/// The class whose servants answer by returning.
SkeletonClass ordinary_skeleton(const Interface& interface);

/// What the class derives from: the classes of the interface's bases, or the base of servants.
std::vector<std::string> skeleton_bases(const SkeletonClass& skeleton);
/// `_this`, `_is_a` and the like.
void declare_identity(Writer& writer, const SkeletonClass& skeleton);
void define_identity(Writer& writer, const SkeletonClass& skeleton);

/// `_dispatch`: a perfect hash over all operations, inherited and implicit ones included.
void define_dispatch(Writer& writer, const SkeletonClass& skeleton);

/// The static function that answers requests for an operation: its declaration, its head, and the
/// steps of its body.
void declare_static_function(Writer& writer, const SkeletonClass& skeleton,
                             const Callable& callable);
void begin_static_function(Writer& writer, const SkeletonClass& skeleton, const Callable& callable);
void define_raises(Writer& writer, const Callable& callable);
/// Whether the servant sees the arguments until it returns, or they are moved to the servant.
enum class Arguments : std::uint8_t { lent, moved };
void decode_arguments(Writer& writer, const Callable& callable,
                      Arguments arguments = Arguments::lent);
/// `target(encoder of the variables);`, or `target(nullptr);` if there are none.
void write_reply(Writer& writer, const std::string& target,
                 const std::vector<std::string>& variables);

/// The whole function, for servants that answer by returning.
void define_ordinary_function(Writer& writer, const SkeletonClass& skeleton,
                              const Callable& callable);

}  // namespace perigee::idlc::cpp11
