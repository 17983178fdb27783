# SPDX-License-Identifier: LGPL-2.1-or-later
#
# libprofil: $(B)/libprofil.so.1 for programs and LD_PRELOAD, $(B)/libprofil.a and
# $(B)/libprofil.pc; for each flavour an archive with the names of its system and a
# .pc file; and $(B)/gperftools/libprofiler.so.0.  `make install` replaces @PREFIX@ and
# @LIBDIR@ in the .pc files.
#
# The library needs no C++ runtime: it uses nothing from libstdc++ and is linked
# by the C compiler.

OBJCOPY ?= objcopy
libprofil_version := $(shell sed -n 's/^.define PROFIL_VERSION "\(.*\)"/\1/p' include/profil.h)
libprofil_sources := $(wildcard libprofil/*.cpp libprofil/*/*.cpp)
libprofil_sources := $(if $(filter i386,$(ARCH)),$(filter-out libprofil/ring.cpp,$(libprofil_sources)),$(libprofil_sources))
libprofil_objects := $(libprofil_sources:%.cpp=$(B)/%.o) $(B)/libprofil/gmon/mcount.o
libprofil_cxxflags := -fPIC -fvisibility=hidden -fvisibility-inlines-hidden \
	-fno-exceptions -fno-rtti -fno-threadsafe-statics \
	-ffunction-sections -fdata-sections -U_GLIBCXX_ASSERTIONS

# Names that libc also defines, and that a program may define itself.
libprofil_libcs := profil sprofil mcount _mcount __fentry__ monstartup __monstartup moncontrol _mcleanup

# Names that stay global in the archive.  All others, including liburing's, are
# made local, so that they cannot clash with the program's own.
libprofil_global := $(libprofil_libcs) profil_* sprofil_* add_profil_* pcsample monitor_*

# io_uring: liburing is linked in, and its names are hidden.  gcc-multilib has no 32-bit
# liburing; ioctl(2) is good enough for a 32-bit program.
ifeq ($(ARCH),i386)
libprofil_cxxflags += -DPROFIL_WITHOUT_URING -D_FILE_OFFSET_BITS=64
else
libprofil_uring := -Wl,-Bstatic -luring
endif

libprofil_flavours := aix bsd irix linux solaris tru64
libprofil_linked := $(patsubst %.cpp,$(B)/%.o,$(wildcard libprofil/linked/*/*.cpp))
libprofil_archives := $(B)/libprofil.a $(libprofil_flavours:%=$(B)/libprofil-%.a)
libprofil_pcs := $(B)/libprofil.pc $(libprofil_flavours:%=$(B)/libprofil-%.pc)

.PHONY: libprofil
libprofil: $(B)/libprofil.so.1 $(B)/libprofil.so $(libprofil_archives) $(libprofil_pcs) $(B)/gperftools/libprofiler.so.0

# libprofil_count_call() runs while any register may hold an argument; see gmon/calls.h.
$(B)/libprofil/gmon/calls.o: libprofil_cxxflags += -mgeneral-regs-only -fno-stack-protector

$(B)/%.o: %.S
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(CC) $(CPPFLAGS) $(OPT) -c -o $@ $<

# libprofil_cxxflags come last: a distribution's -fstack-protector-strong must not undo them.
$(filter-out %/mcount.o,$(libprofil_objects)) $(libprofil_linked): $(B)/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) $(PROFIL_CPPFLAGS) $(CPPFLAGS) $(CXXSTD) $(OPT) $(WARN) $(CXXFLAGS) $(libprofil_cxxflags) \
		$(depends) -c -o $@ $<

# One object, including the used parts of liburing.
$(B)/libprofil/libprofil.o: $(libprofil_objects)
	$(call say,LINK)
	$(Q)$(CC) -nostdlib -r -Wl,--force-group-allocation -o $@ $^ $(libprofil_uring)
	$(Q)$(OBJCOPY) --wildcard $(foreach name,$(libprofil_global),--keep-global-symbol='$(name)') $@

# In the archive, the names that libc also has are weak.  If the program or libprofil-FLAVOUR.a
# defines one of them, the linker has already taken that definition, and would otherwise report a
# second one.
$(B)/libprofil/archive/libprofil.o: $(B)/libprofil/libprofil.o
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) $(libprofil_libcs:%=--weaken-symbol=%) $< $@

$(B)/libprofil.a: $(B)/libprofil/archive/libprofil.o
$(foreach flavour,$(libprofil_flavours),$(eval $(B)/libprofil-$(flavour).a: \
	$(filter $(B)/libprofil/linked/$(flavour)/%,$(libprofil_linked))))
$(libprofil_archives):
	$(Q)rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $^

$(B)/libprofil.so.1: $(B)/libprofil/libprofil.o libprofil/libprofil.map
	$(call say,LINK)
	$(Q)$(CC) $(OPT) -shared -Wl,-soname,libprofil.so.1 -Wl,--version-script,libprofil/libprofil.map \
		-Wl,-z,defs,-z,now,-z,relro -Wl,--gc-sections $(LDFLAGS) -o $@ $<

# gperftools' interface, with a copy of libprofil.  In a directory of its own, so that only those who
# ask for it get it instead of gperftools' library.
$(B)/gperftools/libprofiler.so.0: $(B)/libprofil/linked/gperftools/profiler.o $(B)/libprofil/libprofil.o \
		libprofil/linked/gperftools/profiler.map
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(OPT) -shared -Wl,-soname,libprofiler.so.0 \
		-Wl,--version-script,libprofil/linked/gperftools/profiler.map \
		-Wl,-z,defs,-z,now,-z,relro -Wl,--gc-sections $(LDFLAGS) -o $@ $(filter %.o,$^)

$(B)/libprofil.so: $(B)/libprofil.so.1
	$(Q)ln -sf $(<F) $@

$(B)/libprofil.pc: libprofil/libprofil.pc.in include/profil.h
	$(Q)sed 's/@VERSION@/$(libprofil_version)/' $< >$@

$(B)/libprofil-%.pc: libprofil/flavours/flavour.pc.in include/profil.h
	$(Q)sed 's/@VERSION@/$(libprofil_version)/; s/@FLAVOUR@/$*/' $< >$@

-include $(libprofil_objects:.o=.d) $(libprofil_linked:.o=.d)
