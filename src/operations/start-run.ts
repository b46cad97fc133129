/** Runs that users start: a new one, and one that tries again what failed in another. */
import { z } from 'zod';
import { acceptMatchRate as acceptRate } from '../clients/live-crm.ts';
import { confirmAskedMarks } from '../contacts/many-at-once/mark-questions.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import { newId } from '../core/new-id.ts';
import { invalidRequest } from '../core/shared-errors.ts';
import { claimIdempotencyKey, redirectIdempotencyKey } from '../jobs/statements/idempotency.ts';
import { findRunReport, waitingRun } from '../sync/views/run.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting } from './kit/operation.ts';
import { findRun, runSchema } from './runs.ts';

const startedSchema = z
  .object({
    run: runSchema,
    joined: z
      .enum(['running', 'waiting'])
      .nullable()
      .describe('Whether the request joined a run in progress or a queued run; null for a new run'),
  })
  .meta({ id: 'StartedRun' });

type Started = z.output<typeof startedSchema>;

function sayStarted({ run: { id, integration }, joined }: Started): string[] {
  const how =
    joined === null
      ? `The run ${id} of "${integration}" was requested.`
      : `The run ${id} of "${integration}" is ${JOINED_TEXTS[joined]} and does the same: the request joined it.`;
  return [
    how,
    `donor-sync serve or worker carries it out. To run it here instead: donor-sync sync ${integration}`,
  ];
}

const JOINED_TEXTS = { running: 'in progress', waiting: 'queued' } as const;

export const startRun = acting({
  name: 'runs start',
  summary: 'Request a run of a client, which serve or a worker carries out',
  details: 'It answers at once; the run goes on by itself.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: z.string().describe('The ID of the client'),
    contact: z
      .string()
      .trim()
      .min(1, 'Write the ID of a contact in the CRM.')
      .max(255, 'No ID of a contact is longer than 255 characters.')
      .regex(/^\P{Cc}+$/u, 'has characters that no ID has')
      .optional()
      .describe('The ID of one contact in the CRM; all contacts if left out'),
    full: z
      .boolean()
      .default(false)
      .describe('Read all contacts again instead of those that changed'),
    acceptMatchRate: z
      .boolean()
      .default(false)
      .describe(
        'Accept that the service knows few of the contacts, after a run that ended with match_rate_low. Remembered until the columns change',
      ),
    acceptMarks: z
      .boolean()
      .default(false)
      .describe(
        'Confirm the marks that leave out more than half of the contacts, after a run that ended with marks_unconfirmed. A value that was not among them asks again',
      ),
    idempotencyKey: z
      .string()
      .min(1, 'Write a key of 1 to 255 characters.')
      .max(255, 'Write a key of 1 to 255 characters.')
      .optional()
      .describe(
        'A request with the same key within 24 hours leads to the same run. The same key with another request is refused',
      ),
  }),
  subjects: ['integration'],
  result: startedSchema,
  async run(world, { integration, contact = null, idempotencyKey, ...accepted }) {
    const client = findClient(world, integration);
    if (contact !== null && accepted.full) {
      throw invalidRequest('Either one contact or a full reading, not both. Nothing was changed.');
    }
    return startOnce(world, client, { contact, ...accepted }, idempotencyKey);
  },
  say: sayStarted,
});

interface Wish {
  contact: string | null;
  full: boolean;
  acceptMatchRate: boolean;
  acceptMarks: boolean;
}

/** With a key: the run that the key led to first. Throws a ConfigurationError (invalid) for another request. */
async function startOnce(
  world: ActingWorld,
  client: Integration,
  wish: Wish,
  key: string | undefined,
): Promise<Started> {
  if (key === undefined) return start(world, client, wish);
  const { store, clock } = world;
  const fingerprint = store.fingerprint('idempotency_key', `${client.id}\n${key}`);
  const asked = store.fingerprint('idempotent_request', JSON.stringify(toRequestKey(wish)));
  const claim = await store.act((trx) =>
    claimIdempotencyKey(trx, fingerprint, asked, newId(clock.now())),
  );
  if (claim.request !== asked) throw keyReused();
  const known = await findRunReport(store.reader, claim.runId);
  if (known) return { run: known, joined: null };
  // The key is new, or its first request broke off before the run was on record.
  const started = await start(world, client, wish, claim.runId);
  if (started.run.id !== claim.runId) {
    await redirectIdempotencyKey(store.connection, fingerprint, started.run.id);
  }
  return started;
}

/** What makes two requests the same; those of versions that knew less stay what they were. */
function toRequestKey({ contact, full, ...wish }: Wish): unknown[] {
  const accepted = [
    wish.acceptMatchRate ? 'acceptMatchRate' : null,
    wish.acceptMarks ? 'acceptMarks' : null,
  ];
  return [contact, full, ...accepted.filter((word) => word !== null)];
}

async function start(
  { application, store, signal, clock, requestRun }: ActingWorld,
  client: Integration,
  { contact, full, acceptMatchRate, acceptMarks }: Wish,
  runId?: string,
): Promise<Started> {
  const { id: integrationId } = client;
  if (acceptMatchRate) await acceptRate({ application: { ...application, store }, signal }, client);
  if (acceptMarks) await store.act((trx) => confirmAskedMarks(trx, integrationId));
  const requestedAt = clock.now();
  const { runId: id, joined } = await requestRun({
    integrationId,
    contact,
    full,
    trigger: 'manual',
    // A run that has stopped spending already does not take it up again.
    mayJoin: !acceptMatchRate && !acceptMarks,
    ...(runId !== undefined && { runId }),
  });
  const run =
    (await findRunReport(store.reader, id)) ??
    waitingRun({ id, integration: integrationId, trigger: 'manual', requestedAt });
  return { run, joined };
}

function keyReused(): ConfigurationError {
  return new ConfigurationError(
    'This Idempotency-Key came with another request before. Nothing was changed. Use a new key for a new request.',
    { code: 'idempotency_key_reused' },
  );
}

export const retryRun = acting({
  name: 'runs retry',
  summary: 'Request a run that tries again what failed in another run',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ run: z.string().describe('The ID of the run') }),
  subjects: ['run'],
  result: startedSchema,
  async run(world, { run: id }) {
    const { reader } = world.store;
    const { integration } = await findRun({ ...world, reader }, id, false);
    const wish = { contact: null, full: false, acceptMatchRate: false, acceptMarks: false };
    return start(world, findClient(world, integration), wish);
  },
  say: sayStarted,
});
