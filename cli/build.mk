# SPDX-License-Identifier: GPL-2.0-or-later
#
# The CLI: $(B)/profil, and $(B)/profil-network, which has the commands that
# speak HTTP as well.  Tests link CLI_TEST_OBJECTS with CLI_LIBS.

cli_sources := $(wildcard cli/*.cpp)
# The page of 'profil report --html', in the order in which its parts need each other.
cli_page_scripts := $(patsubst %,cli/html/%.js,report theme icicle table source address_map page)
cli_page := $(B)/cli/html/page.html
cli_objects := $(cli_sources:%.cpp=$(B)/%.o) $(B)/cli/html_page_content.o

cli_network_objects := $(B)/cli/cmd_push.o $(B)/cli/cmd_serve.o
cli_no_network_objects := $(B)/cli/network_commands.o
cli_common := $(B)/cli/common.a

CLI_TEST_OBJECTS := $(filter-out $(B)/cli/main.o $(cli_no_network_objects),$(cli_objects))
CLI_LIBS := -ldw -lelf -lfmt -lz -ldeflate -lcurl -lcpp-httplib -lcapstone -lncursesw -ltinfo -pthread

.PHONY: cli
cli: $(B)/profil $(B)/profil-network

$(cli_page): scripts/html-page cli/html/page.html cli/html/page.css $(cli_page_scripts)
	@mkdir -p $(@D)
	$(call say,PAGE)
	$(Q)$^ >$@.tmp && mv $@.tmp $@

$(B)/cli/html_page_content.o: cli/html_page_content.S $(cli_page)
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
	$(Q)rm -f $@ && $(AR) rcT $@ $^

$(B)/profil: $(B)/cli/main.o $(cli_no_network_objects) $(cli_common) $(B)/libprofil.a
$(B)/profil-network: $(B)/cli/main.o $(cli_network_objects) $(cli_common) $(B)/libprofil.a
$(B)/profil $(B)/profil-network:
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(CLI_LIBS)

-include $(cli_objects:.o=.d) $(cli_precompiled).d
