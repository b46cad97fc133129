/** Simulates the faults that only Salesforce has. */

import type { MiddlewareHandler } from 'hono';
import { dailyLimitError, SalesforceError, sessionError } from '../core/errors.ts';
import type { Tokens } from '../oauth/tokens.ts';
import type { Locks } from '../records/locks.ts';
import type { SalesforceEnv } from '../requests/context.ts';
import type { SalesforceFault } from '../requests/faults.ts';

/** Simulates faults of the org itself. The middleware runs before authentication. */
export function playOrgFaults(tokens: Tokens): MiddlewareHandler<SalesforceEnv> {
  return async (c, next) => {
    const { fault } = c.var;
    const kind = fault?.kind;
    if (kind === 'expireTokens') tokens.expireAll();
    const isMeant = fault?.kind !== 'queryTimeout' || hasText(c.req.query('q'), fault.soql);
    const error = kind === undefined || !isMeant ? undefined : ORG_FAULTS[kind];
    if (error !== undefined) throw error();
    return next();
  };
}

function hasText(query = '', text = ''): boolean {
  return query.toLowerCase().includes(text.toLowerCase());
}

/**
 * Returns middleware that locks records during the request. The middleware runs directly before the request is
 * executed.
 */
export function playLocks(locks: Locks): MiddlewareHandler<SalesforceEnv> {
  return async (c, next) => {
    const { fault } = c.var;
    if (fault?.kind !== 'lockRows') return next();
    locks.lockNext(fault.records);
    await next();
    locks.lockNext(0);
    return undefined;
  };
}

/** The error for each kind of fault. */
const ORG_FAULTS: Partial<Record<SalesforceFault['kind'], () => SalesforceError>> = {
  error: () =>
    new SalesforceError(
      500,
      'UNKNOWN_EXCEPTION',
      'An unexpected error occurred. Please include this ErrorId if you contact support: 1234567890-12345 (-123456789)',
    ),
  invalidSession: sessionError,
  requestLimit: dailyLimitError,
  concurrentLimit: () =>
    new SalesforceError(403, 'REQUEST_LIMIT_EXCEEDED', 'ConcurrentRequests Limit exceeded.'),
  serverUnavailable: () =>
    new SalesforceError(503, 'SERVER_UNAVAILABLE', 'The server is temporarily unavailable.'),
  queryTimeout: () =>
    new SalesforceError(400, 'QUERY_TIMEOUT', 'Your query request was running for too long.'),
};
