# SPDX-License-Identifier: GPL-2.0-or-later
#
# The CLI: $(B)/profil, and $(B)/profil-network, which also has the commands that
# speak HTTP.  Tests link CLI_TEST_OBJECTS with CLI_LIBS.

cli_page_folder := cli/commands/report/page
cli_folders := cli cli/* cli/commands/* cli/recording/* $(cli_page_folder)
cli_sources := $(wildcard $(cli_folders:%=%/*.cpp))
cli_objects := $(cli_sources:%.cpp=$(B)/%.o) $(B)/$(cli_page_folder)/content.o

# The page of 'profil report --html', with the scripts in the order of their dependencies.
cli_page_scripts := report theme icicle time_map table source address_map page
cli_page_parts := page.html page.css $(cli_page_scripts:%=%.js)
cli_page := $(B)/$(cli_page_folder)/page.html

cli_network_objects := $(B)/cli/commands/push/command.o $(B)/cli/commands/serve/command.o
cli_no_network_objects := $(B)/cli/commands/network.o
cli_common := $(B)/cli/common.a

CLI_TEST_OBJECTS := $(filter-out $(B)/cli/main.o $(cli_no_network_objects),$(cli_objects))
# Every command pays for what the dynamic linker does at its start.  Most of that was done for
# libstdc++ and libfmt, so both are part of the program; of libfmt, which Debian does not have as
# an archive, it is cli/base/fmt.cpp.
CLI_LIBS := -liberty -ldw -lelf -lz -ldeflate -lcurl -lmicrohttpd -lncursesw -ltinfo -pthread

.PHONY: cli
cli: $(B)/profil $(B)/profil-network

$(cli_page): scripts/build/html-page $(cli_page_parts:%=$(cli_page_folder)/%)
	@mkdir -p $(@D)
	$(call say,PAGE)
	$(Q)$^ >$@.tmp && mv $@.tmp $@

$(B)/$(cli_page_folder)/content.o: $(cli_page_folder)/content.S $(cli_page)
	$(call say,AS)
	$(Q)$(CC) -c -I$(dir $(cli_page)) -o $@ $<

cli_cxx = $(CXX) $(PROFIL_CPPFLAGS) $(CPPFLAGS) $(CXXSTD) $(OPT) $(WARN) $(CXXFLAGS) -MMD -MP
# The compiler finds the .gch beside this name; there is no header of this name in B.
cli_precompiled := $(B)/cli/precompiled.h

$(cli_precompiled).gch: cli/precompiled.h
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(cli_cxx) -x c++-header -o $@ $<

$(cli_sources:%.cpp=$(B)/%.o): $(B)/%.o: %.cpp $(cli_precompiled).gch
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(cli_cxx) -include $(cli_precompiled) -c -o $@ $<

# An archive, so that each program links only what it refers to.
$(cli_common): $(filter-out $(cli_network_objects) $(B)/cli/main.o,$(CLI_TEST_OBJECTS))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcTP $@ $^

$(B)/profil: $(B)/cli/main.o $(cli_no_network_objects) $(cli_common) $(B)/libprofil.a
$(B)/profil-network: $(B)/cli/main.o $(cli_network_objects) $(cli_common) $(B)/libprofil.a
$(B)/profil $(B)/profil-network:
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -static-libstdc++ -static-libgcc -Wl,--as-needed -o $@ $^ $(CLI_LIBS)

-include $(cli_objects:.o=.d) $(cli_precompiled).d
