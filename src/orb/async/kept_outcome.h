// A copy of the outcome of an asynchronous call, for use after its observer has returned.
#pragma once

#include "orb/async/async_request.h"
#include "orb/connection/invocation_error.h"
#include "orb/values/reference_factory.h"
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/cdr/decoder.h>
#include <perigee/messaging/message.h>
#include <perigee/orb/async_stub.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace perigee::orb {

/// Keeps a copy of the reply's body, or the error of the call. The copy may be shown several times.
/// If the body may hold references or values, keeps the ORB alive. One thread at a time.
class PERIGEE_INTERNAL_API KeptOutcome {
 public:
  /// `outcome` is valid during the construction. May throw bad_alloc.
  explicit KeptOutcome(const stub::CallOutcome& outcome);
  KeptOutcome(const KeptOutcome&) = delete;
  KeptOutcome& operator=(const KeptOutcome&) = delete;
  ~KeptOutcome();

  [[nodiscard]] const stub::Operation& operation() const noexcept { return called_; }
  /// The size of the body's copy.
  [[nodiscard]] std::size_t octets() const noexcept { return octets_.octets.size(); }
  /// Calls `use` with an outcome whose results begin at the start of the body.
  void show(function_ref<void(stub::CallOutcome&)> use) const;

 private:
  explicit KeptOutcome(const AsyncOutcome& outcome);

  const stub::Operation& called_;
  const messaging::ReplyStatus status_;
  const std::optional<InvocationError> error_;  // the call got no reply
  const std::string server_text_;
  cdr::Decoder::Copied octets_;
  cdr::Decoder body_;
  std::shared_ptr<ReferenceFactory> references_;  // for references in the reply
};

}  // namespace perigee::orb
