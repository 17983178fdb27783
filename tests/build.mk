# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests: $(B)/tests/host needs no kernel module, $(B)/tests/guest needs the module and
# profiles $(B)/tests/programs/NAME; $(B)/tests/fuzz is the fuzzer.

# $(call tests_sources,FOLDER): the sources in it and in all folders below it.
tests_sources = $(shell find $(wildcard $(1)) /dev/null -name '*.cpp' -not -path '*/programs/*' -not -path '*/data/*' | sort)
# main(), and its checks of a guest's kernel.
tests_suite := tests/support/suite.cpp tests/support/leftovers.cpp
tests_of_kernel := tests/support/kernel_log.cpp tests/support/kernel_leftovers.cpp
# Shared by the guest's tests and the fuzzer.
tests_fuse := tests/support/fuse.cpp
# Shared by the host's and the guest's tests.
tests_children := tests/support/children.cpp
tests_recorded := tests/support/recorded.cpp tests/support/json.cpp
tests_host_objects := $(patsubst %.cpp,$(B)/tests/objects/%.o,$(tests_suite) $(tests_children) $(tests_recorded) \
	tests/fuzz/reader/read_profile.cpp $(call tests_sources,tests/host))
tests_guest_objects := $(patsubst %.cpp,$(B)/tests/objects/%.o,$(tests_suite) \
	$(tests_of_kernel) $(tests_fuse) $(tests_children) $(tests_recorded) $(call tests_sources,tests/guest))
tests_harness_objects := $(patsubst %.cpp,$(B)/tests/objects/%.o,tests/harness/cases.cpp $(tests_suite) $(tests_of_kernel))
tests_fuzz_objects := $(patsubst %.cpp,$(B)/tests/objects/%.o,$(tests_fuse) $(wildcard tests/fuzz/module/*.cpp))
tests_program_sources := $(wildcard $(foreach folder,programs programs/cli programs/cpu programs/original,$(addprefix tests/guest/$(folder)/*.,c cpp f90)))
ifeq ($(ARCH),i386)
tests_program_sources := $(wildcard tests/guest/programs/i386/*.c tests/guest/programs/original/*.c) \
	$(patsubst %,tests/guest/programs/%.c,lib_libc lib_linked lib_static gmon_fixed gmon_linked)
endif
tests_programs := $(addprefix $(B)/tests/programs/,$(basename $(notdir $(tests_program_sources))))
# Programs that declare profil() themselves, linked in every way: NAME-LINKAGE is NAME.c.
tests_linkages := shared shared-no-pie static static-pie
tests_declared := $(foreach linkage,$(tests_linkages),$(patsubst tests/guest/programs/declared/%.c,\
	$(B)/tests/programs/%-$(linkage),$(wildcard tests/guest/programs/declared/*.c)))
tests_objects := $(sort $(tests_host_objects) $(tests_guest_objects) $(tests_harness_objects) \
	$(tests_fuzz_objects))

# The examples in the manual pages, compiled as a reader would compile them.
tests_pages := $(wildcard Documentation/man/*.[1-9])
tests_example_sources := $(addprefix $(B)/tests/examples/,$(shell sed -n 's,^/\* example: \(.*\) \*/$$,\1,p' $(tests_pages)))
tests_examples := $(basename $(tests_example_sources))

.PHONY: check-programs
check-programs: $(B)/tests/host $(B)/tests/guest $(B)/tests/fuzz $(tests_programs) $(tests_declared) $(tests_examples) $(B)/demo/words libprofil cli ## build the tests
ifeq ($(ARCH),)
check-programs: i386
endif

# The headers that nearly all tests include are precompiled, and come first (or they
# would not be used).  The host's tests are most of the code to compile, so they are not
# optimized; the code that they test is compiled as always.
tests_cxx = $(CXX) $(PROFIL_CPPFLAGS) $(tests_cppflags) $(CPPFLAGS) $(CXXSTD) $(tests_opt) $(WARN) $(CXXFLAGS) $(depends)
tests_opt = $(OPT)
# The layout of cpp-httplib's classes depends on the macros that its library was compiled with.
$(B)/tests/objects/tests/host/%: tests_cppflags = $(shell $(pkg_config) --cflags cpp-httplib)
# Catch2 3 is a library; Catch2 2 is headers alone.
tests_libs = $(shell $(pkg_config) --libs catch2)
$(B)/tests/objects/tests/host/%: tests_opt = -O0 -g1
# The guest's tests take the most time; without optimization, their loops would not be as described.
$(B)/tests/objects/tests/guest/%: tests_opt = -O1 -g1
tests_precompiled := $(foreach part,host guest,$(B)/tests/objects/tests/$(part)/precompiled.h)

$(tests_precompiled:%=%.gch): tests/support/precompiled.h
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)echo '#include "$<"' >$(@:.gch=)
	$(Q)$(tests_cxx) -x c++-header -o $@ $<

$(tests_objects): $(B)/tests/objects/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(tests_cxx) $(patsubst %.gch,-include %,$(filter %.gch,$^)) -c -o $@ $<

# $(call tests_with_precompiled,PART): not for tests/support, which needs other parts of Catch2.
tests_with_precompiled = $(filter $(B)/tests/objects/tests/$(1)/%,$(tests_objects)): \
	$(B)/tests/objects/tests/$(1)/precompiled.h.gch
$(foreach part,host guest,$(eval $(call tests_with_precompiled,$(part))))

# The parts of libprofil that are tested by themselves.
tests_libprofil_objects := $(addprefix $(B)/libprofil/,flavours/partition.o gmon/file.o user_memory.o whole_file.o)

$(B)/tests/host: $(tests_host_objects) $(tests_libprofil_objects) $(CLI_TEST_OBJECTS) $(B)/libprofil.a
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ $(CLI_LIBS) -lfmt -lcpp-httplib -lz -ldl -pthread -lssl -lcrypto $(tests_libs)

$(B)/tests/guest: $(tests_guest_objects) $(B)/libprofil.a
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ -luring -ldl -pthread $(tests_libs)

$(B)/tests/fuzz: $(tests_fuzz_objects)
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ -luring -pthread

$(B)/tests/harness: $(tests_harness_objects)
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ $(tests_libs)

$(tests_example_sources): $(tests_pages)
	@mkdir -p $(@D)
	$(Q)sed -n '\,^/\* example: $(@F) \*/$$,,/^\.Ed$$/ { /^\.Ed$$/ !{ s/\\e/\\/g; p } }' $^ >$@

$(B)/tests/examples/%: $(B)/tests/examples/%.c $(B)/libprofil.so
	$(call say,CC)
	$(Q)$(CC) -std=c99 -pedantic $(OPT) $(WARN) -Iinclude -Iinclude/uapi -o $@ $< -L$(B) -lprofil

$(B)/tests/examples/%: $(B)/tests/examples/%.cpp $(B)/libprofil.so
	$(call say,CXX)
	$(Q)$(CXX) $(CXXSTD) $(OPT) $(WARN) -Iinclude -Iinclude/uapi -o $@ $< -L$(B) -lprofil

# Programs that measure parts of the command: a refresh of profil top, and what profil
# record does with its samples.
tests_benches := $(patsubst %,$(B)/tests/%,top symbolise)
check-programs: $(tests_benches)
$(tests_benches): $(CLI_TEST_OBJECTS) $(B)/libprofil.a
$(tests_benches): $(B)/tests/%: tests/bench/%.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(tests_bench_cxx) -o $@ $(filter %.cpp %.o %.a,$^) $(CLI_LIBS) -lfmt -pthread
tests_bench_cxx = $(CXX) -I$(B) $(PROFIL_CPPFLAGS) $(CPPFLAGS) $(CXXSTD) $(OPT) $(WARN) $(CXXFLAGS) $(depends)

# The programs of make bench.  They need what scripts/setup bench installs, so nothing
# else depends on them.
tests_bench_programs := cost attach memory bias flat start machine
.PHONY: bench-programs
bench-programs: $(patsubst %,$(B)/tests/%,$(tests_bench_programs) gmon gmon-pg) cli ## build what bench runs (after scripts/setup bench)
tests_bench_objects := $(patsubst %.cpp,$(B)/tests/objects/%.o,$(addprefix tests/bench/,\
	$(tests_bench_programs:=.cpp) work.cpp places.cpp target.cpp recording.cpp perf_record.cpp $(notdir $(wildcard tests/bench/method*.cpp))))

$(tests_bench_objects): $(B)/tests/objects/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(tests_bench_cxx) -c -o $@ $<

tests_bench_shared := $(filter-out $(tests_bench_programs:%=$(B)/tests/objects/tests/bench/%.o),$(tests_bench_objects))
$(tests_bench_programs:%=$(B)/tests/%): $(B)/tests/%: $(B)/tests/objects/tests/bench/%.o $(tests_bench_shared) $(B)/libprofil.a
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ -lbpf -lprofiler -luring -ldl -pthread

# The same source with -pg and without.
$(B)/tests/gmon-pg: tests_gmon_flags := -pg -DGMON
$(B)/tests/gmon $(B)/tests/gmon-pg: tests/bench/gmon.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(tests_bench_cxx) -no-pie $(tests_gmon_flags) -o $@ $<

# The BPF program and its skeleton header, made as libbpf's documentation describes.
# bpftool is in /usr/sbin.
$(B)/tests/bench/%.bpf.o: tests/bench/%.bpf.c
	@mkdir -p $(@D)
	$(call say,CLANG)
	$(Q)clang -target bpf -D__TARGET_ARCH_x86 -I/usr/include/x86_64-linux-gnu $(WARN) -O2 -g $(depends) -c -o $@ $<

$(B)/tests/bench/%.skel.h: $(B)/tests/bench/%.bpf.o
	$(call say,GEN)
	$(Q)PATH=$$PATH:/usr/sbin bpftool gen skeleton $< name $*_bpf >$@.tmp && mv $@.tmp $@

.PRECIOUS: $(B)/tests/bench/%.bpf.o

$(B)/tests/objects/tests/bench/method_bpf.o $(B)/tests/objects/tests/bench/memory.o: $(B)/tests/bench/count.skel.h
$(B)/tests/objects/tests/bench/method_bpf.o: $(B)/tests/bench/stack.skel.h

# The fuzzer of the command's reader, all compiled by clang.
fuzz_reader_flags = -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
fuzz_reader_opt ?= -O1
fuzz_reader_objects := $(patsubst %.cpp,$(B)/fuzz-reader/objects/%.o,\
	$(filter-out cli/main.cpp,$(cli_sources)) $(wildcard tests/fuzz/reader/*.cpp))
fuzz_reader_own := $(filter $(B)/fuzz-reader/objects/tests/%,$(fuzz_reader_objects))
fuzz_reader_cli := $(B)/fuzz-reader/cli.a

$(fuzz_reader_objects): $(B)/fuzz-reader/objects/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,CLANG)
	$(Q)clang++ $(PROFIL_CPPFLAGS) -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION $(CXXSTD) $(fuzz_reader_opt) -gline-tables-only $(fuzz_reader_flags) $(depends) -c -o $@ $<

# An archive, so that the linker takes only the objects that are needed.
$(fuzz_reader_cli): $(filter-out $(fuzz_reader_own),$(fuzz_reader_objects))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcTP $@ $^

$(B)/fuzz-reader/fuzz-reader: $(fuzz_reader_own) $(fuzz_reader_cli) $(B)/libprofil.a
	$(call say,LINK)
	$(Q)clang++ $(fuzz_reader_flags) -fsanitize=fuzzer -o $@ $^ $(CLI_LIBS) -lfmt

# A program with very many functions.
tests_many_units := $(shell seq -f unit_%03g 0 99)
tests_many_sources := $(tests_many_units:%=$(B)/many/%.cpp) $(B)/many/main.cpp
tests_many_objects := $(tests_many_sources:.cpp=.o)

# many_functions leaves unchanged files alone, so that they are not compiled again.
$(B)/many/made: tests/bench/many_functions
	$(call say,GEN)
	$(Q)$< $(B)/many
	$(Q)touch $@

$(tests_many_sources): $(B)/many/made
	@:

$(tests_many_objects): %.o: %.cpp
	$(call say,CXX)
	$(Q)$(CXX) $(CXXSTD) -g -O1 -c -o $@ $<

$(B)/many/many: $(tests_many_objects)
	$(call say,LINK)
	$(Q)$(CXX) -no-pie -o $@ $^

# The content of a file NAME.flags next to a program's source is added to the command that
# compiles it; it may use make's variables, such as $(B)/libprofil.a.
# The command that compiles a source, by its suffix.
tests_compile_.c = $(CC) $(CSTD) $(PROFIL_CPPFLAGS) $(OPT) $(WARN) $(depends) -MF $@.d
tests_compile_.cpp = $(CXX) $(CXXSTD) $(PROFIL_CPPFLAGS) $(OPT) $(WARN) $(depends) -MF $@.d
# Each program has a module file of its own: parallel compilers would use each other's.
tests_compile_.f90 = mkdir -p $@.modules && $(FC) $(OPT) -Wall -Wextra -J$@.modules include/profil/profil.f90

# These programs have other compilers; private, because the library that they link with has not.
ifeq ($(ARCH),arm64)
tests_musl := $(CC) -specs=$(sysroot)/usr/lib/aarch64-linux-musl/musl-gcc.specs
tests_32_bits := $(cross)arm-linux-gnueabihf-gcc -static
# Override what a calling make has exported.
export FENTRY :=
else
tests_musl := musl-gcc
tests_32_bits := $(CC) -m32
# The NAME.flags of the tests of mcount() also use it.
export FENTRY := -mfentry
endif
$(B)/tests/programs/lib_musl: private CC := $(tests_musl)
$(B)/tests/programs/uapi_compat: private CC := $(tests_32_bits)

# $(call tests_program,SOURCE)
define tests_program
tests_flags := $$(file <$(basename $(1)).flags)
tests_flags_$(notdir $(basename $(1))) := $$(tests_flags)
$(B)/tests/programs/$(notdir $(basename $(1))): $(1) $(wildcard $(basename $(1)).flags) \
		$(if $(filter %.f90,$(1)),include/profil/profil.f90 tests/guest/programs/fortran_work.inc) $(B)/libprofil.a $(B)/libprofil.so
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$$(tests_compile_$(suffix $(1))) -o $$@ $$< $$(tests_flags_$(notdir $(basename $(1))))
endef
$(foreach source,$(tests_program_sources),$(eval $(call tests_program,$(source))))

$(B)/tests/programs/profiler_user: $(B)/gperftools/libprofiler.so.0

# These use the libraries of the pkg-config module, but not its --cflags: the flavour is chosen at
# link time.
tests_link_shared := -fPIE -pie
tests_link_shared-no-pie := -fno-pie -no-pie
tests_link_static := -fno-pie -static
tests_link_static-pie := -fPIE -static-pie

# $(call tests_declared_program,LINKAGE)
define tests_declared_program
$(B)/tests/programs/declared_%-$(1): tests/guest/programs/declared/declared_%.c \
		$(B)/libprofil-%.a $(B)/libprofil.a $(B)/libprofil.so
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$$(CC) -std=gnu89 $$(OPT) $$(WARN) -Wno-implicit-function-declaration $$(tests_link_$(1)) \
		$$(depends) -MF $$@.d -o $$@ $$< -L$(B) -lprofil-$$* -lprofil
endef
$(foreach linkage,$(tests_linkages),$(eval $(call tests_declared_program,$(linkage))))

# 32-bit programs: each source in i386 is also built as a static program, and those that use a
# struct timeval also with the struct timeval of _TIME_BITS=64.
tests_i386 := $(basename $(notdir $(wildcard tests/guest/programs/i386/exact_*.c)))
tests_i386_static := $(tests_i386:%=$(B)/tests/programs/%_static)
tests_i386_time64 := $(patsubst %,$(B)/tests/programs/%_time64,$(filter exact_irix exact_linux,$(tests_i386)))
.PHONY: libprofil-programs
libprofil-programs: libprofil $(tests_programs) $(tests_i386_static) $(tests_i386_time64) ## build the library, and with ARCH=i386 the programs that test it

$(tests_i386_static): $(B)/tests/programs/%_static: tests/guest/programs/i386/%.c $(B)/libprofil.a
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(tests_compile_.c) -static -o $@ $< $(B)/libprofil.a

$(tests_i386_time64): $(B)/tests/programs/%_time64: tests/guest/programs/i386/%.c $(B)/libprofil.so
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(tests_compile_.c) -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -o $@ $< -L$(B) -lprofil

-include $(fuzz_reader_objects:.o=.d) $(tests_objects:.o=.d) $(tests_precompiled:.h=.h.d) $(tests_programs:=.d) $(tests_declared:=.d) $(tests_i386_static:=.d) $(tests_i386_time64:=.d) $(tests_benches:=.d) \
	$(tests_bench_objects:.o=.d) $(B)/tests/gmon.d $(B)/tests/gmon-pg.d $(B)/tests/bench/count.bpf.d
