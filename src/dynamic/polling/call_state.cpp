// Keeps the outcome of a call until the program takes it, or passes it to a reply handler.
#include "dynamic/polling/call_state.h"

#include "dynamic/polling/errors.h"
#include "orb/context/upcall_scope.h"
#include "orb/references/reference.h"

#include <new>
#include <utility>

namespace perigee::polling {

using HandlerRef = CORBA::object_reference<Messaging::ReplyHandler>;

namespace {

// Null: no memory for the copy. Polling the reply then raises NO_MEMORY.
std::unique_ptr<orb::KeptOutcome> copy_of(const stub::CallOutcome& outcome) noexcept try {
  return std::make_unique<orb::KeptOutcome>(outcome);
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace

CallState::CallState(const CORBA::Object& target, const stub::Operation& operation,
                     HandlerType handler)
    : target_(make_counted<CORBA::Object>(target._reference())),
      operation_(operation),
      handler_type_(handler) {}

// If `send` raises an exception, it does not call the observer.
void CallState::start(stub::Arguments arguments) {
  try {
    handle_ = stub::send(*target_, operation_, std::move(arguments), *this);
  } catch (...) {
    remove_owner();
    throw;
  }
}

void CallState::remove_owner() noexcept {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void CallState::abandon() noexcept {
  bool cancels = false;
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    cancels = stage_.load() == Stage::waiting && !observer_;
  }
  if (cancels) handle_.cancel();
  handle_ = {};
  remove_owner();
}

const void* CallState::orb() const noexcept { return &target_->_reference()->context(); }

// --- The end of the call ---

void CallState::ended(stub::CallOutcome& outcome) noexcept {
  std::unique_ptr<orb::KeptOutcome> reply;
  if (needs_reply()) reply = copy_of(outcome);  // without the lock: the body may be large
  Observer observer;
  HandlerRef handler;  // the end of its last reference runs code of the program
  std::vector<std::weak_ptr<Watcher>> watchers;
  {
    const std::lock_guard lock(mutex_);
    observer = std::move(observer_);
    if (observer)
      handler = std::move(handler_);
    else
      reply_ = std::move(reply);
    stage_.store(observer ? Stage::used_up : Stage::ready);
    watchers = watchers_.take();
  }
  Watchers::tell(watchers);
  if (observer) observer.release()->ended(outcome);  // deletes itself
  remove_owner();
}

// Whether the reply must be copied. The program may take a handler away until `ended` holds the
// lock again. So the reply is copied for a poller with a handler, too.
bool CallState::needs_reply() const {
  const std::lock_guard lock(mutex_);
  return !abandoned_;
}

// --- The handler ---

HandlerRef CallState::handler() const {
  const std::lock_guard lock(mutex_);
  return handler_;
}

CallState::Observer CallState::observer_for(const HandlerRef& handler) const {
  if (!handler) return nullptr;
  Observer observer(handler_type_.make(handler, handler_type_.deliver));
  if (!observer)
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                           "the reply handler is for another interface than the poller");
  return observer;
}

void CallState::set_handler(HandlerRef handler) {
  Observer observer = observer_for(handler);
  std::unique_ptr<orb::KeptOutcome> reply;
  {
    const std::lock_guard lock(mutex_);
    if (stage_.load() == Stage::used_up) raise_used_up();
    if (stage_.load() == Stage::waiting || !observer) {
      std::swap(handler_, handler);  // the old ones end without the lock
      std::swap(observer_, observer);
      return;
    }
    if (!reply_) throw CORBA::NO_MEMORY(0, CORBA::COMPLETED_YES);
    reply = std::move(reply_);
    stage_.store(Stage::used_up);
  }
  const orb::UpcallScope none(orb::UpcallScope::None::upcall);  // as in a turn of the loop
  reply->show([&observer](stub::CallOutcome& outcome) { observer.release()->ended(outcome); });
}

// --- Polling ---

bool CallState::is_from_poller() const {
  const std::lock_guard lock(mutex_);
  if (!from_poller_)
    throw CORBA::BAD_INV_ORDER(CORBA::OMGVMCID | 22, CORBA::COMPLETED_NO,
                               "no operation of the poller has ended yet");
  return *from_poller_;
}

bool CallState::watch(std::weak_ptr<Watcher> watcher) {
  const std::lock_guard lock(mutex_);
  if (stage_.load() != Stage::waiting) return false;
  watchers_.add(std::move(watcher));
  return true;
}

void CallState::wait(function_ref<bool()> done, std::uint32_t timeout) const {
  handle_.drive(done, timeout);
}

void CallState::await(std::uint32_t timeout) const {
  const auto is_settled = [this] { return stage_.load() != Stage::waiting; };
  if (!is_settled()) wait(is_settled, timeout);
}

bool CallState::is_ready(std::uint32_t timeout) {
  await(timeout);
  const Stage stage = stage_.load();  // read once: the call may end between two reads
  if (stage == Stage::used_up) raise_used_up();
  return stage == Stage::ready;
}

std::unique_ptr<orb::KeptOutcome> CallState::take(std::string_view operation,
                                                  std::uint32_t timeout) {
  if (operation != operation_.name)
    throw CORBA::BAD_OPERATION(0, CORBA::COMPLETED_NO,
                               "the poller belongs to a call of another operation");
  if (!handler()) await(timeout);
  const std::lock_guard lock(mutex_);
  if (stage_.load() == Stage::used_up) raise_used_up();
  if (observer_)
    throw CORBA::OBJECT_NOT_EXIST(CORBA::OMGVMCID | 5, CORBA::COMPLETED_NO,
                                  "the reply handler of the poller gets the reply");
  if (stage_.load() == Stage::waiting) raise_not_ready(timeout);
  stage_.store(Stage::used_up);
  from_poller_ = false;
  return std::move(reply_);
}

void CallState::poll(std::string_view operation, std::uint32_t timeout,
                     stub::ResultDecoder decode) {
  std::unique_ptr<orb::KeptOutcome> reply;
  try {
    reply = take(operation, timeout);
  } catch (const CORBA::SystemException&) {
    const std::lock_guard lock(mutex_);
    from_poller_ = true;
    throw;
  }
  if (!reply) throw CORBA::NO_MEMORY(0, CORBA::COMPLETED_YES, "no memory for the reply");
  std::exception_ptr failure;
  reply->show([&](stub::CallOutcome& outcome) { failure = outcome.decode(decode); });
  if (failure) std::rethrow_exception(failure);
}

Call start(const CORBA::Object& target, const stub::Operation& operation, stub::Arguments arguments,
           HandlerType handler) {
  if (!target._reference()) CORBA::_raise_nil_reference();
  Call call(*new CallState(target, operation, handler));
  call.state().start(std::move(arguments));
  return call;
}

Call::~Call() {
  if (state_ != nullptr) state_->abandon();
}

}  // namespace perigee::polling
