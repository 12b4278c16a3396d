// ServerRequests that write their reply into a buffer of the caller, during the upcall or later.
#include "orb/invocation/collocated.h"

#include "orb/context/code_sets.h"
#include "orb/context/orb_context.h"
#include "orb/invocation/call_interception.h"
#include "orb/invocation/collocated_wait.h"
#include "orb/serving/server_interception.h"
#include "orb/values/reference_factory.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/stub.h>

#include <memory>
#include <new>
#include <span>
#include <utility>

namespace perigee::orb {

using messaging::ReplyStatus;

namespace {

/// Encodes answers. The derived class provides the buffer.
class CollocatedAnswer : public ServerRequest {
 protected:
  explicit CollocatedAnswer(const cdr::CodeSets& code_sets) : code_sets_(code_sets) {}

  /// The buffer for the body. `write` clears it first; it has the whole body when `written` is
  /// called.
  virtual cdr::Buffer& body() noexcept = 0;
  virtual void written(ReplyStatus status) noexcept = 0;
  /// The service contexts that interceptors have added to the answer.
  virtual void keep_contexts(std::span<const iop::ServiceContext> contexts) = 0;
  [[nodiscard]] const cdr::CodeSets& code_sets() const noexcept { return code_sets_; }

 private:
  void send_reply(ResultEncoder encode) final {
    write(ReplyStatus::no_exception, [&](cdr::Encoder& encoder) {
      if (encode) encode(encoder);
    });
  }
  void send_user_exception(const CORBA::UserException& exception) final {
    write(ReplyStatus::user_exception, [&](cdr::Encoder& encoder) {
      encoder.write_string(exception._rep_id());
      exception._encode(encoder);
    });
  }
  void send_system_exception(const CORBA::SystemException& exception) noexcept final {
    // If there is no memory for the exception and its text, the process ends here: no answer could
    // be given.
    write(ReplyStatus::system_exception, [&](cdr::Encoder& encoder) {
      encode_system_exception(encoder, exception);
      encoder.write_length(exception.detail().size());
      encoder.write_octets(std::as_bytes(std::span(exception.detail())));
    });
  }
  void send_forward(const CORBA::Object& target, bool permanent) final {
    write(permanent ? ReplyStatus::location_forward_perm : ReplyStatus::location_forward,
          [&](cdr::Encoder& encoder) { stub::encode_object(encoder, &target); });
  }

  template <typename Write>
  void write(ReplyStatus status, Write&& write_body) {
    cdr::Buffer& buffer = body();
    buffer.clear();
    cdr::Encoder encoder(buffer);
    encoder.set_code_sets(code_sets_);
    write_body(encoder);
    if (!encoder.ok()) raise_encode_error(encoder.error(), Sender::server, CORBA::COMPLETED_YES);
    if (interception() != nullptr) keep_contexts(interception()->reply_contexts({}));
    written(status);
  }

  const cdr::CodeSets code_sets_;
};

/// A deferred reply. The caller still waits for it, or has given up: then the reply is dropped.
class DeferredAnswer final : public CollocatedAnswer {
 public:
  DeferredAnswer(const ServerRequest& upcall, const cdr::CodeSets& code_sets,
                 std::shared_ptr<CollocatedWait> wait,
                 std::shared_ptr<CollocatedDeferrals> deferrals,
                 cdr::DecodedMemory&& decoded_memory)
      : CollocatedAnswer(code_sets),
        decoded_memory_(std::move(decoded_memory)),
        wait_(std::move(wait)),
        deferrals_(std::move(deferrals)),
        operation_text_(upcall.operation()),
        key_(upcall.object_key().begin(), upcall.object_key().end()) {
    copy_answering(upcall);
    operation_ = operation_text_;
    object_key_ = key_;
    deferrals_->add(*wait_);
  }
  ~DeferredAnswer() override { deferrals_->remove(*wait_); }
  DeferredAnswer(const DeferredAnswer&) = delete;
  DeferredAnswer& operator=(const DeferredAnswer&) = delete;

  [[nodiscard]] Cancellation* cancellation() noexcept override { return &wait_->cancellation; }

 private:
  [[nodiscard]] ServerRequest* make_deferred() override { return nullptr; }
  cdr::Buffer& body() noexcept override { return wait_->body; }
  void written(ReplyStatus status) noexcept override { wait_->end(status); }
  void keep_contexts(std::span<const iop::ServiceContext> contexts) override {
    wait_->contexts.assign(contexts);
  }

  const cdr::DecodedMemory decoded_memory_;  // of the arguments, which the servant may have kept
  const std::shared_ptr<CollocatedWait> wait_;
  const std::shared_ptr<CollocatedDeferrals> deferrals_;
  const std::string operation_text_;
  const Octets key_;
};

class CollocatedRequest final : public CollocatedAnswer {
 public:
  CollocatedRequest(const OrbContext& context, const CollocatedCall& call, cdr::Buffer& reply)
      : CollocatedAnswer(collocated_code_sets(context.settings.code_sets)),
        response_(call.response),
        caller_(call.interception),
        reply_(reply),
        deferrals_(context.collocated_deferrals) {
    operation_ = call.operation;
    object_key_ = call.object_key;
    response_expected_ = call.response != messaging::ResponseFlags::none;
    arguments_ = cdr::Decoder(call.arguments.own_octets(), std::endian::native, 0,
                              context.messaging.limits().values);
    arguments_.set_environment(&context.references);
    arguments_.set_decoded_memory(decoded_memory_);
    arguments_.set_code_sets(code_sets());
    reply_.clear();
    if (!call.deadline.is_never() && response_expected_) limit_time(context.clock, call.deadline);
  }

  /// As for a remote request, the caller does not learn the outcome of an upcall with
  /// SYNC_WITH_SERVER.
  void begin_upcall() override {
    if (response_ == messaging::ResponseFlags::with_server) response_expected_ = false;
  }
  [[nodiscard]] bool is_with_server() const noexcept override {
    return response_ == messaging::ResponseFlags::with_server;
  }
  [[nodiscard]] std::span<const iop::ServiceContext> contexts() const noexcept override try {
    return caller_ != nullptr ? caller_->request_contexts({})
                              : std::span<const iop::ServiceContext>();
  } catch (const std::bad_alloc&) {
    return {};
  }
  [[nodiscard]] ReplyStatus status() const noexcept { return status_; }
  /// The object that receives the answer of a deferred request; null if the request is not
  /// deferred.
  [[nodiscard]] const std::shared_ptr<CollocatedWait>& wait() const noexcept { return wait_; }

 private:
  [[nodiscard]] ServerRequest* make_deferred() override {
    auto wait = std::make_shared<CollocatedWait>();
    auto later = std::make_unique<DeferredAnswer>(*this, code_sets(), wait, deferrals_,
                                                  std::move(decoded_memory_));
    wait_ = std::move(wait);
    return later.release();
  }
  cdr::Buffer& body() noexcept override { return reply_; }
  void written(ReplyStatus status) noexcept override { status_ = status; }
  void keep_contexts(std::span<const iop::ServiceContext> contexts) override {
    if (caller_ != nullptr) caller_->keep_reply_contexts(contexts);
  }

  const messaging::ResponseFlags response_;
  CallInterception* const caller_;
  cdr::DecodedMemory decoded_memory_;  // of the arguments
  cdr::Buffer& reply_;
  const std::shared_ptr<CollocatedDeferrals>& deferrals_;
  ReplyStatus status_ = ReplyStatus::no_exception;
  std::shared_ptr<CollocatedWait> wait_;
};

}  // namespace

// The text only helps readers of logs, so it is empty if there is no memory for it.
std::string collocated_detail(cdr::Decoder body) noexcept try {
  (void)body.read_string_view();  // the repository id
  (void)body.read<std::uint32_t>();
  (void)body.read<std::uint32_t>();
  const OctetSpan text = body.read_octet_sequence();
  return {reinterpret_cast<const char*>(text.data()), text.size()};
} catch (const std::bad_alloc&) {
  return {};
}

std::optional<ReplyStatus> begin_collocated(const OrbContext& context, const CollocatedCall& call,
                                            cdr::Buffer& reply,
                                            std::shared_ptr<CollocatedWait>& later) {
  CollocatedRequest request(context, call, reply);
  call.dispatcher.dispatch(request);
  if (request.response_expected() && !request.answered())
    request.reply_exception(
        CORBA::NO_RESPONSE(0, CORBA::COMPLETED_MAYBE, "the adapter gave no answer"));
  if (!request.deferred() || !request.response_expected()) return request.status();
  later = request.wait();
  return std::nullopt;
}

std::expected<ReplyStatus, FailureCause> dispatch_collocated(const OrbContext& context,
                                                             const CollocatedCall& call,
                                                             cdr::Buffer& reply) {
  std::shared_ptr<CollocatedWait> later;
  if (const auto status = begin_collocated(context, call, reply, later)) return *status;
  if (const FailureCause cause = later->await(context, call.deadline);
      cause != FailureCause::none) {
    later->cancellation.cancel().request_stop();
    return std::unexpected(cause);
  }
  if (call.interception != nullptr) call.interception->keep_reply_contexts(later->contexts.get());
  reply = std::move(later->body);
  return later->status;
}

}  // namespace perigee::orb
