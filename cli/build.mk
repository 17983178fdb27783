# SPDX-License-Identifier: GPL-2.0-or-later
#
# The CLI: $(B)/profil.  Tests link CLI_TEST_OBJECTS with CLI_LIBS.

cli_sources := $(wildcard cli/*.cpp)
# The page of 'profil report --html', in the order in which its parts need each other.
cli_page_scripts := $(patsubst %,cli/html/%.js,report theme icicle table source address_map page)
cli_page := $(B)/cli/html/page.html
cli_objects := $(cli_sources:%.cpp=$(B)/%.o) $(B)/cli/html_page_content.o

CLI_TEST_OBJECTS := $(filter-out $(B)/cli/main.o,$(cli_objects))
CLI_LIBS := -ldw -lelf -lfmt -lz -lcurl -lcpp-httplib -lcapstone -lncursesw -ltinfo -pthread

.PHONY: cli
cli: $(B)/profil

$(cli_page): scripts/html-page cli/html/page.html cli/html/page.css $(cli_page_scripts)
	@mkdir -p $(@D)
	$(call say,PAGE)
	$(Q)$^ >$@.tmp && mv $@.tmp $@

$(B)/cli/html_page_content.o: cli/html_page_content.S $(cli_page)
	$(call say,AS)
	$(Q)$(CC) -c -I$(dir $(cli_page)) -o $@ $<

$(cli_sources:%.cpp=$(B)/%.o): $(B)/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) $(PROFIL_CPPFLAGS) $(CPPFLAGS) $(CXXSTD) $(OPT) $(WARN) $(CXXFLAGS) -MMD -MP -c -o $@ $<

$(B)/profil: $(cli_objects) $(B)/libprofil.a
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ $(CLI_LIBS)

-include $(cli_objects:.o=.d)
