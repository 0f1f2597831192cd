/** To be preloaded into ranks of MPICH on UCX, as Debian's is: a rank that waits sleeps for some
 * microseconds between its looks for messages, as ranks of Open MPI with mpi_yield_when_idle give
 * their processor away. MPICH itself looks without a pause. Where ranks outnumber processors each
 * exchange then takes the milliseconds for which the system lets a looking rank have a processor,
 * and tests with many small exchanges do not end in their time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*progress)(void *) = 0;
  if (progress == 0) *(void **)(&progress) = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned events = progress(worker);
  if (events == 0) {
    const struct timespec pause = {0, 20000};
    nanosleep(&pause, 0);
  }
  return events;
}
