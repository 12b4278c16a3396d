// The middle tier's servants: Stock::Quoters without prices, which ask other quoters, the sinks.
#pragma once

#include "stockC.h"
#include <perigee/corba.h>

#include <vector>

using QuoterRef = IDL::traits<Stock::Quoter>::ref_type;
using ServantRef = CORBA::servant_reference<PortableServer::Servant>;

/// Calls the sink, and blocks the thread of the upcall until the reply arrives.
ServantRef make_blocking(QuoterRef sink);
/// Calls the sink, and replies when a callback gets the price. This is the program of
/// Deshpande and others, "The Design and Performance of Asynchronous Method Handling for CORBA",
/// section 4.1.
ServantRef make_callbacks(const QuoterRef& sink);
/// The same as `make_callbacks`, as a coroutine.
ServantRef make_coroutine(QuoterRef sink);
/// Calls all sinks at once, and replies with the lowest price that arrives within a second.
ServantRef make_best(CORBA::ORB::_ref_type orb, std::vector<QuoterRef> sinks);
/// Passes only well-formed requests to the sink, and only valid prices to the client.
ServantRef make_gateway(QuoterRef sink);
