// The pollable of an ORB's request queue.
#include "dynamic/polling/dii_pollable.h"

#include "dynamic/polling/errors.h"
#include "dynamic/polling/source.h"
#include "dynamic/requests/request_queue.h"
#include "dynamic/requests/request_state.h"
#include "orb/context/call_driver.h"
#include "orb/core/orb_core.h"
#include "orb/invocation/nested_wait.h"
#include <perigee/base/deadline.h>
#include <perigee/orb/make_reference.h>

#include <chrono>
#include <memory>
#include <utility>

namespace perigee::polling {

namespace {

class QueuePollable final : public virtual CORBA::DIIPollable, private Source {
 public:
  explicit QueuePollable(const CORBA::object_reference<CORBA::ORB>& orb)
      : orb_(orb), queue_(dynamic::RequestQueue::of(*orb)) {}

  bool is_ready(std::uint32_t timeout) override {
    const bool has_limit = timeout != wait_for_ever;
    while (stage() != Stage::ready) {  // another thread may take the response
      if (!has_limit && is_idle()) raise_no_request();
      wait([&] { return stage() == Stage::ready || (!has_limit && is_idle()); }, timeout);
      if (has_limit) return stage() == Stage::ready;
    }
    return true;
  }
  CORBA::object_reference<CORBA::PollableSet> create_pollable_set() override {
    auto set = CORBA::make_reference<CORBA::PollableSet>(orb_);
    set->add_pollable(CORBA::valuetype_reference<CORBA::Pollable>(counted(*this)));
    return set;
  }

  [[nodiscard]] Source& _source() const noexcept override {
    return const_cast<QueuePollable&>(*this);  // NOLINT: as for pollers, whose state is elsewhere
  }
  [[nodiscard]] const value::Description& _description() const noexcept override {
    static constexpr value::Description description{_type_id};
    return description;
  }
  // Raises the same as for local objects: MARSHAL, OMG minor 4.
  void _marshal(cdr::Encoder& encoder) const override {
    encoder.fail(cdr::ErrorKind::local_object);
  }
  void _unmarshal(cdr::Decoder& decoder) override { decoder.fail(cdr::ErrorKind::bad_value); }

 private:
  [[nodiscard]] Stage stage() const noexcept override {
    return queue_->has_complete() ? Stage::ready : Stage::waiting;
  }
  [[nodiscard]] bool watch(std::weak_ptr<Watcher> watcher) override {
    return queue_->watch(std::move(watcher));
  }
  void wait(function_ref<bool()> done, std::uint32_t timeout) const override {
    const orb::OrbContext& context = orb_->_core()->context();
    if (timeout == 0) return dynamic::drive_briefly(context, done);
    const Deadline until =
        timeout == wait_for_ever
            ? Deadline::never()
            : Deadline::after(std::chrono::milliseconds(timeout), context.clock.now());
    (void)context.calls.engine();  // makes it
    if (!context.calls.drive_until(done, until)) orb::raise_nested_too_deep(CORBA::COMPLETED_NO);
  }
  void wake_at_change() const noexcept override {}  // the end of a queued request wakes all threads
  void wake() const noexcept override { orb_->_core()->context().calls.wake(); }
  [[nodiscard]] bool is_of_queue() const noexcept override { return true; }
  [[nodiscard]] bool is_idle() const noexcept override { return queue_->empty(); }
  [[nodiscard]] const void* orb() const noexcept override { return &orb_->_core()->context(); }

  const CORBA::object_reference<CORBA::ORB> orb_;
  const std::shared_ptr<dynamic::RequestQueue> queue_;
};

}  // namespace

CORBA::valuetype_reference<CORBA::DIIPollable> make_dii_pollable(
    const CORBA::object_reference<CORBA::ORB>& orb) {
  return CORBA::valuetype_reference<CORBA::DIIPollable>(make_counted<QueuePollable>(orb));
}

}  // namespace perigee::polling
