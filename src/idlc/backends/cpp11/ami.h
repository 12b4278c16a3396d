// The files of asynchronous calls (AMI): stubs whose operations return at once, the handlers that
// get the results, servants for handlers that are objects, and pollers.
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

/// An operation that can be called asynchronously.
struct AmiOperation {
  Callable callable;         ///< the operation as servants implement it
  Callable send;             ///< the stub's function; its first parameter is the handler
  Callable reply;            ///< the handler's function that gets results
  Callable reply_exception;  ///< the same for an exception
  Callable send_polled;      ///< the stub's function that returns a poller
  Callable poll;             ///< the poller's function; its first parameter is the time-out
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

/// The class of a poller, inside the namespaces of its interface.
void declare_poller(Writer& writer, const Ami& ami);
/// `IDL::traits` of the poller. Must be outside of all namespaces.
void declare_poller_traits(Writer& writer, const Ami& ami);
/// "::CORBA::valuetype_reference<::Stock::AMI_QuoterPoller>"
std::string poller_reference(const Ami& ami);
/// The functions of the poller's class.
void define_poller(Writer& writer, const Ami& ami);

/// Writes the function that decodes the results of a call and gives them to a handler (ami_source).
void write_delivery(Writer& writer, const Ami& ami, const AmiOperation& operation);

std::string ami_header_text(const Model& model, const std::vector<Ami>& all,
                            const FileNames& names);
std::string ami_source_text(const Model& model, const std::vector<Ami>& all,
                            const FileNames& names);
std::string ami_server_header_text(const Model& model, const std::vector<Ami>& all,
                                   const FileNames& names);
std::string ami_server_source_text(const Model& model, const std::vector<Ami>& all,
                                   const FileNames& names);

}  // namespace perigee::idlc::cpp11
