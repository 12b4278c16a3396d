// The files of asynchronous servants (AMH): skeletons whose operations get a response handler. A
// call of the handler sends the reply, later and on any thread.
#pragma once

#include "idlc/backends/cpp11/callables.h"
#include "idlc/backends/cpp11/generate.h"
#include "idlc/backends/cpp11/skeletons.h"
#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// An operation of an asynchronous servant.
struct AmhOperation {
  Callable callable;            ///< the operation as clients call it
  bool is_synchronous = false;  ///< not chosen: the servant replies by returning, without a handler
  Callable request;             ///< the servant's function; its first parameter is the handler
  Callable answer;              ///< the response handler's function that replies with results
  Callable answer_exception;    ///< the same for an exception
  std::string raise;            ///< name of the exception holder's function that raises it
};

/// Finds the implied declarations of interfaces.
class AmhInterfaces final {
 public:
  /// `all` must outlive this object.
  explicit AmhInterfaces(const std::vector<Amh>& all) : all_(&all) {}

  /// Null if the interface was not chosen.
  [[nodiscard]] const Amh* find(const Interface& interface) const;
  /// The operations that the interface itself declares.
  [[nodiscard]] static std::vector<AmhOperation> operations(const Amh& amh);
  [[nodiscard]] SkeletonClass skeleton(const Amh& amh) const;
  /// The parameters of all operations, for the warning about names that hide others.
  [[nodiscard]] std::vector<std::string> parameters() const;

 private:
  const std::vector<Amh>* all_;
};

std::string amh_header_text(const Model& model, const std::vector<Amh>& all,
                            const FileNames& names);
std::string amh_source_text(const Model& model, const std::vector<Amh>& all,
                            const FileNames& names);

}  // namespace perigee::idlc::cpp11
