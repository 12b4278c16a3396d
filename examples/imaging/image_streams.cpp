// Serves tickets: what fails with one client is logged, and only that client's connection ends.
#include "image_streams.h"

#include <perigee/ipc/unix_addr.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <system_error>

namespace {

using namespace std::chrono_literals;
namespace ipc = perigee::ipc;

void log(const std::string& line) { std::clog << "image_server: " + line + "\n" << std::flush; }

bool answer(ipc::sock::Stream& stream, StreamAnswer answer, std::chrono::seconds limit) {
  const std::array octets{static_cast<std::byte>(answer)};
  return stream.send_n(octets, limit).has_value();
}

}  // namespace

ImageStreams::ImageStreams(const Catalogue& catalogue, Tickets& tickets, const Options& options)
    : catalogue_(catalogue), tickets_(tickets), options_(options) {
  auto acceptor = ipc::sock::Acceptor::open(options.address);
  if (!acceptor)
    throw std::system_error(acceptor.error(), "listen at " + to_string(options.address));
  acceptor_ = std::move(*acceptor);
  port_ = acceptor_.local_address().value().port();
  for (std::size_t index = 0; index < options.transfers_max; ++index) workers_.emplace_back();
  try {
    for (Worker& worker : workers_) worker.thread = std::thread([this, &worker] { work(worker); });
  } catch (...) {  // no more threads: those that are there must end before they are destroyed
    end(0s);
    throw;
  }
}

void ImageStreams::end(std::chrono::seconds grace) {
  ending_ = true;
  acceptor_.interrupt();
  {
    std::unique_lock locked(lock_);
    idle_.wait_for(locked, grace, [this] { return std::ranges::none_of(workers_, &Worker::busy); });
    cut_ = true;
    for (Worker& worker : workers_)
      if (worker.busy) worker.stream.interrupt();
  }
  for (Worker& worker : workers_)
    if (worker.thread.joinable()) worker.thread.join();
}

void ImageStreams::work(Worker& worker) {
  while (!ending_) {
    auto stream = acceptor_.accept();
    if (stream) {
      take(worker, std::move(*stream));
      serve(worker.stream);
      drop(worker);
    } else if (!ending_) {  // too many open files, perhaps: that passes
      log("accept: " + stream.error().message());
      std::this_thread::sleep_for(100ms);
    }
  }
}

void ImageStreams::take(Worker& worker, Stream stream) {
  const std::scoped_lock locked(lock_);
  worker.stream = std::move(stream);
  worker.busy = true;
  if (cut_) worker.stream.interrupt();
}

void ImageStreams::drop(Worker& worker) {
  {
    const std::scoped_lock locked(lock_);
    worker.stream.close();
    worker.busy = false;
  }
  idle_.notify_all();
}

void ImageStreams::serve(Stream& stream) {
  Tickets::Secret secret;
  const auto shown = stream.recv_n(secret, options_.for_ticket);
  if (!shown || shown->end_of_stream()) return;  // nobody who has a ticket
  const auto transfer = tickets_.use(secret, Tickets::Clock::now());
  if (!transfer) {
    log("a ticket was refused");
    (void)answer(stream, StreamAnswer::ticket_refused, options_.for_ticket);
    return;
  }
  try {
    if (const auto file = catalogue_.open(transfer->image)) {
      if (answer(stream, StreamAnswer::octets_follow, options_.for_ticket))
        send_octets(stream, *file, *transfer);
      return;
    }
  } catch (const std::system_error& error) {
    log(error.what());
  }
  (void)answer(stream, StreamAnswer::image_changed, options_.for_ticket);
}

// In chunks, each with its time: a client that takes nothing does not keep a thread for ever.
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
