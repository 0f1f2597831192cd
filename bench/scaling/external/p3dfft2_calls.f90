!> Functions of P3DFFT 2.7 that the benchmark calls, with a C interface. The library supports one set of grids
!> at a time. Boxes are counted from 0, in the library's order of axes: x is the fastest in memory of the
!> points.
module hybridfft_p3dfft2_calls
  use, intrinsic :: iso_c_binding
  use p3dfft
  implicit none
  private

contains

  function real_bytes() bind(c, name="hfft_p3dfft2_real_bytes")
    integer(c_int) :: real_bytes
    real_bytes = p3dfft_type
  end function real_bytes

  subroutine begin(n, grid, comm, bytes) bind(c, name="hfft_p3dfft2_begin")
    integer(c_int), intent(in) :: n(3), grid(2)
    integer(c_int), value :: comm
    integer(c_int), intent(out) :: bytes
    integer :: sizes(3)
    call p3dfft_setup(grid, n(1), n(2), n(3), int(comm), n(1), n(2), n(3), .true., sizes)
    bytes = 2 * product(sizes) * p3dfft_type
  end subroutine begin

  subroutine end() bind(c, name="hfft_p3dfft2_end")
    call p3dfft_clean
  end subroutine end

  subroutine box(spectrum, first, points) bind(c, name="hfft_p3dfft2_box")
    integer(c_int), value :: spectrum
    integer(c_int), intent(out) :: first(3), points(3)
    integer :: last(3)
    call p3dfft_get_dims(first, last, points, merge(2, 1, spectrum /= 0))
    first = first - 1
  end subroutine box

  subroutine r2c(from, to, from_points, to_points) bind(c, name="hfft_p3dfft2_r2c")
    type(c_ptr), value :: from, to
    integer(c_int), intent(in) :: from_points(3), to_points(3)
    real(p3dfft_type), pointer, contiguous :: a(:, :, :)
    complex(p3dfft_type), pointer, contiguous :: b(:, :, :)
    call c_f_pointer(from, a, from_points)
    call c_f_pointer(to, b, to_points)
    call p3dfft_ftran_r2c(a, b, 'fft')
  end subroutine r2c

  subroutine c2r(from, to, from_points, to_points) bind(c, name="hfft_p3dfft2_c2r")
    type(c_ptr), value :: from, to
    integer(c_int), intent(in) :: from_points(3), to_points(3)
    complex(p3dfft_type), pointer, contiguous :: a(:, :, :)
    real(p3dfft_type), pointer, contiguous :: b(:, :, :)
    call c_f_pointer(from, a, from_points)
    call c_f_pointer(to, b, to_points)
    call p3dfft_btran_c2r(a, b, 'tff')
  end subroutine c2r
end module hybridfft_p3dfft2_calls
