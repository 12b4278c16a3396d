// The files of servants whose operations are coroutines: skeletons that answer when the coroutine
// ends.
#pragma once

#include "idlc/backends/cpp11/callables.h"
#include "idlc/backends/cpp11/generate.h"
#include "idlc/backends/cpp11/skeletons.h"
#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// An operation of a servant of coroutines.
struct Coroutine {
  Callable callable;       ///< what clients call
  bool is_chosen = false;  ///< a coroutine; else the servant answers by returning
  const Struct* results = nullptr;
  std::string results_name;
};

/// Finds what interfaces imply.
class AsyncInterfaces final {
 public:
  /// `all` has to live longer.
  explicit AsyncInterfaces(const std::vector<Async>& all) : all_(&all) {}

  /// Null if the interface was not chosen.
  [[nodiscard]] const Async* find(const Interface& interface) const;
  /// Those that the interface declares itself.
  [[nodiscard]] static std::vector<Coroutine> operations(const Async& async);
  [[nodiscard]] SkeletonClass skeleton(const Async& async) const;

 private:
  const std::vector<Async>* all_;
};

/// What the coroutine gives: "void", the C++ type of the only result, or the class of several.
std::string result_type(const Coroutine& coroutine);
/// The function's parameters: values, which belong to the coroutine.
std::vector<std::string> coroutine_parameters(const Coroutine& coroutine);

std::string async_server_header_text(const Model& model, const std::vector<Async>& all,
                                     const FileNames& names);
std::string async_server_source_text(const Model& model, const std::vector<Async>& all,
                                     const FileNames& names);

}  // namespace perigee::idlc::cpp11
