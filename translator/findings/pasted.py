"""Shell lines, env files and manifests as people paste them."""

from __future__ import annotations

from translator.findings.code import ERROR, INFO, QUOTE, WARNING, Code

CODES: dict[str, Code] = {
    "shell-variable": Code(
        ERROR,
        "reference to an unknown variable",
        message="`{variable}` is a shell variable, and its value is not known here.",
        remedy="Write its value, or pass a file that sets it with `--env-file`.",
        cases={
            "compose": (
                "{container}, line {line}: `${variable}` is a variable of compose, and its value"
                " is not known here.",
                "Pass a file that sets it with `--env-file`, or write `${{{variable}:-DEFAULT}}`.",
            ),
            "env-file": (
                "{file}, line {line}: `{name}` refers to `${{{variable}}}`, which no line above"
                " sets.",
                "Set `{variable}` above, or write `${{{variable}:-DEFAULT}}`.",
            ),
            "secret": (
                "{file}, line {line}: `{name}` contains `${{…}}`, which refers to a variable that"
                " no line above sets.",
                "If the `$` is part of the value, write `${{:-$}}` for each `$`.",
            ),
        },
        explanation=(
            "The text refers to a variable whose value is not known here. Only `--env-file` and"
            " assignments in the text itself count, never the environment of this process."
        ),
        example=(
            "vllm serve $MODEL",
            "translate args-to-env --env-file vars.env 'vllm serve $MODEL'",
        ),
    ),
    "value-not-known": Code(
        INFO,
        "value known only where the command runs",
        message="`{text}` is known only where the command runs: its value is not checked.",
        cases={
            "several": (
                "`{text}` are known only where the command runs: their values are not checked.",
                "",
            ),
        },
        explanation=(
            "The command refers to a variable, a Secret or the output of another command, which are"
            " known only on the machine where it runs. Everything else of the command is checked;"
            " the value may be anything that its flag accepts. `--env-file` passes values to check."
        ),
        example=(
            "translate check -- vllm serve $MODEL",
            "translate check --env-file vars.env -- vllm serve $MODEL",
        ),
    ),
    "shell-syntax": Code(
        ERROR,
        "text that only a shell can read",
        cases={
            "unclosed": ("`{mark}` in line {line} is not closed.", "Close it."),
            "braces": (
                "A word in line {line} has braces with commas in them, which a shell expands.",
                "Put single quotes around it.",
            ),
            "here-document": (
                "A here-document (`<<`) is not read.",
                "Write its text as an argument.",
            ),
            "substitution": (
                "`{text}` runs a command, and its output is not known here.",
                "Write its output.",
            ),
            "compose-words": (
                "{container}: `{key}` cannot be split into words, because a quote is not closed.",
                "Close the quote.",
            ),
            "compose-reference": (
                "{container}, line {line}: a `${{…}}` is not closed, nested too deep, or not in the"
                " syntax of compose.",
                "Write `${{NAME}}`, `${{NAME:-DEFAULT}}`, or `$$` for a dollar sign.",
            ),
        },
        explanation=(
            "The text needs a shell to run it (a command substitution, a here-document), or a shell"
            " would split it differently (an open quote, braces with commas outside of quotes)."
            " Nothing is run here: write what the shell would produce."
        ),
        example=("vllm serve $(cat model.txt)", "vllm serve org/m"),
    ),
    "expands-too-much": Code(
        ERROR,
        "references that add too much text",
        message="The references up to line {line} add more than 1 MiB of text.",
        remedy="Write the values themselves.",
        cases={
            "file": (
                "{file}, line {line}: the references up to here add more than 1 MiB of text.",
                "Write the values themselves.",
            ),
            "container": (
                "{container}, line {line}: the references up to here add more than 1 MiB of text.",
                "Write the values themselves.",
            ),
        },
        explanation=(
            "References to variables (`${NAME}`, `$NAME`, `$(NAME)`) add more than 1 MiB of text"
            " to one input. A few lines that each repeat the line before would fill the memory, so"
            " the references after that are left empty, and nothing is translated."
        ),
        example=("twenty lines: A=xxxx, B=${A}${A}, C=${B}${B}, …", "C=xxxxxxxxxxxxxxxx"),
    ),
    "not-vllm-serve": Code(
        ERROR,
        "not a command that starts vLLM's server",
        message="`{command}` does not start vLLM's server.",
        remedy="Paste the command that contains `vllm serve`.",
        cases={
            "subcommand": (
                "`vllm {subcommand}` is not `vllm serve`, and only `vllm serve` is translated.",
                "Paste the command that contains `vllm serve`.",
            ),
            "commands": (
                "None of the commands is `vllm serve` or starts it.",
                "Paste the command that does.",
            ),
            "script": (
                "`{program}` runs a script that is not part of the text.",
                "Paste the command that the script runs.",
            ),
            "translate": (
                "`translate` starts vLLM only as `translate exec`.",
                "Check the command that it prints.",
            ),
            "exec-options": (
                (
                    "`translate exec` cannot read `{option}` in front of `--`, and would not"
                    " start.",
                    "`translate exec` cannot read a token without an option in front of `--`, and"
                    " would not start.",
                ),
                "Put vLLM's own flags behind `--`; `translate exec --help` lists its options.",
            ),
            "docker": (
                (
                    "`docker {subcommand}` does not start a container: `docker run`, `create` and"
                    " `exec` are read.",
                    "`docker` alone does not start a container: `docker run`, `create` and `exec`"
                    " are read.",
                ),
                "Paste the `docker run` command.",
            ),
            "image": (
                "`{image}` starts another program, not vLLM's server.",
                "Paste the command of the container that runs vLLM.",
            ),
            "no-image": ("`docker run` names no image.", "Paste the whole command."),
            "nested": (
                "More than {limit} programs start each other in front of `vllm serve`.",
                "Paste the command that contains `vllm serve`.",
            ),
        },
        explanation=(
            "The text does not start vLLM's server. Only `vllm serve` and `python -m"
            " vllm.entrypoints.openai.api_server` are translated, also inside `docker run`, `sh"
            " -c` and the YAML of a container."
        ),
        example=("vllm bench --model org/m", "vllm serve org/m"),
    ),
    "starts-something-else": Code(
        WARNING,
        "container that starts another command line",
        message=(
            "The entrypoint of `{image}` is `{entrypoint}`: the container starts"
            " `{entrypoint} {given} …`, and vLLM refuses that."
        ),
        remedy="Remove `{given}`: the model comes first.",
        cases={
            "module": (
                "The entrypoint of `{image}` is `{entrypoint}`: the container starts"
                " `{entrypoint} {given} …`, and vLLM refuses that.",
                "Remove `{given}`, and write the model as `--model`.",
            ),
            "one-string": (
                "The whole command line is one item of a list: the container looks for a program of"
                " that name.",
                'Write each word as an item of its own: `["vllm", "serve", "…"]`.',
            ),
        },
        explanation=(
            "The command or the arguments of a container do not start what they say. An image whose"
            " entrypoint is vLLM's server gets the server's arguments, not a command:"
            " `vllm/vllm-openai vllm serve org/m` starts `vllm serve vllm serve org/m`. An item of"
            " a list is one word, which no shell splits. A translation reads what was meant; for"
            " `check` it is an error."
        ),
        example=(
            "docker run vllm/vllm-openai:v0.17.1 vllm serve org/m",
            "docker run vllm/vllm-openai:v0.17.1 org/m",
        ),
    ),
    "image-version": Code(
        INFO,
        "vLLM version of the image",
        message="`{image}` contains vLLM {version}.",
        cases={"installed": ("vLLM {version} is installed in front of the command.", "")},
        explanation=(
            "The tag of the image, or a `pip install` in front of the command, names the vLLM"
            " version, and the command is read for that version. `--vllm` overrides it."
        ),
        example=("docker run vllm/vllm-openai:v0.11.2 --model org/m", "vllm serve org/m"),
    ),
    "cut-off": Code(
        INFO,
        "text around the command",
        message="`{text}` is not part of the command and was left out.",
        cases={
            "redirection": ("`{text}` is for the shell and was left out.", ""),
            "assignment": (
                "`{text}` sets a variable of the shell, which vLLM does not see.",
                "Write `export` in front of it if vLLM needs it.",
            ),
            "containers": ("Only {container} is translated, not {others}.", ""),
        },
        explanation=(
            "The text around the command is for the shell, or is another command: a redirection, a"
            " pipe, `cd`. It was left out. Of several containers, one is translated."
        ),
        example=("vllm serve org/m > log.txt 2>&1 &", "vllm serve org/m"),
    ),
    "comment-in-command": Code(
        WARNING,
        "comment between the lines of a command",
        message=(
            "A comment ends the command here: a shell runs the flags behind it as another command."
        ),
        remedy="Move the comment in front of the command, or remove it.",
        explanation=(
            "A backslash joins the next line to a command, and a comment lasts to the end of the"
            " joined line: a backslash at its end continues nothing. vLLM starts without the flags"
            " behind the comment, which the shell runs as a command that does not exist. They are"
            " read as what they are meant to be."
        ),
        example=(
            "vllm serve org/m \\\n  # --enforce-eager \\\n  --port 80",
            "vllm serve org/m \\\n  --port 80",
        ),
    ),
    "bad-env-file": Code(
        ERROR,
        "unreadable line in a file of variables",
        message=(
            "{file}, line {line}: `{name}` cannot be read.",
            "{file}, line {line}: this is not a variable.",
        ),
        remedy="Write NAME=value, and close every quote.",
        cases={
            "docker": ("{file}, line {line}: this is not a variable.", "Write NAME=value."),
            "docker-name": (
                "{file}, line {line}: docker refuses a variable without a name, or with a blank in"
                " its name.",
                "Write NAME=value.",
            ),
            "escape": (
                "{file}, line {line}: `\\u` needs four hexadecimal digits, and a surrogate needs"
                " its other half.",
                "Write `\\uXXXX`.",
            ),
        },
        explanation=(
            "A line of a file of variables cannot be read, so nothing of the file is used. Write"
            " NAME=value."
        ),
        example=("MODEL_NAME='org/m", "MODEL_NAME='org/m'"),
    ),
    "repeated-variable": Code(
        WARNING,
        "variable set twice in a file",
        message=(
            "{file}, line {line}: `{name}` overrides the different value of line {earlier}.",
            "{file}, line {line}: a variable overrides its different value of line {earlier}.",
        ),
        remedy="Remove line {earlier} or line {line}.",
        explanation=(
            "A file sets a variable twice, to different values. The later line wins, as in python-"
            "dotenv and docker; the earlier one has no effect."
        ),
        example=("two lines, MODEL_NAME=org/m and MODEL_NAME=org/n", "MODEL_NAME=org/n"),
    ),
    "bad-manifest": Code(
        ERROR,
        "invalid manifest",
        cases={
            "yaml": ("This is not YAML: {problem}.", "Fix the syntax."),
            "hub": (
                "{container}, line {line}: the value of `{variable}` is a list or an object, not a"
                " string, a number or a boolean.",
                "Put it in quotes.",
            ),
            "argument": (
                "{container}, line {line}: an argument must be a string, not a list or a mapping.",
                "Put it in quotes.",
            ),
            "value": (
                "{container}, line {line}: the value of `{variable}` is not a string, and"
                " Kubernetes refuses it.",
                'Put it in quotes: `value: "…"`.',
            ),
            "item": (
                "{container}, line {line}: an item of `{key}` is a number or a boolean, not a"
                " string, and Kubernetes refuses it.",
                'Put it in quotes: `"8000"`, `"true"`.',
            ),
            "list": (
                "{container}, line {line}: `{key}` must be a list in Kubernetes, not a string.",
                'Write `{key}: ["…", "…"]`.',
            ),
        },
        fix={"item": QUOTE, "value": QUOTE},
        explanation=(
            "The YAML cannot be read, or Kubernetes would refuse it: an argument or the value of a"
            " variable is not a string, or a command is not a list."
        ),
        example=(
            "env: [{name: MAX_MODEL_LEN, value: 8192}]",
            'env: [{name: MAX_MODEL_LEN, value: "8192"}]',
        ),
    ),
    "unreadable-file": Code(
        INFO,
        "file without a readable command",
        cases={
            "template": (
                "This is a template: its command is known only when it is filled in.",
                "Fill it in first: `helm template … | translate check -`.",
            ),
            "kind": (
                "`{kind}`: this kind of file is not read, so the command that it starts was not"
                " checked.",
                "Check the command that it starts: `translate check -- vllm serve …`.",
            ),
        },
        explanation=(
            "The file starts vLLM, but its command line cannot be read from it: it is a template of"
            " Helm or Jinja, a program in Python, Terraform or another language, a Makefile, or of"
            " another kind that is not read. Other files are checked all the same."
        ),
        example=(
            "translate check chart/templates/deployment.yaml",
            "helm template chart | translate check -",
        ),
    ),
    "unresolved-value": Code(
        WARNING,
        "value from elsewhere",
        message=(
            "`{variable}` refers to `{references}`, whose value is not known here: `{variable}` was"
            " left out."
        ),
        remedy="Pass it with `--env-file`, or write `{variable}=VALUE`.",
        cases={
            "docker-variable": (
                "`{variable}` gets its value from docker's own environment: it is not known here.",
                "Pass it with `--env-file`, or write `-e {variable}=VALUE`.",
            ),
            "docker-file": (
                "`--env-file {file}` of docker is not read.",
                "Pass it here too: `--env-file {file} --env-file-format docker`.",
            ),
            "compose-variable": (
                "{container}: `{variable}` gets its value from compose's environment: it is not"
                " known here and not checked.",
                "",
            ),
            "compose-file": (
                "{container}: `env_file` is not read.",
                "Check that file separately, with `--env-file`.",
            ),
            "kubernetes-variable": (
                "{container}, line {line}: `{variable}` gets its value from `valueFrom`: it is not"
                " known here and not checked.",
                "",
            ),
            "kubernetes-file": (
                "{container}, line {line}: the variables of `envFrom` are not known here and not"
                " checked.",
                "",
            ),
            "exec-tables": (
                "`--tables` of `translate exec` names a directory of its container, which is not"
                " read.",
                "Pass that directory here too, as `--tables`.",
            ),
            "cluster": (
                "No variable says which machine of the cluster this is: the flags have nothing of"
                " what `--cluster {cluster}` adds.",
                "Keep `--cluster {cluster}` where the variables are read.",
            ),
        },
        explanation=(
            "The value of a variable comes from elsewhere (a Secret, a file, docker's own"
            " environment). It is not known here, so it is not checked."
        ),
        example=(
            "docker run -e HF_TOKEN …",
            "translate args-to-env --env-file secrets.env 'docker run -e HF_TOKEN …'",
        ),
    ),
    "unread-key": Code(
        WARNING,
        "key that the Helm chart does not read",
        message="{container}: the chart does not read `{key}`, so it does not reach vLLM.",
        remedy="Write vLLM's flag in `{extra}` instead.",
        explanation=(
            "The templates of the chart write flags of vLLM for some keys only. Any other key is"
            " ignored without a message."
        ),
        example=(
            "vllmConfig: {maxNumBatchedTokens: 8192}",
            'vllmConfig: {extraArgs: ["--max-num-batched-tokens=8192"]}',
        ),
    ),
    "unused-ignore": Code(
        INFO,
        "comment that ignores nothing",
        message=(
            "{file}, line {line}: the comment ignores `{ignored}`, which `check` does not report"
            " there.",
            "{file}, line {line}: the comment ignores findings, and `check` reports none there.",
        ),
        remedy="Remove it, or put it on the line of the finding, or above it.",
        explanation=(
            "A comment `# translate: ignore[CODE]` is about the findings of one line: the line that"
            " it ends, or the next line if it stands alone. There is none with this code. A comment"
            " that is no longer needed would hide the next finding there."
        ),
        example=("MAX_MODEL_LEN=8192 # translate: ignore[bad-integer]", "MAX_MODEL_LEN=8192"),
    ),
}
