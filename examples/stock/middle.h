// The middle tier's servants: Stock::Quoters without prices, which ask other quoters, the sinks.
#pragma once

#include "stockC.h"
#include <perigee/corba.h>

#include <vector>

using QuoterRef = IDL::traits<Stock::Quoter>::ref_type;
using ServantRef = CORBA::servant_reference<PortableServer::Servant>;

/// Asks the sink, and keeps its thread until the answer comes.
ServantRef make_blocking(QuoterRef sink);
/// Asks the sink, and answers when the reply arrives in a callback. This is the program of
/// Deshpande and others, "The Design and Performance of Asynchronous Method Handling for CORBA",
/// section 4.1.
ServantRef make_callbacks(const QuoterRef& sink);
/// The same as a coroutine.
ServantRef make_coroutine(QuoterRef sink);
/// Asks all sinks at once and answers with the lowest price that comes within a second.
ServantRef make_best(CORBA::ORB::_ref_type orb, std::vector<QuoterRef> sinks);
/// Lets only well-formed questions through to the sink, and only plausible answers back.
ServantRef make_gateway(QuoterRef sink);
