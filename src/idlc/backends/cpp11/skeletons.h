// The common parts of all kinds of skeleton classes: ordinary skeletons, and skeletons whose
// servants reply later.
#pragma once

#include "idlc/backends/cpp11/callables.h"
#include "idlc/backends/cpp11/generate.h"
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
  /// The class of the same kind for a base of the interface: "::POA::Stock::Quoter".
  std::function<std::string(const Interface&)> class_of;
};

/// The class whose servants reply by returning.
SkeletonClass ordinary_skeleton(const Interface& interface);

/// The operations that the skeleton class has functions for: those of the interface, and those of
/// its abstract bases that no other base has. Abstract interfaces have no skeletons.
std::vector<Callable> skeleton_callables(const Interface& interface);
/// The operations of abstract interfaces that two or more inherited skeletons declare. The skeleton
/// class declares them again, so that a call through a pointer to it is not ambiguous.
std::vector<Callable> joined_callables(const Interface& interface);

/// The base classes: the classes of the interface's bases, or the base of servants.
std::vector<std::string> skeleton_bases(const SkeletonClass& skeleton);
/// `_this`, `_is_a` and the like.
void declare_identity(Writer& writer, const SkeletonClass& skeleton);
void define_identity(Writer& writer, const SkeletonClass& skeleton);

/// `_dispatch`: finds each operation by a perfect hash, inherited and implicit ones included. A
/// binary search replaces the hash if there are very many operations. Another `demux` replaces
/// both.
void define_dispatch(Writer& writer, const SkeletonClass& skeleton, Demux demux = Demux::automatic);

/// The static function that handles requests for an operation: its declaration, its head, and the
/// steps of its body.
void declare_static_function(Writer& writer, const SkeletonClass& skeleton,
                             const Callable& callable);
void begin_static_function(Writer& writer, const SkeletonClass& skeleton, const Callable& callable);
void define_raises(Writer& writer, const Callable& callable);
/// Whether the arguments are lent to the servant until it returns, or moved to the servant.
enum class Arguments : std::uint8_t { lent, moved };
void decode_arguments(Writer& writer, const Callable& callable,
                      Arguments arguments = Arguments::lent);
/// Writes `target(encoder of the variables);`, or `target(nullptr);` if there are no variables.
/// `encoder`: an expression for the `_encoder_`.
void write_reply(Writer& writer, const std::string& target,
                 const std::vector<std::string>& variables, const std::string& encoder);

/// The whole function, for servants that reply by returning.
void define_ordinary_function(Writer& writer, const SkeletonClass& skeleton,
                              const Callable& callable);

}  // namespace perigee::idlc::cpp11
