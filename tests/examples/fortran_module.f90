! Tests the Fortran module: arguments by value and by reference, arrays, strings, structures, null pointers.
! The exit status is 1 if a check fails.
program fortran_module
  use mpi
  use hybridfft
  implicit none

  integer :: ierr, failures, all_failures, level

  failures = 0
  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, ierr)
  call check(hfft_init() == HFFT_SUCCESS, 'init')
  call strings_and_settings()
  call errors()
  call two_fields_in_single_precision()
  call in_place_with_profile()
  call real_to_real()
  call mixed_kinds()
  call transposed_matrix()
  call lines()
  call operator_plan()
  call hfft_cleanup()
  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  if (all_failures /= 0) stop 1

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    failures = failures + 1
    print *, 'wrong: ', what
  end subroutine

  subroutine strings_and_settings()
    character(:), allocatable :: version
    version = hfft_string(hfft_version())
    call check(len(version) >= 5 .and. verify(version, '0123456789.') == 0, 'version '//version)
    call check(hfft_string(c_null_ptr) == '', 'a null string')
    call check(index(hfft_string(hfft_error_string(HFFT_ERROR_BLOCK)), 'block') > 0, 'error_string')
    call check(hfft_plan_with_nthreads(3) == HFFT_SUCCESS, 'plan_with_nthreads')
    call check(hfft_planner_nthreads() == 3, 'planner_nthreads')
    call check(hfft_plan_with_nthreads(1) == HFFT_SUCCESS, 'plan_with_nthreads again')
    call hfft_set_timelimit(HFFT_NO_TIMELIMIT)
    call check(hfft_import_wisdom_from_string('no wisdom'//c_null_char) == 0, 'damaged wisdom')
    call check(hfft_last_error() == HFFT_ERROR_WISDOM, 'code of damaged wisdom')
  end subroutine

  subroutine errors()
    complex(c_double_complex) :: a(1)
    real(c_double), target :: r(16)
    type(c_ptr) :: plan
    plan = hfft_plan_dft_3d(8_c_intptr_t, -2_c_intptr_t, 8_c_intptr_t, a, a, MPI_COMM_WORLD, &
                            HFFT_FORWARD, HFFT_ESTIMATE)
    call check(.not. c_associated(plan), 'a plan of a negative extent')
    call check(hfft_last_error() == HFFT_ERROR_EXTENTS, 'its code')
    call check(index(hfft_string(hfft_last_error_message()), '-2') > 0, 'its message')
    plan = hfft_plan_dft_2d(8_c_intptr_t, 8_c_intptr_t, a, a, MPI_COMM_NULL, HFFT_FORWARD, &
                            HFFT_ESTIMATE)
    call check(.not. c_associated(plan), 'a plan of no communicator')
    call check(hfft_last_error() == HFFT_ERROR_NULL_POINTER, 'code of no communicator')
    call refused(hfft_plan_r2r_2d(4_c_intptr_t, 4_c_intptr_t, r, r, MPI_COMM_WORLD, HFFT_DHT, 11, &
                                  HFFT_ESTIMATE), HFFT_ERROR_ARGUMENT, 'kinds[1] is 11')
    call refused(hfft_plan_mixed(HFFT_R2C, 1, [4_c_intptr_t], 1_c_intptr_t, c_loc(r), c_loc(r), &
                                 MPI_COMM_WORLD, [HFFT_DFT], 0, HFFT_ESTIMATE), &
                 HFFT_ERROR_UNSUPPORTED, 'expected 2 or more')
    call refused(hfft_plan_many_transpose(4_c_intptr_t, 4_c_intptr_t, 1_c_intptr_t, -1_c_intptr_t, &
                                          0_c_intptr_t, r, r, MPI_COMM_WORLD, HFFT_ESTIMATE), &
                 HFFT_ERROR_BLOCK, 'block0 is -1')
    call refused(hfft_plan_dft_1d(0_c_intptr_t, a, a, MPI_COMM_WORLD, HFFT_FORWARD, HFFT_ESTIMATE), &
                 HFFT_ERROR_EXTENTS, 'n[0] is 0')
  end subroutine

  subroutine refused(plan, code, words)
    type(c_ptr), intent(in) :: plan
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: words
    call check(.not. c_associated(plan), 'a plan of '//words)
    call check(hfft_last_error() == code, 'code of '//words)
    call check(index(hfft_string(hfft_last_error_message()), words) > 0, 'message of '//words)
  end subroutine

  ! The cosine transform of a constant 1 has one coefficient, 8 n0 n1 n2 = 1536. The rounding error,
  ! 1e-16 log2(192) times 1536, is far below 1e-10.
  subroutine real_to_real()
    integer(c_intptr_t), parameter :: n(3) = [8, 6, 4]
    integer(c_intptr_t) :: size, planes, first
    real(c_double), allocatable :: a(:)
    real(c_double) :: expected
    type(c_ptr) :: plan
    size = hfft_local_size(3, n, MPI_COMM_WORLD, planes, first)
    allocate (a(size))
    plan = hfft_plan_r2r_3d(n(1), n(2), n(3), a, a, MPI_COMM_WORLD, HFFT_REDFT10, HFFT_REDFT10, &
                            HFFT_REDFT10, HFFT_ESTIMATE)
    call check(c_associated(plan), 'a plan between reals')
    a = 1
    call check(hfft_execute_r2r(plan, a, a) == HFFT_SUCCESS, 'execute_r2r')
    expected = merge(1536, 0, first == 0)
    if (planes > 0) then
      call check(abs(a(1) - expected) < 1e-10, 'the coefficient of a constant')
      call check(all(abs(a(2:planes * n(2) * n(3))) < 1e-10), 'all other coefficients')
    end if
    call hfft_destroy_plan(plan)
  end subroutine

  ! Two DFTs and a cosine transform of a complex constant c yield one coefficient: 8 * 6 * (2 * 4) * c.
  subroutine mixed_kinds()
    integer(c_intptr_t), parameter :: n(3) = [8, 6, 4]
    integer(c_intptr_t) :: size, planes, first
    complex(c_double_complex), allocatable, target :: a(:)
    complex(c_double_complex) :: expected
    type(c_ptr) :: plan
    size = hfft_local_size(3, n, MPI_COMM_WORLD, planes, first)
    allocate (a(size))
    plan = hfft_plan_mixed(HFFT_C2C, 3, n, 1_c_intptr_t, c_loc(a), c_loc(a), MPI_COMM_WORLD, &
                           [HFFT_DFT, HFFT_DFT, HFFT_REDFT10], HFFT_FORWARD, HFFT_ESTIMATE)
    call check(c_associated(plan), 'a plan of mixed kinds')
    a = (1, -2)
    call check(hfft_execute_dft(plan, a, a) == HFFT_SUCCESS, 'executing mixed kinds')
    if (planes > 0) then
      expected = merge((384, -768), (0, 0), first == 0)
      call check(abs(a(1) - expected) < 1e-10, 'the coefficient of mixed kinds')
      call check(all(abs(a(2:planes * n(2) * n(3))) < 1e-10), 'all other coefficients of mixed kinds')
    end if
    call hfft_destroy_plan(plan)
  end subroutine

  ! Element (i, j) of a 9 x 5 matrix is a pair of numbers: 2 (5 i + j) and 2 (5 i + j) + 1.
  subroutine transposed_matrix()
    integer(c_intptr_t), parameter :: n0 = 9, n1 = 5
    integer(c_intptr_t) :: size, rows, row, columns, column, i, j
    real(c_double), allocatable :: a(:), b(:)
    type(c_ptr) :: plan
    logical :: right
    size = hfft_local_size_many_transposed(2, [n0, n1], 2_c_intptr_t, 0_c_intptr_t, 0_c_intptr_t, &
                                           MPI_COMM_WORLD, rows, row, columns, column)
    allocate (a(size), b(size))
    plan = hfft_plan_many_transpose(n0, n1, 2_c_intptr_t, 0_c_intptr_t, 0_c_intptr_t, a, b, &
                                    MPI_COMM_WORLD, HFFT_ESTIMATE)
    call check(c_associated(plan), 'a plan of a transposition')
    do i = 1, 2 * n1 * rows
      a(i) = real(2 * n1 * row + i - 1, c_double)
    end do
    call check(hfft_execute(plan) == HFFT_SUCCESS, 'executing a transposition')
    right = .true.
    do j = 0, columns - 1
      do i = 0, n0 - 1
        right = right .and. nint(b(2 * (j * n0 + i) + 1)) == 2 * (i * n1 + column + j) .and. &
                nint(b(2 * (j * n0 + i) + 2)) == 2 * (i * n1 + column + j) + 1
      end do
    end do
    call check(right, 'the transposed matrix')
    call hfft_destroy_plan(plan)
  end subroutine

  ! One-dimensional transforms: a DFT of a wave of frequency 3, and cosine transforms of two constants c, with
  ! one coefficient 2 n c each.
  subroutine lines()
    integer(c_intptr_t), parameter :: n = 24
    integer(c_intptr_t) :: size, points, point, modes, mode, i
    complex(c_double_complex), allocatable :: a(:)
    real(c_double), allocatable :: r(:)
    real(c_double) :: worst, c
    type(c_ptr) :: plan
    size = hfft_local_size_1d(n, MPI_COMM_WORLD, HFFT_FORWARD, HFFT_ESTIMATE, points, point, modes, mode)
    allocate (a(size), r(2 * size))
    plan = hfft_plan_dft_1d(n, a, a, MPI_COMM_WORLD, HFFT_FORWARD, HFFT_ESTIMATE)
    call check(c_associated(plan), 'a plan of a line')
    do i = 1, points
      a(i) = exp(cmplx(0, 2 * acos(-1d0) * 3 * real(point + i - 1, c_double) / n, c_double_complex))
    end do
    call check(hfft_execute(plan) == HFFT_SUCCESS, 'executing a line')
    worst = 0
    do i = 1, modes
      worst = max(worst, abs(a(i) - merge(n, 0_c_intptr_t, mode + i - 1 == 3)))
    end do
    call check(worst < 1d-12, 'the spectrum of a wave')
    call hfft_destroy_plan(plan)
    plan = hfft_plan_many_r2r(1, [n], 2_c_intptr_t, 0_c_intptr_t, 0_c_intptr_t, r, r, &
                              MPI_COMM_WORLD, [HFFT_REDFT10], HFFT_ESTIMATE)
    call check(c_associated(plan), 'a plan of real lines')
    r(1:2 * points:2) = 1
    r(2:2 * points:2) = -3
    call check(hfft_execute_r2r(plan, r, r) == HFFT_SUCCESS, 'executing real lines')
    worst = 0
    do i = 1, 2 * modes
      c = merge(-6d0, 2d0, mod(i, 2_c_intptr_t) == 0)
      worst = max(worst, abs(r(i) - merge(n * c, 0d0, mode + (i - 1) / 2 == 0)))
    end do
    call check(worst < 1d-12, 'the spectra of constants')
    call hfft_destroy_plan(plan)
  end subroutine

  ! Transforms two interleaved fields: a constant, and a wave along n1. The rounding error, 6e-8 log2(720)
  ! times 720, is far below 0.01.
  subroutine two_fields_in_single_precision()
    integer(c_intptr_t), parameter :: n(3) = [12, 10, 6]
    real(c_float), parameter :: pi = acos(-1.0)
    integer(c_intptr_t) :: size, planes, first, i, j, k
    complex(c_float_complex), pointer, contiguous :: a(:, :, :, :), b(:, :, :, :)
    complex(c_float_complex) :: expected
    type(c_ptr) :: plan, memory(2)
    real(c_float) :: worst

    size = hfftf_local_size_many(3, n, 2_c_intptr_t, HFFT_DEFAULT_BLOCK * 1_c_intptr_t, &
                                 MPI_COMM_WORLD, planes, first)
    memory(1) = hfftf_alloc_complex(int(size, c_size_t))
    memory(2) = hfftf_alloc_complex(int(size, c_size_t))
    call c_f_pointer(memory(1), a, [2_c_intptr_t, n(3), n(2), planes])
    call c_f_pointer(memory(2), b, [2_c_intptr_t, n(3), n(2), planes])
    plan = hfftf_plan_many_dft(3, n, 2_c_intptr_t, 0_c_intptr_t, 0_c_intptr_t, a, b, &
                               MPI_COMM_WORLD, HFFT_BACKWARD, HFFT_ESTIMATE)
    call check(c_associated(plan), 'a plan of two fields')
    do j = 1, n(2)
      a(1, :, j, :) = 1
      a(2, :, j, :) = exp(cmplx(0, -2 * pi * 3 * real(j - 1) / real(n(2)), c_float_complex))
    end do
    call check(hfftf_execute(plan) == HFFT_SUCCESS, 'executing two fields')
    worst = 0
    do i = 1, planes
      do j = 1, n(2)
        do k = 1, n(3)
          expected = merge(720, 0, first + i == 1 .and. j == 1 .and. k == 1)
          worst = max(worst, abs(b(1, k, j, i) - expected))
          expected = merge(720, 0, first + i == 1 .and. j == 4 .and. k == 1)
          worst = max(worst, abs(b(2, k, j, i) - expected))
        end do
      end do
    end do
    call check(worst < 0.01, 'coefficients of two fields')
    call hfftf_destroy_plan(plan)
    call hfftf_free(memory(1))
    call hfftf_free(memory(2))
  end subroutine

  ! Transforms forward and backward in place, and reads the times of the stages.
  subroutine in_place_with_profile()
    integer(c_intptr_t), parameter :: n0 = 9, n1 = 8, n2 = 10, half = n2 / 2 + 1
    integer(c_intptr_t) :: size, planes, first, i, j, k
    real(c_double), pointer, contiguous :: u(:, :, :)
    complex(c_double_complex), pointer, contiguous :: s(:, :, :)
    type(hfft_stage_profile), allocatable, target :: stages(:)
    type(hfft_options) :: options
    type(c_ptr) :: forward, backward, memory
    integer(c_int) :: count, filled, most, fewest
    integer :: ranks
    real(c_double) :: worst

    size = hfft_local_size_3d(n0, n1, half, MPI_COMM_WORLD, planes, first)
    memory = hfft_alloc_complex(int(size, c_size_t))
    call c_f_pointer(memory, u, [2 * half, n1, planes])
    call c_f_pointer(memory, s, [half, n1, planes])
    forward = hfft_plan_dft_r2c_3d(n0, n1, n2, u, s, MPI_COMM_WORLD, HFFT_ESTIMATE)
    call hfft_options_init(options)
    options%flags = HFFT_ESTIMATE
    options%threads = 2
    options%scale = 1d0 / (n0 * n1 * n2)
    options%work = hfft_work_create()
    backward = hfft_plan_slabs(HFFT_C2R, 3, [n0, n1, n2], memory, memory, MPI_COMM_WORLD, &
                               HFFT_BACKWARD, options)
    call check(hfft_plan_work_size(backward) <= hfft_work_size(options%work), 'work space')
    do i = 1, planes
      do j = 1, n1
        do k = 1, n2
          u(k, j, i) = sin(real(100 * (first + i) + 10 * j + k, c_double))
        end do
      end do
    end do
    call check(hfft_plan_set_profiling(forward, 1) == HFFT_SUCCESS, 'set_profiling')
    call check(hfft_execute(forward) == HFFT_SUCCESS, 'forward')
    call check(hfft_execute_dft_c2r(backward, s, u) == HFFT_SUCCESS, 'backward')
    worst = 0
    do i = 1, planes
      do j = 1, n1
        do k = 1, n2
          worst = max(worst, abs(u(k, j, i) - sin(real(100 * (first + i) + 10 * j + k, c_double))))
        end do
      end do
    end do
    call check(worst < 1d-13, 'there and back') ! rounding error: a few 1e-16 log2(720)

    count = 0
    call check(hfft_plan_profile(forward, c_null_ptr, 0, count) == HFFT_SUCCESS, 'counting stages')
    allocate(stages(count))
    call check(hfft_plan_profile(forward, c_loc(stages), count, filled) == HFFT_SUCCESS .and. &
               filled == count .and. count > 0, 'profile')
    call check(all(stages%calls == 1), 'calls of the stages')
    call check(all(stages%seconds >= 0 .and. stages%max_seconds >= stages%min_seconds), 'times')
    do i = 1, count
      call check(len(hfft_string(stages(i)%name)) > 2, 'names of the stages')
    end do
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    call check(hfft_plan_working_ranks(forward, most, fewest) == HFFT_SUCCESS, 'working ranks')
    call check(most >= fewest .and. fewest >= 1 .and. most <= ranks, 'numbers of working ranks')
    call hfft_destroy_plan(forward)
    call hfft_destroy_plan(backward)
    call hfft_work_destroy(options%work)
    call hfft_free(memory)
  end subroutine

  ! An operator plan differentiates sin y along y. All planes have the same values.
  subroutine operator_plan()
    integer(c_intptr_t), parameter :: n = 16
    complex(c_double_complex) :: ik(n)
    type(hfft_source) :: source(1), none(0)
    type(hfft_product) :: products(1)
    type(c_ptr) :: plan
    real(c_double), target :: worst
    integer(c_int) :: target_field(1), no_field(0)
    integer :: bin

    if (hfft_operator_supports(n, n, n) == 0) return
    plan = hfft_plan_operator(n, n, n, 1, MPI_COMM_WORLD, 1)
    call check(c_associated(plan), 'operator plan')
    if (.not. c_associated(plan)) return
    do bin = 0, int(n) - 1
      ik(bin + 1) = cmplx(0, merge(bin, bin - int(n), bin < n / 2), c_double) / n**3
    end do
    ik(n / 2 + 1) = 0
    target_field(1) = 0
    call check(hfft_operator_planes(plan, c_null_ptr, 0, none, 1, target_field, c_funloc(fill_line), &
                                    c_null_ptr) == HFFT_SUCCESS, 'filling planes')
    products(1)%field = 0
    products(1)%terms = 1
    products(1)%first = hfft_term(0, c_null_ptr, c_null_ptr)
    call check(hfft_operator_lines(plan, 1, products) == HFFT_SUCCESS, 'lines')
    source(1) = hfft_source(0, hfft_operator_factors(plan, 1, n, ik), c_null_ptr)
    worst = 0
    call check(hfft_operator_planes(plan, c_null_ptr, 1, source, 0, no_field, c_funloc(compare_line), &
                                    c_loc(worst)) == HFFT_SUCCESS, 'using planes')
    call check(worst < 1d-13, 'the derivative of sin y')
    source(1)%field = 1
    call check(hfft_operator_planes(plan, c_null_ptr, 1, source, 0, no_field, c_funloc(compare_line), &
                                    c_loc(worst)) == HFFT_ERROR_ARGUMENT, 'a field that there is not')
    call hfft_destroy_factors(source(1)%along1)
    call hfft_destroy_operator(plan)
  end subroutine

  real(c_double) function y_of(j)
    integer(c_intptr_t), intent(in) :: j
    y_of = 2 * acos(-1d0) * real(j, c_double) / 16
  end function

  subroutine fill_line(i, j, in, scratch, out, user) bind(C)
    integer(c_intptr_t), value :: i, j
    type(c_ptr), value :: in, scratch, out, user
    type(c_ptr), pointer :: lines(:)
    real(c_double), pointer :: line(:)
    call c_f_pointer(scratch, lines, [1])
    call c_f_pointer(lines(1), line, [16])
    line = sin(y_of(j))
  end subroutine

  ! The plan has one thread, so lines do not update the largest error at the same time.
  subroutine compare_line(i, j, in, scratch, out, user) bind(C)
    integer(c_intptr_t), value :: i, j
    type(c_ptr), value :: in, scratch, out, user
    type(c_ptr), pointer :: lines(:)
    real(c_double), pointer :: line(:), worst
    call c_f_pointer(in, lines, [1])
    call c_f_pointer(lines(1), line, [16])
    call c_f_pointer(user, worst)
    worst = max(worst, maxval(abs(line - cos(y_of(j)))))
  end subroutine
end program
