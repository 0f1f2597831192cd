/** Makes waiting ranks of MPICH sleep, for tests with more ranks than processors. MPICH on UCX, as
 * in Debian, polls for messages without a pause. A polling rank then occupies a processor for a
 * time slice of some milliseconds, and tests with many small exchanges time out. This library is
 * preloaded (LD_PRELOAD). It sleeps for 20 to 100 microseconds after each poll without a message.
 * Open MPI has mpi_yield_when_idle for this purpose. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*progress)(void *) = 0;
  static _Thread_local unsigned looks = 0; /* consecutive polls without a message */
  if (progress == 0) *(void **)(&progress) = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned events = progress(worker);
  looks = events == 0 ? looks + 1 : 0;
  if (looks > 0) {
    const struct timespec pause = {0, looks < 50 ? 20000 : 100000};
    nanosleep(&pause, 0);
  }
  return events;
}
