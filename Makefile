# SPDX-License-Identifier: GPL-2.0-or-later
#
# profil: a single, non-recursive make.  Each part has its rules in its build.mk.

MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash

# arm64: build everything for arm64, with cross compilers (scripts/build/arm64).
# i386: build the library alone, for 32-bit programs on x86-64.
ARCH ?=
# People who build kernels may have ARCH in their environment: ignore this machine's own.
override ARCH := $(filter-out x86 x86_64,$(ARCH))
# The directory for everything that is built.
B ?= build$(ARCH:%=/%)
# The kernel of one guest, as for vm and demo, and the kernels of check; see scripts/kernel.
KERNEL ?= $(or $(filter arm64,$(ARCH)),6.12)
KERNELS ?= $(or $(filter arm64,$(ARCH)),6.1 6.12)
# The kernels of check-matrix: flavours, and the newest kernel available, also for debugging.
MATRIX ?= kasan-7 trixie-backports-rt trixie-backports 6.12-rt 6.12-cloud 6.12 6.1
# Where install puts files.
PREFIX ?= /usr/local
DESTDIR ?=
# The time for which soak and fuzz-reader run.
MINUTES ?= 10
# The module's clock in soak: lazy or perf; empty: the module's own choice.
CLOCK ?=
# Not empty: bench measures less, and compares with Documentation/performance.md.
QUICK ?=
# The only part that bench measures: worst (the bounds of a tick and of a fork), record or machine.
MODE ?=
# The tests to run: a name* or [tags], as for Catch2.
TESTS ?=
tests = $(if $(TESTS),'$(TESTS)')

ifeq ($(ARCH),arm64)
cross := $(shell scripts/build/arm64 bin)/
sysroot := $(shell scripts/build/arm64 root)
CC := $(cross)aarch64-linux-gnu-gcc --sysroot=$(sysroot)
CXX := $(cross)aarch64-linux-gnu-g++ --sysroot=$(sysroot)
FC := $(cross)aarch64-linux-gnu-gfortran --sysroot=$(sysroot)
AR := aarch64-linux-gnu-ar
export STRIP := aarch64-linux-gnu-strip
OBJCOPY := aarch64-linux-gnu-objcopy
pkg_config := PKG_CONFIG_SYSROOT_DIR=$(sysroot) PKG_CONFIG_LIBDIR=$(sysroot)/usr/lib/aarch64-linux-gnu/pkgconfig pkg-config
else ifeq ($(ARCH),i386)
ifneq ($(filter-out help all libprofil libprofil-programs install clean,$(MAKECMDGOALS)),)
$(error for i386 there is only the library, not $(MAKECMDGOALS))
endif
# Debian's baseline for i386, which gcc -m32 alone exceeds: with SSE it would also expect stacks
# aligned to 16 bytes, and the stacks of old programs are not.
CC := gcc -m32 -march=i686
CXX := g++ -m32 -march=i686
else ifneq ($(ARCH),)
$(error unknown ARCH '$(ARCH)' (arm64, i386, or empty for this machine's))
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
pkg_config ?= pkg-config
OPT ?= -O2 -g1
WARN := -Wall -Wextra -Wshadow -Wundef -Wvla -Wformat=2 -Wpointer-arith
ifeq ($(WERROR),1)
WARN += -Werror
endif
CXXSTD := -std=c++20
CSTD := -std=gnu11
# Each rule prints a line on what it does; V=1 shows the command itself.
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = $(if $(silent),@:,@printf '  %-8s%s\n' $(1) $(patsubst $(B)/%,%,$@))
silent = $(findstring s,$(filter-out --%,$(firstword $(MAKEFLAGS))))
endif
PROFIL_CPPFLAGS := -Iinclude -Iinclude/uapi -I.
# A target's names in its .d file: its absolute path, as scripts give it, and its path as typed.
depends = -MMD -MP -MT $(abspath $@) -MT $(patsubst $(CURDIR)/%,%,$(abspath $@))

export B PREFIX DESTDIR

.PHONY: help
help: ## show this list
	@echo "make TARGET, with these targets:"
	@sed -n 's/^\([a-z0-9_.-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24 | sort -u
	@echo "and these variables: KERNEL=$(KERNEL) KERNELS=\"$(KERNELS)\" MATRIX=\"$(MATRIX)\" TESTS= MINUTES=$(MINUTES) CLOCK= QUICK= MODE= ARCH= B=$(B) PREFIX=$(PREFIX) DESTDIR= V="

include libprofil/build.mk
include cli/build.mk
include tests/build.mk

.PHONY: all
all: libprofil ## build the library, the CLI, and the module for KERNELS
all: $(if $(filter i386,$(ARCH)),,cli kmod)

libprofil: ## build the library, shared and static
cli: ## build the command

# These rules always run: kbuild itself decides what must be built.  scripts/kernel knows the
# kernels.
.PHONY: kmod
kmod: $(KERNELS:%=kmod-%) ## build the module for KERNELS; kmod-NAME: for one of them (scripts/kernel lists the names)
kmod-%: FORCE
	scripts/build/kmod $*
# Variants for tests: see scripts/build/kmod.
kmod-window-%: FORCE
	scripts/build/kmod --window $*
kmod-one-bucket-%: FORCE
	scripts/build/kmod --one-bucket $*
FORCE:

.PHONY: arm64
arm64: ## build everything, with the tests, for arm64 in B/arm64; check-guest and others accept ARCH=arm64
	+$(MAKE) --no-print-directory ARCH=arm64 B=$(B)/arm64 kmod-arm64 check-programs

.PHONY: i386
i386: ## build the library for 32-bit programs, and their tests, in B/i386
	+$(MAKE) --no-print-directory ARCH=i386 B=$(B)/i386 libprofil-programs

.PHONY: setup
setup: ## install what building and testing need, from Debian's packages and npm
	scripts/setup build guest tests readers
	@scripts/build/npm-tools >/dev/null

# The demo profiles this program as well as some of Debian's.
$(B)/demo/words: scripts/demo/words.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) $(CXXSTD) $(OPT) $(WARN) -o $@ $<

.PHONY: demo
demo: ## profile this machine, then real programs in a guest of KERNEL (or here: KERNEL=running)
	scripts/demo/run $(KERNEL)

.PHONY: examples
examples: setup kmod-$(KERNEL) cli $(B)/demo/words $(B)/tests/programs/cli_matrix ## make the documents' transcripts and pictures again, from real runs in a guest of KERNEL
	scripts/setup demo
	scripts/examples --kernel $(KERNEL)

# Run as many jobs as there are CPUs, unless make was given -j.
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: check
check: setup ## run all tests: on the host, then in guests of KERNELS
	+scripts/build/progress $(jobs) kmod $(addsuffix -$(lastword $(KERNELS)),kmod-window kmod-one-bucket) check-programs
	scripts/check/all --variants $(KERNELS)

# Kernels with checkers that others do not have.  Run one guest at a time: two guest CPUs
# that wait for each other's locks need two CPUs of the host.
check-kasan check-kasan-7 check-kcsan: export JOBS = 1
.PHONY: check-kasan
check-kasan: setup ## run the guest tests on a kernel that finds invalid accesses, lock errors and leaks
	+$(MAKE) $(jobs) --no-print-directory kmod-kasan check-programs
	scripts/check/all --guests-only --guest-tests $(or $(tests),'') kasan

.PHONY: check-kasan-7
check-kasan-7: setup ## as check-kasan, on the newest kernel available, that of trixie-backports
	+$(MAKE) $(jobs) --no-print-directory kmod-kasan-7 check-programs
	scripts/check/all --guests-only --guest-tests $(or $(tests),'') kasan-7

.PHONY: check-kcsan
check-kcsan: setup ## run the guest tests on a kernel that finds data races
	+$(MAKE) $(jobs) --no-print-directory kmod-kcsan check-programs
	scripts/check/all --guests-only --guest-tests $(or $(tests),'') kcsan

.PHONY: check-clang
check-clang: setup ## run the guest tests on a kernel that Clang has compiled, with LTO, and that checks indirect calls
	+$(MAKE) $(jobs) --no-print-directory kmod-clang check-programs
	scripts/check/all --guests-only --guest-tests $(or $(tests),'') clang

.PHONY: coverage
coverage: setup ## measure which lines and branches of the module the guest tests cover
	+$(MAKE) $(jobs) --no-print-directory check-programs
	scripts/check/coverage

.PHONY: check-matrix
check-matrix: setup ## build the module and run its guest tests on the kernels of MATRIX; prints a table; then as check-suites SUITES=sid
	+$(MAKE) $(jobs) --no-print-directory check-programs
	$(if $(findstring arm64,$(MATRIX)),+$(MAKE) $(jobs) --no-print-directory ARCH=arm64 B=$(B)/arm64 check-programs)
	scripts/check/matrix $(if $(TESTS),--tests $(tests)) $(MATRIX)
	$(if $(TESTS),,scripts/check/suite sid)

.PHONY: check-host
check-host: check-programs ## run the tests that need no kernel; TESTS= selects
	$(B)/tests/host --suite $(tests)

# Debian's suites, and for each the compilers that it has besides its default ones.
COMPILERS.bookworm := clang-16
COMPILERS.trixie := gcc-13 clang-17 clang-18 clang-19
COMPILERS.sid := gcc-15
SUITES ?= trixie

.PHONY: check-suites
check-suites: $(SUITES:%=check-suite-%) ## build everything in a Debian of each of SUITES (trixie, sid), and run the tests that need no kernel there
check-suite-%: FORCE
	scripts/check/suite $*

.PHONY: check-compilers
check-compilers: ## build everything with each compiler that profil is for, in the Debian that has it
	$(foreach suite,bookworm trixie sid,scripts/check/suite $(suite) $(COMPILERS.$(suite)) &&) :

.PHONY: check-guest
check-guest: kmod-$(KERNEL) check-programs ## run the tests in a guest of KERNEL; TESTS= selects
	scripts/guest-tests $(KERNEL) $(tests)

.PHONY: bench
bench: kmod-$(KERNEL) ## measure the cost of profil and of other profilers, in instructions, in a guest of KERNEL (Documentation/performance.md); QUICK=1: measure less and compare with it; MODE=worst: ticks and forks of processes with as many bindings as there can be; MODE=record: recordings alone; MODE=machine: the cost to a whole machine, over hours
	scripts/setup bench
	+$(MAKE) --no-print-directory bench-programs
	scripts/bench/run $(if $(QUICK),--quick,$(MODE:%=--%)) $(KERNEL)

# The loads that bench-storm records (empty: all), and a clone of the project with an older profil.
LOADS ?=
BEFORE ?=

.PHONY: bench-storm
bench-storm: kmod-$(KERNEL) cli $(B)/tests/programs/record_short $(B)/tests/programs/usage ## compare recording of short programs and of many processes with perf's: CPU time, ticks lost, bytes; LOADS: which (scripts/bench/storm); BEFORE=DIRECTORY: also with an older profil, built there
	scripts/bench/storm -k $(KERNEL) $(if $(BEFORE),--before $(BEFORE)) $(LOADS)

.PHONY: bench-cli
bench-cli: kmod-$(KERNEL) libprofil cli $(B)/tests/programs/usage $(B)/tests/symbolise $(B)/many/many $(B)/demo/words ## compare time, memory and file size of record and report with perf's, for 200,000 functions
	scripts/bench/cli $(KERNEL)

.PHONY: check-clocks
check-clocks: kmod check-programs ## run the module's tests with its perf clock, in guests of KERNELS
	scripts/check/all --guests-only --parameters clock=perf \
		--guest-tests $(or $(tests),'~[cli]~[lib]') $(KERNELS)

.PHONY: check-window
check-window: kmod-window-$(KERNEL) check-programs ## run the tests of code that waits for ticks, in a guest of KERNEL, with a module that delays its ticks
	scripts/guest-tests --mode smp --as $(KERNEL)-window \
		--module $(abspath $(B))/kmod/$$(scripts/kernel $(KERNEL) release)-window/kmod/profil.ko \
		$(KERNEL) $(or $(tests),'[window]')

.PHONY: check-stress
check-stress: kmod-$(KERNEL) check-programs ## run races, churn and some fuzzing in a guest of KERNEL
	scripts/guest-tests $(KERNEL) '[race],[churn],[fuzz]'

.PHONY: churn
churn: kmod-$(KERNEL) check-programs ## profile 100,000 threads and 20,000 children, in a guest of KERNEL
	RACE_ROUNDS=200 scripts/guest-tests --mode icount --timeout 3600 $(KERNEL) '[churn]'

.PHONY: check-harness
check-harness: $(B)/tests/harness ## check that a guest that warns, hangs or panics fails its test
	scripts/check/harness

.PHONY: check-compat
check-compat: kmod-$(KERNEL) libprofil cli ## check in a guest of KERNEL that libraries and modules of different versions work together
	scripts/check/compat $(KERNEL)

.PHONY: soak
soak: kmod-$(KERNEL) check-programs ## fuzz the module for MINUTES in a guest of KERNEL, with stress-ng and trinity; CLOCK=perf: use that clock
	scripts/setup soak
	scripts/check/soak $(CLOCK:%=--parameters clock=%) $(KERNEL) $(MINUTES)

.PHONY: mutants
mutants: setup ## mutate COUNT lines of PARTS, chosen by SEED, or of the lines changed SINCE a commit, and list the mutations that no test notices
	scripts/setup mutants
	scripts/check/mutants $(COUNT:%=--count %) $(SEED:%=--seed %) $(SINCE:%=--since %) $(PARTS)

.PHONY: fuzz-reader
fuzz-reader: libprofil ## look for profile files that crash or hang the command, for MINUTES, with libFuzzer
	scripts/setup fuzz
	scripts/check/fuzz-reader $(MINUTES)

.PHONY: compare
compare: kmod-$(KERNEL) libprofil cli $(B)/demo/words ## check in a guest of KERNEL that profil and perf record find the same functions
	scripts/check/compare $(KERNEL)

.PHONY: workloads
workloads: kmod-$(KERNEL) libprofil cli $(B)/tests/programs/usage ## record twenty-one programs of daily work with perf and with profil, in a guest of KERNEL: names, functions, CPU, bytes; LOADS: which (scripts/check/workloads)
	scripts/check/workloads $(KERNEL) $(LOADS)

.PHONY: lint
lint: ## run all linters, and check the boundaries between the parts
	scripts/lint

.PHONY: abi
abi: ## regenerate the ABI that programs rely on: libprofil/libprofil.abi, kmod/uapi.layout
	+scripts/build/abi >libprofil/libprofil.abi.tmp && mv libprofil/libprofil.abi.tmp libprofil/libprofil.abi
	scripts/build/uapi-layout >kmod/uapi.layout.tmp && mv kmod/uapi.layout.tmp kmod/uapi.layout

.PHONY: check-backports
check-backports: setup ## build the module for kernels with changes backported from later ones, as in distributions
	scripts/check/backports

.PHONY: check-abi
check-abi: ## check that the library's interface and the module's structures match the recorded ABI
	scripts/setup abi
	+scripts/build/abi --check
	scripts/build/uapi-layout --check

.PHONY: vm
vm: kmod-$(KERNEL) ## start a shell in a guest of KERNEL, on the host's files
	scripts/vm --kernel $(KERNEL)

.PHONY: insmod
insmod: ## load the module into this machine's kernel
	scripts/module load

.PHONY: rmmod
rmmod: ## unload the module from this machine's kernel
	scripts/module unload

.PHONY: install
install: libprofil $(if $(filter i386,$(ARCH)),,cli) ## install the CLI, the library and the headers below DESTDIR and PREFIX (not below /tmp for use in a guest, which has its own)
	scripts/build/install

.PHONY: install-module
install-module: ## build the module for the running kernel and install it there; later boots load it
	scripts/module install

.PHONY: dist
dist: ## make a tarball of the sources of the present commit, in B: the same bytes each time
	scripts/build/dist

.PHONY: portable
portable: ## build a command that needs nothing but a C library of Debian 12 or later, B/portable/profil
	scripts/build/portable

.PHONY: deb
deb: ## build the Debian packages into B/deb
	scripts/setup build deb
	scripts/build/deb

.PHONY: check-deb
check-deb: deb ## install, use, upgrade and purge the packages in a Debian of their own, and in guests of KERNEL
	scripts/setup guest
	scripts/check/deb $(KERNEL)

.PHONY: check-packages
check-packages: $(B)/demo/words ## check tarball, DKMS, RPM and Arch packages, make install and make portable
	scripts/check/packages $(KERNEL)

.PHONY: clean
clean: ## remove what was built (B), but not the cache of kernels
	rm -rf $(B)
