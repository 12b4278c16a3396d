// The asynchronous calls of generated stubs.
#include "orb/system_exceptions.h"
#include <perigee/orb/async_stub.h>

#include <new>

namespace perigee::stub {

void* Arguments::allocate(std::size_t size) { return ::operator new(size); }

void Arguments::release(void* memory, std::size_t /*size*/) noexcept { ::operator delete(memory); }

cdr::Decoder* CallOutcome::results() noexcept { return nullptr; }

std::exception_ptr CallOutcome::exception() const noexcept { return nullptr; }

std::exception_ptr CallOutcome::decode(ResultDecoder /*decode*/) noexcept { return nullptr; }

CallHandle::CallHandle(orb::AsyncInvocation& call) noexcept : call_(&call) {}

CallHandle::~CallHandle() = default;

void CallHandle::cancel() noexcept {}

bool CallHandle::ended() const noexcept { return true; }

void CallHandle::wait() {}

CallHandle send(const CORBA::Object& /*target*/, const Operation& /*operation*/,
                Arguments /*arguments*/, CallObserver& /*observer*/) {
  throw CORBA::NO_IMPLEMENT(0, CORBA::COMPLETED_NO, "asynchronous calls");
}

void drive_until(CORBA::ORB& /*orb*/, function_ref<bool()> /*done*/) {
  throw CORBA::NO_IMPLEMENT(0, CORBA::COMPLETED_NO, "asynchronous calls");
}

void wake_drivers(CORBA::ORB& /*orb*/) noexcept {}

}  // namespace perigee::stub
