/** Finds the decisions that the input names. */
import { ConfigurationError } from '../core/errors.ts';
import { didYouMean } from '../core/near-miss.ts';
import { describeCount } from '../core/quantities.ts';
import { batchDecidedAlready } from '../decisions/decided-by.ts';
import {
  findBatchIntegration,
  listBatches,
  type QuestionBatch,
} from '../decisions/statements/batches.ts';
import { findQuestion, type Question } from '../decisions/statements/questions.ts';
import type { World } from './kit/operation.ts';

type Looking = Pick<World, 'reader' | 'caller' | 'fingerprint'>;

/** True if the caller has access to the client. The client may no longer be in the settings. */
export function hasAccess({ caller: { clients } }: Pick<World, 'caller'>, id: string): boolean {
  return clients?.has(id) ?? true;
}

/**
 * Finds a decision, whether it is open or answered. Throws a ConfigurationError (unknown) if the decision does not
 * exist.
 */
export async function findHold(world: Looking, id: string): Promise<Question> {
  const question = await findQuestion(world.reader, id);
  if (question !== undefined && hasAccess(world, question.integrationId)) return question;
  const batch = (await listOpenBatches(world)).find((one) => one.id === id);
  if (batch !== undefined) throw isBatch(batch);
  throw unknownHold(id);
}

export function unknownHold(id: string): ConfigurationError {
  return new ConfigurationError(
    `There is no decision "${id}". Nothing was changed. List the open decisions: donor-sync holds`,
    { code: 'hold_unknown', refusal: 'unknown', details: { hold: id } },
  );
}

/**
 * Finds an open batch. Throws a ConfigurationError: `unknown` if the batch does not exist, and `conflict` if all its
 * decisions are answered.
 */
export async function findOpenBatch(world: Looking, id: string): Promise<QuestionBatch> {
  const open = await listOpenBatches(world);
  const found = open.find((batch) => batch.id === id);
  if (found !== undefined) return found;
  const integrationId = await findBatchIntegration(world.reader, id);
  if (integrationId !== null && hasAccess(world, integrationId)) {
    throw await batchDecidedAlready(world, { id, integrationId });
  }
  const ids = open.map((batch) => batch.id);
  const known = open.map(
    (batch) => `${batch.id} (${describeCount(batch.count, 'contact')} of ${batch.integrationId})`,
  );
  throw new ConfigurationError(
    `There is no open batch "${id}"${didYouMean(id, ids) || '.'} Nothing was changed. ${
      known.length === 0 ? 'There are no open batches.' : `Open batches: ${known.join(', ')}.`
    }`,
    { code: 'batch_unknown', refusal: 'unknown', details: { batch: id } },
  );
}

async function listOpenBatches(world: Looking): Promise<QuestionBatch[]> {
  const batches = await listBatches(world.reader);
  return batches.filter(({ integrationId }) => hasAccess(world, integrationId));
}

/**
 * Creates the error for a batch's ID in place of a decision's ID. Users have to decide about a whole batch explicitly.
 */
function isBatch({ id, count }: QuestionBatch): ConfigurationError {
  return new ConfigurationError(
    `"${id}" is a batch of ${describeCount(count, 'contact')}. Nothing was changed. Decide all of them: donor-sync holds approve --batch ${id}, or donor-sync holds reject --batch ${id}`,
    { code: 'hold_is_batch', refusal: 'conflict', details: { batch: id } },
  );
}
