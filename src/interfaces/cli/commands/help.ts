import type { Command } from 'commander';
import {
  type CodeKind,
  type Explanation,
  explain,
  listCodes,
} from '../../../core/codes/explain.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { didYouMean } from '../../../core/near-miss.ts';
import { outcomeNamed } from '../../../core/outcome.ts';
import { type CommandDeps, createCommand, runAction } from '../action/command.ts';
import { wrapWidth } from '../terminal/display-width.ts';
import type { Output } from '../terminal/output.ts';

const EXAMPLES = `
Examples:
  donor-sync help sync                the options of a command
  donor-sync help no_match            the reason of an outcome
  donor-sync help database_in_use     an error code, from a message or from the HTTP API
  donor-sync help no_match --json     for scripts: { code, kind, means, next, costs, document, also }

It needs no settings, no database and no network. A document is a path in the repository.`;

export function helpCommand(deps: CommandDeps): Command {
  const command = createCommand('help', deps)
    .description('show the options of a command, or explain an outcome, a reason or an error code')
    .argument('[words...]', 'a command, an outcome, a reason or an error code')
    .addHelpText('after', EXAMPLES);
  return command.action((words: string[]) =>
    runAction(deps, command, async (output) => {
      const found = findCommand(command.parent, words);
      if (found !== null) return showCommand(output, found);
      const [first, ...also] = explain(words.join('_').toLowerCase());
      if (first === undefined) throw unknownWord(command.parent, words.join(' '));
      const { isTTY, columns } = deps.stdout;
      output.finish({ ...first, also }, () => {
        for (const each of [first, ...also]) {
          printExplanation(output, each, isTTY ? columns : undefined);
        }
      });
    }),
  );
}

/**
 * Finds a command by its words. If no words are given, returns the whole program. Returns null for an unknown command.
 */
function findCommand(program: Command | null, words: readonly string[]): Command | null {
  let found = program;
  for (const word of words) {
    found = found?.commands.find((one) => [one.name(), ...one.aliases()].includes(word)) ?? null;
  }
  return found;
}

function showCommand(output: Output, command: Command): undefined {
  output.finish({ command: command.name(), help: command.helpInformation() }, () =>
    command.outputHelp(),
  );
}

function unknownWord(program: Command | null, word: string): ConfigurationError {
  const names = (program?.commands ?? []).map((command) => command.name());
  const guess = didYouMean(word, [...names, ...listCodes()]) || '.';
  return new ConfigurationError(
    `"${word}" is neither a command nor a code of this version${guess} \`donor-sync --help\` lists the commands.`,
    { code: 'code_unknown', details: { word } },
  );
}

const KIND_TEXTS: Readonly<Record<CodeKind, string>> = {
  outcome: 'an outcome',
  reason: 'a reason',
  waiting_values: 'why values are waiting to be written',
  excluded_values: 'why `sync --redeliver` excludes a contact',
  error: 'an error code',
};

/** The width of headings such as `Means: `, including their indent. */
const HEADING_WIDTH = 10;

const MIN_TEXT_WIDTH = 30;

function printExplanation(
  output: Output,
  { code, kind, means, next, costs, document }: Explanation,
  columns: number | undefined,
): void {
  const outcome = kind === 'reason' ? outcomeNamed(code) : null;
  const of = outcome === null ? '' : ` of the outcome \`${outcome}\``;
  output.print(`${output.style.strong(code)}: ${KIND_TEXTS[kind]}${of}`);
  const rows = { Means: means, Next: next, Costs: costs, More: document };
  for (const [heading, text] of Object.entries(rows)) {
    if (text === null) continue;
    const width = columns === undefined ? Number.POSITIVE_INFINITY : columns - HEADING_WIDTH;
    const lines = wrapWidth(text, Math.max(MIN_TEXT_WIDTH, width));
    output.print(
      lines
        .map((line, at) => `${at === 0 ? `  ${heading}:` : ''}`.padEnd(HEADING_WIDTH) + line)
        .join('\n'),
    );
  }
  output.print();
}
