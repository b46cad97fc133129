import { type CommandShape, listNextWords, listShapes } from './shape.ts';

/** Returns the completion for fish, with descriptions. */
export function createFishCompletion(program: CommandShape): string {
  const shapes = listShapes(program);
  return `# Completion of donor-sync for fish: donor-sync completion fish | source

# The options that a value follows.
set -g __donor_sync_valued ${shapes.flatMap(valued).join(' ')}

# The commands by all of their names, each before the place that it leads to.
function __donor_sync_enter
    switch "$argv[1]"
${shapes.flatMap(enterCases).join('\n')}
    end
end

# Succeeds if the words before the cursor lead to this command.
function __donor_sync_at
    set -l place ''
    set -l skip ''
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test -n "$skip"
            set skip ''
            continue
        end
        switch $word
            case '-*'
                if contains -- "$place $word" $__donor_sync_valued
                    set skip yes
                end
            case '*'
                set -l next (__donor_sync_enter (string trim -- "$place $word"))
                if test -n "$next"
                    set place $next
                end
        end
    end
    test "$place" = "$argv[1]"
end

${shapes.flatMap(completions).join('\n')}
`;
}

function valued({ place, options }: CommandShape): string[] {
  return options
    .filter(({ hasValue }) => hasValue)
    .flatMap(({ names }) => names.map((name) => quote(`${place} ${name}`)));
}

function enterCases({ place, names }: CommandShape): string[] {
  if (place === '') return [];
  const above = place.split(' ').slice(0, -1);
  const words = names.map((name) => quote([...above, name].join(' '))).join(' ');
  return [`        case ${words}`, `            echo ${quote(place)}`];
}

function completions(shape: CommandShape): string[] {
  const at = `complete -c donor-sync -n ${quote(`__donor_sync_at ${quote(shape.place)}`)}`;
  const words = listNextWords(shape).map(
    ({ word, description }) => `${at} -f -a ${quote(word)}${described(description)}`,
  );
  const options = shape.options.map(({ names, hasValue, choices, description }) => {
    const ways = names.map((name) =>
      name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
    );
    const value = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : ' -r';
    return `${at} ${ways.join(' ')}${hasValue ? value : ''}${described(description)}`;
  });
  return [...words, ...options];
}

function described(description: string): string {
  return description === '' ? '' : ` -d ${quote(description)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
