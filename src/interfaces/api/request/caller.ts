import type { Context, MiddlewareHandler } from 'hono';
import { checkAlertsOnce } from '../../../clients/alerts/product-alerts.ts';
import { personNeeded } from '../../../core/shared-errors.ts';
import type { Requester } from '../../../decisions/second-person/second-user.ts';
import { findOperation } from '../../../operations/catalogue.ts';
import { authorise } from '../../../operations/kit/authorise.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import type { Operation } from '../../../operations/kit/operation.ts';
import type { OperationDeps } from '../../../operations/kit/perform.ts';
import { checkAudit } from '../../../privacy/audit/checker.ts';
import { type HttpDeps, type HttpEnv, patience } from './context.ts';

/** Returns the caller of an admitted request. If a browser signed in with an access token, the caller is the token. */
export function getCaller(c: Context<HttpEnv>): Caller {
  const { role, integrations, tokenId, isProven, browser } = c.get('principal');
  const kind = tokenId === null ? 'person' : 'token';
  const own = { isProven, ...(browser !== null && { browser }) };
  return { kind, role, clients: integrations, ...own, ...getRequester(c) };
}

export function authorised(
  operation: Pick<Operation, 'name' | 'role' | 'reach' | 'by' | 'needsProof'>,
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    authorise(operation, getCaller(c));
    await next();
  };
}

/** Refuses access tokens. The terminal's `command` does the same as the route. */
export function usersOnly(command: string): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (getCaller(c).kind === 'token') throw personNeeded('do this', command);
    await next();
  };
}

/** Returns the requester, who must be different from the confirming user if an action needs two users. */
export function getRequester(c: Context<HttpEnv>): Requester {
  const { personId, tokenId, name } = c.get('principal');
  const known = { name: name ?? '' };
  const actor = c.get('actor');
  if (personId !== null) return { account: { kind: 'person', id: personId, ...known }, actor };
  if (tokenId !== null) return { account: { kind: 'token', id: tokenId, ...known }, actor };
  return { account: null, actor };
}

export function toOperationDeps(deps: HttpDeps): OperationDeps {
  const { application, clock, address, alerts, auditChecker, carryOn, runner } = deps;
  return {
    application,
    clock,
    ...address.given,
    carryOn,
    signal: () => patience(deps),
    findOperation: async (name) => findOperation(name),
    requestRun: runner.request,
    checkAudit: (known) => auditChecker?.check(known) ?? checkAudit(deps, application, known),
    checkAlerts: (signal) => alerts?.tick() ?? checkAlertsOnce(deps, application, signal),
  };
}
