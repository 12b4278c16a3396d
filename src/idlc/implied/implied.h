// Implied IDL: the declarations that asynchronous calls (AMI) and asynchronous servants (AMH) add
// to those of a file. They are nodes of the model like any other, each with what it was made from,
// so that they can be printed as plain IDL while back ends make what they like of them. Coroutines,
// which IDL has no words for, have nodes for their names.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <string>
#include <vector>

namespace perigee::idlc {

/// Interfaces and operations are chosen by annotations (`@perigee::ami`, `@perigee::amh`,
/// `@perigee::async`, `@CORBA(ami=true)`), and their bases with them; these options choose all
/// interfaces of the main file. Local and abstract interfaces have neither.
struct ImpliedOptions {
  bool ami = false;
  bool amh = false;
  bool async = false;
};

/// What an implied operation is for.
enum class ImpliedRole {
  send,              ///< AMI: starts a call: sendc_get_quote
  reply,             ///< AMI: takes its results: get_quote
  reply_exception,   ///< AMI: takes its exception: get_quote_excep
  request,           ///< AMH: takes a request, which is answered later
  synchronous,       ///< AMH: an operation that was not chosen, as it was
  answer,            ///< AMH: answers with results
  answer_exception,  ///< AMH: answers with an exception: get_quote_excep
  raise,             ///< AMH: raises an exception that is to be the answer: raise_get_quote
};

/// What an operation of the origin is, or the half of an attribute.
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
  const Interface* local;    ///< what C++ derives from to implement it: AMI_QuoterLocalHandler
  std::vector<ImpliedOperation> operations;
};

/// The same of asynchronous servants.
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
  bool is_chosen;             ///< servants have a coroutine; else it is as it was
  /// What it gives if there are several results, the return value first; else null. It stands
  /// beside the interface.
  const Struct* results;
  std::string results_name;  ///< what clients and servants call it: get_quote_results
};

/// The names that coroutines add to an interface.
struct Async {
  const Interface* origin;
  const Interface* client;    ///< QuoterAsync, empty
  const Interface* skeleton;  ///< ASYNC_Quoter, empty
  std::vector<AsyncOperation> operations;
};

/// In the order of the origins; those of included files are there if something derives from them.
struct ImpliedIdl {
  std::vector<Ami> ami;
  std::vector<Amh> amh;
  std::vector<Async> async;
  std::vector<Diagnostic> diagnostics;  ///< what was chosen in vain; only warnings
};

/// Adds the nodes to the model. Names that are taken get one more prefix: AMI_AMI_QuoterHandler,
/// sendc_ami_get_quote. Sources: CORBA 3.0, 22.11 (AMI); Deshpande and others, "The Design and
/// Performance of Asynchronous Method Handling for CORBA", section 2 (AMH).
ImpliedIdl imply(Model& model, const ImpliedOptions& options);

/// What the main file implies, as IDL that can be compiled behind it.
std::string print_implied_idl(const Model& model, const ImpliedIdl& implied);

}  // namespace perigee::idlc
