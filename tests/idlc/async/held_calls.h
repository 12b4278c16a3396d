// A servant for the tests of pollers, and its places. It replies to `hold` when the test asks for
// it.
#pragma once

#include "places.h"
#include "pollsAmhS.h"
#include "pollsAmiC.h"
#include "pollsS.h"
#include <perigee/corba.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

class PolledDesk final : public CORBA::amh_traits<Polls::Desk>::base_type {
 public:
  template <typename Interface>
  using Rh = typename CORBA::amh_traits<Interface>::response_handler_ref_type;
  template <typename Interface>
  using Holder = typename CORBA::amh_traits<Interface>::exception_holder_type;

  void get_name(Rh<Polls::Base> handler) override { handler->get_name("desk"); }
  void ping(Rh<Polls::Base> handler) override { handler->ping(); }
  void turn(Rh<Polls::Left> handler, int32_t value) override {
    if (value == 0) throw Polls::Refused("zero", 3);
    handler->turn(-int64_t{value});
  }
  void tell(Rh<Polls::Right> handler, const std::string&) override { handler->tell(); }
  void hold(Rh<Polls::Desk> handler, int32_t value) override {
    const std::lock_guard lock(mutex_);
    if (drops_calls_) return;
    held_.emplace(value, std::move(handler));
    changed_.notify_all();
  }
  void trade(Rh<Polls::Desk> handler, const std::string& what, int32_t price) override {
    handler->trade(static_cast<int32_t>(what.size()), 2 * price, {price, 2 * price});
  }
  void get_limit(Rh<Polls::Desk> handler) override { handler->get_limit(limit_); }
  void set_limit(Rh<Polls::Desk> handler, int32_t limit) override {
    if (limit < 0)
      return handler->set_limit_excep(Holder<Polls::Desk>(Polls::Refused("negative", limit)));
    limit_ = limit;
    handler->set_limit();
  }
  void chain(Rh<Polls::Desk> handler, CORBA::valuetype_reference<Polls::Item> first) override {
    handler->chain(first);
    if (first) first->next(nullptr);  // it is a cycle
  }
  void itself(Rh<Polls::Desk> handler) override { handler->itself(_this_desk); }
  void fail(Rh<Polls::Desk>, int32_t how) override {
    if (how == 0) throw Polls::Unlisted();
    throw CORBA::BAD_PARAM(77, CORBA::COMPLETED_YES);
  }
  void take(Rh<Polls::Desk> handler, CORBA::valuetype_reference<CORBA::ValueBase>) override {
    handler->take();
  }
  void is_ready(Rh<Polls::Desk> handler, int32_t timeout) override {
    handler->is_ready(timeout == 3);
  }
  void operation_name(Rh<Polls::Desk> handler, int32_t timeout) override {
    handler->operation_name(std::to_string(timeout), timeout + 1);
  }

  /// Waits for the call of `hold`, and takes its handler.
  Rh<Polls::Desk> take_held(int32_t value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_.contains(value); });
    return std::move(held_.extract(value).mapped());
  }
  void await(int32_t value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_.contains(value); });
  }

  /// Drops the handlers of the calls of `hold` that have come, and of calls that come later: a
  /// client whose time limit is short may end its call before the server reads the request. The
  /// clients get NO_RESPONSE.
  void drop_calls() {
    std::map<int32_t, Rh<Polls::Desk>> dropped;
    const std::lock_guard lock(mutex_);
    drops_calls_ = true;
    dropped.swap(held_);
  }

  CORBA::object_reference<Polls::Base> _this_desk;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int32_t, Rh<Polls::Desk>> held_;
  bool drops_calls_ = false;
  int32_t limit_ = 8;
};

/// The servant in a server of its own, and its clients in the same and in another ORB.
class HeldCalls final {
 public:
  enum class Side : std::uint8_t { remote, collocated };

  explicit HeldCalls(const std::string& strategy)
      : places(strategy), servant_(CORBA::make_reference<PolledDesk>()) {
    objects_ = places.both_ways<Polls::Desk>(servant_);
    servant_->_this_desk = objects_[1];
    for (const OrbRef& orb : {places.server, places.client})
      orb->register_value_factory(std::string(Polls::Item::_type_id),
                                  CORBA::make_reference<Polls::Item_init>());
  }
  ~HeldCalls() {
    servant_->drop_calls();  // the end of the server waits for all replies
    servant_->_this_desk.reset();
  }
  HeldCalls(const HeldCalls&) = delete;
  HeldCalls& operator=(const HeldCalls&) = delete;

  [[nodiscard]] CORBA::amic_traits<Polls::Desk>::ref_type desk(Side side) const {
    return CORBA::amic_traits<Polls::Desk>::narrow(objects_[side == Side::remote ? 0 : 1]);
  }
  /// Replies `value` + 1 to the call `hold(value)`, when it has come.
  void reply(int32_t value) const { servant_->take_held(value)->hold(value + 1); }
  void refuse(int32_t value) const {
    servant_->take_held(value)->hold_excep(
        PolledDesk::Holder<Polls::Desk>(Polls::Refused("held", value)));
  }
  void await(int32_t value) const { servant_->await(value); }
  [[nodiscard]] PolledDesk::Rh<Polls::Desk> take(int32_t value) const {
    return servant_->take_held(value);
  }

  Places places;

 private:
  CORBA::servant_reference<PolledDesk> servant_;
  std::vector<CORBA::object_reference<Polls::Desk>> objects_;
};

}  // namespace perigee::test
