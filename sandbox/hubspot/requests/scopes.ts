/** The permissions of a token, and the scopes that each resource requires. */

import type { MiddlewareHandler } from 'hono';
import { scopeError } from '../core/errors.ts';
import type { HubspotEnv } from './context.ts';

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

/** Lets a request pass if its token has one of the scopes. */
export function needScope(...scopes: string[]): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    checkScopes(c.var.grant.scopes, scopes);
    return next();
  };
}

/** Throws a 403 if the token has none of the scopes. */
export function checkScopes(granted: readonly string[], scopes: readonly string[]): void {
  if (!scopes.some((scope) => granted.includes(scope))) throw scopeError(scopes);
}
