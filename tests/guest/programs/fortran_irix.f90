! SPDX-License-Identifier: GPL-2.0-or-later
! Calls profil() as a program for IRIX does: by reference, with integers of four bytes.
! Exit status 0: the loop was counted while profil() was on, and not while it was off.
program fortran_irix
  implicit none
  integer*4, external :: profil
  external :: work
  integer*2 :: counters(4096)
  integer*4 :: before

  counters = 0
  if (profil(counters, 2 * 4096, int(loc(work), 4), 65536) /= 0) stop 1
  call work()
  if (profil(counters, 2 * 4096, 0, 0) /= 0) stop 2
  before = sum(int(counters, 4))
  if (before < 1) stop 3
  call work()
  if (sum(int(counters, 4)) /= before) stop 4
end program fortran_irix

include 'fortran_work.inc'
