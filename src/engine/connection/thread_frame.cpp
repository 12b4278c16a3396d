// The stack of frames of each thread.
#include "engine/connection/thread_frame.h"

#include <new>
#include <utility>

namespace perigee::engine {
namespace {

// Has no destructor, so that an access is cheap.
struct FrameStack {
  ThreadFrame* free = nullptr;  // the next frame, if it is allocated
  ThreadFrame* innermost = nullptr;
  std::size_t depth = 0;
};
thread_local constinit FrameStack frames;
thread_local std::unique_ptr<ThreadFrame> outermost;  // owns all frames of the thread

}  // namespace

FrameLevel::FrameLevel(std::size_t scratch_size) noexcept {
  FrameStack& stack = frames;
  ThreadFrame* const free = stack.free;
  const bool ready = free != nullptr && free->scratch.size() >= scratch_size;
  ThreadFrame* const frame = ready ? free : make(scratch_size);
  if (frame == nullptr) [[unlikely]]
    return;
  frame->outer_ = stack.innermost;
  frame->connection = nullptr;
  frame->parked_number = 0;
  frame->parked_lent = false;
  frame->more_at_hand = false;
  frame->wait = transport::Wait::no;
  frame->deferrals = 0;
  frame->lending = ThreadFrame::Lending::none;
  stack.innermost = frame_ = frame;
  stack.free = frame->inner_.get();
  ++stack.depth;
}

ThreadFrame* FrameLevel::make(std::size_t scratch_size) noexcept {
  ThreadFrame* const outer = frames.innermost;
  std::unique_ptr<ThreadFrame>& place = outer != nullptr ? outer->inner_ : outermost;
  if (!place) place.reset(new (std::nothrow) ThreadFrame);
  if (!place) return nullptr;
  ThreadFrame& frame = *place;
  frame.octets_.reset(new (std::nothrow) std::byte[scratch_size]);
  frame.scratch =
      frame.octets_ ? MutableOctetSpan(frame.octets_.get(), scratch_size) : MutableOctetSpan();
  return frame.octets_ ? &frame : nullptr;
}

FrameLevel::~FrameLevel() {
  if (frame_ == nullptr) return;
  frames.free = frame_;
  frames.innermost = frame_->outer_;
  --frames.depth;
}

ThreadFrame* FrameLevel::innermost() noexcept { return frames.innermost; }

std::size_t FrameLevel::depth() noexcept { return frames.depth; }

}  // namespace perigee::engine
