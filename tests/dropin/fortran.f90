! Transforms of plane waves through FFTW's Fortran 2003 interface, in place and on new arrays.
! A wave of k periods has one known coefficient. The exit status is 1 if a coefficient is wrong.
program fortran
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none
  include 'fftw3-mpi.f03'

  integer(c_intptr_t), parameter :: n0 = 12, n1 = 10, n2 = 6
  integer :: ierr, failures, all_failures

  failures = 0
  call MPI_Init(ierr)
  call fftw_mpi_init()
  call complex_in_place()
  call real_transposed()
  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  if (all_failures /= 0) stop 1

contains

  ! The rounding error of 720 points of size 1 is far below 1e-10.
  subroutine expect(found, wanted, what)
    complex(c_double_complex), intent(in) :: found
    real(c_double), intent(in) :: wanted
    character(*), intent(in) :: what
    if (abs(found - wanted) < 1d-10) return
    failures = failures + 1
    print *, what, found, 'expected', wanted
  end subroutine

  ! A cosine of three periods along n0, the last dimension in Fortran. Its coefficient 3 is 720 / 2.
  subroutine complex_in_place()
    type(c_ptr) :: plan, memory, again
    complex(c_double_complex), pointer :: a(:, :, :), b(:, :, :)
    integer(c_intptr_t) :: local, start, elements, k

    elements = fftw_mpi_local_size_3d(n0, n1, n2, MPI_COMM_WORLD, local, start)
    memory = fftw_alloc_complex(int(elements, c_size_t))
    again = fftw_alloc_complex(int(elements, c_size_t))
    call c_f_pointer(memory, a, [n2, n1, local])
    call c_f_pointer(again, b, [n2, n1, local])
    plan = fftw_mpi_plan_dft_3d(n0, n1, n2, a, a, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE)
    call fill(a, local, start)
    call fill(b, local, start)
    call fftw_mpi_execute_dft(plan, a, a)
    call fftw_mpi_execute_dft(plan, b, b)
    do k = 1, local
      if (start + k - 1 == 3) call expect(a(1, 1, k), 360d0, 'complex')
      if (start + k - 1 == 3) call expect(b(1, 1, k), 360d0, 'complex, new array')
      if (start + k - 1 == 4) call expect(a(1, 1, k), 0d0, 'complex, no wave')
    end do
    call fftw_destroy_plan(plan)
    call fftw_free(memory)
    call fftw_free(again)
  end subroutine

  subroutine fill(a, local, start)
    integer(c_intptr_t), intent(in) :: local, start
    complex(c_double_complex), intent(out) :: a(n2, n1, local)
    integer(c_intptr_t) :: k
    do k = 1, local
      a(:, :, k) = cos(2 * acos(-1d0) * 3 * real(start + k - 1, c_double) / n0)
    end do
  end subroutine

  ! A cosine of two periods along n1, to a transposed spectrum. Its coefficient 2 of n1 is 720 / 2.
  subroutine real_transposed()
    type(c_ptr) :: plan, memory, spectrum
    real(c_double), pointer :: a(:, :, :)
    complex(c_double_complex), pointer :: s(:, :, :)
    integer(c_intptr_t) :: elements, local0, start0, local1, start1, i, k

    elements = fftw_mpi_local_size_3d_transposed(n0, n1, n2 / 2 + 1, MPI_COMM_WORLD, local0, &
                                                 start0, local1, start1)
    memory = fftw_alloc_real(int(2 * elements, c_size_t))
    spectrum = fftw_alloc_complex(int(elements, c_size_t))
    call c_f_pointer(memory, a, [2 * (n2 / 2 + 1), n1, local0])
    call c_f_pointer(spectrum, s, [n2 / 2 + 1, n0, local1])
    plan = fftw_mpi_plan_dft_r2c_3d(n0, n1, n2, a, s, MPI_COMM_WORLD, &
                                    ior(FFTW_ESTIMATE, FFTW_MPI_TRANSPOSED_OUT))
    do i = 1, n1
      a(:, i, :) = cos(2 * acos(-1d0) * 2 * real(i - 1, c_double) / n1)
    end do
    call fftw_mpi_execute_dft_r2c(plan, a, s)
    do k = 1, local1
      if (start1 + k - 1 == 2) call expect(s(1, 1, k), 360d0, 'real')
      if (start1 + k - 1 == 1) call expect(s(1, 1, k), 0d0, 'real, no wave')
    end do
    call fftw_destroy_plan(plan)
    call fftw_free(memory)
    call fftw_free(spectrum)
  end subroutine

end program
