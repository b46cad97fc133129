/** Combines the API's routes with the middleware that runs before them. */

import { Hono, type MiddlewareHandler } from 'hono';
import type { Account } from './account/account.ts';
import { authenticationError, expiredError } from './core/errors.ts';
import type { PropertyGroups } from './properties/property-groups.ts';
import {
  crmPaths,
  DATED_VERSIONS,
  type HubspotContext,
  type HubspotEnv,
} from './requests/context.ts';
import { type Limits, limitRequests } from './requests/limits.ts';
import type { Tokens } from './requests/tokens.ts';
import { accountRoutes, ownerRoutes } from './routes/account-routes.ts';
import {
  associationBatchRoutes,
  associationLabelRoutes,
  recordAssociationRoutes,
} from './routes/association-routes.ts';
import { batchRoutes } from './routes/batch-routes.ts';
import { CURRENCY_PATHS, currencyRoutes } from './routes/currency-routes.ts';
import { olderAssociationRoutes } from './routes/older-association-routes.ts';
import { propertyRoutes } from './routes/property-routes.ts';
import { recordRoutes } from './routes/record-routes.ts';
import { VALIDATION_PATHS, validationRoutes } from './routes/validation-routes.ts';

/** The parts of an account that the API uses. */
export interface ApiOptions {
  account: Account;
  groups: PropertyGroups;
  tokens: Tokens;
  limits: Limits;
}

/**
 * Returns the middleware for all routes that require a token. A request without a token does not count towards the
 * limits. Every other request counts towards the limits, even if it fails.
 */
export function guardApi({ tokens, limits, account }: ApiOptions): MiddlewareHandler<HubspotEnv>[] {
  return [authenticate(tokens, account.clock), limitRequests(limits), runAutomation(account)];
}

/** Creates the routes of the CRM and of the account, for all API versions. */
export function apiRoutes({ account, groups, limits }: ApiOptions): Hono<HubspotEnv> {
  const api = new Hono<HubspotEnv>();
  for (const path of crmPaths('objects')) {
    api.route(`${path}/:objectType`, batchRoutes(account));
    api.route(`${path}/:objectType`, recordRoutes(account));
  }
  for (const path of crmPaths('objects', ['v4'])) {
    api.route(`${path}/:objectType`, recordAssociationRoutes(account));
  }
  for (const path of crmPaths('associations', ['v4'])) {
    const answersBodies = !path.includes('v4');
    const routes = associationBatchRoutes(account, { answersBodies });
    api.route(`${path}/:fromType/:toType`, routes);
    api.route(`${path}/:fromType/:toType`, associationLabelRoutes());
  }
  // In HubSpot's documents, the path of the v4 labels ends with the version. HubSpot's client library uses the path
  // above.
  api.route('/crm/associations/v4/:fromType/:toType', associationLabelRoutes());
  api.route('/crm/v3/associations/:fromType/:toType', olderAssociationRoutes(account));
  for (const path of crmPaths('properties')) {
    api.route(`${path}/:objectType`, propertyRoutes(account, groups));
  }
  for (const path of VALIDATION_PATHS) {
    api.route(`${path}/:objectType`, validationRoutes(account));
  }
  for (const path of crmPaths('owners')) api.route(path, ownerRoutes());
  for (const version of ['v3', ...DATED_VERSIONS]) {
    api.route(`/account-info/${version}`, accountRoutes(limits, account));
  }
  for (const path of CURRENCY_PATHS) api.route(path, currencyRoutes(account));
  return api;
}

/** Runs the workflows that are due before each request. */
function runAutomation({ automation }: Account): MiddlewareHandler<HubspotEnv> {
  return async (_c, next) => {
    automation.runDue();
    return next();
  };
}

function authenticate(tokens: Tokens, clock: () => number): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    const found = tokens.findToken(bearerOf(c));
    if (found === undefined) throw authenticationError();
    if (found.isExpired) throw expiredError(found.expiresAtMs ?? 0, clock());
    c.set('grant', found);
    return next();
  };
}

function bearerOf(c: HubspotContext): string {
  return /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
}
