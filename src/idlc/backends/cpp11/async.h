// The files of calls that coroutines await, and of servants whose operations are coroutines:
// skeletons that answer when the coroutine ends.
#pragma once

#include "idlc/backends/cpp11/callables.h"
#include "idlc/backends/cpp11/generate.h"
#include "idlc/backends/cpp11/skeletons.h"
#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// An operation that coroutines call, and that may be one in a servant.
struct Coroutine {
  Callable callable;       ///< what clients call
  bool is_chosen = false;  ///< servants have a coroutine; else they answer by returning
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
/// What the request carries: without out parameters.
Callable arguments_of(const Coroutine& coroutine);
/// `using get_quote_results = …;`, if it has several results.
void alias_results(Writer& writer, const Coroutine& coroutine);

std::string async_header_text(const Model& model, const std::vector<Async>& all,
                              const FileNames& names);
std::string async_source_text(const Model& model, const std::vector<Async>& all,
                              const FileNames& names);

std::string async_server_header_text(const Model& model, const std::vector<Async>& all,
                                     const FileNames& names);
std::string async_server_source_text(const Model& model, const std::vector<Async>& all,
                                     const FileNames& names);

}  // namespace perigee::idlc::cpp11
