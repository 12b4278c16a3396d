// The files of asynchronous calls (AMI): stubs whose operations return at once, the handlers that
// get the results, and servants for handlers that are objects.
#pragma once

#include "idlc/backends/cpp11/callables.h"
#include "idlc/backends/cpp11/generate.h"
#include "idlc/backends/cpp11/skeletons.h"
#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// An operation that can be called asynchronously.
struct AmiOperation {
  Callable callable;         ///< the operation as servants implement it
  Callable send;             ///< the stub's function; its first parameter is the handler
  Callable reply;            ///< the handler's function that gets results
  Callable reply_exception;  ///< the same for an exception
};

/// Finds the implied declarations of interfaces.
class AmiInterfaces final {
 public:
  /// `all` must outlive this object.
  explicit AmiInterfaces(const std::vector<Ami>& all) : all_(&all) {}

  /// Null if the interface was not chosen.
  [[nodiscard]] const Ami* find(const Interface& interface) const;
  /// The operations that the interface itself declares.
  [[nodiscard]] static std::vector<AmiOperation> operations(const Ami& ami);
  /// The servant of handlers that are objects of a POA.
  [[nodiscard]] static SkeletonClass skeleton(const Ami& ami);
  /// The parameters of all operations, for the warning about names that hide others.
  [[nodiscard]] std::vector<std::string> parameters() const;

 private:
  const std::vector<Ami>* all_;
};

std::string ami_header_text(const Model& model, const std::vector<Ami>& all,
                            const FileNames& names);
std::string ami_source_text(const Model& model, const std::vector<Ami>& all,
                            const FileNames& names);
std::string ami_server_header_text(const Model& model, const std::vector<Ami>& all,
                                   const FileNames& names);
std::string ami_server_source_text(const Model& model, const std::vector<Ami>& all,
                                   const FileNames& names);

}  // namespace perigee::idlc::cpp11
