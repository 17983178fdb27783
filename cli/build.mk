# SPDX-License-Identifier: GPL-2.0-or-later
#
# The CLI: $(B)/profil, and $(B)/profil-network, which has the commands that
# speak HTTP as well.  Tests link CLI_TEST_OBJECTS with CLI_LIBS.

cli_sources := $(wildcard $(addsuffix /*.cpp,cli cli/* cli/commands/* cli/commands/report/page))
# The page of 'profil report --html', in the order in which its parts need each other.
cli_page_scripts := $(patsubst %,cli/commands/report/page/%.js,report theme icicle table source address_map page)
cli_page := $(B)/cli/commands/report/page/page.html
cli_objects := $(cli_sources:%.cpp=$(B)/%.o) $(B)/cli/commands/report/page/content.o

cli_network_objects := $(B)/cli/commands/push/command.o $(B)/cli/commands/serve/command.o
cli_no_network_objects := $(B)/cli/commands/network.o
cli_common := $(B)/cli/common.a

CLI_TEST_OBJECTS := $(filter-out $(B)/cli/main.o $(cli_no_network_objects),$(cli_objects))
CLI_LIBS := -ldw -lelf -lfmt -lz -ldeflate -lcurl -lcpp-httplib -lcapstone -lncursesw -ltinfo -pthread

.PHONY: cli
cli: $(B)/profil $(B)/profil-network

$(cli_page): scripts/build/html-page cli/commands/report/page/page.html cli/commands/report/page/page.css $(cli_page_scripts)
	@mkdir -p $(@D)
	$(call say,PAGE)
	$(Q)$^ >$@.tmp && mv $@.tmp $@

$(B)/cli/commands/report/page/content.o: cli/commands/report/page/content.S $(cli_page)
	$(call say,AS)
	$(Q)$(CC) -c -I$(dir $(cli_page)) -o $@ $<

cli_cxx = $(CXX) $(PROFIL_CPPFLAGS) $(CPPFLAGS) $(CXXSTD) $(OPT) $(WARN) $(CXXFLAGS) -MMD -MP
# Found as the .gch beside it; there is no such header itself.
cli_precompiled := $(B)/cli/precompiled.h

$(cli_precompiled).gch: cli/precompiled.h
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(cli_cxx) -x c++-header -o $@ $<

$(cli_sources:%.cpp=$(B)/%.o): $(B)/%.o: %.cpp $(cli_precompiled).gch
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(cli_cxx) -include $(cli_precompiled) -c -o $@ $<

# An archive, of which each program takes what it refers to.
$(cli_common): $(filter-out $(cli_network_objects) $(B)/cli/main.o,$(CLI_TEST_OBJECTS))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcTP $@ $^

$(B)/profil: $(B)/cli/main.o $(cli_no_network_objects) $(cli_common) $(B)/libprofil.a
$(B)/profil-network: $(B)/cli/main.o $(cli_network_objects) $(cli_common) $(B)/libprofil.a
$(B)/profil $(B)/profil-network:
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(CLI_LIBS)

-include $(cli_objects:.o=.d) $(cli_precompiled).d
