// A request that was never on a wire, and servants that run functions of the test.
#pragma once

#include "orb/serving/cancellation.h"
#include <perigee/base/clock.h>
#include <perigee/cdr/operators.h>
#include <perigee/orb/server_request.h>
#include <perigee/poa/poa.h>
#include <perigee/poa/skeleton.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::test {

/// Remembers its answer. Outlives the deferred requests that are made from it.
class FakeRequest final : public orb::ServerRequest {
 public:
  explicit FakeRequest(Octets key, std::string operation = "act")
      : key_(std::move(key)), name_(std::move(operation)) {
    object_key_ = key_;
    operation_ = name_;
    answer_.reserve(64);
  }

  /// "reply", "user IDL:…", "system NAME", "forward"; empty if it was not answered.
  [[nodiscard]] const std::string& answer() const noexcept { return answer_; }
  [[nodiscard]] std::uint32_t minor() const noexcept { return minor_; }
  [[nodiscard]] CORBA::CompletionStatus completed() const noexcept { return completed_; }
  [[nodiscard]] const Octets& results() const noexcept { return results_; }
  [[nodiscard]] const CORBA::Object* forward() const noexcept { return forward_; }
  void refuse_to_wait() noexcept { hold_ = Hold::refused; }
  /// Ends the time that the client waits for the reply.
  void end_time() {
    limit_time(steady_clock(), Deadline::after(std::chrono::seconds(0), steady_clock().now()));
  }
  /// Called each time before the request waits for its manager.
  void when_held(std::function<void()> when_held) { when_held_ = std::move(when_held); }

  [[nodiscard]] Hold hold() override {
    if (when_held_) when_held_();
    return hold_;
  }
  ~FakeRequest() override {
    if (upcall_ != nullptr) --upcall_->later_->outstanding;
  }
  FakeRequest(const FakeRequest&) = default;
  FakeRequest& operator=(const FakeRequest&) = delete;
  [[nodiscard]] orb::Cancellation* cancellation() noexcept override {
    return upcall_ != nullptr ? &upcall_->later_->cancellation : nullptr;
  }
  void cancel() { later_->cancellation.cancel().request_stop(); }
  void set_response_expected(bool expected) { response_expected_ = expected; }
  /// The number of deferred requests that have not ended.
  [[nodiscard]] int outstanding() const noexcept { return later_->outstanding; }

 protected:
  [[nodiscard]] ServerRequest* make_deferred() override {
    auto later = std::make_unique<FakeRequest>(key_, name_);
    later->copy_answering(*this);
    later->upcall_ = this;
    ++later_->outstanding;
    return later.release();
  }
  void send_reply(orb::ResultEncoder encode) override {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    if (encode) encode(encoder);
    if (!encoder.ok()) throw CORBA::MARSHAL(0, CORBA::COMPLETED_YES);
    keeper().results_ = buffer.flatten();
    append("reply");
  }
  void send_user_exception(const CORBA::UserException& exception) override {
    append(std::string("user ") + exception._rep_id());
  }
  void send_system_exception(const CORBA::SystemException& exception) noexcept override {
    append("system ");  // allocates nothing, like a real request
    append(exception._name());
    keeper().minor_ = exception.minor();
    keeper().completed_ = exception.completed();
  }
  void send_forward(const CORBA::Object& target, bool /*permanent*/) override {
    keeper().forward_ = &target;
    append("forward");
  }

 private:
  [[nodiscard]] FakeRequest& keeper() noexcept { return upcall_ != nullptr ? *upcall_ : *this; }
  // Appends, so that a test notices a second answer.
  void append(std::string_view answer) { keeper().answer_ += answer; }

  FakeRequest* upcall_ = nullptr;  // null, or the request that this one was deferred from
  struct Later {
    std::atomic<int> outstanding{0};
    orb::Cancellation cancellation;
  };
  std::shared_ptr<Later> later_ = std::make_shared<Later>();
  Octets key_;
  std::string name_;
  std::string answer_;
  std::uint32_t minor_ = 0;
  CORBA::CompletionStatus completed_ = CORBA::COMPLETED_YES;
  Octets results_;
  const CORBA::Object* forward_ = nullptr;
  Hold hold_ = Hold::wait;
  std::function<void()> when_held_;
};

/// Runs the action of the test, then replies without results if the action has not answered.
class ActingServant : public PortableServer::Servant {
 public:
  using Action = std::function<void(orb::ServerRequest&)>;
  explicit ActingServant(Action action = nullptr, std::atomic<int>* alive = nullptr)
      : action_(std::move(action)), alive_(alive) {
    if (alive_ != nullptr) ++*alive_;
  }
  ~ActingServant() override {
    if (alive_ != nullptr) --*alive_;
  }

  [[nodiscard]] std::string_view _primary_interface() const noexcept override {
    return "IDL:Test/Acting:1.0";
  }
  void _dispatch(orb::ServerRequest& request) override {
    if (request.operation() == "_is_a") return skeleton::is_a(*this, request);
    if (request.operation() == "_non_existent") return skeleton::non_existent(*this, request);
    if (request.operation() == "_repository_id") return skeleton::repository_id(*this, request);
    if (request.operation() == "_interface") return skeleton::interface(*this, request);
    if (request.operation() == "_component") return skeleton::component(*this, request);
    if (request.operation() != "act") skeleton::unknown(request);
    if (action_) action_(request);
    if (!request.answered()) request.reply(nullptr);
  }

 private:
  Action action_;
  std::atomic<int>* alive_;
};

inline CORBA::servant_reference<PortableServer::Servant> make_servant(
    ActingServant::Action action = nullptr, std::atomic<int>* alive = nullptr) {
  return CORBA::make_reference<ActingServant>(std::move(action), alive);
}

}  // namespace perigee::test
