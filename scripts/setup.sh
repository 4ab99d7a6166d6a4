# Sourced by the scripts beside it: goes to the root of the checkout and offers `set_up`.
# shellcheck shell=bash

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
readonly PYTHON=.venv/bin/python
PIP=($PYTHON -m pip)
unset PYTHONDONTWRITEBYTECODE

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

# Whether the Python $1 runs (a pyenv shim may not), is new enough and has the modules $2.
suits() { "$1" -c "import sys, $2; sys.exit(sys.version_info < (3, 11))" 2>/dev/null; }

# Makes .venv with the first Python that suits; 3.11 is what the constraints were tried with. The
# pip of that Python serves .venv too until it has one: venv's own way to a pip takes 7 s.
make_environment() {
  local name way
  for name in python3.11 python3.12 python3.13 python3; do
    if suits "$name" "venv, pip"; then
      way=--without-pip PIP=("$name" -m pip --python $PYTHON)
    elif suits "$name" "venv, ensurepip"; then
      way=""
    else
      continue
    fi
    say "making .venv with $("$name" --version)"
    "$name" -m venv $way .venv || fail "$name cannot make .venv"
    suits $PYTHON venv || fail ".venv holds an older Python: delete it and run this again"
    return
  done
  fail "needs Python 3.11 or newer with its venv module, and found none on PATH"
}

# Installs the package into .venv, unless it is there already. `set_up dev` installs what the tests
# use too: extras and the dependency group `dev`.
set_up() {
  local package=(-e .) stamp=.venv/installed state words
  if [[ ${1-} == dev ]]; then
    package=(-e '.[onnx,tensorboard,serve,documents]' --group dev)
  fi
  state=$(printf '%s\n' "$PWD" | cat - pyproject.toml scripts/constraints.txt | cksum)
  if [[ -f $stamp${1-} && $(<"$stamp${1-}") == "$state" ]]; then return; fi

  suits $PYTHON pip || make_environment
  say "installing gru-mt${1:+ and its test tools} into .venv (PyTorch takes a minute or more)"
  if ! words=$(install "${package[@]}" 2>&1); then
    if [[ $words == *"after connection broken by"* ]]; then
      fail "no package registry can be reached: check the network and pip's settings"
    fi
    printf '%s\n' "$words" >&2
    fail "pip could not install gru-mt, for the reason above"
  fi
  printf '%s\n' "$state" >"$stamp${1-}"
  printf '%s\n' "$state" >"$stamp"  # with test tools or without, the package itself is there too
}

# Installs the package "$@". PyTorch, the largest by far, is unpacked beside all that needs it not,
# and imported then: a first import compiles its modules, which takes 5 s. Nothing waits for that. It
# needs three packages, whole, so they come first. So do the build tools: they are pinned like all
# else, and the build is not isolated.
install() {
  local line others=() unpacking
  { pip_install --no-deps torch || exit; $PYTHON -c "import torch" &>/dev/null & } &
  unpacking=$!  # < <() below sets $! too
  pip_install pip hatchling editables typing_extensions numpy tqdm || return
  PIP=($PYTHON -m pip)
  while read -r line; do others+=("$line"); done < <($PYTHON -c "$OTHERS")  # macOS has Bash 3
  pip_install "${others[@]}" || return
  wait "$unpacking" || return
  pip_install --no-build-isolation "$@"
}

readonly OTHERS='
import tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)["project"]
print(*(name for name in project["dependencies"] if not name.startswith("torch")), sep="\n")
'

# Modules are compiled as they are first imported (see `unset` above): most of PyTorch's never are.
pip_install() {
  "${PIP[@]}" install --quiet --no-compile -c scripts/constraints.txt "$@"
}
