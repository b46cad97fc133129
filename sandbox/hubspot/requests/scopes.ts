/** The permissions of a token, and the scopes that each resource requires. */

import type { MiddlewareHandler } from 'hono';
import { scopeError } from '../core/errors.ts';
import { type HubspotEnv, isStrictVersion } from './context.ts';

/** Every scope that this account knows. */
export const ALL_SCOPES = [
  'oauth',
  'crm.objects.contacts.read',
  'crm.objects.contacts.write',
  'crm.objects.companies.read',
  'crm.objects.companies.write',
  'crm.objects.owners.read',
  'crm.schemas.contacts.read',
  'crm.schemas.contacts.write',
  'crm.schemas.companies.read',
  'crm.schemas.companies.write',
  'crm.lists.read',
  'crm.lists.write',
  'settings.currencies.read',
  'settings.currencies.write',
  'crm.objects.contacts.sensitive.read.v2',
  'crm.objects.contacts.sensitive.write.v2',
  'crm.objects.companies.sensitive.read.v2',
  'crm.objects.companies.sensitive.write.v2',
] as const;

/**
 * Scopes that API version 2026-09 accepts in the place of other scopes. A token has a replacement scope only if the app
 * has requested it.
 */
export const SEGMENT_SCOPES = {
  'crm.lists.read': 'crm.segments.read',
  'crm.lists.write': 'crm.segments.write',
} as const;

/** Returns middleware that allows requests about lists if the token has the scope. */
export function needListScope(scope: keyof typeof SEGMENT_SCOPES): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    const accepted = isStrictVersion(c) ? [scope, SEGMENT_SCOPES[scope]] : [scope];
    checkScopes(c.var.grant.scopes, accepted);
    return next();
  };
}

/** Returns middleware that allows a request if its token has one of the scopes. */
export function needScope(...scopes: string[]): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    checkScopes(c.var.grant.scopes, scopes);
    return next();
  };
}

/** Throws a 403 if the token has none of these scopes. */
export function checkScopes(granted: readonly string[], scopes: readonly string[]): void {
  if (!scopes.some((scope) => granted.includes(scope))) throw scopeError(scopes);
}
