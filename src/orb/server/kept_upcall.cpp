// Reads the header of the kept message again, and passes the answer on.
#include "orb/server/kept_upcall.h"

#include "engine/connection/connection.h"
#include "orb/server/deferred_upcall.h"

#include <optional>
#include <utility>

namespace perigee::orb {

namespace {

/// Gives the deferred request the contexts of the interceptors, as long as it sends the reply.
class ReplyScope {
 public:
  ReplyScope(ServerRequest& later, ServerInterception* interception) noexcept : later_(later) {
    if (interception == nullptr) return;
    later_.set_interception(&contexts_.emplace(*interception));
  }
  ~ReplyScope() { later_.set_interception(nullptr); }
  ReplyScope(const ReplyScope&) = delete;
  ReplyScope& operator=(const ReplyScope&) = delete;

 private:
  ServerRequest& later_;
  std::optional<RepliedInterception> contexts_;
};

}  // namespace

// The header has been parsed before, from the same octets.
void KeptUpcall::begin(engine::IncomingRequest& request, std::unique_ptr<ServerRequest> later) {
  message_ = std::move(request.message);
  later_ = std::move(later);
  const auto parsed = request.connection.session().parse_request(message_, contexts_);
  if (!parsed) throw CORBA::MARSHAL(0, CORBA::COMPLETED_NO);
  operation_ = parsed->header.operation;
  object_key_ = parsed->header.object_key;
  response_ = parsed->header.response;
  response_expected_ = response_ != messaging::ResponseFlags::none;
  request_contexts_ = parsed->header.contexts;
  arguments_ = parsed->body;
  arguments_.set_environment(&core_);
  arguments_.set_code_sets(later_->arguments().code_sets());
  arguments_.set_decoded_memory(decoded_memory_);
  if (!message_.awaited_until.is_never()) limit_time(core_.clock(), message_.awaited_until);
}

void KeptUpcall::begin_upcall() {
  if (response_ != messaging::ResponseFlags::with_server) return;
  const ReplyScope scope(*later_, interception());
  later_->begin_upcall();
  response_expected_ = false;
}

// From now on, the deferred request runs the ending points itself. It was made by an UpcallRequest.
ServerRequest* KeptUpcall::make_deferred() {
  static_cast<DeferredUpcall&>(*later_).take_memory(std::move(decoded_memory_));
  later_->set_raises(raises());
  later_->set_interception(interception());
  return later_.release();
}

void KeptUpcall::send_reply(ResultEncoder encode) {
  const ReplyScope scope(*later_, interception());
  later_->reply(encode);
}

void KeptUpcall::send_system_exception(const CORBA::SystemException& exception) noexcept {
  const ReplyScope scope(*later_, interception());
  later_->reply_exception(exception);
}

void KeptUpcall::send_forward(const CORBA::Object& target, bool permanent) {
  const ReplyScope scope(*later_, interception());
  later_->reply_forward(target, permanent);
}

void KeptUpcall::send_user_exception(const CORBA::UserException& exception) {
  const ReplyScope scope(*later_, interception());
  later_->set_raises(raises());
  later_->reply_exception(exception);
}

}  // namespace perigee::orb
