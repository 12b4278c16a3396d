// Tasks and asynchronous calls in one header: all of <perigee/async/…> that programs use. Generated
// files include the other headers of that folder.
#pragma once

#include <perigee/async/as_task.h>
#include <perigee/async/call.h>
#include <perigee/async/completion.h>
#include <perigee/async/executor.h>
#include <perigee/async/on_orb.h>
#include <perigee/async/outcome.h>
#include <perigee/async/remaining_time.h>
#include <perigee/async/request_contexts.h>
#include <perigee/async/retry.h>
#include <perigee/async/run.h>
#include <perigee/async/scope.h>
#include <perigee/async/sleep.h>
#include <perigee/async/task.h>
#include <perigee/async/when.h>
#include <perigee/async/with_scope.h>
