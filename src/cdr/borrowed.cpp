// The scratch buffers of a thread.
#include <perigee/cdr/borrowed.h>

#include <algorithm>
#include <utility>

namespace perigee::cdr {

namespace {

constexpr std::size_t kept_buffers_max = 4;
constexpr std::size_t kept_buffer_size_max = 1u << 20;

// A thread keeps several buffers: upcalls may nest, and may have several borrowed parameters.
std::vector<std::vector<std::byte>>& kept_buffers() {
  thread_local std::vector<std::vector<std::byte>> buffers;
  return buffers;
}

}  // namespace

Scratch::~Scratch() {
  if (buffer_.empty() || buffer_.size() > kept_buffer_size_max) return;
  auto& buffers = kept_buffers();
  if (buffers.size() >= kept_buffers_max) return;
  try {
    buffers.push_back(std::move(buffer_));
  } catch (...) {  // no memory to keep the buffer: it is freed
    buffer_.clear();
  }
}

// The vector's memory comes from operator new, so it is aligned for every basic type.
std::byte* Scratch::take(std::size_t size) {
  auto& buffers = kept_buffers();
  if (buffer_.empty() && !buffers.empty()) {
    buffer_ = std::move(buffers.back());
    buffers.pop_back();
  }
  if (buffer_.size() < size) buffer_.resize(size);
  return buffer_.data();
}

}  // namespace perigee::cdr
