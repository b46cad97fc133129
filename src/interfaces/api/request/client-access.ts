/**
 * A caller has access to all integrations or to some. Data of other integrations looks exactly like missing data. No
 * route bypasses these functions.
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

/** Undefined if the caller has access to all. */
function listAccessibleIds(c: Context<HttpEnv>): readonly string[] | undefined {
  const principal: Principal | undefined = c.get('principal');
  if (principal === undefined) return [];
  return principal.integrations === null ? undefined : [...principal.integrations];
}

/** It runs before the handler, after the check of the role. */
export const allClientsOnly = createMiddleware<HttpEnv>(async (c, next) => {
  requireAllClients(c);
  await next();
});

/** For requests about all or new integrations. */
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

/** Throws a ConfigurationError (unknown) without access. */
export function findIntegration(
  c: Context<HttpEnv>,
  { integrations }: Pick<Application, 'integrations'>,
  id: string,
): Integration {
  const integration = hasAccess(c, id) ? integrations.get(id) : undefined;
  if (integration) return integration;
  throw unknownClient(id);
}

/** Throws a ConfigurationError (unknown) without access. */
export async function findRun(
  c: Context<HttpEnv>,
  reader: Reader,
  id: string,
  sealer: NameOpener = null,
): Promise<RunReport> {
  return findAccessibleRun({ reader, caller: getCaller(c), sealer }, id);
}

/** Throws a ConfigurationError (unknown) without access. */
export function findAccessibleHold(
  c: Context<HttpEnv>,
  { reader, fingerprint }: Source,
  id: string,
): Promise<Question> {
  return findHold({ reader, fingerprint, caller: getCaller(c) }, id);
}

/** Throws a ConfigurationError: `unknown` if there is none, `conflict` if it is already decided. */
export function findOpenBatch(
  c: Context<HttpEnv>,
  { reader, fingerprint }: Source,
  id: string,
): Promise<QuestionBatch> {
  return findBatch({ reader, fingerprint, caller: getCaller(c) }, id);
}

type Source = Pick<Store, 'reader' | 'fingerprint'>;
