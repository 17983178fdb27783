# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion of profil(1) for bash.  profil itself knows the candidates:
# 'profil __complete' prints a line for each, with a summary after a tab.  The last line
# names the kind of word that the shell should complete itself.

# Fill two arrays: 'words' with the words up to the cursor, and 'at' with the index in
# COMP_WORDS at which each word begins.  Bash splits words at = and :, profil does not.
__profil_split() {
	local i rest=${COMP_LINE:0:COMP_POINT}
	words=() at=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		if [[ $i -eq 0 || $rest == [[:space:]]* ]]; then
			rest=${rest#"${rest%%[![:space:]]*}"}
			words+=('')
			at+=("$i")
		fi
		if ((i == COMP_CWORD)); then
			words[-1]+=$rest
		else
			words[-1]+=${COMP_WORDS[i]}
			rest=${rest#"${COMP_WORDS[i]}"}
		fi
	done
}

# __profil_add WORD...: add words to the reply, quoted if necessary.
__profil_add() {
	local word
	for word in "$@"; do
		case $word in
		*[!a-zA-Z0-9_.,:=/@%+-]*) printf -v word %q "$word" ;;
		esac
		COMPREPLY+=("$word")
	done
}

# __profil_files WORD OPTION...: add the files that compgen finds with these
# options; after a directory, typing can continue without a blank.
__profil_files() {
	local word=$1 line
	shift
	compopt -o filenames 2>/dev/null
	while IFS= read -r line; do
		COMPREPLY+=("$line")
	done < <(compgen "$@" -- "$word")
}

# __profil_command N: complete a command that begins at word N after profil.
__profil_command() {
	local first=$(($1 + 1)) last=$((${#words[@]} - 1))
	if declare -F _command_offset >/dev/null; then
		_command_offset "${at[first]}"
	elif ((first == last)); then
		__profil_files "${words[last]}" -c
	else
		__profil_files "${words[last]}" -f
	fi
}

_profil() {
	local words at word before='' line program=${COMP_WORDS[0]}
	COMPREPLY=()
	__profil_split
	word=${words[-1]}
	# Bash keeps the part of the word that it has split off, so the reply must not have it.
	if [[ $word == *[=:]* ]]; then
		before=${word%"${word##*["$COMP_WORDBREAKS"]}"}
	fi
	type -P "$program" >/dev/null || program=profil
	while IFS= read -r line; do
		case $line in
		:none) ;;
		:files) __profil_files "${word#"$before"}" -f ;;
		:profiles)
			__profil_files "${word#"$before"}" -f -X '!*.pb.gz'
			__profil_files "${word#"$before"}" -f -X '!*.pb'
			__profil_files "${word#"$before"}" -d
			;;
		:directories) __profil_files "${word#"$before"}" -d ;;
		:command\ *) __profil_command "${line#* }" ;;
		*)
			line=${line%%$'\t'*}
			__profil_add "${line#"$before"}"
			;;
		esac
	done < <("$program" __complete -- "${words[@]:1}" 2>/dev/null)
	if [[ ${COMPREPLY[0]-} == *= && ${COMPREPLY[-1]} == *= ]]; then
		compopt -o nospace 2>/dev/null
	fi
}

complete -F _profil profil
