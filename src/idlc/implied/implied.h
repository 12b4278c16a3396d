// Implied IDL: the declarations that asynchronous calls (AMI) and asynchronous servants (AMH) add
// to a file. They are ordinary nodes of the model, each with a pointer to its origin. So they can
// be printed as plain IDL, and back ends can map them in their own way. IDL has no words for
// coroutines, so these have nodes only for their names.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <string>
#include <vector>

namespace perigee::idlc {

/// Annotations choose interfaces and operations (`@perigee::ami`, `@perigee::ami_polling`,
/// `@perigee::amh`, `@perigee::async`, `@CORBA(ami=true)`). These options choose all interfaces of
/// the main file. The bases of a chosen interface are chosen, too. Local and abstract interfaces
/// cannot be chosen.
struct ImpliedOptions {
  bool ami = false;
  bool amh = false;
  bool async = false;
  bool ami_polling = false;  ///< includes `ami`
};

/// The purpose of an implied operation.
enum class ImpliedRole {
  send,              ///< AMI: starts a call: sendc_get_quote
  reply,             ///< AMI: receives the results: get_quote
  reply_exception,   ///< AMI: receives the exception: get_quote_excep
  send_polled,       ///< AMI: starts a call, and returns its poller: sendp_get_quote
  poll,              ///< AMI: takes the results from the poller: get_quote
  request,           ///< AMH: receives a request and replies later
  synchronous,       ///< AMH: an operation that was not chosen, unchanged
  answer,            ///< AMH: replies with results
  answer_exception,  ///< AMH: replies with an exception: get_quote_excep
  raise,             ///< AMH: raises the exception of a reply: raise_get_quote
};

/// The origin as an operation, or as one half of an attribute.
enum class Half { operation, get, set };

struct ImpliedOperation {
  ImpliedRole role;
  Half half;
  const Declaration* origin;  ///< the Operation or Attribute
  const Operation* node;
};

/// The declarations that one interface's asynchronous calls imply. The model owns the nodes.
struct Ami {
  const Interface* origin;
  const Interface* stub;     ///< QuoterAmiC, which derives from the origin
  const Interface* handler;  ///< AMI_QuoterHandler
  /// Base class of C++ implementations: AMI_QuoterLocalHandler. Its own operations would receive
  /// the replies to oneways, and are never called.
  const Interface* local;
  /// AMI_QuoterPoller, an abstract valuetype in IDL; null unless pollers were chosen.
  const Interface* poller;
  std::vector<ImpliedOperation> operations;
};

/// The same for asynchronous servants.
struct Amh {
  const Interface* origin;
  const Interface* skeleton;  ///< AMH_Quoter, local
  const Interface* handler;   ///< AMH_QuoterResponseHandler, local
  const ValueType* holder;    ///< AMH_QuoterExceptionHolder
  std::vector<ImpliedOperation> operations;
};

/// An operation, or the half of an attribute, for coroutines: clients can await each of them.
struct AsyncOperation {
  Half half;
  const Declaration* origin;  ///< the Operation or Attribute
  bool is_chosen;             ///< a coroutine in servants; otherwise an ordinary function
  bool is_joined;             ///< see Operation::is_joined
  /// The struct of the results if there are several, with the return value first; otherwise null.
  /// It is declared beside the interface.
  const Struct* results;
  std::string results_name;  ///< its name in clients and servants: get_quote_results
};

/// The names that coroutines add to an interface.
struct Async {
  const Interface* origin;
  const Interface* client;    ///< QuoterAsync, empty
  const Interface* skeleton;  ///< ASYNC_Quoter, empty
  std::vector<AsyncOperation> operations;
};

/// Each interface comes after its bases. An interface of an included file is in a list if it is
/// annotated, or if a chosen interface derives from it.
struct ImpliedIdl {
  std::vector<Ami> ami;
  std::vector<Amh> amh;
  std::vector<Async> async;
  /// Warnings about annotations that have no effect, and errors for names that handlers inherit
  /// twice.
  std::vector<Diagnostic> diagnostics;

  [[nodiscard]] bool ok() const;
};

/// Adds the nodes to the model. If the result is not `ok`, it must not be printed or generated. A
/// name that is taken gets one more prefix: AMI_AMI_QuoterHandler, sendc_ami_get_quote. Sources:
/// CORBA 3.0, 22.6, 22.10 and 22.11 (AMI); Deshpande and others, "The Design and Performance of
/// Asynchronous Method Handling for CORBA", section 2 (AMH).
ImpliedIdl imply(Model& model, const ImpliedOptions& options);

/// The implied declarations of the main file, as an IDL file that includes the main file.
std::string print_implied_idl(const Model& model, const ImpliedIdl& implied);

}  // namespace perigee::idlc
