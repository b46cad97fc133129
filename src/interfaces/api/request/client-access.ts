/**
 * Limits a caller's access to some or all integrations. Data of inaccessible integrations looks exactly like missing
 * data. Every route uses these functions.
 */

import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Application } from '../../../application.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import type { RunReport } from '../../../core/run.ts';
import { reachInsufficient, unknownClient } from '../../../core/shared-errors.ts';
import type { Reader } from '../../../database/reader.ts';
import type { QuestionBatch } from '../../../decisions/statements/batches.ts';
import type { Question } from '../../../decisions/statements/questions.ts';
import { findOpenBatch as findBatch, findHold } from '../../../operations/find-decision.ts';
import { findRun as findAccessibleRun } from '../../../operations/runs.ts';
import type { Store } from '../../../store.ts';
import type { NameOpener } from '../../../sync/views/run.ts';
import { getCaller } from './caller.ts';
import type { HttpEnv, Principal } from './context.ts';

/** True if the caller has access to this integration. A request without a caller has no access. */
export function hasAccess(c: Context<HttpEnv>, integrationId: string): boolean {
  const principal: Principal | undefined = c.get('principal');
  if (principal === undefined) return false;
  return principal.integrations?.has(integrationId) ?? true;
}

/** Returns the IDs of the caller's integrations, or undefined if the caller has access to all integrations. */
function listAccessibleIds(c: Context<HttpEnv>): readonly string[] | undefined {
  const principal: Principal | undefined = c.get('principal');
  if (principal === undefined) return [];
  return principal.integrations === null ? undefined : [...principal.integrations];
}

/** Refuses callers without access to all clients. Called after the check of the role and before the handler. */
export const allClientsOnly = createMiddleware<HttpEnv>(async (c, next) => {
  requireAllClients(c);
  await next();
});

/** Refuses callers without access to all clients. Used for requests about all integrations or new integrations. */
function requireAllClients(c: Context<HttpEnv>): void {
  if (listAccessibleIds(c) === undefined) return;
  throw reachInsufficient();
}

export function listAccessible(
  c: Context<HttpEnv>,
  { integrations }: Pick<Application, 'integrations'>,
): ReadonlyMap<string, Integration> {
  if (listAccessibleIds(c) === undefined) return integrations;
  return new Map([...integrations].filter(([id]) => hasAccess(c, id)));
}

export function filterAccessible<Item>(
  c: Context<HttpEnv>,
  items: readonly Item[],
  getIntegrationId: (item: Item) => string,
): Item[] {
  return items.filter((item) => hasAccess(c, getIntegrationId(item)));
}

/** Returns an integration. Throws a ConfigurationError (unknown) if the caller has no access to it. */
export function findIntegration(
  c: Context<HttpEnv>,
  { integrations }: Pick<Application, 'integrations'>,
  id: string,
): Integration {
  const integration = hasAccess(c, id) ? integrations.get(id) : undefined;
  if (integration) return integration;
  throw unknownClient(id);
}

/** Returns a run. Throws a ConfigurationError (unknown) if the caller has no access to it. */
export async function findRun(
  c: Context<HttpEnv>,
  reader: Reader,
  id: string,
  sealer: NameOpener = null,
): Promise<RunReport> {
  return findAccessibleRun({ reader, caller: getCaller(c), sealer }, id);
}

/** Returns a decision. Throws a ConfigurationError (unknown) if the caller has no access to it. */
export function findAccessibleHold(
  c: Context<HttpEnv>,
  { reader, fingerprint }: Source,
  id: string,
): Promise<Question> {
  return findHold({ reader, fingerprint, caller: getCaller(c) }, id);
}

/**
 * Returns an open batch. Throws a ConfigurationError: `unknown` if the batch does not exist, `conflict` if it is
 * already answered.
 */
export function findOpenBatch(
  c: Context<HttpEnv>,
  { reader, fingerprint }: Source,
  id: string,
): Promise<QuestionBatch> {
  return findBatch({ reader, fingerprint, caller: getCaller(c) }, id);
}

type Source = Pick<Store, 'reader' | 'fingerprint'>;
