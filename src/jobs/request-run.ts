/** Stores requests for runs. The processes that start runs find the requests in the database. */
import type { Application } from '../application.ts';
import type { Actor } from '../core/actor.ts';
import type { Clock } from '../core/clock.ts';
import { newId } from '../core/new-id.ts';
import type { Trigger } from '../core/run.ts';
import { ALL_CONTACTS } from '../sync/statements/request-rows.ts';
import { requestRun } from '../sync/statements/run-requests.ts';
import { findRunById } from '../sync/statements/runs.ts';
import { findRequestedRun } from './statements/idempotency.ts';

export interface RequestedRun {
  integrationId: string;
  /** The CRM ID of the contact. Defaults to all contacts. */
  contact?: string | null;
  trigger: Trigger;
  /** True to read all contacts again. Defaults to false. */
  full?: boolean;
  /** True if the request may join a run in progress. Defaults to true. */
  mayJoin?: boolean;
  /**
   * The run's ID, if the request does not join a different run. A repeated request has the ID of the first one and
   * requests nothing more. Defaults to a new ID.
   */
  runId?: string;
  /** The requester's name for the audit. Defaults to the user of this process. */
  by?: Actor;
}

export interface Accepted {
  /** The ID of the run that carries out the request. */
  runId: string;
  /** The state of the run that the request has joined, or null for a new run. */
  joined: 'running' | 'waiting' | null;
}

export interface RequestDeps {
  application: Pick<Application, 'store' | 'select' | 'contactId' | 'findRunning'>;
  clock: Pick<Clock, 'now'>;
}

/**
 * Stores a request. If an existing run already does the work of a manual request, the request joins that run. Throws a
 * ConfigurationError if the integration is not in the settings.
 */
export async function storeRequest(
  { application, clock }: RequestDeps,
  { contact: typed = null, full = false, mayJoin = true, ...requested }: RequestedRun,
): Promise<Accepted> {
  const { integrationId, trigger, by } = requested;
  const { store } = application;
  const [integration] = application.select([integrationId]);
  const contact =
    integration && typed !== null ? await application.contactId(integration, typed) : null;
  if (trigger === 'manual' && mayJoin) {
    const running = await findSame(application, { integrationId, contact, full });
    if (running !== null) return { runId: running, joined: 'running' };
  }
  const asked = requested.runId ?? newId(clock.now());
  const runId = await (by ? store.actingAs(by) : store).act(async (trx) => {
    const known = requested.runId === undefined ? null : await findRequestedRun(trx, asked);
    return known ?? requestRun(trx, { integrationId, contact, trigger, full, runId: asked });
  });
  return { runId, joined: runId === asked ? null : 'waiting' };
}

/** Finds a queued or running run, in any process, that already does this work. */
async function findSame(
  { store, findRunning }: RequestDeps['application'],
  {
    integrationId,
    contact,
    full,
  }: { integrationId: string; contact: string | null; full: boolean },
): Promise<string | null> {
  const runId = (await findRunning(integrationId))?.run ?? null;
  const begun = runId === null ? undefined : await findRunById(store.reader, runId);
  const isSame = begun?.contact === (contact ?? ALL_CONTACTS) && (begun.full === 1 || !full);
  return isSame ? runId : null;
}
