// The state of a CORBA::ServerRequest: the rules about the order of calls, and the reply.
#pragma once

#include <perigee/base/function_ref.h>
#include <perigee/dynamic/named_value.h>
#include <perigee/orb/any.h>
#include <perigee/orb/context.h>
#include <perigee/orb/iop_types.h>
#include <perigee/orb/server_request.h>
#include <perigee/poa/answer.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::dynamic {

/// One thread at a time. But a servant that has deferred the request may throw in `invoke` while
/// another thread sets the reply: so `end_upcall` and `end_upcall_thrown` of a deferred request use
/// `is_deferred_`, `is_claimed_` and `answer_` only.
class ServedRequest final {
 public:
  /// `request` must live until `end_upcall`.
  explicit ServedRequest(orb::ServerRequest& request)
      : operation_(request.operation()), request_(&request) {}
  ServedRequest(const ServedRequest&) = delete;
  ServedRequest& operator=(const ServedRequest&) = delete;

  [[nodiscard]] const std::string& operation() const noexcept { return operation_; }
  [[nodiscard]] bool response_expected() const noexcept;
  /// Empty after the reply, and if the request has no context with this id.
  [[nodiscard]] std::optional<IOP::ServiceContext> service_context(IOP::ServiceId id) const;

  CORBA::NVList& arguments(CORBA::NVList parameters);
  [[nodiscard]] CORBA::object_reference<CORBA::Context> context();
  void set_result(CORBA::Any value);
  void set_exception(const CORBA::Any& exception);
  void set_exception(const CORBA::Exception& exception);
  void defer();
  void reply();

  /// The servant has returned: sends the reply, unless it is deferred.
  void end_upcall();
  /// The servant has thrown the exception that is being handled. Rethrows it, unless the request is
  /// deferred: then it becomes the reply, if there was none.
  void end_upcall_thrown();

 private:
  enum class Stage : std::uint8_t { begun, has_arguments, has_result, has_exception, answered };

  /// Raises BAD_INV_ORDER after the reply.
  void check_open() const;
  /// Replies with the user exception that was set, or throws the exception.
  void raise_or_reply(orb::ServerRequest& request);
  /// Reads a part of the arguments to their end. An error becomes the reply, and is raised.
  void decode(function_ref<void(cdr::Decoder&)> read);
  void encode_results(cdr::Encoder& encoder, Stage results) const;

  const std::string operation_;
  orb::ServerRequest* request_;  // during the upcall, until it is deferred; then null
  skeleton::Answer answer_;      // of a deferred request
  bool is_deferred_ = false;
  std::atomic<bool> is_claimed_{false};  // by the thread that sends the reply of a deferred request
  bool has_context_ = false;             // `context` was called
  Stage stage_ = Stage::begun;
  CORBA::NVList parameters_;
  CORBA::Any result_;
  std::exception_ptr exception_;
  // The only user exception that may be sent: the exception that the servant has set. The thread
  // that has claimed the reply writes `raises_`.
  std::string exception_id_;
  std::string_view raises_[1];
};

}  // namespace perigee::dynamic
