// Asynchronous calls, for generated stubs (…AmiC.cpp, …Async.cpp): a call goes on while its caller
// does other work. Not for applications.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/mapping.h>
#include <perigee/orb/stub.h>

#include <cstddef>
#include <cstdint>
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
class KeptOutcome;
struct AsyncOutcome;
}  // namespace perigee::orb

namespace perigee::stub {

/// The arguments of an asynchronous call, or a function that encodes them. The call owns them until
/// it has ended, since each try encodes them anew: another target may mean another version or code
/// set. Move-only, one pointer; in pooled memory.
class PERIGEE_API Arguments {
 public:
  /// No arguments.
  Arguments() noexcept = default;

  /// `encode(encoder)` writes the arguments. It must hold them itself, since large arguments are
  /// sent from its memory. It must not throw, but may fail the encoder. It may be called several
  /// times or never, on another thread, and is destroyed there.
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

/// The outcome of an asynchronous call: results to decode, or an exception. Valid during
/// `CallObserver::ended`.
class PERIGEE_API CallOutcome {
 public:
  explicit CallOutcome(orb::AsyncOutcome& state) noexcept : state_(&state) {}

  /// The operation that was called.
  [[nodiscard]] const Operation& operation() const noexcept;
  /// A decoder at the start of the results, valid as long as the outcome; null if the call ended
  /// with an exception.
  [[nodiscard]] cdr::Decoder* results() noexcept;
  /// The exception that a synchronous call would have raised: one of the operation's, UNKNOWN for
  /// other user exceptions, or a system exception. Null if there are results.
  [[nodiscard]] std::exception_ptr exception() const noexcept;
  /// Reads the results, if there are any. Returns the error of the call or of the decoding; null:
  /// no error. If the results do not decode, the error is MARSHAL or a similar exception,
  /// COMPLETED_YES (see `check_decoded`). `decode` may be null.
  [[nodiscard]] std::exception_ptr decode(ResultDecoder decode) noexcept;

 private:
  friend class orb::KeptOutcome;

  orb::AsyncOutcome* state_;
};

/// Takes the outcome of one call.
class PERIGEE_API CallObserver {
 public:
  /// Called exactly once for each call that was sent, on the thread that drives the call. If a
  /// collocated servant replies during `send`, `ended` is called in `send`, after the upcall. The
  /// ORB does not use the observer afterwards, so the observer may destroy itself. It may send
  /// further calls, also synchronous calls, which block this thread.
  virtual void ended(CallOutcome& outcome) noexcept = 0;

 protected:
  ~CallObserver() = default;
};

/// A call that was sent. Dropping the handle does not end the call. Any thread, but one at a time.
class PERIGEE_API CallHandle {
 public:
  CallHandle() noexcept = default;
  /// Takes over one reference to the call.
  explicit CallHandle(orb::AsyncRequest& call) noexcept;
  CallHandle(CallHandle&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  CallHandle& operator=(CallHandle&& other) noexcept {
    std::swap(call_, other.call_);
    return *this;
  }
  ~CallHandle();

  explicit operator bool() const noexcept { return call_ != nullptr; }

  /// Ends the call soon, unless it has ended. The server gets a CancelRequest. The observer gets
  /// NO_RESPONSE (with a minor code of Perigee's): COMPLETED_NO if the request has not been sent,
  /// otherwise COMPLETED_MAYBE. Does not block; the reply may still arrive first.
  void cancel() noexcept;
  /// From now on cancels the call when the request of `cancellation` is cancelled. Returns false if
  /// the request is cancelled already: then the caller must cancel the call. `before` gets the call
  /// that was registered earlier (see orb::Cancellation).
  [[nodiscard]] bool cancel_with(orb::Cancellation& cancellation,
                                 orb::CancellationNotice& before) noexcept;
  /// Sets a new time until which the caller waits for the call (see InheritedTimeLimit). It
  /// replaces the time that the call inherited when it was sent. When the time passes, the call
  /// ends with TIMEOUT, as with a policy.
  void limit_time(Deadline until) noexcept;
  /// Whether the observer was called, and has returned.
  [[nodiscard]] bool ended() const noexcept;
  /// Blocks until `ended()`. Drives the ORB's asynchronous calls meanwhile, if no other thread
  /// does, and may call observers of other calls. On the thread of a server's loop it also serves
  /// requests meanwhile.
  void wait();
  /// Drives the calls of this call's loop until `done()`, or until `timeout` milliseconds have
  /// passed; 0xffffffff: no limit. With 0 it handles the events that have come, and does not block.
  /// `done` is called after each turn, and at the end of each call whose handle has called
  /// `wake_at_end`. Any number of threads. Raises NO_RESOURCES if too many upcalls of this thread
  /// wait.
  void drive(function_ref<bool()> done, std::uint32_t timeout) const;
  /// From now on the end of the call lets the threads in `drive` call `done` again. Any thread.
  void wake_at_end() const noexcept;
  /// Lets the threads in `drive` call `done` again. Any thread.
  void wake_drivers() const noexcept;

 private:
  orb::AsyncRequest* call_ = nullptr;  // counted
};

/// Starts a call; the outcome goes to the observer. Does not wait for the network, neither for
/// connections nor for peers that do not read.
///
/// Like a synchronous call, the call obeys the present policies of the reference, of this thread
/// and of the ORB. A call belongs to a loop of the ORB's server if it starts in an upcall or an
/// observer, on a thread that runs this loop. Then a thread of the loop calls its observer. An
/// upcall may run on a dedicated reader of a connection (docs/threads.md). A call that starts there
/// belongs to the loop to which the connection belongs. All other calls are driven by the thread in
/// ORB::run, ORB::perform_work or CallHandle::wait.
///
/// The observer of a oneway is called when the request has reached the step that the
/// SyncScopePolicy names; SYNC_NONE acts like SYNC_WITH_TRANSPORT. A collocated servant is called
/// inside `send`. If it defers its reply, the observer is called after the reply.
///
/// `operation` must outlive the call. Raises INV_OBJREF for a local object; BAD_INV_ORDER, OMG
/// minor 4, after the ORB's shutdown; NO_MEMORY. If it raises an exception, the observer is not
/// called. The observer gets all other errors.
PERIGEE_API CallHandle send(const CORBA::Object& target, const Operation& operation,
                            Arguments arguments, CallObserver& observer);

/// Drives the ORB's asynchronous calls on this thread, or waits for the thread that drives them,
/// until `done()` is true. `done` is called after each turn. The code that changes its result must
/// run in a turn, or be followed by `wake_drivers`.
PERIGEE_API void drive_until(CORBA::ORB& orb, function_ref<bool()> done);
/// The same, but calls `begin()` first, if this thread may drive or wait. Raises NO_RESOURCES if
/// too many upcalls on this thread wait: COMPLETED_NO if `begin` was not called, otherwise
/// COMPLETED_MAYBE.
PERIGEE_API void drive_until(CORBA::ORB& orb, function_ref<void()> begin,
                             function_ref<bool()> done);
/// Makes the threads in `drive_until` and `CallHandle::wait` check their conditions again. Any
/// thread.
PERIGEE_API void wake_drivers(CORBA::ORB& orb) noexcept;

}  // namespace perigee::stub
