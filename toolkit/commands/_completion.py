"""Shell completion that also handles ``mtdf:guess=pa`` in bash.

Bash splits words at ``:`` and ``=``. Our script therefore passes the whole line, and the completion
returns only the part after the last such character.
"""

from __future__ import annotations

import os
import re
import shlex

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    split_arg_string,
)

_SCRIPT = """\
%(complete_func)s() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
            dir,*) compopt -o dirnames ;;
            file,*) compopt -o default ;;
            plain,*) line="${line#plain,}"; COMPREPLY+=("$line")
                [[ "$line" == *[:=] ]] && compopt -o nospace ;;
        esac
    done < <(env COMP_WORDS="${COMP_LINE:0:$COMP_POINT}" COMP_CWORD=0 \\
        %(complete_var)s=bash_complete "$1")
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class WholeLineBash(BashComplete):
    """Bash completion that looks at the line up to the cursor."""

    source_template = _SCRIPT

    def get_completion_args(self) -> tuple[list[str], str]:
        """The finished words after the program's name, and the unfinished one."""
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)[1:]
        if not words or line[-1:].isspace():
            return words, ""
        return words[:-1], words[-1]

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Completions without the part that bash keeps on the line."""
        kept = re.match(r".*[:=]|", incomplete)
        start = kept.end() if kept else 0
        found = super().get_completions(args, incomplete)
        for item in found:
            if item.type == "plain":
                item.value = item.value[start:]
                if not start:
                    item.value = shlex.quote(item.value)  # names may have blanks
        return found


def answer(group: click.Group, program: str, variable: str) -> None:
    """Answer a completion request of the shell and exit."""
    add_completion_class(WholeLineBash)
    group.main(args=[], prog_name=program, complete_var=variable)
