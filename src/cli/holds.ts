import type { Command } from 'commander';
import { z } from 'zod';
import { type DecisionWord, HOLD_DECISIONS, listOpenHolds } from '../application/holds.ts';
import type { Application } from '../application.ts';
import { ConfigurationError } from '../core/errors.ts';
import { didYouMean } from '../core/near-miss.ts';
import { readOptions, runAction } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { decideHolds } from './holds/decide.ts';
import { describeHold, type HoldView } from './holds/hold-view.ts';
import { findNames } from './holds/names.ts';
import { formatAgo } from './moment.ts';
import type { Output } from './output.ts';
import { type ProductDeps, productCommand, withApplication } from './product.ts';
import { productOptionsSchema, runProductAction } from './product-action.ts';
import { countOf } from './quantities.ts';
import { shortId } from './short-id.ts';

const EXAMPLES = `
Examples:
  donor-sync holds                        what waits for a person
  donor-sync holds --show                 with both names, asked of CRM and service (free)
  donor-sync holds approve 1a2b3c4d       the profile is this contact's: write it
  donor-sync holds reject 1a2b3c4d        it is somebody else's: leave the contact alone
  donor-sync holds resubmit 1a2b3c4d      ask the service again, for another credit`;

const optionsSchema = productOptionsSchema.extend({
  integration: z.string().optional(),
  show: z.boolean().default(false),
});

/** The command `holds`: what waits for a person's decision, and the decisions. */
export function holdsCommand(deps: ProductDeps): Command {
  const command = productCommand('holds', deps)
    .description('list the contacts and networks that wait for a person, or decide them')
    .usage('[options] [approve|reject|resubmit]')
    .argument('[words...]')
    .option('--integration <id>', 'only the holds of this integration')
    .option('--show', 'show both names, asked of CRM and service now; they are kept nowhere')
    .addHelpText('after', EXAMPLES);
  for (const word of HOLD_DECISIONS) command.addCommand(decisionCommand(deps, word));
  return command.action((words: string[]) =>
    runAction(deps, command, (output) => {
      requireNoWords(words);
      const options = readOptions(command, optionsSchema);
      return withApplication(deps, options.config, async (application) => {
        await listHolds(deps, application, output, options);
        return EXIT_CODES.done;
      });
    }),
  );
}

const DESCRIPTIONS: Readonly<Record<DecisionWord, string>> = {
  approve: 'the profile belongs to the contact, or the network may change: the next sync does it',
  reject: 'the profile is somebody else, or the network stays: it is left alone',
  resubmit: 'ask the service again with the details of now; spends another credit',
};

function decisionCommand(deps: ProductDeps, word: DecisionWord): Command {
  const command = productCommand(word, deps)
    .description(DESCRIPTIONS[word])
    .argument('<ids...>', 'the ids of holds, whole or as the list shows them')
    .addHelpText('after', `\nExample:\n  donor-sync holds ${word} 1a2b3c4d`);
  return command.action((ids: string[]) =>
    runProductAction(deps, command, productOptionsSchema, async ({ application, output }) => {
      await decideHolds(application.store, output, word, ids);
      return EXIT_CODES.done;
    }),
  );
}

function requireNoWords([word]: readonly string[]): void {
  if (word === undefined) return;
  throw new ConfigurationError(
    `holds knows no "${word}"${didYouMean(word, HOLD_DECISIONS) || '.'} It can ${HOLD_DECISIONS.join(', ')}.`,
    { code: 'usage' },
  );
}

async function listHolds(
  deps: ProductDeps,
  application: Application,
  output: Output,
  { integration, show }: z.infer<typeof optionsSchema>,
): Promise<void> {
  if (integration !== undefined) application.select([integration]);
  const open = await listOpenHolds(application.store, integration);
  const rows = open.flatMap((hold) => (hold.about === 'contact' ? [hold.row] : []));
  const names = show ? await findNames(application, rows) : null;
  const holds = open.map((hold): HoldView => {
    const view = describeHold(hold);
    return names === null || hold.about === 'network'
      ? view
      : { ...view, names: names.get(view.id) ?? null };
  });
  output.finish({ holds }, () => printHolds(output, holds, deps.clock.now()));
}

function printHolds(output: Output, holds: readonly HoldView[], now: number): void {
  if (holds.length === 0) {
    output.print('Nothing waits for a person.');
    return;
  }
  output.table(
    [
      { header: 'Hold', value: ({ id }) => shortId(id) },
      { header: 'Integration', value: ({ integration }) => integration, shrinks: true },
      { header: 'Contact or network', value: subjectOf },
      { header: 'Since', value: ({ since }) => formatAgo(since, now) },
      { header: 'Why', value: ({ reason }) => reason, shrinks: true },
      { header: 'Decide', value: ({ decisions }) => decisions.join(', ') },
    ],
    holds,
  );
  printNames(output, holds);
  output.print();
  output.print(
    `${countOf(holds.length, 'decision')} to make: donor-sync holds approve|reject|resubmit ID`,
  );
}

function subjectOf({ contact, network }: HoldView): string {
  return contact ?? network ?? '';
}

function printNames(output: Output, holds: readonly HoldView[]): void {
  const shown = holds.flatMap((hold) => (hold.names ? [{ id: hold.id, ...hold.names }] : []));
  if (shown.length === 0) return;
  output.print();
  output.table(
    [
      { header: 'Hold', value: ({ id }) => shortId(id) },
      { header: 'In the CRM', value: ({ contact }) => contact ?? '', shrinks: true },
      { header: 'In the profile', value: ({ profile }) => profile ?? '', shrinks: true },
      { header: 'Remark', value: ({ problem }) => problem ?? '', shrinks: true, optional: true },
    ],
    shown,
  );
}
