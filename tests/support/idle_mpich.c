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
  static _Thread_local unsigned looks = 0; /* in a row that found nothing */
  if (progress == 0) *(void **)(&progress) = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned events = progress(worker);
  looks = events == 0 ? looks + 1 : 0;
  if (looks > 0) {
    const struct timespec pause = {0, looks < 50 ? 20000 : 100000};
    nanosleep(&pause, 0);
  }
  return events;
}
