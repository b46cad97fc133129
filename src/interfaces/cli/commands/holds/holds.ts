import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../../application.ts';
import { didYouMean } from '../../../../core/near-miss.ts';
import type { QuestionBatch } from '../../../../decisions/statements/batches.ts';
import { listBatches, listQuestionsOfBatch } from '../../../../decisions/statements/batches.ts';
import type { Question } from '../../../../decisions/statements/questions.ts';
import {
  BATCH_DECISIONS,
  type BatchDecisionWord,
} from '../../../../decisions/views/batch-kinds.ts';
import { type DecisionWord, HOLD_DECISIONS } from '../../../../decisions/views/kinds.ts';
import {
  type BatchView,
  describeBatch,
  describeQuestion,
  listCountedQuestions,
  type QuestionView,
  withBatchCounts,
} from '../../../../decisions/views/question.ts';
import { decideAll } from '../../../../operations/decide-all.ts';
import { readOptions, runAction } from '../../action/command.ts';
import { recordNamesShown } from '../../action/names-shown.ts';
import { operationCommand } from '../../action/operation-command.ts';
import {
  baseOptions,
  type ProductDeps,
  productAction,
  productCommand,
  withApplication,
} from '../../action/product.ts';
import { EXIT_CODES, type Output, usageError } from '../../terminal/output.ts';
import { describeCount, formatAgo, shortId } from '../../terminal/words.ts';
import {
  decideWholeBatch,
  findExamples,
  printBatches,
  printExamples,
  requireBatch,
} from './batches.ts';
import { decideQuestions } from './decide.ts';
import { findNames, type HoldNames } from './names.ts';

const EXAMPLES = `
Examples:
  donor-sync holds                        what waits for a person
  donor-sync holds --show                 with names and examples, asked of CRM and service (free)
  donor-sync holds --batch 5e6f7a8b       every contact of a batch
  donor-sync holds approve 1a2b3c4d       the profile is this contact's: write it
  donor-sync holds reject 1a2b3c4d        it is another person's: leave the contact alone
  donor-sync holds resubmit 1a2b3c4d      ask the service again, for another credit
  donor-sync holds approve --batch 5e6f7a8b   ask about all of a batch, for a credit each
  donor-sync holds reject --batch 5e6f7a8b    they are the same people still: no credit
  donor-sync holds all riverside name_mismatch reject    all that wait for one reason

Of missing contacts, approve says that they are gone, and reject waits for them; both are free.

Exit code 3: it is about more contacts than one person may approve (twoPeople.approvals of the settings),
waits for a second one, and nothing was decided yet.`;

const optionsSchema = baseOptions.extend({
  integration: z.string().optional(),
  show: z.boolean().default(false),
  batch: z.string().optional(),
});

const decisionOptionsSchema = baseOptions.extend({ batch: z.string().optional() });

/** The command `holds`: what waits for a person's decision, and the decisions. */
export function holdsCommand(deps: ProductDeps): Command {
  const command = productCommand('holds', deps)
    .description('list the contacts and networks that wait for a person, or decide them')
    .usage('[options] [approve|reject|resubmit]')
    .argument('[words...]')
    .option('--integration <id>', 'only the holds of this integration')
    .option('--show', 'show names and examples, asked of CRM and service now; kept nowhere')
    .option('--batch <id>', 'the contacts of this batch one by one')
    .addHelpText('after', EXAMPLES);
  for (const word of HOLD_DECISIONS) command.addCommand(decisionCommand(deps, word));
  command.addCommand(operationCommand(deps, decideAll));
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
  approve:
    'the profile belongs to the contact, the network may change, the changed details are worth a credit, or the missing contacts are gone: the next sync does it',
  reject:
    'the profile is another person, the network stays, the changed details are the same person, or the missing contacts are waited for: it is left alone',
  resubmit: 'ask the service again with the details of now; spends another credit',
};

function decisionCommand(deps: ProductDeps, word: DecisionWord): Command {
  const command = productCommand(word, deps)
    .description(DESCRIPTIONS[word])
    .argument('[ids...]', 'the ids of holds, whole or as the list shows them')
    .addHelpText('after', `\nExample:\n  donor-sync holds ${word} 1a2b3c4d`);
  if (isBatchDecision(word)) {
    command.option('--batch <id>', 'instead of ids: all contacts of this batch');
  }
  return productAction(deps, command, decisionOptionsSchema, async (action, ids: string[]) => {
    const { application, options, output } = action;
    const batch = batchAlone(word, ids, options.batch);
    if (batch !== null) return decideWholeBatch(deps, application, output, batch.word, batch.id);
    return decideQuestions(deps, application, output, word, ids);
  });
}

/** The batch that is meant, or null if it is single holds. Throws a ConfigurationError if both are. */
function batchAlone(
  word: DecisionWord,
  ids: readonly string[],
  batch: string | undefined,
): { id: string; word: BatchDecisionWord } | null {
  if (batch === undefined) {
    if (ids.length > 0) return null;
    const orBatch = isBatchDecision(word) ? ', or all of a batch with --batch ID' : '';
    throw usageError(
      `Which ones? Name the ids of holds${orBatch}. \`donor-sync holds\` lists them.`,
    );
  }
  if (!isBatchDecision(word)) {
    throw usageError(`A batch is approved or rejected: donor-sync holds approve --batch ${batch}`);
  }
  if (ids.length === 0) return { id: batch, word };
  throw usageError('Either --batch or the ids of single holds, not both.');
}

function isBatchDecision(word: DecisionWord): word is BatchDecisionWord {
  return BATCH_DECISIONS.some((known) => known === word);
}

function requireNoWords([word]: readonly string[]): void {
  if (word === undefined) return;
  throw usageError(
    `holds knows no "${word}"${didYouMean(word, HOLD_DECISIONS) || '.'} It can ${HOLD_DECISIONS.join(', ')}.`,
  );
}

async function listHolds(
  deps: ProductDeps,
  application: Application,
  output: Output,
  { integration, show, batch }: z.infer<typeof optionsSchema>,
): Promise<void> {
  if (integration !== undefined) application.select([integration]);
  const { open, batches } = await findOpen(application, integration, batch);
  const rows = open.filter((hold) => hold.about === 'contact');
  const names = show ? await findNames(application, rows) : null;
  const examples = show && !output.isJson ? await findExamples(application, batches) : [];
  const shown = [...(names?.values() ?? [])].flatMap(({ contact, profile }) => [contact, profile]);
  await recordNamesShown(application, {
    command: 'holds',
    integrationId: integration ?? null,
    names: [...shown.filter((name) => name !== null), ...examples.flatMap((one) => one.examples)]
      .length,
  });
  const holds = open.map((hold): ShownHold => {
    const view = describeQuestion(hold);
    return names === null || hold.about === 'network'
      ? view
      : { ...view, names: names.get(view.id) ?? null };
  });
  output.finish({ holds, batches: batches.map(describeBatch) }, (document) => {
    const now = deps.clock.now();
    // Thousands of contacts of one cause are one line, unless they are asked for.
    const listed = batch === undefined ? holds.filter((hold) => hold.batch === null) : holds;
    if (listed.length > 0) printHolds(output, listed, now);
    printNames(output, listed);
    if (listed.length > 0 && batches.length > 0) output.print();
    if (batches.length > 0) printBatches(output, document.batches, now);
    printExamples(output, examples);
    printDecisions(output, document.holds, document.batches);
  });
}

/** A hold as `holds --json` shows it. */
interface ShownHold extends QuestionView {
  /** With `--show`: the two names; null if the hold is not about names. */
  names?: HoldNames | null;
}

/** What is open: everything, that of an integration, or that of one batch. */
async function findOpen(
  { store }: Application,
  integration: string | undefined,
  typedBatch: string | undefined,
): Promise<{ open: Question[]; batches: QuestionBatch[] }> {
  if (typedBatch === undefined) {
    return {
      open: await listCountedQuestions(store.reader, integration),
      batches: await listBatches(store.reader, integration),
    };
  }
  const batch = await requireBatch(store.reader, typedBatch);
  return {
    open: withBatchCounts(await listQuestionsOfBatch(store.reader, batch)),
    batches: [batch],
  };
}

function printHolds(output: Output, holds: readonly ShownHold[], now: number): void {
  output.table(
    [
      { header: 'Hold', value: ({ id }) => shortId(id) },
      { header: 'Integration', value: ({ integration }) => integration, shrinks: true },
      { header: 'Contact or network', value: getSubject },
      { header: 'Since', value: ({ since }) => formatAgo(since, now) },
      { header: 'Why', value: ({ reason }) => reason, shrinks: true },
      { header: 'Decide', value: ({ decisions }) => decisions.join(', ') },
    ],
    holds,
  );
}

/** How many decisions there are to make, and with which commands. */
function printDecisions(
  output: Output,
  holds: readonly ShownHold[],
  batches: readonly BatchView[],
): void {
  const single = holds.filter(({ batch }) => batch === null).length;
  if (single + batches.length === 0) {
    output.print('Nothing waits for a person.');
    return;
  }
  const decisions = `${describeCount(single + batches.length, 'decision')} to make:`;
  const ofBatch = 'donor-sync holds approve|reject --batch ID';
  output.print();
  if (single > 0) {
    output.print(`${decisions} donor-sync holds approve|reject|resubmit ID`);
    if (batches.length > 0) output.print(`For a batch: ${ofBatch}`);
  } else {
    output.print(`${decisions} ${ofBatch}`);
  }
  if (batches.length === 0) return;
  if (batches.some(({ kind }) => kind === 'identity_mass_change')) {
    output.print(
      'Approving a batch of changed details asks the service again, for a credit each; rejecting it',
    );
    output.print(
      'takes the details over as those of the same people, for none. Three of them: --show.',
    );
  }
  for (const { id, kind, reason } of batches) {
    if (kind === 'identity_mass_change') continue;
    output.print(`Batch ${shortId(id)}: ${reason}`);
    output.print(
      kind === 'contacts_missing'
        ? 'Approve it if the contacts are gone, and reject it to wait for them. Both are free.'
        : 'Approve it if the marks are right, and reject it if they are an error. Both are free.',
    );
  }
}

function getSubject({ contact, network }: ShownHold): string {
  return contact ?? network ?? '';
}

function printNames(output: Output, holds: readonly ShownHold[]): void {
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
