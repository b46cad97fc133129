import type { Command } from 'commander';
import { z } from 'zod';
import { didYouMean } from '../../../core/near-miss.ts';
import {
  BATCH_DECISIONS,
  type BatchDecisionWord,
  type DecisionWord,
  HOLD_DECISIONS,
} from '../../../core/questions/decisions.ts';
import type { Reader } from '../../../database/reader.ts';
import { listBatches } from '../../../decisions/statements/batches.ts';
import { listOpenQuestions } from '../../../decisions/statements/questions.ts';
import { listAnswers, withdrawAnswer } from '../../../operations/answers.ts';
import {
  approveHolds,
  decideHold,
  decideHoldBatch,
  describeBatchDecision,
  rejectHolds,
  resubmitHolds,
} from '../../../operations/decide.ts';
import { decideAll } from '../../../operations/decide-all.ts';
import { listHolds, listHoldsWithNames, showQueue, tableHolds } from '../../../operations/holds.ts';
import { carryOutHere, operationCommand, refuseJson } from '../action/operation-command.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { wholeId } from '../action/whole-id.ts';
import { usageError } from '../terminal/output.ts';

const EXAMPLES = `
Examples:
  donor-sync holds                        the contacts and networks that need a decision
  donor-sync holds --show                 with names and examples, read from CRM and service (free); not with --json
  donor-sync holds --batch 5e6f7a8b       every contact of a batch
  donor-sync holds approve 1a2b3c4d       the profile belongs to this contact: write it
  donor-sync holds reject 1a2b3c4d        the profile is another person's: leave the contact alone
  donor-sync holds resubmit 1a2b3c4d      submit the contact again, for another credit
  donor-sync holds approve --batch 5e6f7a8b   submit all contacts of a batch again, for a credit each
  donor-sync holds reject --batch 5e6f7a8b    they are still the same people; costs no credit
  donor-sync holds all riverside name_mismatch reject    all contacts that wait for one reason
  donor-sync holds queue --order newest   in pages, counted by client and reason
  donor-sync holds answers                answers from the pages that have not taken effect yet
  donor-sync holds withdraw ID            withdraw one of these answers

You can use the end of an ID from the list, at least six characters. Scripts (--json) need the whole ID.
For missing contacts, approve means that they are gone, and reject means to wait for them. Both are free.

Exit code 3: the decision covers more contacts than one user may approve (twoPeople.approvals in the settings).
It waits for a second user, and nothing was decided yet.`;

const listOptions = baseOptions.extend({
  integration: z.string().optional(),
  show: z.boolean().default(false),
  batch: z.string().optional(),
});

const decisionOptions = baseOptions.extend({ batch: z.string().optional() });

export function holdsCommand(deps: ProductDeps): Command {
  const command = productCommand('holds', deps)
    .description(listHolds.summary)
    .usage('[options] [command]')
    .argument('[words...]')
    .option('--integration <text>', 'The ID of the client; all if left out')
    .option('--show', 'show names and examples, read now from the CRM and the service; not stored')
    .option('--batch <text>', 'The ID of a batch: only its contacts, one by one')
    .addHelpText('after', EXAMPLES);
  for (const word of HOLD_DECISIONS) command.addCommand(decisionCommand(deps, word));
  command.addCommand(operationCommand(deps, decideHold));
  command.addCommand(operationCommand(deps, decideHoldBatch));
  command.addCommand(operationCommand(deps, decideAll));
  command.addCommand(operationCommand(deps, listHoldsWithNames, undefined, { namesPeople: true }));
  command.addCommand(operationCommand(deps, showQueue));
  command.addCommand(operationCommand(deps, listAnswers));
  command.addCommand(operationCommand(deps, withdrawAnswer));
  return productAction(deps, command, listOptions, async (action, words: string[]) => {
    requireNoWords(command, words);
    const { output, options } = action;
    const { integration, show } = options;
    const batch = options.batch && (await toBatch(action, options.batch));
    const given = { ...(integration && { integration }), ...(batch && { batch }) };
    const table = (result: Parameters<typeof tableHolds>[0]) =>
      tableHolds(result, { isBatch: batch !== undefined });
    if (!show) return carryOutHere(deps, action, { ...listHolds, table }, given);
    refuseJson(output);
    const named = { ...given, examples: true };
    return carryOutHere(deps, action, { ...listHoldsWithNames, table }, named);
  });
}

type Action = Parameters<typeof carryOutHere>[1];

function decisionCommand(deps: ProductDeps, word: DecisionWord): Command {
  const operation = OPERATIONS[word];
  const command = productCommand(word, deps)
    .description(operation.summary)
    .argument('[holds...]', 'the IDs of the decisions, whole or shortened as in the list')
    .addHelpText('after', `\nExample:\n  donor-sync holds ${word} 1a2b3c4d`);
  if (isBatchDecision(word)) {
    command.option('--batch <id>', 'instead of IDs: all contacts of this batch');
  }
  return productAction(deps, command, decisionOptions, async (action, typed: string[]) => {
    const batch = batchAlone(word, typed, action.options.batch);
    if (batch !== null) {
      const id = await toBatch(action, batch.id);
      const open = await listBatches(action.application.store.reader);
      const kind = open.find((one) => one.id === id)?.kind ?? null;
      const say = (result: Parameters<typeof decideHoldBatch.say>[0]) =>
        describeBatchDecision(result, kind);
      const given = { id, decision: batch.word };
      return carryOutHere(deps, action, { ...decideHoldBatch, say }, given);
    }
    const holds: string[] = [];
    for (const one of typed) holds.push(await toHold(action, one));
    return carryOutHere(deps, action, operation, { holds });
  });
}

const OPERATIONS = { approve: approveHolds, reject: rejectHolds, resubmit: resubmitHolds };

/**
 * Returns the kind of batch, or null if the options select single decisions. Throws a ConfigurationError if several
 * kinds are given.
 */
function batchAlone(
  word: DecisionWord,
  ids: readonly string[],
  batch: string | undefined,
): { id: string; word: BatchDecisionWord } | null {
  if (batch === undefined) {
    if (ids.length > 0) return null;
    const orBatch = isBatchDecision(word) ? ', or a whole batch with --batch ID' : '';
    throw usageError(`Enter the IDs of the decisions${orBatch}. List them: donor-sync holds`);
  }
  if (!isBatchDecision(word)) {
    throw usageError(
      `A batch can only be approved or rejected: donor-sync holds approve --batch ${batch}`,
    );
  }
  if (ids.length === 0) return { id: batch, word };
  throw usageError('Use either --batch or the IDs of individual decisions, but not both.');
}

function isBatchDecision(word: DecisionWord): word is BatchDecisionWord {
  return BATCH_DECISIONS.some((known) => known === word);
}

function requireNoWords({ commands }: Command, [word]: readonly string[]): void {
  if (word === undefined) return;
  const known = commands.map((one) => one.name());
  throw usageError(
    `holds has no command "${word}"${didYouMean(word, known) || '.'} Its commands are ${known.join(', ')}.`,
  );
}

/** Returns the decision's whole ID. If the ID belongs to a batch, the operation explains the mistake. */
async function toHold({ application, output }: Action, typed: string): Promise<string> {
  const { reader } = application.store;
  const open = (await listOpenQuestions(reader)).map(({ id }) => id);
  return wholeId(output, typed, [...open, ...(await listBatchIds(reader))]);
}

async function toBatch({ application, output }: Action, typed: string): Promise<string> {
  return wholeId(output, typed, await listBatchIds(application.store.reader));
}

async function listBatchIds(reader: Reader): Promise<string[]> {
  return (await listBatches(reader)).map(({ id }) => id);
}
