// Uses MPI's C++ bindings, if MPI has them: the options of the package must not disable them.
#include <hybridfft/hybridfft.hpp>

#include <cstdio>

int main(int argc, char **argv) {
#if defined(OMPI_BUILD_CXX_BINDINGS) && OMPI_BUILD_CXX_BINDINGS
  MPI::Init(argc, argv);
  const int ranks = MPI::COMM_WORLD.Get_size();
#else
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
  const hybridfft::Layout slab =
      hybridfft::Layout::slab(std::array<std::ptrdiff_t, 3>{4, 4, 4}, ranks);
  std::printf("%d %d\n", ranks, slab.ranks());
  return MPI_Finalize();
}
