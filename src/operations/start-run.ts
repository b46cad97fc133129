/** Starts or retries runs. */
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
      ? `Run ${id} of "${integration}" was requested.`
      : `Run ${id} of "${integration}" is ${JOINED_TEXTS[joined]} and covers the same work, so the request joined it.`;
  return [
    how,
    `donor-sync serve or worker carries it out. To run it here instead: donor-sync sync ${integration}`,
  ];
}

const JOINED_TEXTS = { running: 'in progress', waiting: 'queued' } as const;

export const startRun = acting({
  name: 'runs start',
  summary: 'Request a run of a client, which serve or a worker carries out',
  details: 'The request returns immediately, and the run continues in the background.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: z.string().describe('The ID of the client'),
    contact: z
      .string()
      .trim()
      .min(1, 'Enter the ID of a contact in the CRM.')
      .max(255, 'The ID of a contact has at most 255 characters.')
      .regex(/^\P{Cc}+$/u, 'has characters that an ID cannot contain')
      .optional()
      .describe('The ID of one contact in the CRM; all contacts if left out'),
    full: z.boolean().default(false).describe('Read all contacts again, not only changed contacts'),
    acceptMatchRate: z
      .boolean()
      .default(false)
      .describe(
        'Accept a low match rate after a run that ended with match_rate_low. The decision applies until the columns change',
      ),
    acceptMarks: z
      .boolean()
      .default(false)
      .describe(
        'After a run that ended with marks_unconfirmed, confirm the marks that exclude more than half of the contacts. A new value has to be confirmed again',
      ),
    idempotencyKey: z
      .string()
      .min(1, 'Enter a key of 1 to 255 characters.')
      .max(255, 'Enter a key of 1 to 255 characters.')
      .optional()
      .describe(
        'A repeated request with the same key within 24 hours returns the same run. A different request with the same key is refused',
      ),
  }),
  subjects: ['integration'],
  result: startedSchema,
  async run(world, { integration, contact = null, idempotencyKey, ...accepted }) {
    const client = findClient(world, integration);
    if (contact !== null && accepted.full) {
      throw invalidRequest(
        'Choose either one contact or a full read, not both. Nothing was changed.',
      );
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

/**
 * Starts a run once per idempotency key. A known key returns the first request's run. Throws a ConfigurationError
 * (invalid) if a different request uses the same key.
 */
export async function startOnce(
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
  const known = await findRunReport(store.reader, claim.runId, world.sealer);
  if (known) return { run: known, joined: null };
  // The first request with this key may have been interrupted.
  const started = await start(world, client, wish, claim.runId);
  if (started.run.id !== claim.runId) {
    await redirectIdempotencyKey(store.connection, fingerprint, started.run.id);
  }
  return started;
}

/**
 * Returns the request's content for the idempotency key. Newer options are left out if they are not set, so that older
 * requests keep their key.
 */
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
    // A user's acceptance of a match rate or of marks needs a new run, because a run that has stopped spending does not
    // start spending again.
    mayJoin: !acceptMatchRate && !acceptMarks,
    ...(runId !== undefined && { runId }),
  });
  const run =
    (await findRunReport(store.reader, id)) ??
    waitingRun({ id, integration: integrationId, trigger: 'manual', requestedAt });
  return { run, joined };
}

/** Creates the error for an idempotency key that belongs to a different request. */
export function keyReused(): ConfigurationError {
  return new ConfigurationError(
    'This Idempotency-Key was already used for a different request. Nothing was changed. Use a new key for a new request.',
    { code: 'idempotency_key_reused' },
  );
}

export const retryRun = acting({
  name: 'runs retry',
  summary:
    'Request a run that retries what failed in another run; it is an ordinary run and can spend credits',
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
