// The names of the event library that the engine uses.
#pragma once

#include <perigee/event/reactor.h>
#include <perigee/event/task.h>
#include <perigee/event/timer.h>

namespace perigee::engine {

using event::Event;
using event::MemberTimer;
using event::Pollable;
using event::PollerKind;
using event::Reactor;
using event::Readiness;
using event::Task;
using event::Timer;
using event::WriteInterest;

}  // namespace perigee::engine
