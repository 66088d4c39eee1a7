"""A paragraph for every code of `translator.findings`, with an example before and after, for
`translate explain CODE`.
"""

from __future__ import annotations

# code -> (what it means and what to do, an input that has it, the input without it)
EXPLANATIONS: dict[str, tuple[str, str, str]] = {
    "ignored-key": (
        (
            "The JSON value has a key that the class of this vLLM version does not have. Newer"
            " versions refuse it; this one reads over it without a word, so that the setting has no"
            " effect."
        ),
        'COMPILATION_CONFIG={"mod":3}       (for vLLM 0.12.0)',
        'COMPILATION_CONFIG={"mode":3}',
    ),
    "refused-at-start": (
        (
            "vLLM's parser takes the command line, and then vLLM refuses to start with it, because"
            " one flag needs another, or because two exclude each other. `exec` starts nothing and"
            " `check` calls it an error; a translation has it as a warning, for what the parser"
            " takes can be said."
        ),
        "ENABLE_AUTO_TOOL_CHOICE=true",
        "ENABLE_AUTO_TOOL_CHOICE=true TOOL_CALL_PARSER=hermes",
    ),
    "bad-bool": (
        (
            "A flag that is on or off was given something else. The words are true and false, 1 and"
            " 0, yes and no, on and off, in any case. Anything else is an error and never taken for"
            " false, because a typing mistake that silently switches something off is found weeks"
            " later."
        ),
        "ENFORCE_EAGER=maybe",
        "ENFORCE_EAGER=true",
    ),
    "bad-integer": (
        (
            "An integer was expected. Sizes may have a suffix as vLLM itself reads it: k, m, g and"
            " t count in thousands and may have decimals (25.6k), K, M, G and T count in 1024s and"
            " may not (25.6K is no whole number). `auto` is taken where the flag takes it. On the"
            " command line, an old vLLM takes plain digits only."
        ),
        "MAX_MODEL_LEN=25.6K",
        "MAX_MODEL_LEN=25.6k",
    ),
    "bad-float": (
        "A number was expected, such as 0.9 or 1e-3.",
        "GPU_MEMORY_UTILIZATION=90%",
        "GPU_MEMORY_UTILIZATION=0.9",
    ),
    "bad-choice": (
        (
            "The flag takes only certain values, and this is none of them in this version."
            " `translate explain --FLAG` shows which values it takes in which version."
        ),
        "DTYPE=fp9",
        "DTYPE=float16",
    ),
    "bad-json": (
        (
            "A JSON text was expected and this cannot be read as one, nor be repaired without"
            " guessing. A Python literal and one stray pair of quotes around the whole are"
            " repaired; a missing bracket is not. Old versions take KEY=NUMBER pairs for some flags"
            " instead."
        ),
        'HF_OVERRIDES={"a":',
        'HF_OVERRIDES={"a": 1}',
    ),
    "bad-list": (
        (
            "A list was expected: a JSON array, or elements separated by commas; for flags such as"
            " --lora-modules each element is NAME=PATH or a JSON object."
        ),
        "LORA_MODULES=adapter",
        "LORA_MODULES=adapter=org/adapter",
    ),
    "empty-element": (
        (
            "A list has an empty element, most often for a comma too many at its end. vLLM's own"
            " syntax keeps it, as an element that is empty or none."
        ),
        "SERVED_MODEL_NAME=small,large,",
        "SERVED_MODEL_NAME=small,large",
    ),
    "bad-key": (
        (
            "A JSON flag that vLLM parses into a class holds a key that the class of this version"
            " does not have, or lacks one that it must have. vLLM would refuse to start."
        ),
        'COMPILATION_CONFIG={"mod": 3}',
        'COMPILATION_CONFIG={"mode": 3}',
    ),
    "bad-key-value": (
        (
            "The value of one key inside a JSON flag is not what the class of this version takes:"
            " of another type, outside of its limits, none of its choices, or without the neighbour"
            " that it needs."
        ),
        'COMPILATION_CONFIG={"cudagraph_mode": "SOMETIMES"}',
        'COMPILATION_CONFIG={"cudagraph_mode": "PIECEWISE"}',
    ),
    "bad-text": (
        "A text holds what no command line can: a NUL byte.",
        "a chat template with a NUL byte in it",
        "the template without it",
    ),
    "repaired-json": (
        (
            "The value is not JSON, but it is plain what was meant: a Python literal ({'a': True}),"
            " or JSON in one stray pair of quotes, as docker's --env-file leaves them. It was read"
            " so; write JSON to be sure."
        ),
        "HF_OVERRIDES={'rope_theta': 1000000}",
        'HF_OVERRIDES={"rope_theta": 1000000}',
    ),
    "not-on-argv": (
        (
            "No command line can say this to vLLM: one of several list elements begins with a dash,"
            " or a model's name does, and argparse would take it for an option."
        ),
        "MODEL_NAME=-my-model",
        "MODEL_NAME=./-my-model",
    ),
    "unknown-flag": (
        (
            "No version of vLLM that is known has this flag, or not this version and nothing stands"
            " for it. The nearest name is in the hint."
        ),
        "vllm serve org/m --max-modle-len 8192",
        "vllm serve org/m --max-model-len 8192",
    ),
    "flag-not-in-version": (
        (
            "The flag, or the key of a JSON flag, exists in other versions than this one, and"
            " nothing here means the same. vLLM would refuse to start with it. Leave it out, or"
            " choose one of the versions that have it."
        ),
        "GRPC=true       (for vLLM 0.10.2)",
        "",
    ),
    "unknown-variable": (
        (
            "A variable whose name begins with VLLM_ (or as those of the dialect do) that no known"
            " version reads. It does nothing, and vLLM itself warns of it; or the dialect's own"
            " program drops it without a word, or passes on what vLLM refuses: the finding says"
            " which."
        ),
        "VLLM_USER_V1=1",
        "VLLM_USE_V1=1",
    ),
    "misspelt-variable": (
        (
            "A variable that nobody reads, and whose name is nearly one that is read. It stays in"
            " the environment, but it sets nothing."
        ),
        "TENSOR_PARALELL_SIZE=2",
        "TENSOR_PARALLEL_SIZE=2",
    ),
    "reserved-name": (
        (
            "The name would set a flag of vLLM if it did not mean something else on common"
            " platforms: many set PORT or HOST for their own ends. So it is not read; the message"
            " says what to write instead."
        ),
        "PORT=8080",
        "VLLM_EXTRA_ARGS=--port=8080",
    ),
    "worker-only": (
        (
            "The variable configures the worker around vLLM, not vLLM itself: how many jobs it"
            " takes at once, for example. A vLLM server has nothing for it."
        ),
        "MAX_CONCURRENCY=30",
        "",
    ),
    "no-key": (
        (
            "The version does not have the JSON flag, and the part of the name behind the dot, or"
            " the double underscore, is no key of it in any known version, so that nothing can be"
            " said of what it meant."
        ),
        "ATTENTION_CONFIG__BACKND=FLASH_ATTN       (for vLLM 0.8.5)",
        "ATTENTION_CONFIG__BACKEND=FLASH_ATTN",
    ),
    "missing-model": (
        (
            "This vLLM does not start without a model (or takes what was given only behind one), as"
            " up to 0.7 none does."
        ),
        "MAX_MODEL_LEN=8k       (for vLLM 0.7.3)",
        "MODEL_NAME=org/m MAX_MODEL_LEN=8k",
    ),
    "no-model": (
        (
            "No model is set. This vLLM starts all the same, and serves a small default model of"
            " its own, which is rarely what is meant."
        ),
        "MAX_MODEL_LEN=8k",
        "MODEL_NAME=org/m MAX_MODEL_LEN=8k",
    ),
    "ambiguous-flag": (
        "A flag was abbreviated, and the abbreviation begins several. The real parser refuses it.",
        "vllm serve org/m --max-n 8",
        "vllm serve org/m --max-num-seqs 8",
    ),
    "missing-value": (
        (
            "A flag that takes a value stands without one. If the value begins with a dash, it has"
            " to be joined to the flag by `=`."
        ),
        "vllm serve org/m --chat-template",
        "vllm serve org/m --chat-template=./t.jinja",
    ),
    "unexpected-value": (
        (
            "A flag that is on or off was given a value, or one that prints help was given."
            " `--flag` switches it on; its negation switches it off."
        ),
        "vllm serve org/m --enable-prefix-caching=true",
        "vllm serve org/m --enable-prefix-caching",
    ),
    "stray-token": (
        (
            "A word that belongs to no flag: most often the value of a flag that takes none, or a"
            " word too many because quotes are missing."
        ),
        "vllm serve org/m --enable-prefix-caching true",
        "vllm serve org/m --enable-prefix-caching",
    ),
    "model-option": (
        "From 0.8 to 0.10, `vllm serve` takes the model as its first argument and refuses --model.",
        "vllm serve --model org/m       (for vLLM 0.9.2)",
        "vllm serve org/m",
    ),
    "repeated-flag": (
        (
            "A flag was given more than once, and only the last use counts; what stood before has"
            " no effect. A dotted key counts as behind everything else, and replaces the whole JSON"
            " given to the flag itself."
        ),
        "vllm serve org/m --seed 1 --seed 2",
        "vllm serve org/m --seed 2",
    ),
    "shell-variable": (
        (
            "The text refers to a variable whose value is not known here. Only --env-file (and"
            " assignments in the text itself) are looked at, never the environment of this process."
        ),
        "vllm serve $MODEL",
        "translate args-to-env --env-file vars.env 'vllm serve $MODEL'",
    ),
    "shell-syntax": (
        (
            "The text needs a shell that runs it (a command substitution, a here-document), or"
            " would be taken apart by one (an open quote, braces with commas outside of quotes)."
        ),
        "vllm serve $(cat model.txt)",
        "vllm serve org/m",
    ),
    "not-vllm-serve": (
        (
            "What was given does not start vLLM's server: only `vllm serve` and `python -m"
            " vllm.entrypoints.openai.api_server` are translated, also inside of docker run, sh -c"
            " and a container's YAML."
        ),
        "vllm bench --model org/m",
        "vllm serve org/m",
    ),
    "image-version": (
        (
            "The tag of the image says which vLLM is in it, and the command is read for that"
            " version. --vllm overrides it."
        ),
        "docker run vllm/vllm-openai:v0.11.2 --model org/m",
        "vllm serve org/m",
    ),
    "deprecated-flag": (
        (
            "The version still takes the flag, but has announced that a later one will not."
            " `translate explain FLAG` and `translate convert` say what comes after it."
        ),
        "vllm serve org/m --task embed       (for vLLM 0.12.0)",
        "vllm serve org/m --runner pooling --convert embed",
    ),
    "bad-extra-args": (
        "The variable for further tokens cannot be split into them as a shell would.",
        "VLLM_EXTRA_ARGS=--served-model-name 'a b",
        "VLLM_EXTRA_ARGS=--served-model-name 'a b'",
    ),
    "config-file": (
        "The file of --config cannot be read, or holds what vLLM would crash on.",
        "vllm serve org/m --config settings.json",
        "vllm serve org/m --config settings.yaml",
    ),
    "config-file-kept": (
        (
            "The command runs in a container, and its --config file is not here: it stays a file,"
            " and has to be where vLLM runs. Otherwise its content would have become variables."
        ),
        "docker run vllm/vllm-openai --config /etc/v.yaml",
        "the same, beside the file",
    ),
    "config-not-read": (
        (
            "vLLM looks for a file only behind `--config` as a token of its own. Joined by `=`, the"
            " option is taken, and the file is never opened."
        ),
        "vllm serve org/model --config=/etc/vllm.yaml",
        "vllm serve org/model --config /etc/vllm.yaml",
    ),
    "config-false": (
        (
            "A file for --config sets a key to false. No version of vLLM makes anything of that:"
            " the key is dropped. Its negation set to true does it."
        ),
        "enable-prefix-caching: false",
        "no-enable-prefix-caching: true",
    ),
    "model-like-option": (
        (
            "The model begins with a dash and holds a space. vLLM's parser takes such a token for"
            " the model, not for an option that it does not know: most likely an option is"
            " misspelt."
        ),
        "vllm serve '--max-modle-len 8k'",
        "vllm serve org/m --max-model-len 8k",
    ),
    "model-beside-config": (
        (
            "Up to 0.7, vLLM takes the model from its command line only. The file is written"
            " without it."
        ),
        "env-to-args --format yaml       (for vLLM 0.7.3)",
        "vllm serve org/m --config file.yaml",
    ),
    "cut-off": (
        (
            "Something stood around the command that is for the shell, or is another command: a"
            " redirection, a pipe, `cd`. It was left out."
        ),
        "vllm serve org/m > log.txt 2>&1 &",
        "vllm serve org/m",
    ),
    "bad-env-file": (
        "A line of a file of variables cannot be read.",
        "MODEL_NAME='org/m",
        "MODEL_NAME='org/m'",
    ),
    "repeated-variable": (
        (
            "A file sets a variable twice, to different values. As for every reader of such files,"
            " the later line wins; the earlier one has no effect."
        ),
        "two lines, MODEL_NAME=org/m and MODEL_NAME=org/n",
        "MODEL_NAME=org/n",
    ),
    "bad-manifest": (
        (
            "The YAML cannot be read, or Kubernetes would refuse it: an argument or a variable's"
            " value that is no text, a command that is no list."
        ),
        "env: [{name: MAX_MODEL_LEN, value: 8192}]",
        'env: [{name: MAX_MODEL_LEN, value: "8192"}]',
    ),
    "unresolved-value": (
        (
            "The value of a variable comes from elsewhere (a Secret, a file, docker's own"
            " environment): it is not known here, so nothing is said about it."
        ),
        "docker run -e HF_TOKEN …",
        "translate args-to-env --env-file secrets.env 'docker run -e HF_TOKEN …'",
    ),
    "carried": (
        (
            "The version does not have what was given, but something else means the same there, and"
            " is used. Write that instead, and the warning goes."
        ),
        "vllm serve org/m --guided-decoding-backend xgrammar",
        "vllm serve org/m --structured-outputs-config.backend xgrammar",
    ),
    "carried-value": (
        "The value is called otherwise in this version; that name is used.",
        "ALL2ALL_BACKEND=flashinfer_nvlink_two_sided       (for vLLM 0.15.1)",
        "ALL2ALL_BACKEND=flashinfer_all2allv",
    ),
    "now-default": (
        "What was asked for is what the version does anyway, so nothing has to be said.",
        "VLLM_USE_V1=1       (for vLLM 0.33.0)",
        "",
    ),
    "dropped": (
        (
            "Nothing in this version stands for what was given, and it has no effect. The message"
            " says why it went, and what to do instead."
        ),
        "vllm serve org/m --swap-space 4",
        "vllm serve org/m",
    ),
    "written-for-another": (
        (
            "The command line is one that this version refuses and another takes. It was read as"
            " that one does; what it means is carried over, with a finding for each change."
        ),
        "vllm serve org/m --task embed",
        "vllm serve org/m --runner pooling --convert embed",
    ),
    "disagreement": (
        (
            "Two variables set the same thing to different values; the message says which wins: the"
            " dialect's own variable over the flag's name in capitals, and one key over the whole."
        ),
        "TOKENIZER_NAME=a TOKENIZER=b",
        "TOKENIZER_NAME=a",
    ),
    "worker-default": (
        "With --worker-defaults, a default that the dialect's documentation gives was added.",
        "translate env-to-args --worker-defaults",
        "translate env-to-args",
    ),
    "baked-args": (
        (
            "The image has a model baked in, described by a file that the dialect names. Its"
            " variables win over the environment, and the Hugging Face hub is not asked, as in"
            " RunPod's worker."
        ),
        "/local_model_args.json is there",
        "an image without it",
    ),
    "bad-baked-args": (
        (
            "The file of a model baked into the image cannot be used. As in RunPod's worker, the"
            " start goes on without it."
        ),
        "/local_model_args.json is no JSON",
        "the image built again",
    ),
    "consumer-default": (
        (
            "The program that reads the dialect adds an argument of its own, such as --port 8080,"
            " or looks for the model in a folder. Read here, the same is added; written here, it is"
            " said, because the command line that was given does not have it."
        ),
        "SM_VLLM_MODEL=org/m",
        "SM_VLLM_MODEL=org/m SM_VLLM_PORT=8080",
    ),
    "consumer-differs": (
        (
            "The program that reads the dialect makes something else of this variable than its text"
            " says: it leaves `false` out, drops a flag, knows only certain values, or passes on"
            " what vLLM refuses. The finding says which, and what was done here."
        ),
        "SM_VLLM_ENABLE_PREFIX_CACHING=false",
        "SM_VLLM_NO_ENABLE_PREFIX_CACHING=true",
    ),
    "newer-than-consumer": (
        (
            "The program that the dialect was made for runs an older vLLM than the one that is"
            " written for, and that one does not have the flag: the variable is for a container"
            " that starts the newer vLLM through this program."
        ),
        "vllm serve org/m --dp-sync-interval 3       (for vLLM 0.33.0)",
        "",
    ),
    "consumer-needs": (
        (
            "The container of the dialect does not start without these variables, and nothing that"
            " was given says what they hold."
        ),
        "vllm serve org/m --max-model-len 8000",
        (
            "VLLM_MAX_MODEL_LEN=8000 MODEL_NAME=org/m LOCAL_MODEL_PATH=… S3_BUCKET_MODELS=…"
            " S3_MOUNT_POINT=… THREADS=…"
        ),
    ),
    "bad-cluster": (
        (
            "With --cluster, the scheduler's variables must say how many machines there are, which"
            " of them this is, and where the first one is. One of them is missing or says something"
            " impossible."
        ),
        "LWS_GROUP_SIZE=2 LWS_WORKER_INDEX=2 LWS_LEADER_ADDRESS=first.example",
        "LWS_GROUP_SIZE=2 LWS_WORKER_INDEX=1 LWS_LEADER_ADDRESS=first.example",
    ),
    "cluster-not-in-version": (
        (
            "This vLLM cannot join several machines by itself (from 0.11.2 on it can, by --nnodes)."
            " Before that, Ray joins them: `ray start` on every machine, and vLLM with"
            " --distributed-executor-backend ray on the first one only."
        ),
        "translate exec --vllm 0.10.2 --cluster lws",
        "translate exec --vllm 0.33.0 --cluster lws",
    ),
    "place-made-up": (
        (
            "`translate check --cluster` was given settings without the variables by which the"
            " scheduler tells each machine its place. They are checked as the scheduler would"
            " complete them, for the first and for the second of two machines."
        ),
        "translate check --cluster lws --env-file .env",
        "",
    ),
    "over-limit": (
        (
            "The platform of the dialect takes no name, no value, or no environment of that length,"
            " in bytes."
        ),
        "SM_VLLM_CHAT_TEMPLATE=(two thousand characters)",
        "SM_VLLM_CHAT_TEMPLATE=/opt/ml/model/template.jinja",
    ),
    "bad-variable": (
        (
            "One of vLLM's own variables has a value that would crash this version on reading it,"
            " and it cannot be told what was meant."
        ),
        "VLLM_DEEP_GEMM_WARMUP=sometimes",
        "VLLM_DEEP_GEMM_WARMUP=relax",
    ),
    "repaired-variable": (
        (
            "One of vLLM's own variables had a value that would crash this version, or be read as"
            " its opposite: a third of them take 1 and crash on true. vLLM is given the value that"
            " was meant. `convert` says it of TRANSLATE_VLLM_VERSION, too, which it sets to the"
            " version that it writes for."
        ),
        "VLLM_USE_DEEP_GEMM=true",
        "VLLM_USE_DEEP_GEMM=1",
    ),
    "variable-not-in-version": (
        (
            "A variable that only other versions read, and nothing carries its meaning here. It is"
            " kept from vLLM, which would warn of it."
        ),
        "VLLM_DEBUG_WORKSPACE=1       (for vLLM 0.8.5)",
        "",
    ),
    "service-link": (
        (
            "Kubernetes makes variables for every service in the namespace. A service called vllm"
            " gives VLLM_PORT=tcp://…, which vLLM reads as a port and crashes on. They are kept"
            " from vLLM."
        ),
        "VLLM_PORT=tcp://10.43.1.39:8000",
        "enableServiceLinks: false in the pod's spec",
    ),
    "not-the-server-address": (
        (
            "The variable sets an address of vLLM's inner workings, not the one on which it serves:"
            " those are the flags --host and --port."
        ),
        "VLLM_PORT=8080",
        "VLLM_EXTRA_ARGS=--port=8080",
    ),
    "empty-variable": (
        (
            "A variable is set to nothing. Where this version would crash on that it is left out;"
            " in a file, a name without a value sets nothing."
        ),
        "VLLM_USE_DEEP_GEMM=",
        "",
    ),
    "secret-moved": (
        (
            "A secret was given where every process on the machine could read it. vLLM reads the"
            " same from a variable, and is given it there."
        ),
        "vllm serve org/m --api-key sk-…",
        "VLLM_API_KEY=sk-… vllm serve org/m",
    ),
    "secret-on-argv": (
        (
            "A secret stands on the command line of vLLM, where every process on the machine can"
            " read it, because vLLM takes it nowhere else (or because it was written there)."
        ),
        "vllm serve org/m --api-key sk-…",
        "VLLM_API_KEY=sk-… vllm serve org/m",
    ),
    "version-too-old": (
        "The vLLM is older than the oldest that there is a table for.",
        "--vllm 0.5.0",
        "--vllm 0.6.6",
    ),
    "version-too-new": (
        (
            "The vLLM is newer than the newest that there is a table for: what the newest takes is"
            " used. `translate tables harvest` makes a table of yours."
        ),
        "--vllm 0.99",
        "--vllm 0.33.0",
    ),
    "bad-version": (
        "The text is no version.",
        "--vllm latest",
        "--vllm 0.33.0",
    ),
    "other-version": (
        (
            "`translate exec` was told to translate for another vLLM than the one that is"
            " installed, which may refuse the command line, or understand it otherwise."
        ),
        "TRANSLATE_VLLM_VERSION=0.8.5        (where vLLM 0.32.0 is installed)",
        "",
    ),
    "version-assumed": (
        (
            "`translate exec` found no vLLM installed, and nothing says which one it starts: the"
            " newest that it knows is assumed."
        ),
        "translate exec",
        "translate exec --vllm 0.27.1",
    ),
    "unknown-dialect": (
        "There is no table for a dialect of this name.",
        "--dialect runpud",
        "--dialect runpod",
    ),
    "cannot-be-said": (
        (
            "The output form cannot hold a value: a line break in docker's file, bytes that are not"
            " UTF-8 in YAML, a flag without a variable in a dialect that has none for further"
            " tokens."
        ),
        "translate args-to-env --format docker",
        "translate args-to-env --format k8s",
    ),
    "not-in-file": (
        (
            "The dialect's file has no key for this variable: secrets and vLLM's own variables stay"
            " in the container's environment, beside the file. Or a command line is written in a"
            " form that has no place for the variables that stood with it."
        ),
        "translate args-to-env --dialect lmi --format properties -- vllm serve org/m --api-key …",
        "VLLM_API_KEY=… in the environment of the container",
    ),
    "kept-in-extra-args": (
        (
            "The dialect has other readers than this program (RunPod's published worker), and they"
            " make something else of a variable for this flag, or none. So it stands in the"
            " variable for further tokens, which every reader splits as a shell would."
        ),
        "vllm serve org/m --middleware a.b --middleware c.d",
        "VLLM_EXTRA_ARGS=--middleware=a.b --middleware=c.d",
    ),
}


def paragraph(code: str) -> str:
    """What a code means, with its example."""
    text, before, after = EXPLANATIONS[code]
    return f"{text}\n\nbefore: {before}\nafter:  {after or '(leave it out)'}"
