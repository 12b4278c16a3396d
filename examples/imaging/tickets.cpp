// Random secrets, compared in constant time.
#include "tickets.h"

#include <openssl/crypto.h>
#include <sys/random.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace {

Tickets::Secret random_secret() {
  Tickets::Secret secret;
  // getrandom fills up to 256 octets wholly, or fails.
  while (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()))
    if (errno != EINTR) throw std::system_error(errno, std::system_category(), "getrandom");
  return secret;
}

}  // namespace

std::optional<Tickets::Secret> Tickets::issue(Transfer transfer, Clock::time_point now) {
  const Secret secret = random_secret();
  const std::scoped_lock locked(lock_);
  drop_expired(now);
  if (waiting_.size() >= limits_.count_max) return std::nullopt;
  waiting_.push_back({secret, now + limits_.lifetime, std::move(transfer)});
  return secret;
}

std::optional<Transfer> Tickets::use(std::span<const std::byte> secret, Clock::time_point now) {
  const std::scoped_lock locked(lock_);
  drop_expired(now);
  if (secret.size() != secret_size) return std::nullopt;
  auto found = waiting_.end();
  for (auto ticket = waiting_.begin(); ticket != waiting_.end(); ++ticket)  // constant time
    if (CRYPTO_memcmp(ticket->secret.data(), secret.data(), secret_size) == 0) found = ticket;
  if (found == waiting_.end()) return std::nullopt;
  Transfer transfer = std::move(found->transfer);
  waiting_.erase(found);
  return transfer;
}

void Tickets::drop_expired(Clock::time_point now) {
  std::erase_if(waiting_, [now](const Waiting& ticket) { return ticket.end <= now; });
}
