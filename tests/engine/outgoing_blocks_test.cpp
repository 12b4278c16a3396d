// Lists of blocks with queued messages.
#include "engine/connection/outgoing_blocks.h"

#include "support/octets.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using engine::OutgoingBlock;
using engine::OutgoingBlocks;
using engine::Ticket;

namespace {

/// A list that has a block with one message for each ticket.
void fill(OutgoingBlocks& blocks, std::initializer_list<Ticket> tickets) {
  const Octets message = octets(1, 2, 3);
  const OctetSpan segments[] = {message};
  for (const Ticket ticket : tickets) {
    OutgoingBlock* const block = OutgoingBlock::make(message.size());
    REQUIRE(block != nullptr);
    block->append(segments, 0, ticket);
    blocks.push_back(*block);
  }
}

std::vector<Ticket> tickets_of(const OutgoingBlocks& blocks) {
  CHECK(blocks.check_invariants());
  std::vector<Ticket> tickets;
  for (const OutgoingBlock* block = blocks.front(); block != nullptr;
       block = OutgoingBlocks::following(*block))
    tickets.push_back(block->first());
  CHECK(blocks.octets() == 3 * tickets.size());
  CHECK((blocks.back() == nullptr) == tickets.empty());
  return tickets;
}

}  // namespace

TEST_CASE("a list of blocks takes the blocks of another list at its front or at its back") {
  OutgoingBlocks blocks;
  OutgoingBlocks others;
  blocks.push_back(others);
  blocks.push_front(others);
  CHECK(tickets_of(blocks).empty());
  fill(others, {6, 8});
  blocks.push_front(others);
  CHECK(tickets_of(blocks) == std::vector<Ticket>{6, 8});
  CHECK(tickets_of(others).empty());
  fill(others, {2, 4});
  blocks.push_front(others);
  CHECK(tickets_of(blocks) == std::vector<Ticket>{2, 4, 6, 8});
  CHECK(tickets_of(others).empty());
  fill(others, {10, 12});
  blocks.push_back(others);
  CHECK(tickets_of(blocks) == std::vector<Ticket>{2, 4, 6, 8, 10, 12});
  blocks.push_back(others);
  fill(others, {14});
  blocks.push_back(others);
  CHECK(tickets_of(blocks) == std::vector<Ticket>{2, 4, 6, 8, 10, 12, 14});
  CHECK(tickets_of(others).empty());
}
