// Reads the header of the kept message again, and passes the answer on.
#include "orb/server/kept_upcall.h"

#include "engine/connection/connection.h"

#include <utility>

namespace perigee::orb {

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
  arguments_ = parsed->body;
  arguments_.set_environment(&core_);
  arguments_.set_code_sets(later_->arguments().code_sets());
  arguments_.set_decoded_memory(decoded_memory_);
  if (!message_.awaited_until.is_never()) limit_time(core_.clock(), message_.awaited_until);
}

void KeptUpcall::begin_upcall() {
  if (response_ != messaging::ResponseFlags::with_server) return;
  later_->reply(nullptr);
  response_expected_ = false;
}

ServerRequest* KeptUpcall::make_deferred() { return later_.release(); }

void KeptUpcall::send_user_exception(const CORBA::UserException& exception) {
  later_->set_raises(raises());
  later_->reply_exception(exception);
}

}  // namespace perigee::orb
