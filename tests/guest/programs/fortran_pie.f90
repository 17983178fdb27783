! SPDX-License-Identifier: GPL-2.0-or-later
! Calls profil() as a program for IRIX does, but is position-independent: four bytes cannot hold
! an address of its text.  Exit status 0: that was an error, what needs no address was none, and
! nothing was counted after an error.
program fortran_pie
  implicit none
  integer*4, external :: profil
  external :: work
  integer*2 :: counters(4096)
  integer*4 :: low
  ! EOVERFLOW
  integer, parameter :: overflow = 75

  counters = 0
  low = int(loc(work), 4)
  ! Turning it off never fails, whatever the offset is; neither does a buffer of no counter.
  if (profil(counters, 2 * 4096, low, 0) /= 0) stop 1
  if (profil(counters, 2 * 4096, low, 1) /= 0) stop 2
  if (profil(counters, 0, low, 65536) /= 0) stop 3
  ! Scale 2 from address 0 on counts everything.
  if (profil(counters, 2, 0, 2) /= 0) stop 4
  call work()
  if (counters(1) < 1) stop 5
  if (profil(counters, 2 * 4096, low, 65536) /= -1) stop 6
  if (ierrno() /= overflow) stop 7
  counters = 0
  call work()
  if (any(counters /= 0)) stop 8
end program fortran_pie

include 'fortran_work.inc'
