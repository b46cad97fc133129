import { z } from 'zod';
import type { Log } from '../core/log.ts';
import { MAX_PERSONS_PER_SUBMISSION, type Person } from '../core/person.ts';
import { parseReply, type Reply, unreadable } from './reply.ts';
import type { MayLeave } from './request.ts';
import { operation } from './routes.ts';
import type { Send } from './send.ts';

/** The response to one submission. */
export interface Submission {
  /** The job IDs by tracking ID. People without a job ID were not processed and not charged. */
  jobIds: ReadonlyMap<string, string>;
  requested: number;
  /** The number of credits that the service charged. */
  processed: number;
  /** The reason why the service processed fewer people than requested, if the service gave a reason. */
  partialReason: string | null;
}

/**
 * Submits people. Each submitted person costs a credit from the enhancements bucket (service document, section 4.3).
 */
export const SUBMIT = operation(
  'submit persons',
  { charges: 'enhancements', lane: 'submit', namesThings: false },
  [
    { method: 'POST', path: '/enhancements', listName: 'persons' },
    { method: 'PUT', path: '', listName: 'persons' },
  ],
);

/**
 * Submits 1 to 100 people with different tracking IDs. After `AnswerLost`, credits may have been spent. After any other
 * error, no credits were spent. If the signal is aborted, the signal's reason is thrown only while the service cannot
 * have charged anything.
 */
export async function submitEnhancements(
  send: Send,
  log: Log,
  persons: readonly Person[],
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<Submission> {
  if (persons.length < 1 || persons.length > MAX_PERSONS_PER_SUBMISSION) {
    throw new RangeError(
      `A submission holds 1 to ${MAX_PERSONS_PER_SUBMISSION} people, not ${persons.length}`,
    );
  }
  const payload = { list: persons.map(toWire) };
  return readSubmission(await send(SUBMIT, payload, signal, mayLeave), persons, log);
}

function toWire(person: Person) {
  return {
    tracking_id: person.trackingId,
    name: { first: person.firstName, last: person.lastName },
    addresses: person.addresses,
    employers: person.employers,
  };
}

const replySchema = z.object({
  // A person without a job ID was not processed. The service omits the ID or sends null.
  tracking_id_to_job_id: z.record(z.string(), z.string().min(1).nullable()),
  // The jobs were paid for, so the client keeps their IDs even if it cannot read the counts.
  meta: z
    .object({
      requested: z.int().nonnegative().nullish().catch(null),
      processed: z.int().nonnegative().nullish().catch(null),
      partial_reason: z.string().nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

function readSubmission(reply: Reply, persons: readonly Person[], log: Log): Submission {
  const { tracking_id_to_job_id: answered, meta } = parseReply(replySchema, reply);
  const jobIds = new Map<string, string>();
  for (const { trackingId } of persons) {
    const jobId = Object.hasOwn(answered, trackingId) ? answered[trackingId] : null;
    if (jobId) jobIds.set(trackingId, jobId);
  }
  if (jobIds.size === 0 && meta?.processed !== 0) {
    throw unreadable(reply, 'tracking_id_to_job_id does not contain a person who was sent');
  }
  const reported = meta?.processed ?? null;
  if (reported !== null && reported !== jobIds.size) {
    const facts = { requested: persons.length, processed: reported, jobs: jobIds.size };
    log.warn(facts, 'processed people and job ids differ in number');
  }
  return {
    jobIds,
    requested: meta?.requested ?? persons.length,
    // Each person costs one credit. Therefore, every job was paid for, whatever number the service reports. At most,
    // all submitted people were paid for.
    processed: Math.min(persons.length, Math.max(jobIds.size, reported ?? 0)),
    partialReason: meta?.partial_reason ?? null,
  };
}
