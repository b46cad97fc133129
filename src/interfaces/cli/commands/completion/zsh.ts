import { type CommandShape, listNextWords, listShapes } from './shape.ts';

/** Creates the completion for zsh. If nothing matches, zsh completes file names. */
export function createZshCompletion(program: CommandShape): string {
  const shapes = listShapes(program);
  return `#compdef donor-sync
# Completion of donor-sync for zsh: source <(donor-sync completion zsh), after compinit,
# or write it into a file _donor_sync in a folder of $fpath.

_donor_sync() {
  local place='' word option='' key
  local -a entries options
  local -A values enter
  integer index
  values=(
${shapes.flatMap(valuePairs).join('\n')}
  )
  enter=(
${shapes.flatMap(enterPairs).join('\n')}
  )
  for (( index = 2; index < CURRENT; index++ )); do
    word=\${words[index]}
    key="$place $word"
    if [[ -n $option ]]; then
      option=''
    elif [[ $word == -* ]]; then
      if (( \${+values[$key]} )); then option=$key; fi
    else
      key=\${place:+$place }$word
      if (( \${+enter[$key]} )); then place=\${enter[$key]}; fi
    fi
  done
  if [[ -n $option ]]; then
    if [[ -n \${values[$option]} ]]; then compadd -- \${=values[$option]}; else _files; fi
    return
  fi
  case $place in
${shapes.map(placeCase).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  elif (( \${#entries} )); then
    _describe command entries
  else
    _files
  fi
}

if [[ \${funcstack[1]} == _donor_sync ]]; then
  _donor_sync "$@"
else
  compdef _donor_sync donor-sync
fi
`;
}

function valuePairs({ place, options }: CommandShape): string[] {
  return options
    .filter(({ hasValue }) => hasValue)
    .flatMap(({ names, choices }) =>
      names.map((name) => `    ${quote(`${place} ${name}`)} ${quote(choices.join(' '))}`),
    );
}

function enterPairs({ place, names }: CommandShape): string[] {
  if (place === '') return [];
  const above = place.split(' ').slice(0, -1);
  return names.map((name) => `    ${quote([...above, name].join(' '))} ${quote(place)}`);
}

function placeCase(shape: CommandShape): string {
  const entries = listNextWords(shape).map(({ word, description }) => entry(word, description));
  const options = shape.options.flatMap(({ names, description }) =>
    names.map((name) => entry(name, description)),
  );
  return `    (${quote(shape.place)})
      entries=(${entries.join(' ')})
      options=(${options.join(' ')})
      ;;`;
}

/** Returns an entry. A colon separates the word from its description. */
function entry(word: string, description: string): string {
  const escaped = word.replaceAll(':', '\\:');
  return quote(description === '' ? escaped : `${escaped}:${description}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
