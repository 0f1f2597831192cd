!> Functions of 2DECOMP&FFT that the benchmark calls, with a C interface. The library supports one set of
!> grids at a time. Boxes are counted from 0. x, y and z are the library's axes, x the fastest in memory.
module hybridfft_decomp2d_calls
  use, intrinsic :: iso_c_binding
  use decomp_2d
  use decomp_2d_constants
  use decomp_2d_fft
  use decomp_2d_mpi
  implicit none
  private

contains

  function real_bytes() bind(c, name="hfft_decomp2d_real_bytes")
    integer(c_int) :: real_bytes
    real_bytes = storage_size(1._mytype) / 8
  end function real_bytes

  !> Initialises the library. From version 2.1 on, its exchange buffers have room for complex data only if this is
  !> requested.
  subroutine begin(n, grid, halved, comm) bind(c, name="hfft_decomp2d_begin")
    integer(c_int), intent(in) :: n(3), grid(2)
    integer(c_int), value :: halved, comm
    integer :: rows, columns
    rows = grid(1)
    columns = grid(2)
    decomp_log = D2D_LOG_QUIET
#ifdef HFFT_BENCH_DECOMP2D_POOL
    call decomp_2d_init(n(1), n(2), n(3), rows, columns, comm=int(comm), complex_pool=halved == 0)
#else
    call decomp_2d_init(n(1), n(2), n(3), rows, columns, comm=int(comm))
#endif
    call decomp_2d_fft_init(PHYSICAL_IN_X)
  end subroutine begin

  subroutine end() bind(c, name="hfft_decomp2d_end")
    call decomp_2d_fft_finalize
    call decomp_2d_finalize
  end subroutine end

  !> Returns this rank's box of the points, complete along x, or of the spectrum, complete along z. `halved` is
  !> nonzero for transforms of real data.
  subroutine box(spectrum, halved, first, points) bind(c, name="hfft_decomp2d_box")
    integer(c_int), value :: spectrum, halved
    integer(c_int), intent(out) :: first(3), points(3)
    type(decomp_info), pointer :: info
    if (halved /= 0 .and. spectrum /= 0) then
      info => decomp_2d_fft_get_sp()
    else
      info => decomp_2d_fft_get_ph()
    end if
    if (spectrum /= 0) then
      first = info%zst - 1
      points = info%zsz
    else
      first = info%xst - 1
      points = info%xsz
    end if
  end subroutine box

  subroutine c2c(from, to, from_points, to_points, direction) bind(c, name="hfft_decomp2d_c2c")
    type(c_ptr), value :: from, to
    integer(c_int), intent(in) :: from_points(3), to_points(3)
    integer(c_int), value :: direction
    complex(mytype), pointer, contiguous :: a(:, :, :), b(:, :, :)
    call c_f_pointer(from, a, from_points)
    call c_f_pointer(to, b, to_points)
    call decomp_2d_fft_3d(a, b, int(direction))
  end subroutine c2c

  subroutine r2c(from, to, from_points, to_points) bind(c, name="hfft_decomp2d_r2c")
    type(c_ptr), value :: from, to
    integer(c_int), intent(in) :: from_points(3), to_points(3)
    real(mytype), pointer, contiguous :: a(:, :, :)
    complex(mytype), pointer, contiguous :: b(:, :, :)
    call c_f_pointer(from, a, from_points)
    call c_f_pointer(to, b, to_points)
    call decomp_2d_fft_3d(a, b)
  end subroutine r2c

  subroutine c2r(from, to, from_points, to_points) bind(c, name="hfft_decomp2d_c2r")
    type(c_ptr), value :: from, to
    integer(c_int), intent(in) :: from_points(3), to_points(3)
    complex(mytype), pointer, contiguous :: a(:, :, :)
    real(mytype), pointer, contiguous :: b(:, :, :)
    call c_f_pointer(from, a, from_points)
    call c_f_pointer(to, b, to_points)
    call decomp_2d_fft_3d(a, b)
  end subroutine c2r
end module hybridfft_decomp2d_calls
