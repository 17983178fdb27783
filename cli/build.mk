# SPDX-License-Identifier: GPL-2.0-or-later
#
# The CLI: $(B)/profil.  Tests link CLI_TEST_OBJECTS with CLI_LIBS.

cli_sources := $(wildcard cli/*.cpp)
cli_objects := $(cli_sources:%.cpp=$(B)/%.o)

CLI_TEST_OBJECTS := $(filter-out $(B)/cli/main.o,$(cli_objects))
CLI_LIBS := -ldw -lelf -lfmt -lz -lcurl -lcpp-httplib -lcapstone -lncursesw -ltinfo -pthread

.PHONY: cli
cli: $(B)/profil

$(cli_objects): $(B)/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) $(PROFIL_CPPFLAGS) $(CPPFLAGS) $(CXXSTD) $(OPT) $(WARN) $(CXXFLAGS) -MMD -MP -c -o $@ $<

$(B)/profil: $(cli_objects) $(B)/libprofil.a
	$(call say,LINK)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ $(CLI_LIBS)

-include $(cli_objects:.o=.d)
