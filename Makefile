# SPDX-License-Identifier: GPL-2.0-or-later
#
# profil: one make, not recursive; each part adds its rules in its build.mk.

MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash

# arm64: everything for that, by cross compilers (scripts/build/arm64).
ARCH ?=
# This machine's own, as kernel builders may have it in their environment.
override ARCH := $(filter-out x86 x86_64,$(ARCH))
# Where everything that is built goes.
B ?= build$(ARCH:%=/%)
# The guest of vm and demo, and those of check; see scripts/kernel.
KERNEL ?= $(or $(ARCH),6.12)
KERNELS ?= $(or $(ARCH),6.1 6.12)
# Those of check-matrix: flavours, and the newest that there is.
MATRIX ?= trixie-backports-rt trixie-backports 6.12-rt 6.12-cloud 6.12 6.1
# Where install puts things.
PREFIX ?= /usr/local
DESTDIR ?=
# How long soak lasts.
MINUTES ?= 10
# That of soak: lazy, perf or shared; else the module's own choice.
CLOCK ?=
# Anything: bench measures less, and compares.
QUICK ?=
# smp: bench measures time, on two CPUs.
MODE ?=
# What to run of the tests: a name* or [tags], as Catch2 has them.
TESTS ?=
tests = $(if $(TESTS),'$(TESTS)')

ifeq ($(ARCH),arm64)
cross := $(shell scripts/build/arm64 bin)/
sysroot := $(shell scripts/build/arm64 root)
CC := $(cross)aarch64-linux-gnu-gcc --sysroot=$(sysroot)
CXX := $(cross)aarch64-linux-gnu-g++ --sysroot=$(sysroot)
FC := $(cross)aarch64-linux-gnu-gfortran --sysroot=$(sysroot)
AR := aarch64-linux-gnu-ar
OBJCOPY := aarch64-linux-gnu-objcopy
else ifneq ($(ARCH),)
$(error no ARCH '$(ARCH)': there is arm64, and this machine's if it is empty)
endif
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
ifeq ($(origin FC),default)
FC := gfortran
endif
OPT ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wundef -Wvla -Wformat=2 -Wpointer-arith
ifeq ($(WERROR),1)
WARN += -Werror
endif
CXXSTD := -std=c++20
CSTD := -std=gnu11
# What a rule does, in a line; V=1 shows the command itself.
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = $(if $(silent),@:,@printf '  %-8s%s\n' $(1) $(patsubst $(B)/%,%,$@))
silent = $(findstring s,$(filter-out --%,$(firstword $(MAKEFLAGS))))
endif
PROFIL_CPPFLAGS := -Iinclude -Iinclude/uapi -I.

export B PREFIX DESTDIR

.PHONY: help
help: ## this list
	@echo "make TARGET, with these targets:"
	@sed -n 's/^\([a-z0-9_.-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24 | sort -u
	@echo "and these variables: KERNEL=$(KERNEL) KERNELS=\"$(KERNELS)\" MATRIX=\"$(MATRIX)\" TESTS= MINUTES=$(MINUTES) CLOCK= QUICK= MODE= ARCH= B=$(B) PREFIX=$(PREFIX) DESTDIR= V="

include libprofil/build.mk
include cli/build.mk
include tests/build.mk

.PHONY: all
all: libprofil cli ## the library, the CLI and the module for KERNELS
all: kmod

libprofil: ## the library, shared and static
cli: ## the command

# kbuild finds out itself what there is to do, and scripts/kernel which kernels there are.
.PHONY: kmod
kmod: $(KERNELS:%=kmod-%) ## the module for KERNELS; kmod-NAME: for one (scripts/kernel knows the names)
kmod-%: FORCE
	scripts/build/kmod $*
FORCE:

.PHONY: arm64
arm64: ## all of it, and the tests, for arm64, in B/arm64; ARCH=arm64 does it with check-guest and others
	+$(MAKE) --no-print-directory ARCH=arm64 B=$(B)/arm64 kmod-arm64 check-programs

.PHONY: setup
setup: ## install what building and testing take, from Debian's packages and npm
	scripts/setup build guest readers
	@scripts/build/npm-tools >/dev/null

# What the demo profiles beside Debian's own programs.
$(B)/demo/words: scripts/demo/words.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) $(CXXSTD) $(OPT) $(WARN) -o $@ $<

.PHONY: demo
demo: ## profile real programs in a guest of KERNEL (or here: KERNEL=running)
	scripts/demo/run $(KERNEL)

# As many at a time as there are CPUs, unless we were told.
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: check
check: setup ## all tests: of the host, then in guests of KERNELS
	+$(MAKE) $(jobs) --no-print-directory kmod check-programs
	scripts/check/all $(KERNELS)

# The kernels that look for what the others let pass.  One guest at a time: two CPUs
# that wait for each other's locks need two of the host's.
check-kasan check-kcsan: export JOBS = 1
.PHONY: check-kasan
check-kasan: setup ## the guest tests on a kernel that finds wrong accesses, locks, leaks
	+$(MAKE) $(jobs) --no-print-directory kmod-kasan check-programs
	scripts/check/all --guests-only --guest-tests $(or $(tests),'') kasan

.PHONY: check-kcsan
check-kcsan: setup ## the guest tests on a kernel that finds data races
	+$(MAKE) $(jobs) --no-print-directory kmod-kcsan check-programs
	scripts/check/all --guests-only --guest-tests $(or $(tests),'') kcsan

.PHONY: coverage
coverage: setup ## how much of the module the guest tests run, in lines and branches
	+$(MAKE) $(jobs) --no-print-directory check-programs
	scripts/check/coverage

.PHONY: check-matrix
check-matrix: setup ## the module built, and its guest tests run, on the kernels of MATRIX: a table
	+$(MAKE) $(jobs) --no-print-directory check-programs
	$(if $(findstring arm64,$(MATRIX)),+$(MAKE) $(jobs) --no-print-directory ARCH=arm64 B=$(B)/arm64 check-programs)
	scripts/check/matrix $(if $(TESTS),--tests $(tests)) $(MATRIX)

.PHONY: check-host
check-host: check-programs ## the tests that need no kernel; TESTS= chooses
	$(B)/tests/host --suite $(tests)

.PHONY: check-guest
check-guest: kmod-$(KERNEL) check-programs ## the tests in a guest of KERNEL; TESTS= chooses
	scripts/guest-tests $(KERNEL) $(tests)

.PHONY: bench
bench: kmod-$(KERNEL) ## what profiling costs, and what others cost, in instructions, in a guest of KERNEL: Documentation/performance.md; QUICK=1 compares with it; MODE=smp: on two CPUs, in time
	scripts/setup bench
	+$(MAKE) --no-print-directory bench-programs
	scripts/bench/run $(if $(QUICK),--quick,$(MODE:%=--%)) $(KERNEL)

.PHONY: bench-cli
bench-cli: kmod-$(KERNEL) libprofil cli $(B)/tests/symbolise $(B)/many/many ## time, memory and file of record and report, against perf's, for 200,000 functions
	scripts/bench/cli $(KERNEL)

.PHONY: check-clocks
check-clocks: kmod check-programs ## the tests of the module with its perf clock, in guests of KERNELS
	scripts/check/all --guests-only --parameters clock=perf \
		--guest-tests $(or $(tests),'~[cli]~[lib]') $(KERNELS)

.PHONY: check-stress
check-stress: kmod-$(KERNEL) check-programs ## races, churn and a little fuzzing, in a guest of KERNEL
	scripts/guest-tests $(KERNEL) '[race],[churn],[fuzz]'

.PHONY: churn
churn: kmod-$(KERNEL) check-programs ## 100,000 threads and 20,000 children under profile, in a guest of KERNEL
	RACE_ROUNDS=200 scripts/guest-tests --mode icount --timeout 3600 $(KERNEL) '[churn]'

.PHONY: check-harness
check-harness: $(B)/tests/harness ## does a guest that warns, hangs or panics fail its test?
	scripts/check/harness

.PHONY: check-compat
check-compat: kmod-$(KERNEL) libprofil cli ## do libraries and modules of different age work together, in a guest of KERNEL?
	scripts/check/compat $(KERNEL)

.PHONY: soak
soak: kmod-$(KERNEL) check-programs ## fuzz the module for MINUTES in a guest of KERNEL, with stress-ng and trinity; CLOCK=perf: with that clock
	scripts/setup soak
	scripts/check/soak $(CLOCK:%=--parameters clock=%) $(KERNEL) $(MINUTES)

.PHONY: fuzz-reader
fuzz-reader: libprofil ## look for profile files that the command does not survive, for MINUTES, with libFuzzer
	scripts/setup fuzz
	scripts/check/fuzz-reader $(MINUTES)

.PHONY: compare
compare: kmod-$(KERNEL) libprofil cli $(B)/demo/words ## does perf record name the same functions, in a guest of KERNEL?
	scripts/check/compare $(KERNEL)

.PHONY: lint
lint: ## every checker and the boundaries between the parts
	scripts/lint

.PHONY: uapi-doc
uapi-doc: ## write Documentation/uapi.rst anew from the comments of <linux/profil.h>
	scripts/build/uapi-doc >Documentation/uapi.rst.tmp && mv Documentation/uapi.rst.tmp Documentation/uapi.rst

.PHONY: abi
abi: libprofil ## write anew what programs rely on: libprofil/libprofil.abi, kmod/uapi.layout
	scripts/build/abi >libprofil/libprofil.abi.tmp && mv libprofil/libprofil.abi.tmp libprofil/libprofil.abi
	scripts/build/uapi-layout >kmod/uapi.layout.tmp && mv kmod/uapi.layout.tmp kmod/uapi.layout

.PHONY: check-abi
check-abi: libprofil ## are the library's interface and the module's structures those that programs rely on?
	scripts/setup abi
	scripts/build/abi --check
	scripts/build/uapi-layout --check

.PHONY: vm
vm: kmod-$(KERNEL) ## a shell in a guest of KERNEL, on the host's files
	scripts/vm --kernel $(KERNEL)

.PHONY: insmod
insmod: ## load the module into this machine's kernel
	scripts/module load

.PHONY: rmmod
rmmod: ## unload it
	scripts/module unload

.PHONY: install
install: libprofil cli ## put CLI, library and headers below DESTDIR and PREFIX
	scripts/build/install

.PHONY: deb
deb: ## build the Debian packages into B/deb
	scripts/setup build deb
	scripts/build/deb

.PHONY: check-deb
check-deb: deb ## install the packages in a Debian 12, use, upgrade and purge them, in a guest of KERNEL, too
	scripts/setup guest
	scripts/check/deb $(KERNEL)

.PHONY: clean
clean: ## remove what was built (B); the cache of kernels stays
	rm -rf $(B)
