/** Handles requests for runs that were interrupted. */
import { STOPPED_BY_PERSON } from '../../core/run.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { Trx } from '../../database/tables/tables.ts';
import { ALL_CONTACTS, insertRequest, type RunRequestRecord } from './request-rows.ts';
import { writeRunRows } from './run-rows.ts';

/**
 * The result for a request whose run was interrupted. donor-sync queues the request again, or the request has already
 * ended, or donor-sync gives it up.
 */
export type PutBack = { state: 'waits'; runId: string } | { state: 'ended' | 'givenUp' };

/**
 * The maximum number of interruptions of a run. After more interruptions, the run probably crashes its process or never
 * finishes.
 */
const MAX_RESUMES = 5;

/**
 * Queues the request of an interrupted run again, for a run with a new ID. Does nothing if the queue already contains
 * an equal request. If an ending process hands over a request, this does not count as an interruption.
 */
export async function putBackRequest(
  trx: ActorTransaction,
  request: RunRequestRecord,
  newRunId: string,
  isHandedOver = false,
): Promise<PutBack> {
  const { numDeletedRows } = await trx
    .deleteFrom('run_requests')
    .where('run_id', '=', request.runId)
    .where('left_at', 'is not', null)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return { state: 'ended' };
  if (await endIfStopped(trx, request)) return { state: 'ended' };
  if (!isHandedOver && request.resumed >= MAX_RESUMES) {
    await recordGivenUp(trx, request);
    return { state: 'givenUp' };
  }
  if (request.contact !== ALL_CONTACTS) await separate(trx, request.runId);
  const resumed = request.resumed + (isHandedOver ? 0 : 1);
  const again = { ...request, runId: newRunId, resumed, leftAt: null };
  return { state: 'waits', runId: await insertRequest(trx, again) };
}

/** Gives up a request. Records it as a failed run, which triggers alerts. */
async function recordGivenUp(
  trx: ActorTransaction,
  { runId: id, integrationId }: RunRequestRecord,
): Promise<void> {
  const cutOff = await trx
    .updateTable('runs')
    .set((eb) => ({
      status: 'failed',
      reason_code: 'cut_off_too_often',
      reason_message: `The process ended during this run, and also during the ${MAX_RESUMES} previous runs. donor-sync repeats the run only when a schedule or a user starts it.`,
      finished_at: eb.fn.coalesce('finished_at', eb.val(trx.clock.now())),
      report: null,
    }))
    .where('id', '=', id)
    .returning('fresh_count')
    .executeTakeFirst();
  if (cutOff?.fresh_count === null) await writeRunRows(trx, { id, integrationId });
}

/** True if a user requested a stop before the run was interrupted. donor-sync does not start such a run again. */
async function endIfStopped(
  trx: ActorTransaction,
  { runId: id, integrationId }: RunRequestRecord,
): Promise<boolean> {
  const stopped = await trx
    .updateTable('runs')
    .set((eb) => ({
      status: 'incomplete',
      reason_code: STOPPED_BY_PERSON.code,
      reason_message: STOPPED_BY_PERSON.message,
      finished_at: eb.fn.coalesce('finished_at', eb.val(trx.clock.now())),
      report: null,
    }))
    .where('id', '=', id)
    .where('stop_asked_at', 'is not', null)
    .returning('fresh_count')
    .executeTakeFirst();
  if (stopped?.fresh_count === null) await writeRunRows(trx, { id, integrationId });
  return stopped !== undefined;
}

/**
 * Separates the requests that were combined in the interrupted run. The separated requests are queued again, unless the
 * queue contains equal requests.
 */
export async function separate(trx: Trx, runId: string): Promise<void> {
  await trx
    .updateTable('run_requests')
    .set({ left_at: null, merged_into: null })
    .where('merged_into', '=', runId)
    .where('contact', 'not in', (eb) =>
      eb
        .selectFrom('run_requests as waiting')
        .select('waiting.contact')
        .whereRef('waiting.integration_id', '=', 'run_requests.integration_id')
        .where('waiting.left_at', 'is', null),
    )
    .execute();
}
