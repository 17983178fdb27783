! SPDX-License-Identifier: GPL-2.0-or-later
! Calls profil() of the Fortran module, with integers of each kind, in a position-independent
! program.  Exit status 0: each call counted the loop, and turning it off worked.
program fortran_module
  use, intrinsic :: iso_c_binding
  use profil, only: profil_irix
  implicit none
  external :: work
  integer(c_int16_t), asynchronous :: counters(4096)
  integer(c_size_t) :: bytes
  integer(c_intptr_t) :: low
  type(c_funptr) :: procedure

  low = loc(work)
  if (low < int(z'100000000', c_intptr_t)) stop 1
  counters = 0
  if (profil_irix(counters, 2 * size(counters), low, 65536) /= 0) stop 2
  call expect(3)
  bytes = 2 * size(counters)
  if (profil_irix(counters, bytes, low, 65536) /= 0) stop 4
  call expect(5)
  if (profil_irix(counters, bytes, low, 65536_c_long) /= 0) stop 6
  call expect(7)
  procedure = c_funloc(work)
  if (profil_irix(counters, 2 * size(counters), procedure, 65536_c_int) /= 0) stop 8
  call expect(9)
  ! No part of this program is below 4 GiB, but scale 2 counts all of it.
  if (profil_irix(counters, 2 * size(counters), 0, 2) /= 0) stop 10
  call expect(11)
  if (profil_irix(counters, bytes, int(low, c_int32_t), 65536) /= 0) stop 12
  call expect(13)

contains

  ! Check that the loop is counted, turn profil() off, and check that it is not.
  subroutine expect(step)
    integer, intent(in) :: step
    integer(c_int) :: before

    counters = 0_c_int16_t
    call work()
    if (profil_irix(counters, 0, 0, 0) /= 0) stop 20
    before = sum(int(counters, c_int))
    if (before < 1) error stop step
    call work()
    if (sum(int(counters, c_int)) /= before) stop 21
  end subroutine expect

end program fortran_module

include 'fortran_work.inc'
