! SPDX-License-Identifier: LGPL-2.1-or-later
!
! profil(2) for Fortran: compile this file together with your program.
!
!   use profil, only: profil_irix
!   ...
!   status = profil_irix(counters, 2 * size(counters), loc(work), 65536)
!
! A program written for IRIX calls profil() as an external function of four-byte
! integers and does not need this module.  However, four bytes cannot hold an
! address of a shared library.  Here bufsiz, offset and scale may each have four bytes
! (the default integer, c_int) or eight (c_size_t, c_intptr_t), and offset may also be
! a c_funptr.  The section "IRIX" of profil(2) describes the arguments.
!
module profil
  use, intrinsic :: iso_c_binding, only: c_int, c_int16_t, c_int32_t, c_int64_t, &
    c_intptr_t, c_size_t, c_funptr
  implicit none
  private
  public :: profil_irix

  interface
    function c_profil(buff, bufsiz, offset, scale) bind(c, name='profil_irix') result(status)
      import :: c_int, c_int16_t, c_size_t
      integer(c_int16_t), intent(inout) :: buff(*)
      integer(c_int), value :: bufsiz
      integer(c_size_t), value :: offset
      integer(c_int), value :: scale
      integer(c_int) :: status
    end function c_profil

    ! The library completes a four-byte offset that is the low half of an address in the program.
    function c_profil_32(buff, bufsiz, offset, scale) bind(c, name='profil_') result(status)
      import :: c_int, c_int16_t
      integer(c_int16_t), intent(inout) :: buff(*)
      integer(c_int), intent(in) :: bufsiz
      integer(c_int), intent(in) :: offset
      integer(c_int), intent(in) :: scale
      integer(c_int) :: status
    end function c_profil_32
  end interface

  !> Count the program counter in buff from now on: profil(2) as on IRIX.
  !! buff: 16-bit counters, which must be asynchronous or volatile where the
  !!   program reads them while it is profiled
  !! bufsiz: size of buff in bytes
  !! offset: lowest address that is counted, in bytes; must be an eight-byte integer or
  !!   a c_funptr if it is not in the program itself
  !! scale: 16.16 fixed point; 0 and 1: off; 2: every PC counts in the first
  !!   counter
  !! result: 0
  interface profil_irix
    module procedure profil_444, profil_448, profil_484, profil_488
    module procedure profil_844, profil_848, profil_884, profil_888
    module procedure profil_4f4, profil_4f8, profil_8f4, profil_8f8
  end interface profil_irix

contains

  function profil_444(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int32_t), intent(in) :: bufsiz
    integer(c_int32_t), intent(in) :: offset
    integer(c_int32_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil_32(buff, bufsiz, offset, scale)
  end function profil_444

  function profil_448(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int32_t), intent(in) :: bufsiz
    integer(c_int32_t), intent(in) :: offset
    integer(c_int64_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil_32(buff, bufsiz, offset, low_word(scale))
  end function profil_448

  function profil_484(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int32_t), intent(in) :: bufsiz
    integer(c_int64_t), intent(in) :: offset
    integer(c_int32_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil(buff, bufsiz, offset, scale)
  end function profil_484

  function profil_488(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int32_t), intent(in) :: bufsiz
    integer(c_int64_t), intent(in) :: offset
    integer(c_int64_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil(buff, bufsiz, offset, low_word(scale))
  end function profil_488

  function profil_4f4(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int32_t), intent(in) :: bufsiz
    type(c_funptr), intent(in) :: offset
    integer(c_int32_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil(buff, bufsiz, address(offset), scale)
  end function profil_4f4

  function profil_4f8(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int32_t), intent(in) :: bufsiz
    type(c_funptr), intent(in) :: offset
    integer(c_int64_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil(buff, bufsiz, address(offset), low_word(scale))
  end function profil_4f8

  function profil_844(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int64_t), intent(in) :: bufsiz
    integer(c_int32_t), intent(in) :: offset
    integer(c_int32_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil_32(buff, low_word(bufsiz), offset, scale)
  end function profil_844

  function profil_848(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int64_t), intent(in) :: bufsiz
    integer(c_int32_t), intent(in) :: offset
    integer(c_int64_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil_32(buff, low_word(bufsiz), offset, low_word(scale))
  end function profil_848

  function profil_884(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int64_t), intent(in) :: bufsiz
    integer(c_int64_t), intent(in) :: offset
    integer(c_int32_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil(buff, low_word(bufsiz), offset, scale)
  end function profil_884

  function profil_888(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int64_t), intent(in) :: bufsiz
    integer(c_int64_t), intent(in) :: offset
    integer(c_int64_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil(buff, low_word(bufsiz), offset, low_word(scale))
  end function profil_888

  function profil_8f4(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int64_t), intent(in) :: bufsiz
    type(c_funptr), intent(in) :: offset
    integer(c_int32_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil(buff, low_word(bufsiz), address(offset), scale)
  end function profil_8f4

  function profil_8f8(buff, bufsiz, offset, scale) result(status)
    integer(c_int16_t), intent(inout) :: buff(*)
    integer(c_int64_t), intent(in) :: bufsiz
    type(c_funptr), intent(in) :: offset
    integer(c_int64_t), intent(in) :: scale
    integer(c_int) :: status

    status = c_profil(buff, low_word(bufsiz), address(offset), low_word(scale))
  end function profil_8f8

  pure function address(procedure) result(bytes)
    type(c_funptr), intent(in) :: procedure
    integer(c_size_t) :: bytes

    bytes = transfer(procedure, bytes)
  end function address

  ! An unsigned value that does not fit in four bytes becomes the greatest that does.
  pure function low_word(value) result(word)
    integer(c_int64_t), intent(in) :: value
    integer(c_int32_t) :: word

    if (value < 0_c_int64_t .or. value > int(z'ffffffff', c_int64_t)) then
      word = -1_c_int32_t
    else
      word = transfer(value, word)
    end if
  end function low_word

end module profil
