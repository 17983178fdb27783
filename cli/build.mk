# SPDX-License-Identifier: GPL-2.0-or-later
#
# The CLI: $(B)/profil, and $(B)/profil-network, which also has the commands that
# use HTTP.  Tests link CLI_TEST_OBJECTS with CLI_LIBS.

# Packages that the command can do without.  If pkg-config does not find one, the features that need
# it are left out, and 'profil --version' says so.
cli_optional := libcurl libmicrohttpd libdebuginfod capstone
cli_missing := $(shell for name in $(cli_optional); do $(pkg_config) --exists $$name 2>/dev/null || echo $$name; done)
cli_without := $(if $(filter libcurl libmicrohttpd,$(cli_missing)),HTTP) \
	$(if $(filter libdebuginfod,$(cli_missing)),DEBUGINFOD) $(if $(filter capstone,$(cli_missing)),CAPSTONE)

cli_page_folder := cli/commands/report/page
cli_folders := cli cli/* cli/commands/* cli/recording/* $(cli_page_folder)
cli_network_sources := $(addprefix cli/,commands/push/command.cpp commands/serve/command.cpp)
# The sources that need the headers of an optional package.
cli_of_HTTP := $(cli_network_sources) $(addprefix cli/,commands/serve/pprof_server.cpp http/client.cpp http/server.cpp)
cli_of_CAPSTONE := $(addprefix cli/symbols/,capstone.cpp disassembly.cpp)
cli_of_DEBUGINFOD := cli/symbols/debuginfod.cpp
# The sources that replace them if the package is missing.
cli_instead_of_CAPSTONE := cli/missing/capstone.cpp
cli_instead_of_DEBUGINFOD := cli/missing/debuginfod.cpp
cli_left_out := $(foreach part,$(cli_without),$(cli_of_$(part))) \
	$(foreach part,$(filter-out $(cli_without),CAPSTONE DEBUGINFOD),$(cli_instead_of_$(part)))
cli_sources := $(filter-out $(cli_left_out),$(wildcard $(cli_folders:%=%/*.cpp)))
cli_objects := $(cli_sources:%.cpp=$(B)/%.o) $(B)/$(cli_page_folder)/content.o

# The page of 'profil report --html', with the scripts in the order of their dependencies.
cli_page_scripts := report theme icicle time_map table source address_map page
cli_page_parts := page.html page.css $(cli_page_scripts:%=%.js)
cli_page := $(B)/$(cli_page_folder)/page.html

cli_network_objects := $(cli_network_sources:%.cpp=$(B)/%.o)
cli_no_network_objects := $(B)/cli/commands/network.o
cli_common := $(B)/cli/common.a

CLI_TEST_OBJECTS := $(filter-out $(B)/cli/main.o $(cli_no_network_objects),$(cli_objects))
# The dynamic linker's work delays the start of every command.  Most of that work would be for
# libstdc++ and libfmt, so both are linked statically.  Debian has no static library of libfmt, so
# cli/base/fmt.cpp compiles the functions that are needed.
CLI_LIBS := -liberty -ldw -lelf -lz -ldeflate $(if $(filter HTTP,$(cli_without)),,-lcurl -lmicrohttpd) \
	-lncursesw -ltinfo -pthread

.PHONY: cli
cli: $(B)/profil $(if $(filter HTTP,$(cli_without)),,$(B)/profil-network)

$(cli_page): scripts/build/html-page $(cli_page_parts:%=$(cli_page_folder)/%)
	@mkdir -p $(@D)
	$(call say,PAGE)
	$(Q)$^ >$@.tmp && mv $@.tmp $@

$(B)/$(cli_page_folder)/content.o: $(cli_page_folder)/content.S $(cli_page)
	$(call say,AS)
	$(Q)$(CC) -c -I$(dir $(cli_page)) -o $@ $<

cli_cxx = $(CXX) $(PROFIL_CPPFLAGS) $(cli_without:%=-DPROFIL_WITHOUT_%) $(CPPFLAGS) $(CXXSTD) $(OPT) $(WARN) $(CXXFLAGS) $(depends)
# The compiler uses the .gch file next to this header if the same compiler made it with the same
# options; otherwise, it reads the header itself.
cli_precompiled := $(B)/cli/precompiled.h

$(cli_precompiled).gch: cli/precompiled.h
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)echo '#include "$<"' >$(@:.gch=)
	$(Q)$(cli_cxx) -x c++-header -o $@ $<

$(cli_sources:%.cpp=$(B)/%.o): $(B)/%.o: %.cpp $(cli_precompiled).gch
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(cli_cxx) $(cli_include) -c -o $@ $<

# The code of files that include CLI11 runs only once, and optimizing it would take a quarter of
# their compile time.
$(patsubst %.cpp,$(B)/%.o,$(shell grep -l '<CLI/' $(cli_sources))): OPT := $(filter-out -O%,$(OPT)) -O1

cli_include = -include $(cli_precompiled)
# fmt.cpp does without the precompiled header: it includes libfmt's header in its header-only form.
$(B)/cli/base/fmt.o: cli_include =

# An archive, so that each program links only what it refers to.
$(cli_common): $(filter-out $(cli_network_objects) $(B)/cli/main.o,$(CLI_TEST_OBJECTS))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcTP $@ $^

$(B)/profil: $(B)/cli/main.o $(cli_no_network_objects) $(cli_common) $(B)/libprofil.a
$(B)/profil-network: $(B)/cli/main.o $(cli_network_objects) $(cli_common) $(B)/libprofil.a
$(B)/profil $(B)/profil-network:
	$(call say,LINK)
	$(Q)$(cli_link) 2>/dev/null || $(cli_link) -lfmt
# A later libfmt may need functions that cli/base/fmt.cpp lacks; then libfmt itself is linked.
cli_link = $(CXX) $(LDFLAGS) -static-libstdc++ -static-libgcc -Wl,--as-needed -o $@ $^ $(CLI_LIBS)

# One program for machines without the libraries: all of them are linked statically, except those
# for HTTP, which are left out.  The program is not position-independent, so that capstone's tables
# need no relocations.
cli_portable_sources := cli/main.cpp cli/commands/network.cpp cli/optional/built_with.cpp cli/symbols/capstone.cpp
cli_portable_objects := $(cli_portable_sources:%.cpp=$(B)/portable/%.o)
cli_portable_archives := -liberty -ldw -lelf -lz -llzma -lbz2 -lzstd -ldeflate -lncursesw -ltinfo -lcapstone

$(cli_portable_objects): $(B)/portable/%.o: %.cpp $(cli_precompiled).gch
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(cli_cxx) -DPROFIL_WITHOUT_HTTP -DPROFIL_STATIC_CAPSTONE $(cli_include) -c -o $@ $<

$(B)/portable/profil: $(cli_portable_objects) $(cli_common) $(B)/libprofil.a
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -no-pie -s -static-libstdc++ -static-libgcc -Wl,--gc-sections,--as-needed -o $@ $^ \
		-Wl,-Bstatic $(cli_portable_archives) -Wl,-Bdynamic -pthread

-include $(cli_objects:.o=.d) $(cli_portable_objects:.o=.d) $(cli_precompiled).d
