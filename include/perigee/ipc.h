// The typed wrappers of sockets, pipes and files in one header: all of <perigee/ipc/…> that
// programs use.
#pragma once

#include <perigee/ipc/connect_any.h>
#include <perigee/ipc/dgram.h>
#include <perigee/ipc/error.h>
#include <perigee/ipc/families.h>
#include <perigee/ipc/fifo.h>
#include <perigee/ipc/fifo_addr.h>
#include <perigee/ipc/file.h>
#include <perigee/ipc/group.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/inet_parse.h>
#include <perigee/ipc/interface.h>
#include <perigee/ipc/lsock.h>
#include <perigee/ipc/mcast_addr.h>
#include <perigee/ipc/options.h>
#include <perigee/ipc/record_socket.h>
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/result.h>
#include <perigee/ipc/sock.h>
#include <perigee/ipc/spipe.h>
#include <perigee/ipc/spipe_addr.h>
#include <perigee/ipc/stream_socket.h>
#include <perigee/ipc/unix_addr.h>
#include <perigee/ipc/uring.h>
