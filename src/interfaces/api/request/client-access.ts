/**
 * The only way to an integration's data. A caller has access to all integrations or to some. Data of other integrations
 * gets exactly the same response as data that does not exist. No route looks up an integration's data in another way.
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

/** True if the caller has access to this integration. Without a principal there is no access. */
export function hasAccess(c: Context<HttpEnv>, integrationId: string): boolean {
  const principal: Principal | undefined = c.get('principal');
  if (principal === undefined) return false;
  return principal.integrations?.has(integrationId) ?? true;
}

/** Returns the accessible IDs as a filter for the store, or undefined if nothing has to be left out. */
function listAccessibleIds(c: Context<HttpEnv>): readonly string[] | undefined {
  const principal: Principal | undefined = c.get('principal');
  if (principal === undefined) return [];
  return principal.integrations === null ? undefined : [...principal.integrations];
}

/** Middleware that requires access to all integrations. It runs before the handler, after the check of the role. */
export const allClientsOnly = createMiddleware<HttpEnv>(async (c, next) => {
  requireAllClients(c);
  await next();
});

/**
 * Throws a ConfigurationError (forbidden) if the caller has access to only some integrations. Used for requests about
 * all or about new integrations.
 */
function requireAllClients(c: Context<HttpEnv>): void {
  if (listAccessibleIds(c) === undefined) return;
  throw reachInsufficient();
}

/** Returns the integrations that the caller has access to, in their order. */
export function listAccessible(
  c: Context<HttpEnv>,
  { integrations }: Pick<Application, 'integrations'>,
): ReadonlyMap<string, Integration> {
  if (listAccessibleIds(c) === undefined) return integrations;
  return new Map([...integrations].filter(([id]) => hasAccess(c, id)));
}

/** Returns the part of a list that the caller has access to. */
export function filterAccessible<Item>(
  c: Context<HttpEnv>,
  items: readonly Item[],
  getIntegrationId: (item: Item) => string,
): Item[] {
  return items.filter((item) => hasAccess(c, getIntegrationId(item)));
}

/**
 * Returns the integration with this ID. Throws a ConfigurationError (unknown) if there is none that the caller may
 * access.
 */
export function findIntegration(
  c: Context<HttpEnv>,
  { integrations }: Pick<Application, 'integrations'>,
  id: string,
): Integration {
  const integration = hasAccess(c, id) ? integrations.get(id) : undefined;
  if (integration) return integration;
  throw unknownClient(id);
}

/**
 * Returns the run with this ID as it is now. Throws a ConfigurationError (unknown) if there is none that the caller may
 * access.
 */
export async function findRun(
  c: Context<HttpEnv>,
  reader: Reader,
  id: string,
  sealer: NameOpener = null,
): Promise<RunReport> {
  return findAccessibleRun({ reader, caller: getCaller(c), sealer }, id);
}

/**
 * Returns the decision with this ID, open or not. Throws a ConfigurationError (unknown) if there is none that the
 * caller may access.
 */
export function findAccessibleHold(
  c: Context<HttpEnv>,
  { reader, fingerprint }: Source,
  id: string,
): Promise<Question> {
  return findHold({ reader, fingerprint, caller: getCaller(c) }, id);
}

/**
 * Returns the open batch with this ID. Throws a ConfigurationError: `unknown` if there is none, `conflict` if it is
 * already decided.
 */
export function findOpenBatch(
  c: Context<HttpEnv>,
  { reader, fingerprint }: Source,
  id: string,
): Promise<QuestionBatch> {
  return findBatch({ reader, fingerprint, caller: getCaller(c) }, id);
}

type Source = Pick<Store, 'reader' | 'fingerprint'>;
