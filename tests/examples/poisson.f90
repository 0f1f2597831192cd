! Solves laplace(u) = f in the periodic box [0, 2 pi)^3. The right side f is the Laplacian of the known function
! exp(cos x + cos y + cos z). f does not depend on the mean of this function, so the solution is the function
! without its mean. x is the slowest dimension.
program poisson
  use mpi
  use hybridfft
  implicit none
  integer(c_intptr_t), parameter :: n0 = 48, n1 = 40, n2 = 36, half = n2 / 2 + 1
  real(c_double), parameter :: pi = acos(-1d0), mean = 1.2660658777520084d0**3 ! mean of exp(cos x): I_0(1)
  integer(c_intptr_t) :: size, planes, plane, columns, column, i, j, k
  real(c_double), pointer, contiguous :: u(:, :, :)            ! z, y and the planes x of this rank
  complex(c_double_complex), pointer, contiguous :: s(:, :, :) ! z, x and the columns y of this rank
  type(c_ptr) :: forward, backward, u_memory, s_memory
  real(c_double) :: square, worst, x(n0), y(n1), z(n2)
  integer :: level, rank, ierr, error

  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  size = hfft_local_size_3d_transposed(n0, n1, half, MPI_COMM_WORLD, planes, plane, columns, column)
  u_memory = hfft_alloc_real(int(2 * size, c_size_t))
  s_memory = hfft_alloc_complex(int(size, c_size_t))
  call c_f_pointer(u_memory, u, [2 * half, n1, planes])
  call c_f_pointer(s_memory, s, [half, n0, columns])
  forward = hfft_plan_dft_r2c_3d(n0, n1, n2, u, s, MPI_COMM_WORLD, &
                                 ior(HFFT_ESTIMATE, HFFT_TRANSPOSED_OUT))
  backward = hfft_plan_dft_c2r_3d(n0, n1, n2, s, u, MPI_COMM_WORLD, &
                                  ior(HFFT_ESTIMATE, HFFT_TRANSPOSED_IN))

  x = [(2 * pi * i / n0, i = 0, n0 - 1)]
  y = [(2 * pi * i / n1, i = 0, n1 - 1)]
  z = [(2 * pi * i / n2, i = 0, n2 - 1)]
  do concurrent (i = 1:planes, j = 1:n1, k = 1:n2)
    u(k, j, i) = exp(cos(x(plane + i)) + cos(y(j)) + cos(z(k))) * &
                 (second(x(plane + i)) + second(y(j)) + second(z(k)))
  end do
  error = hfft_execute(forward)
  do j = 1, columns
    do i = 1, n0
      do k = 1, half
        square = wave_number(i, n0)**2 + wave_number(column + j, n1)**2 + (k - 1)**2
        s(k, i, j) = -s(k, i, j) / (max(square, 1d0) * n0 * n1 * n2)
        if (square < 1) s(k, i, j) = 0 ! the mean
      end do
    end do
  end do
  if (error == HFFT_SUCCESS) error = hfft_execute(backward)

  do concurrent (i = 1:planes, j = 1:n1, k = 1:n2)
    u(k, j, i) = u(k, j, i) + mean - exp(cos(x(plane + i)) + cos(y(j)) + cos(z(k)))
  end do
  worst = max(0d0, maxval(abs(u(1:n2, :, :)))) ! without the padding
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

  pure real(c_double) function second(x) ! second derivative of exp(cos x), divided by exp(cos x)
    real(c_double), intent(in) :: x
    second = sin(x)**2 - cos(x)
  end function
end program
