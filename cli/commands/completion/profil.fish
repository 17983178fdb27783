# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of profil(1) for fish.  profil itself knows the candidates:
# 'profil __complete' prints a line for each, with a summary after a tab.  The last line
# names the kind of word that the shell should complete itself.

function __profil_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    command -q -- $program; or set program profil

    for line in ($program __complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :none
            case :files
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $current)
            case :profiles
                __fish_complete_suffix .pb.gz
            case :directories
                __fish_complete_directories $current
            case ':command *'
                set -l first (math (string sub -s 10 -- $line) + 2)
                set -l begun $words[$first..-1]
                complete -C (string join ' ' -- (string escape -- $begun) "$current")
            case '*'
                echo $line
        end
    end
end

complete -c profil -f -k -a '(__profil_complete)'
