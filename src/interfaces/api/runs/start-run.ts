/** POST /v1/integrations/:id/runs. */

import { createRoute, z } from '@hono/zod-openapi';
import { acceptMatchRate } from '../../../clients/live-crm.ts';
import { confirmAskedMarks } from '../../../contacts/many-at-once/mark-questions.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { newId } from '../../../core/new-id.ts';
import type { RunReport } from '../../../core/run.ts';
import type { Accepted, RequestedRun } from '../../../jobs/request-run.ts';
import {
  claimIdempotencyKey,
  redirectIdempotencyKey,
} from '../../../jobs/statements/idempotency.ts';
import { runSchema } from '../../../operations/runs.ts';
import { findRunReport, waitingRun } from '../../../sync/views/run.ts';
import type { Access } from '../access.ts';
import { findIntegration } from '../request/client-access.ts';
import { type HttpDeps, liveDeps } from '../request/context.ts';
import { HttpError } from '../request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES, requireJsonBody } from '../request/guards.ts';
import { contactSchema, createRouter, failure, json, problems } from '../request/router.ts';

const bodySchema = z
  .strictObject({
    contact: contactSchema.optional().openapi({
      description: 'The CRM id of the one contact to sync; all if left out.',
    }),
    full: z.boolean().default(false).openapi({
      description: 'Reads all contacts anew instead of those that changed.',
    }),
    acceptMatchRate: z.boolean().default(false).openapi({
      description:
        'Accepts that the service knows few of the contacts, after a run that ended with `match_rate_low`. Remembered until the columns change.',
    }),
    acceptMarks: z.boolean().default(false).openapi({
      description:
        'Confirms the marks that leave out more than half of the contacts, as the last run found them that ended with `marks_unconfirmed`. A value that was not among them asks again.',
    }),
  })
  .refine(({ contact, full }) => contact === undefined || !full, {
    error: 'either one contact or a full reading, not both',
  })
  .openapi('RunRequest');

const startedSchema = z
  .object({
    run: runSchema,
    joined: z.enum(['running', 'waiting']).nullable().openapi({
      description:
        'Whether the request was joined to a run that was running or waiting already; null for a run of its own.',
    }),
  })
  .openapi('StartedRun');

const MAX_KEY_LENGTH = 255;

const headersSchema = z.object({
  'idempotency-key': z.string().min(1).max(MAX_KEY_LENGTH).optional().openapi({
    description:
      'Repeating a request with its key within 24 hours leads to the same run. The same key with another body is refused (422).',
  }),
});

function startRoute({ requireRole }: Access) {
  return createRoute({
    method: 'post',
    path: '/v1/integrations/{id}/runs',
    tags: ['Runs'],
    summary: 'Start a run',
    description: 'For admins. Answers at once; the run goes on by itself.',
    middleware: [requireRole('admin'), requireJsonBody, limitBody(MAX_API_BODY_BYTES)] as const,
    request: {
      params: z.object({ id: z.string() }),
      headers: headersSchema,
      body: { required: false, ...json(bodySchema) },
    },
    responses: {
      202: { description: 'It runs, or waits to begin.', ...json(startedSchema) },
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
      ...problems.body,
      415: failure('The body is not JSON.'),
    },
  });
}

/** A request as it comes over HTTP. */
type Asked = RequestedRun &
  Required<Pick<RequestedRun, 'contact' | 'full' | 'by'>> & {
    acceptMatchRate: boolean;
    acceptMarks: boolean;
  };

/** The route that starts runs. */
export function startRunRoutes(deps: HttpDeps, access: Access) {
  return createRouter().openapi(startRoute(access), async (c) => {
    const integration = findIntegration(c, deps.application, c.req.valid('param').id);
    const { contact = null, ...asked } = bodySchema.parse(c.req.valid('json') ?? {});
    const by = c.get('actor');
    const { id } = integration;
    const requested: Asked = { integrationId: id, contact, trigger: 'manual', by, ...asked };
    const started = await startOnce(
      deps,
      integration,
      requested,
      c.req.valid('header')['idempotency-key'],
    );
    c.header('Location', `/v1/runs/${started.run.id}`);
    return c.json(started, 202);
  });
}

interface Started {
  run: RunReport;
  joined: Accepted['joined'];
}

/** With a key: the run that the key led to first; throws an HttpError (422) for another request. */
async function startOnce(
  deps: HttpDeps,
  integration: Integration,
  requested: Asked,
  key: string | undefined,
): Promise<Started> {
  if (key === undefined) return start(deps, integration, requested);
  const { store } = deps.application;
  const fingerprint = store.fingerprint('idempotency_key', `${requested.integrationId}\n${key}`);
  const asked = store.fingerprint('idempotent_request', JSON.stringify(toRequestKey(requested)));
  const claim = await store.act((trx) =>
    claimIdempotencyKey(trx, fingerprint, asked, newId(deps.clock.now())),
  );
  if (claim.request !== asked) throw keyReused();
  const known = await findRunReport(store.reader, claim.runId);
  if (known) return { run: known, joined: null };
  // The key is new, or its first request broke off before the run was on record.
  const started = await start(deps, integration, { ...requested, runId: claim.runId });
  if (started.run.id !== claim.runId)
    await redirectIdempotencyKey(store.connection, fingerprint, started.run.id);
  return started;
}

/** What makes two requests the same; those of versions that knew less stay what they were. */
function toRequestKey({
  contact,
  full,
  acceptMatchRate: isAccepted,
  acceptMarks,
}: Asked): unknown[] {
  const accepted = [isAccepted ? 'acceptMatchRate' : null, acceptMarks ? 'acceptMarks' : null];
  return [contact, full, ...accepted.filter((word) => word !== null)];
}

async function start(
  deps: HttpDeps,
  integration: Integration,
  { acceptMatchRate: isAccepted, acceptMarks, ...requested }: Asked,
): Promise<Started> {
  const { application, runner, clock } = deps;
  const { trigger } = requested;
  const live = liveDeps(deps, requested.by);
  if (isAccepted) await acceptMatchRate(live, integration);
  if (acceptMarks)
    await live.application.store.act((trx) => confirmAskedMarks(trx, integration.id));
  const requestedAt = clock.now();
  // A run that has stopped spending already does not take it up again.
  const { runId, joined } = await runner.request({
    ...requested,
    mayJoin: !isAccepted && !acceptMarks,
  });
  const run =
    (await findRunReport(application.store.reader, runId)) ??
    waitingRun({ id: runId, integration: integration.id, trigger, requestedAt });
  return { run, joined };
}

function keyReused(): HttpError {
  return new HttpError(
    422,
    'idempotency_key_reused',
    'This Idempotency-Key came with another request before. Take a new key for a new request.',
  );
}
