! Tests layouts in the Fortran module: transforms of pencils, with all modes or fewer, blocking and in the
! background. The exit status is 1 if a check fails.
program fortran_layouts
  use mpi
  use hybridfft
  implicit none
  integer(c_intptr_t), parameter :: n(3) = [12, 10, 16], modes(3) = [9, 7, 12]
  ! The field is 5 + 2 cos(2 pi (4 x + 3 y + 5 z)) + cos(2 pi 7 z). Mode 7 of the last wave exceeds half of the 12
  ! retained modes.
  integer(c_intptr_t), parameter :: wave(3) = [4, 3, 5], short(3) = [0, 0, 7]
  real(c_double), parameter :: pi = acos(-1d0)
  integer :: ierr, failures, all_failures, level, rank
  integer(c_int) :: grid(2)

  failures = 0
  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call check(hfft_choose_grid(HFFT_R2C, 3, n, 1_c_intptr_t, HFFT_INTERLEAVED, MPI_COMM_WORLD, &
                              HFFT_ESTIMATE, grid) == HFFT_SUCCESS, 'choose_grid')
  call pencils(n, .false.)
  call pencils(n, .true.)
  call pencils(modes, .false.)
  call pencils(modes, .true.)
  call refused()
  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  if (all_failures /= 0) stop 1

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    failures = failures + 1
    print *, 'wrong: ', what, ': ', hfft_string(hfft_last_error_message())
  end subroutine

  subroutine pencils(kept, background)
    integer(c_intptr_t), intent(in) :: kept(3)
    logical, intent(in) :: background
    type(c_ptr) :: points, spectrum, plan, memory(2)
    real(c_double), pointer, contiguous :: u(:)
    complex(c_double_complex), pointer, contiguous :: s(:)
    integer(c_intptr_t) :: size, start(3), count(3), stride(4), i, j, k, at, offset
    integer(c_int) :: flags, owner
    real(c_double) :: worst, turns(2)

    ! The points are pencils along z, the modes are pencils along x.
    points = hfft_layout_grid(3, n, [grid(1), grid(2), 1])
    spectrum = hfft_layout_grid(3, [kept(1), kept(2), kept(3) / 2 + 1], [1, grid(1), grid(2)])
    call check(hfft_layout_set_order(spectrum, [2, 1, 0]) == HFFT_SUCCESS, 'set_order')
    size = hfft_layout_size(points, spectrum, HFFT_R2C, MPI_COMM_WORLD)
    memory(1) = hfft_alloc_real(int(2 * size, c_size_t))
    memory(2) = hfft_alloc_complex(int(size, c_size_t))
    call c_f_pointer(memory(1), u, [2 * size])
    call c_f_pointer(memory(2), s, [size])
    flags = HFFT_ESTIMATE
    if (background) flags = ior(flags, HFFT_NONBLOCKING)
    if (all(kept == n)) then
      plan = hfft_plan_layout_dft_r2c(points, spectrum, 3, [0, 1, 2], u, s, MPI_COMM_WORLD, flags)
    else
      plan = hfft_plan_pruned_layout_dft_r2c(points, spectrum, 3, [0, 1, 2], kept, u, s, &
                                             MPI_COMM_WORLD, flags)
    end if
    call check(c_associated(plan), 'a plan between pencils')

    call check(hfft_layout_local(points, rank, start, count, stride) == HFFT_SUCCESS, 'points')
    do i = start(1), start(1) + count(1) - 1
      do j = start(2), start(2) + count(2) - 1
        do k = start(3), start(3) + count(3) - 1
          at = sum(([i, j, k] - start) * stride(1:3)) + 1
          turns = [sum(real(wave * [i, j, k], c_double) / n), sum(real(short * [i, j, k], c_double) / n)]
          u(at) = 5 + 2 * cos(2 * pi * turns(1)) + cos(2 * pi * turns(2))
        end do
      end do
    end do
    if (background) then
      call check(hfft_execute_start(plan) == HFFT_SUCCESS, 'start')
      call check(hfft_execute_wait(plan) == HFFT_SUCCESS, 'wait')
    else
      call check(hfft_execute(plan) == HFFT_SUCCESS, 'execute')
    end if

    call check(hfft_layout_local(spectrum, rank, start, count, stride) == HFFT_SUCCESS, 'spectrum')
    worst = 0
    do i = start(1), start(1) + count(1) - 1
      do j = start(2), start(2) + count(2) - 1
        do k = start(3), start(3) + count(3) - 1
          at = sum(([i, j, k] - start) * stride(1:3)) + 1
          worst = max(worst, abs(s(at) - product(n) * amplitude([i, j, k])))
          call check(hfft_layout_locate(spectrum, [i, j, k], owner, offset) == HFFT_SUCCESS .and. &
                     owner == rank .and. offset == at - 1, 'locate')
        end do
      end do
    end do
    ! Rounding error: a few 2.2e-16 log2(1920) times sqrt(1920) times the norm of the points, 240.
    call check(worst < 1d-10, 'modes of pencils')
    call hfft_destroy_plan(plan)
    call hfft_layout_destroy(points)
    call hfft_layout_destroy(spectrum)
    call hfft_free(memory(1))
    call hfft_free(memory(2))
  end subroutine

  ! Exact amplitude of a mode of the half spectrum. No wave has negative frequencies along the first axes.
  pure real(c_double) function amplitude(mode)
    integer(c_intptr_t), intent(in) :: mode(3)
    amplitude = 0
    if (all(mode == 0)) amplitude = 5
    if (all(mode == wave)) amplitude = 1
    if (all(mode == short)) amplitude = 0.5d0
  end function

  subroutine refused()
    complex(c_double_complex) :: a(1)
    type(c_ptr) :: layout, plan
    layout = hfft_layout_grid(3, n, [0, 1, 1])
    if (c_associated(layout)) call check(.false., 'a grid of no ranks')
    if (hfft_last_error() /= HFFT_ERROR_LAYOUT) call check(.false., 'code of a grid of no ranks')
    layout = hfft_layout_grid(3, n, [1, 1, 1])
    plan = hfft_plan_layout_dft(layout, c_null_ptr, 3, [0, 1, 2], a, a, MPI_COMM_SELF, HFFT_FORWARD, &
                                HFFT_ESTIMATE)
    if (c_associated(plan)) call check(.false., 'a plan into no layout')
    if (hfft_last_error() /= HFFT_ERROR_NULL_POINTER) call check(.false., 'code of no layout')
    call hfft_layout_destroy(layout)
  end subroutine
end program
