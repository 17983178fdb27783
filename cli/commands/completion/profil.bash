# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion of profil(1) for bash.  What there is to complete profil itself
# knows: 'profil __complete' prints a line for each candidate, with a summary
# behind a tab, and last what the shell is to complete.

# Set words to the words up to the cursor, and at to where in COMP_WORDS each
# begins: what bash broke at = and : is one word to profil.
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

# __profil_add WORD...: what the shell would not take as it is, quoted.
__profil_add() {
	local word
	for word in "$@"; do
		case $word in
		*[!a-zA-Z0-9_.,:=/@%+-]*) printf -v word %q "$word" ;;
		esac
		COMPREPLY+=("$word")
	done
}

# __profil_files WORD OPTION...: of compgen, with directories to go on from.
__profil_files() {
	local word=$1 line
	shift
	compopt -o filenames 2>/dev/null
	while IFS= read -r line; do
		COMPREPLY+=("$line")
	done < <(compgen "$@" -- "$word")
}

# __profil_command N: a command begins at the word N behind profil.
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
	# Bash puts the reply behind what it broke off.
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
