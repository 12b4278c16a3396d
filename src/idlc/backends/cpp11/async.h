// Writes the files of calls that coroutines await, and of servants whose operations are coroutines.
// The skeleton of such a servant sends the reply when the coroutine ends.
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

/// An operation of an interface that has files for coroutines. Clients can await each operation; a
/// servant has coroutines only for the operations that annotations or options chose.
struct Coroutine {
  Callable callable;                ///< the operation as an ordinary function
  bool is_chosen = false;           ///< a coroutine in servants; otherwise a normal function
  const Struct* results = nullptr;  ///< the class of several results; null for one result or none
  std::string results_name;         ///< the name of this class inside clients and servants
};

/// Finds the implied names of interfaces.
class AsyncInterfaces final {
 public:
  /// `all` must outlive this object.
  explicit AsyncInterfaces(const std::vector<Async>& all) : all_(&all) {}

  /// Null if the interface was not chosen.
  [[nodiscard]] const Async* find(const Interface& interface) const;
  /// The operations that the interface itself declares.
  [[nodiscard]] static std::vector<Coroutine> operations(const Async& async);
  [[nodiscard]] SkeletonClass skeleton(const Async& async) const;

 private:
  const std::vector<Async>* all_;
};

/// The result type of the coroutine: "void", the C++ type of a single result, or the class of
/// several results.
std::string result_type(const Coroutine& coroutine);
/// The parameters of the client's function: values, which the coroutine owns.
std::vector<std::string> coroutine_parameters(const Coroutine& coroutine);
/// The parameters of the servant's function: the same, with pinned values for borrowed ones.
std::vector<std::string> servant_parameters(const Coroutine& coroutine);
/// The parameters in the request: without out parameters.
Callable arguments_of(const Coroutine& coroutine);
/// Writes `using get_quote_results = …;` if the operation has several results.
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
