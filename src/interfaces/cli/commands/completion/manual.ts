import { type CommandShape, listShapes, type OptionShape } from './shape.ts';

/** Creates the manual page. The manual page contains no date, so the same sources always result in the same page. */
export function createManual(program: CommandShape, version: string): string {
  const [, ...commands] = listShapes(program);
  return `${[
    `.TH DONOR\\-SYNC 1 "" ${quote(`donor-sync ${version}`)} "donor\\-sync"`,
    '.SH NAME',
    `donor\\-sync \\- ${line(lowerFirst(program.description).replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    '.B donor\\-sync',
    '[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...',
    '.SH DESCRIPTION',
    line(program.description),
    '.PP',
    line('The command "donor-sync help COMMAND" explains a command with examples.'),
    line('The command "donor-sync help CODE" explains an outcome, a reason or an error code.'),
    '.SH OPTIONS',
    ...program.options.flatMap(toEntry),
    '.SH COMMANDS',
    line('The options above also work after the name of a command.'),
    ...commands.map((command) => withoutShared(command, program)).flatMap(toSection),
    '.SH EXIT STATUS',
    ...EXIT_TEXTS.flatMap(([status, text]) => ['.TP', `.B ${status}`, line(text)]),
    '.SH SEE ALSO',
    line('The documents of donor-sync: docs/README.md in the repository.'),
  ].join('\n')}\n`;
}

const EXIT_TEXTS = [
  ['0', 'The command succeeded.'],
  ['1', 'An unexpected error occurred.'],
  ['2', 'The command or the settings contain an error. Nothing was changed.'],
  ['3', 'The run stopped early, and the next run continues from there.'],
] as const;

function toSection({ place, names, description, options, ...shape }: CommandShape): string[] {
  const [, ...aliases] = names;
  const words = shape.arguments.map(({ flags }) => flags).join(' ');
  return [
    `.SS ${line(`donor-sync ${place}${words === '' ? '' : ` ${words}`}`)}`,
    line(description),
    ...(aliases.length === 0 ? [] : [line(`Also called ${aliases.join(', ')}.`)]),
    ...shape.arguments.flatMap(toEntry),
    // For a command with subcommands, the options are listed at the subcommands.
    ...(shape.commands.length > 0 ? [] : options.flatMap(toEntry)),
  ];
}

function withoutShared(command: CommandShape, program: CommandShape): CommandShape {
  const shared = new Set(program.options.map(toKey));
  return { ...command, options: command.options.filter((option) => !shared.has(toKey(option))) };
}

function toKey({ flags, description }: Entry): string {
  return `${flags} ${description}`;
}

type Entry = Pick<OptionShape, 'flags' | 'description' | 'choices'>;

function toEntry({ flags, description, choices }: Entry): string[] {
  const among = choices.length === 0 ? '' : ` (one of: ${choices.join(', ')})`;
  return ['.TP', `.B ${line(flags)}`, line(`${description}${among}`)];
}

/** Escapes a line, because backslashes, hyphens and leading dots are special in man(7). */
function line(text: string): string {
  const escaped = text
    .split('\n')
    .map((part) => part.trim())
    .join(' ')
    .replaceAll('\\', '\\(rs')
    .replaceAll('-', '\\-')
    .replaceAll(/[^\x20-\x7e]/gu, toSpecialCharacter);
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

/** Replaces special characters, because not every formatter can read UTF-8. */
function toSpecialCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}

function quote(text: string): string {
  return `"${line(text).replaceAll('"', '\\(dq')}"`;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
