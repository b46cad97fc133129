/** Simulates the faults that only HubSpot has. */

import type { MiddlewareHandler } from 'hono';
import { replaceAnswer } from '../../../testbed/faults.ts';
import { authenticationError, HubspotError, limitError, scopeError } from '../core/errors.ts';
import type { HubspotEnv } from '../requests/context.ts';
import type { HubspotFault } from '../requests/faults.ts';
import type { Tokens } from '../requests/tokens.ts';

/** Simulates faults of the account itself before authentication. */
export function playAccountFaults(tokens: Tokens): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    const { fault } = c.var;
    if (fault === undefined) return next();
    if (fault.kind === 'expireTokens') tokens.expireAll();
    if (fault.kind === 'edgeError') return edgePage(fault.status);
    const error = errorOf(fault);
    if (error !== undefined) throw error;
    await next();
    if (fault.kind === 'wrongStatus') {
      replaceAnswer(c, new Response(c.res.body, { status: fault.status, headers: c.res.headers }));
    }
    return undefined;
  };
}

function errorOf(fault: HubspotFault): HubspotError | undefined {
  switch (fault.kind) {
    case 'error':
      return new HubspotError(500, 'INTERNAL_ERROR', 'internal error');
    case 'invalidAuthentication':
      return authenticationError();
    case 'secondlyLimit':
      return limitError('SECONDLY');
    case 'tenSecondlyLimit':
      return limitError('TEN_SECONDLY_ROLLING');
    case 'dailyLimit':
      return limitError('DAILY');
    case 'missingScope':
      return scopeError([fault.scope]);
    case 'locked':
      return new HubspotError(423, 'LOCKED', 'The resource is locked. Try again in a moment.');
    case 'migration':
      return new HubspotError(477, 'MIGRATION_IN_PROGRESS', 'The account is being migrated.', {
        retryAfterSeconds: fault.retryAfterSeconds,
      });
    default:
      return undefined;
  }
}

function edgePage(status: number): Response {
  const page = `<html><head><title>hubapi.com | ${status}</title></head><body>error code: ${status}</body></html>`;
  return new Response(page, { status, headers: { 'content-type': 'text/html' } });
}
