// What generated asynchronous stubs (…AmiC.cpp, …Async.cpp) call: a call that goes on while its
// caller does something else. Not for applications.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/mapping.h>
#include <perigee/orb/stub.h>

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {
class ORB;
}
}  // namespace CORBA

namespace perigee {
class Deadline;
}

namespace perigee::orb {
class AsyncRequest;
class Cancellation;
class CancellationNotice;
class HandlerCall;
struct AsyncOutcome;
}  // namespace perigee::orb

namespace perigee::stub {

/// The arguments of an asynchronous call, or how to encode them. Owned by the call until it has
/// ended, since they are encoded anew for each try: another target may mean another version or code
/// set. Move-only, one pointer; in pooled memory.
class PERIGEE_API Arguments {
 public:
  /// None.
  Arguments() noexcept = default;

  /// `encode(encoder)` writes the arguments that it holds: what is large is sent from there, so it
  /// must hold them itself. It must not throw but may fail the encoder, may be called several times
  /// or never, on another thread than this one, and is destroyed there.
  template <typename Encode>
    requires(!std::is_same_v<std::remove_cvref_t<Encode>, Arguments> &&
             requires(const Encode& encode, cdr::Encoder& encoder) { encode(encoder); })
  Arguments(Encode encode) : held_(hold(std::move(encode))) {}  // NOLINT

  Arguments(Arguments&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Arguments& operator=(Arguments&& other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Arguments() {
    if (held_ != nullptr) held_->destroy(*held_);
  }

  [[nodiscard]] bool empty() const noexcept { return held_ == nullptr; }
  void encode(cdr::Encoder& encoder) const {
    if (held_ != nullptr) held_->encode(*held_, encoder);
  }

 private:
  struct Held {
    void (*encode)(const Held&, cdr::Encoder&);
    void (*destroy)(Held&) noexcept;
  };
  template <typename Encode>
  struct Holder : Held {
    Encode encode_arguments;
  };

  template <typename Encode>
  static Held* hold(Encode encode) {
    void* const memory = allocate(sizeof(Holder<Encode>));
    return ::new (memory)
        Holder<Encode>{{[](const Held& held, cdr::Encoder& encoder) {
                          static_cast<const Holder<Encode>&>(held).encode_arguments(encoder);
                        },
                        [](Held& held) noexcept {
                          static_cast<Holder<Encode>&>(held).~Holder();
                          release(&held, sizeof(Holder<Encode>));
                        }},
                       std::move(encode)};
  }
  [[nodiscard]] static void* allocate(std::size_t size);
  static void release(void* memory, std::size_t size) noexcept;

  Held* held_ = nullptr;
};

/// How an asynchronous call has ended: with results, which are to be decoded, or with an exception.
/// Valid during `CallObserver::ended`.
class PERIGEE_API CallOutcome {
 public:
  explicit CallOutcome(orb::AsyncOutcome& state) noexcept : state_(&state) {}

  /// What was called.
  [[nodiscard]] const Operation& operation() const noexcept;
  /// Where the results begin; null if the call ended with an exception.
  [[nodiscard]] cdr::Decoder* results() noexcept;
  /// The exception that a synchronous call would have raised: one of the operation's, UNKNOWN for
  /// others of users, or a system exception. Null if there are results.
  [[nodiscard]] std::exception_ptr exception() const noexcept;
  /// Both at once: reads the results, if there are some, and says what has gone wrong: null if
  /// nothing has; MARSHAL, COMPLETED_YES, if they do not decode. `decode` may be null.
  [[nodiscard]] std::exception_ptr decode(ResultDecoder decode) noexcept;

 private:
  friend class orb::HandlerCall;

  orb::AsyncOutcome* state_;
};

/// Takes the outcome of one call.
class PERIGEE_API CallObserver {
 public:
  /// Called exactly once for each call that was sent, on the thread that drives it; but in `send`,
  /// after the upcall, if a collocated servant answers during it. Nobody uses the observer
  /// afterwards: it may destroy itself. May send further calls, also synchronous ones, which are
  /// waited for here.
  virtual void ended(CallOutcome& outcome) noexcept = 0;

 protected:
  ~CallObserver() = default;
};

/// A call that was sent. Dropping the handle does not end the call. Any thread, one at a time.
class PERIGEE_API CallHandle {
 public:
  CallHandle() noexcept = default;
  /// Takes over one share in the call.
  explicit CallHandle(orb::AsyncRequest& call) noexcept;
  CallHandle(CallHandle&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  CallHandle& operator=(CallHandle&& other) noexcept {
    std::swap(call_, other.call_);
    return *this;
  }
  ~CallHandle();

  explicit operator bool() const noexcept { return call_ != nullptr; }

  /// Ends the call soon, if it has not ended: the server is told by a CancelRequest, and the
  /// observer by NO_RESPONSE (with a minor code of Perigee's), COMPLETED_NO if the request has not
  /// been sent, else MAYBE. Returns at once; the reply may still win.
  void cancel() noexcept;
  /// The call will be cancelled with the request of which this is: see orb::Cancellation.
  [[nodiscard]] bool cancel_with(orb::Cancellation& cancellation,
                                 orb::CancellationNotice& before) noexcept;
  /// Whoever waits for the call now waits until then only (see InheritedTimeLimit), instead of what
  /// the call had inherited when it was sent. Then it ends as with a policy: with TIMEOUT.
  void limit_time(Deadline until) noexcept;
  /// Whether the observer has been told, and has returned.
  [[nodiscard]] bool ended() const noexcept;
  /// Blocks until `ended()`. Drives the ORB's asynchronous calls meanwhile, if no other thread
  /// does: observers of others may be called here. On the thread of a server's loop it serves
  /// requests meanwhile, too.
  void wait();

 private:
  orb::AsyncRequest* call_ = nullptr;  // counted
};

/// Starts a call; the outcome goes to the observer. Does not wait for the network, neither for
/// connections nor for peers that do not read.
///
/// The call obeys the policies of the reference, of this thread and of the ORB as they are now, as
/// a synchronous one would. A call that is started in an upcall, or in an observer, on a thread of
/// a loop of the ORB's server belongs to that loop: its observer is told on one of the threads of
/// the loop. A call that starts in an upcall of a dedicated reader belongs to the home loop of that
/// connection. All other calls are driven by the thread in ORB::run, ORB::perform_work or
/// CallHandle::wait. The observer of a oneway is told when the request is sent, as the policies
/// say. A collocated servant is called in here; if it answers later, the observer is told then.
///
/// `operation` outlives the call. Raises, and then the observer is not told: INV_OBJREF for a local
/// object; BAD_INV_ORDER, OMG minor 4, after the ORB's shutdown; NO_MEMORY. All else is told.
PERIGEE_API CallHandle send(const CORBA::Object& target, const Operation& operation,
                            Arguments arguments, CallObserver& observer);

/// Drives the ORB's asynchronous calls on this thread (or waits for the thread that does) until
/// `done()`, which is asked after each turn; what changes its answer must be called by a turn, or
/// be followed by `wake_drivers`.
PERIGEE_API void drive_until(CORBA::ORB& orb, function_ref<bool()> done);
/// The same after `begin()`, which is called only when this thread may drive, or wait. Raises
/// NO_RESOURCES, with COMPLETED_NO before that.
PERIGEE_API void drive_until(CORBA::ORB& orb, function_ref<void()> begin,
                             function_ref<bool()> done);
/// Makes those who wait in `drive_until` and `CallHandle::wait` ask again. Any thread.
PERIGEE_API void wake_drivers(CORBA::ORB& orb) noexcept;

}  // namespace perigee::stub
