/** Contacts that are decided together, on the command line. */

import type { Application } from '../../../../application.ts';
import { ConfigurationError, messageOf } from '../../../../core/errors.ts';
import { didYouMean } from '../../../../core/near-miss.ts';
import type { Reader } from '../../../../database/reader.ts';
import { type BatchExample, readBatchExamples } from '../../../../decisions/batch-examples.ts';
import { decideBatch, requireBatchDecision } from '../../../../decisions/decide.ts';
import { approvalOfBatch } from '../../../../decisions/second-person/ask.ts';
import type { QuestionBatch } from '../../../../decisions/statements/batches.ts';
import { findBatchIntegration, listBatches } from '../../../../decisions/statements/batches.ts';
import { BATCH_KINDS, type BatchDecisionWord } from '../../../../decisions/views/batch-kinds.ts';
import type { BatchView } from '../../../../decisions/views/question.ts';
import { neverAborted, type ProductDeps } from '../../action/product.ts';
import { waitForSecondPerson } from '../../action/second-person.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../../terminal/output.ts';
import { describeCount, findId, formatAgo, formatCount, shortId } from '../../terminal/words.ts';

/** The open batch with this id, whole or short; a ConfigurationError says which ones there are. */
export async function requireBatch(reader: Reader, typed: string): Promise<QuestionBatch> {
  const batches = await listBatches(reader);
  const ids = batches.map(({ id }) => id);
  const id = findId(typed, ids);
  const found = batches.find((batch) => batch.id === id);
  if (found) return found;
  const isDecided = (await findBatchIntegration(reader, typed)) !== null;
  const known = batches.map(
    (batch) =>
      `${shortId(batch.id)} (${describeCount(batch.count, 'contact')} of ${batch.integrationId})`,
  );
  throw new ConfigurationError(
    [
      isDecided
        ? `All contacts of the batch "${typed}" are decided already.`
        : `There is no open batch "${typed}"${didYouMean(typed, [...ids, ...ids.map(shortId)]) || '.'}`,
      known.length === 0 ? 'No batch waits for a decision.' : `Open: ${known.join(', ')}.`,
    ].join(' '),
    { code: 'batch_unknown', details: { batch: typed, open: ids } },
  );
}

/** Decides a batch, and says what the next sync spends on it. */
export async function decideWholeBatch(
  deps: ProductDeps,
  application: Application,
  output: Output,
  word: BatchDecisionWord,
  typed: string,
): Promise<ExitCode> {
  const { store } = application;
  const open = await requireBatch(store.reader, typed);
  requireBatchDecision(open, word);
  const request = approvalOfBatch(word, open);
  const { integrationId } = open;
  const waits =
    request && (await waitForSecondPerson(deps, application, output, { request, integrationId }));
  if (waits !== null) return waits;
  const batch = await decideBatch(store.act, open, word);
  output.finish({ batch }, () => output.print(BATCH_KINDS[open.kind].decided(word, batch.count)));
  return EXIT_CODES.done;
}

/** One line for each batch. */
export function printBatches(output: Output, batches: readonly BatchView[], now: number): void {
  output.table(
    [
      { header: 'Batch', value: ({ id }) => shortId(id) },
      { header: 'Integration', value: ({ integration }) => integration, shrinks: true },
      { header: 'Contacts', value: ({ count }) => formatCount(count), align: 'right' },
      { header: 'Since', value: ({ since }) => formatAgo(since, now) },
      {
        header: 'Why',
        value: ({ kind, parts }) => BATCH_KINDS[kind].inShort(parts),
        shrinks: true,
      },
      { header: 'Credits', value: ({ credits }) => formatCount(credits), align: 'right' },
      { header: 'Decide', value: ({ decisions }) => `${decisions.join('|')} --batch` },
    ],
    batches,
  );
}

/** A few contacts of a batch, or why they cannot be shown. */
export interface ShownBatch {
  id: string;
  examples: BatchExample[];
  problem: string | null;
}

/** A few contacts of each batch, asked of the CRM at this moment, for nothing. */
export async function findExamples(
  application: Application,
  batches: readonly QuestionBatch[],
): Promise<ShownBatch[]> {
  const shown: ShownBatch[] = [];
  for (const batch of batches) {
    shown.push(
      await readBatchExamples(application, batch, neverAborted()).then(
        (examples) => ({ id: batch.id, examples, problem: null }),
        (error: unknown) => ({ id: batch.id, examples: [], problem: messageOf(error) }),
      ),
    );
  }
  return shown;
}

export function printExamples(output: Output, shown: readonly ShownBatch[]): void {
  const rows = shown.flatMap(({ id, examples, problem }) =>
    problem === null
      ? examples.map((example) => ({ id, ...toLine(example) }))
      : [{ id, contact: '', name: '', now: '', remark: problem }],
  );
  if (rows.length === 0) return;
  output.print();
  output.table(
    [
      { header: 'Batch', value: ({ id }) => shortId(id) },
      { header: 'For example', value: ({ contact }) => contact },
      { header: 'Name', value: ({ name }) => name, shrinks: true },
      { header: 'Now in the CRM', value: ({ now }) => now, shrinks: true },
      { header: 'Remark', value: ({ remark }) => remark, shrinks: true, optional: true },
    ],
    rows,
  );
}

function toLine({ contact, name, now }: BatchExample) {
  return {
    contact,
    name: name ?? '',
    now: now.map(({ part, text }) => `${part}: ${text}`).join(', '),
    remark: name === null ? 'the contact is no longer in the CRM' : '',
  };
}
