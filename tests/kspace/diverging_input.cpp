// diverging_input FILE: writes an input with a time step far above the stability limit.
#include <mpi.h>

#include "kspace/input_writer.h"

int main(int argc, char **argv) {
  if (argc != 2) return 1;
  MPI_Init(&argc, &argv);
  {
    hybridfft::test::InputWriter input({6, 5, 4}, 400);
    std::vector<float> p0(input.points(), 0.0F);
    p0[50] = 1;
    input.integer("p0_source_flag", 1).field("p0_source_input", p0);
    input.real("c_ref", 1000).real("dt", 5e-7).write(argv[1], MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
