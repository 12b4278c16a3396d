// A ServerRequest whose reply goes to a buffer instead of a connection.
#include "orb/collocated.h"

#include "orb/code_sets.h"
#include "orb/orb_core.h"
#include "orb/system_exceptions.h"
#include <perigee/orb/stub.h>

namespace perigee::orb {

using messaging::ReplyStatus;

namespace {

class CollocatedRequest final : public ServerRequest {
 public:
  CollocatedRequest(OrbCore& core, const CollocatedCall& call, cdr::Buffer& reply)
      : reply_(reply), code_sets_(collocated_code_sets(core.settings().code_sets)) {
    operation_ = call.operation;
    object_key_ = call.object_key;
    response_expected_ = call.response_expected;
    arguments_ = cdr::Decoder(call.arguments.own_octets(), std::endian::native, 0,
                              core.messaging().limits().values);
    arguments_.set_environment(&core);
    arguments_.set_code_sets(code_sets_);
    reply_.clear();
  }

  [[nodiscard]] ReplyStatus status() const noexcept { return status_; }

 private:
  void send_reply(ResultEncoder encode) override {
    write(ReplyStatus::no_exception, [&](cdr::Encoder& encoder) {
      if (encode) encode(encoder);
    });
  }
  void send_user_exception(const CORBA::UserException& exception) override {
    write(ReplyStatus::user_exception, [&](cdr::Encoder& encoder) {
      encoder.write_string(exception._rep_id());
      exception._encode(encoder);
    });
  }
  void send_system_exception(const CORBA::SystemException& exception) noexcept override {
    // Without memory for some 100 octets the process ends here: nobody could be told.
    write(ReplyStatus::system_exception,
          [&](cdr::Encoder& encoder) { encode_system_exception(encoder, exception); });
  }
  void send_forward(const CORBA::Object& target, bool permanent) override {
    write(permanent ? ReplyStatus::location_forward_perm : ReplyStatus::location_forward,
          [&](cdr::Encoder& encoder) { stub::encode_object(encoder, &target); });
  }

  template <typename Write>
  void write(ReplyStatus status, Write&& write_body) {
    reply_.clear();
    cdr::Encoder encoder(reply_);
    encoder.set_code_sets(code_sets_);
    write_body(encoder);
    if (!encoder.ok()) raise_encode_error(encoder.error(), Sender::server, CORBA::COMPLETED_YES);
    status_ = status;
  }

  cdr::Buffer& reply_;
  const cdr::CodeSets code_sets_;
  ReplyStatus status_ = ReplyStatus::no_exception;
};

}  // namespace

ReplyStatus dispatch_collocated(OrbCore& core, const CollocatedCall& call, cdr::Buffer& reply) {
  CollocatedRequest request(core, call, reply);
  call.dispatcher.dispatch(request);
  if (call.response_expected && !request.answered())
    request.reply_exception(
        CORBA::NO_RESPONSE(0, CORBA::COMPLETED_MAYBE, "the adapter gave no answer"));
  return request.status();
}

}  // namespace perigee::orb
