// Copies an outcome, and shows the copy.
#include "orb/async/kept_outcome.h"

namespace perigee::orb {

namespace {

std::optional<InvocationError> copy_of(const InvocationError* error) {
  return error != nullptr ? std::optional(*error) : std::nullopt;
}

}  // namespace

KeptOutcome::KeptOutcome(const stub::CallOutcome& outcome) : KeptOutcome(*outcome.state_) {}

KeptOutcome::KeptOutcome(const AsyncOutcome& outcome)
    : called_(outcome.operation),
      status_(outcome.status),
      error_(copy_of(outcome.error)),
      server_text_(outcome.server_text) {
  if (error_) return;
  body_ = outcome.body.copy_into(octets_);
  if (ReferenceFactory* const references = ReferenceFactory::from(body_.environment()))
    references_ = references->share();
}

KeptOutcome::~KeptOutcome() = default;

void KeptOutcome::show(function_ref<void(stub::CallOutcome&)> use) const {
  cdr::Decoder body = body_;
  AsyncOutcome outcome{called_, status_, body, error_ ? &*error_ : nullptr, server_text_};
  stub::CallOutcome shown(outcome);
  use(shown);
}

}  // namespace perigee::orb
