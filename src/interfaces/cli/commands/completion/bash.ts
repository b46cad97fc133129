import { type CommandShape, listNextWords, listShapes } from './shape.ts';

/**
 * Creates the completion for bash. The completion works with bash 3.2 of macOS and without bash-completion. If nothing
 * matches, bash completes file names.
 */
export function createBashCompletion(program: CommandShape): string {
  const shapes = listShapes(program);
  return `# Completion of donor-sync for bash: source <(donor-sync completion bash)

_donor_sync_words() {
  case "$1" in
${shapes.map((shape) => `    ${quote(shape.place)}) printf '%s\\n' ${nextWords(shape)} ;;`).join('\n')}
  esac
}

_donor_sync_options() {
  case "$1" in
${shapes.map((shape) => `    ${quote(shape.place)}) printf '%s\\n' ${optionNames(shape)} ;;`).join('\n')}
  esac
}

# Succeeds if a value follows the option, and prints the values that it accepts.
_donor_sync_values() {
  case "$1" in
${shapes.flatMap(valueCases).join('\n')}
    *) return 1 ;;
  esac
}

# The commands by all of their names.
_donor_sync_enter() {
  case "$1" in
${shapes.flatMap(enterCases).join('\n')}
    *) return 1 ;;
  esac
}

_donor_sync() {
  local current previous place='' next word values index skip=''
  COMPREPLY=()
  current=\${COMP_WORDS[COMP_CWORD]}
  previous=\${COMP_WORDS[COMP_CWORD-1]}
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [ -n "$skip" ]; then
      skip=''
    elif [[ $word == -* ]]; then
      if _donor_sync_values "$place $word" > /dev/null; then skip=yes; fi
    elif next=$(_donor_sync_enter "\${place:+$place }$word"); then
      place=$next
    fi
  done
  if [ -n "$skip" ]; then
    values=$(_donor_sync_values "$place $previous")
  elif [[ $current == -* ]]; then
    values=$(_donor_sync_options "$place")
  else
    values=$(_donor_sync_words "$place")
  fi
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(compgen -W "$values" -- "$current")
}

complete -o bashdefault -o default -F _donor_sync donor-sync
`;
}

function nextWords(shape: CommandShape): string {
  return (
    listNextWords(shape)
      .map(({ word }) => quote(word))
      .join(' ') || "''"
  );
}

function optionNames({ options }: CommandShape): string {
  return options.flatMap(({ names }) => names.map(quote)).join(' ');
}

function valueCases({ place, options }: CommandShape): string[] {
  return options
    .filter(({ hasValue }) => hasValue)
    .map(({ names, choices }) => {
      const words = names.map((name) => quote(`${place} ${name}`)).join('|');
      const values = choices.length === 0 ? "''" : choices.map(quote).join(' ');
      return `    ${words}) printf '%s\\n' ${values} ;;`;
    });
}

function enterCases({ place, names }: CommandShape): string[] {
  if (place === '') return [];
  const above = place.split(' ').slice(0, -1);
  const words = names.map((name) => quote([...above, name].join(' '))).join('|');
  return [`    ${words}) printf '%s' ${quote(place)} ;;`];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
