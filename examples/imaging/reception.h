// Receives the tickets of new connections. One thread serves all of them. So a connection that
// shows no ticket delays no other connection, and no ticket expires in a queue.
#pragma once

#include "tickets.h"
#include <perigee/event/reactor.h>
#include <perigee/ipc/sock.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <thread>

class Reception {
 public:
  using Stream = perigee::ipc::sock::Stream;
  struct Options {
    perigee::ipc::InetAddr address;      ///< where to listen
    std::chrono::seconds for_ticket{5};  ///< how long a connection may take to show its ticket
    std::size_t connections_max = 256;   ///< that have shown no ticket; one more closes the oldest
  };
  /// Gets connections that have shown a ticket. Called on the thread of the reception: must neither
  /// wait nor throw.
  class Host {
   public:
    /// Octets that the client sent after the secret are still in the stream.
    virtual void ticket_shown(Stream stream, const Tickets::Secret& secret) noexcept = 0;
    virtual void second_has_passed() noexcept = 0;

   protected:
    ~Host() = default;
  };

  /// The host outlives this object, and may be called at once. Throws std::system_error if
  /// listening at the address fails.
  Reception(const Options& options, Host& host);
  ~Reception();
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Accepts no more, and closes the connections that have shown no ticket. The host is not called
  /// any more.
  void end() noexcept;

 private:
  /// A connection that has not yet shown its ticket.
  class Guest;
  /// The acceptor's handler.
  class Door final : public perigee::event::EventHandler {
   public:
    explicit Door(Reception& reception) noexcept : reception_(reception) {}
    void handle_ready(perigee::event::Readiness) noexcept override { reception_.accept_all(); }

   private:
    Reception& reception_;
  };

  void run() noexcept;
  [[nodiscard]] perigee::TimePoint next_event() const;
  void accept_all() noexcept;
  void admit(Stream stream);
  void receive(Guest& guest) noexcept;
  void drop(Guest& guest) noexcept;
  Stream take(Guest& guest) noexcept;

  const Options options_;
  Host& host_;
  perigee::ipc::sock::Acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::unique_ptr<perigee::event::Reactor> reactor_;
  Door door_{*this};
  std::list<Guest> guests_;  ///< the oldest first: its time ends first
  perigee::TimePoint next_second_;
  bool accepts_again_ = false;  ///< true: `accept` failed and is tried again in the next second
  std::atomic<bool> ending_{false};
  std::thread thread_;
};
