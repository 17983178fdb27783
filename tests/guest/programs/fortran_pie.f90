! SPDX-License-Identifier: GPL-2.0-or-later
! Calls profil() as a program for IRIX does, but is position-independent: four bytes hold only
! the low part of an address of its text.  Exit status 0: each call returned 0, and the loop was
! counted while profil() was on, and not while it was off.
program fortran_pie
  implicit none
  integer*4, external :: profil
  external :: work
  integer*2 :: counters(4096)
  integer*4 :: low, before

  if (loc(work) < 2_8**32) stop 1
  counters = 0
  low = int(loc(work), 4)
  ! Scale 2 from address 0 on counts everything.
  if (profil(counters, 2, 0, 2) /= 0) stop 2
  call work()
  if (counters(1) < 1) stop 3
  if (profil(counters, 2 * 4096, low, 0) /= 0) stop 4
  counters = 0
  if (profil(counters, 2 * 4096, low, 65536) /= 0) stop 5
  call work()
  if (profil(counters, 0, low, 65536) /= 0) stop 6
  before = sum(int(counters, 4))
  if (before < 1) stop 7
  call work()
  if (sum(int(counters, 4)) /= before) stop 8
  ! Nothing is mapped at 4096, nor at the address near the program with that low half.
  if (profil(counters, 2 * 4096, 4096, 65536) /= 0) stop 9
  call work()
  if (sum(int(counters, 4)) /= before) stop 10
end program fortran_pie

include 'fortran_work.inc'
