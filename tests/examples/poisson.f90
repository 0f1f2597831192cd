! Solves laplace(u) = f in the periodic box [0, 2 pi)^3, where f belongs to a u that is known:
! u = exp(cos x + cos y + cos z), but for its mean, which f does not tell. x is the slowest dimension.
program poisson
  use mpi
  use hybridfft
  implicit none
  integer(c_intptr_t), parameter :: n0 = 48, n1 = 40, n2 = 36, half = n2 / 2 + 1
  real(c_double), parameter :: pi = acos(-1d0), mean = 1.2660658777520084d0**3 ! of exp(cos x): I_0(1)
  integer(c_intptr_t) :: size, planes, first_plane, columns, first_column, i, j, k
  real(c_double), pointer, contiguous :: u(:, :, :)            ! z, y and the planes x of this rank
  complex(c_double_complex), pointer, contiguous :: s(:, :, :) ! z, x and the columns y of this rank
  type(c_ptr) :: forward, backward, u_memory, s_memory
  real(c_double) :: square, worst
  integer :: level, rank, ierr, error

  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  size = hfft_local_size_3d_transposed(n0, n1, half, MPI_COMM_WORLD, planes, first_plane, &
                                       columns, first_column)
  u_memory = hfft_alloc_real(int(2 * size, c_size_t))
  s_memory = hfft_alloc_complex(int(size, c_size_t))
  call c_f_pointer(u_memory, u, [2 * half, n1, planes])
  call c_f_pointer(s_memory, s, [half, n0, columns])
  forward = hfft_plan_dft_r2c_3d(n0, n1, n2, u, s, MPI_COMM_WORLD, &
                                 ior(HFFT_ESTIMATE, HFFT_TRANSPOSED_OUT))
  backward = hfft_plan_dft_c2r_3d(n0, n1, n2, s, u, MPI_COMM_WORLD, &
                                  ior(HFFT_ESTIMATE, HFFT_TRANSPOSED_IN))

  do concurrent (i = 1:planes, j = 1:n1, k = 1:n2)
    u(k, j, i) = right_side(2 * pi * (first_plane + i - 1) / n0, 2 * pi * (j - 1) / n1, &
                            2 * pi * (k - 1) / n2)
  end do
  error = hfft_execute(forward)
  do j = 1, columns
    do i = 1, n0
      do k = 1, half
        square = wave_number(i, n0)**2 + wave_number(first_column + j, n1)**2 + (k - 1)**2
        s(k, i, j) = -s(k, i, j) / (max(square, 1d0) * n0 * n1 * n2)
        if (square < 1) s(k, i, j) = 0 ! the mean
      end do
    end do
  end do
  error = ior(error, hfft_execute(backward))

  worst = 0
  do i = 1, planes
    do j = 1, n1
      do k = 1, n2
        worst = max(worst, abs(u(k, j, i) + mean - exp(cos(2 * pi * (first_plane + i - 1) / n0) + &
                                cos(2 * pi * (j - 1) / n1) + cos(2 * pi * (k - 1) / n2))))
      end do
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (error /= HFFT_SUCCESS) print '(a)', hfft_string(hfft_last_error_message())
  if (rank == 0) print '(a, es8.1)', 'largest error: ', worst
  call hfft_destroy_plan(forward)
  call hfft_destroy_plan(backward)
  call hfft_free(u_memory)
  call hfft_free(s_memory)
  call MPI_Finalize(ierr)
  if (error /= HFFT_SUCCESS .or. .not. worst < 1d-12) stop 1

contains

  pure real(c_double) function wave_number(i, n)
    integer(c_intptr_t), intent(in) :: i, n
    wave_number = merge(i - 1, i - 1 - n, i - 1 <= n / 2)
  end function

  pure real(c_double) function right_side(x, y, z)
    real(c_double), intent(in) :: x, y, z
    right_side = exp(cos(x) + cos(y) + cos(z)) * &
                 (sin(x)**2 - cos(x) + sin(y)**2 - cos(y) + sin(z)**2 - cos(z))
  end function
end program
