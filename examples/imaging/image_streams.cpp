// A failure with one client is logged, and ends only the connection of this client.
#include "image_streams.h"

#include "log.h"
#include <perigee/ipc/unix_addr.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

namespace {

using namespace std::chrono_literals;
namespace ipc = perigee::ipc;

// Does not wait: the socket has room for one octet, unless the client has left many answers unread.
bool answer(ipc::sock::Stream& stream, StreamAnswer answer) {
  const std::array octets{static_cast<std::byte>(answer)};
  const auto sent = stream.send(octets, ipc::no_wait);
  return sent || sent.error() == std::errc::operation_would_block;
}

}  // namespace

ImageStreams::ImageStreams(const Catalogue& catalogue, Tickets& tickets, const Options& options)
    : catalogue_(catalogue),
      tickets_(tickets),
      options_(options),
      reception_(options.reception, *this) {
  try {
    const std::scoped_lock locked(lock_);
    for (std::size_t index = 0; index < options.transfers_max; ++index) {
      Worker& worker = workers_.emplace_back();
      worker.thread = std::thread([this, &worker] { work(worker); });
    }
  } catch (...) {  // no more threads: the threads that run must end first
    end(0s);
    throw;
  }
}

void ImageStreams::end(std::chrono::seconds grace) {
  reception_.end();
  {
    std::unique_lock locked(lock_);
    ending_ = true;
    waiting_.clear();
    work_.notify_all();
    idle_.wait_for(locked, grace, [this] { return std::ranges::none_of(workers_, &Worker::busy); });
    for (Worker& worker : workers_)
      if (worker.busy) worker.stream.interrupt();
  }
  for (Worker& worker : workers_)
    if (worker.thread.joinable()) worker.thread.join();
}

void ImageStreams::ticket_shown(Stream stream, const Tickets::Secret& secret) noexcept try {
  const StreamAnswer first = answer_to(stream, secret);
  if (first != StreamAnswer::wait) (void)answer(stream, first);
} catch (const std::exception& error) {  // no memory: the client asks again
  log(error.what());
}

StreamAnswer ImageStreams::answer_to(Stream& stream, const Tickets::Secret& secret) {
  const auto transfer = tickets_.use(secret, Tickets::Clock::now());
  if (!transfer) {
    log("a ticket was refused");
    return StreamAnswer::ticket_refused;
  }
  const std::scoped_lock locked(lock_);
  if (waiting_.size() >= options_.waiting_max) return StreamAnswer::too_many_wait;
  waiting_.push_back({std::move(stream), *transfer});
  work_.notify_one();
  return StreamAnswer::wait;
}

// Tells waiting clients that they still have to wait, and drops clients that have gone.
void ImageStreams::second_has_passed() noexcept {
  const std::scoped_lock locked(lock_);
  std::erase_if(waiting_,
                [](Waiting& client) { return !answer(client.stream, StreamAnswer::wait); });
}

void ImageStreams::work(Worker& worker) {
  while (const auto transfer = next(worker)) {
    serve(worker.stream, *transfer);
    drop(worker);
  }
}

// Returns nothing when the streams end.
std::optional<Transfer> ImageStreams::next(Worker& worker) {
  std::unique_lock locked(lock_);
  work_.wait(locked, [this] { return ending_ || !waiting_.empty(); });
  if (ending_) return std::nullopt;
  Transfer transfer = std::move(waiting_.front().transfer);
  worker.stream = std::move(waiting_.front().stream);
  worker.busy = true;
  waiting_.pop_front();
  return transfer;
}

void ImageStreams::drop(Worker& worker) {
  {
    const std::scoped_lock locked(lock_);
    worker.stream.close();
    worker.busy = false;
  }
  idle_.notify_all();
}

void ImageStreams::serve(Stream& stream, const Transfer& transfer) {
  try {
    if (const auto file = catalogue_.open(transfer.image)) {
      if (answer(stream, StreamAnswer::octets_follow)) send_octets(stream, *file, transfer);
      return;
    }
  } catch (const std::system_error& error) {
    log(error.what());
  }
  (void)answer(stream, StreamAnswer::image_changed);
}

// Sends chunks, each with a time limit: a client that takes nothing does not keep a thread for
// ever.
void ImageStreams::send_octets(Stream& stream, const ipc::File& file, const Transfer& transfer) {
  const std::string& name = transfer.image.name;
  const std::uint64_t size = transfer.image.version.size;
  for (std::uint64_t offset = transfer.offset; offset < size;) {
    const std::size_t chunk = std::min<std::uint64_t>(chunk_size, size - offset);
    const auto sent = stream.send_file_n(file, offset, chunk, options_.for_chunk);
    if (!sent) {
      log(name + ": cut after octet " + std::to_string(offset) + ": " + sent.error().message());
      return;
    }
    if (*sent < chunk) {
      log(name + ": the file has become shorter");
      return;
    }
    offset += *sent;
  }
  stream.close_sender();
  log(name + ": sent from octet " + std::to_string(transfer.offset) + " to the end");
}
