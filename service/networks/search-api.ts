/** The endpoints that query connections, as openapi.json describes them. */

import { createRoute, z } from '@hono/zod-openapi';
import { donorIdsSchema, MAX_DONOR_IDS } from '../donors/batch.ts';
import {
  batchErrors,
  commonErrors,
  creditErrors,
  invalidQueryError,
  json,
  notFoundError,
} from '../errors.ts';
import { limitItems } from '../validation.ts';
import { donorConnectionsSchema, lookupSchema, prospectSchema } from './searches.ts';
import { STORED_STRENGTH_FLOOR } from './stored-connections.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

const TAGS = ['Connections'];

const limitSchema = z
  .number()
  .int()
  .min(1)
  .max(MAX_LIMIT)
  .nullish()
  .transform((limit) => limit ?? DEFAULT_LIMIT)
  .openapi({ type: 'integer', default: DEFAULT_LIMIT, minimum: 1, maximum: MAX_LIMIT });

/** The filters of section 4.2. A filter that is null has the same effect as an omitted filter. */
const filters = {
  network_ids: z
    .array(z.string())
    .nullish()
    .openapi({ description: 'Search only these networks; an empty list covers no members' }),
  in_network_donor_ids: z
    .array(z.string())
    .nullish()
    .openapi({ description: 'Search only these members; donors who are not members are ignored' }),
};

const minStrengthSchema = z
  .number()
  .min(0)
  .max(1)
  .nullish()
  .transform((strength) => strength ?? STORED_STRENGTH_FLOOR)
  .openapi({ type: 'number', default: STORED_STRENGTH_FLOOR, minimum: 0, maximum: 1 });

const discoverSchema = z
  .object({ ...filters, min_strength: minStrengthSchema, limit: limitSchema })
  .openapi('Discover', { example: { min_strength: 0.7, limit: 10 } });

const compareSchema = z
  .object({ donor_ids: donorIdsSchema, ...filters, min_strength: minStrengthSchema })
  .openapi('Compare', {
    example: { donor_ids: ['0123456789abcdef0123456789abcdef'], min_strength: 0.7 },
  });

const lookupBodySchema = z
  .object({ donor_id: z.string(), limit: limitSchema })
  .openapi('LookupRequest', {
    example: { donor_id: '0123456789abcdef0123456789abcdef', limit: 10 },
  });

const prospects = json(z.object({ prospects: z.array(prospectSchema) }).openapi('Prospects'));

/**
 * A filter in a URL. A URL can repeat the filter's parameter, and each value can contain several values, separated by
 * commas.
 */
const queryFilter = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((given) => (given === undefined ? undefined : splitAtCommas([given].flat())))
  .openapi({ type: 'array', items: { type: 'string' } });

/** Finds prospects. The sandbox's settings determine whether the request costs a credit. */
export function discoverRoute(isCharged: boolean) {
  return createRoute({
    method: 'post',
    path: '/networks/discover',
    tags: TAGS,
    summary: 'Prospects in the whole database who are connected to network members',
    description: `${priceOf(isCharged)} Strongest first. Members of the searched networks are not included as prospects.`,
    request: { body: { required: true, ...json(discoverSchema) } },
    responses: {
      200: { description: 'The prospects.', ...prospects },
      ...searchErrors(isCharged),
      ...batchErrors,
    },
  });
}

/** Compares prospects with a team's members. The sandbox's settings determine whether the request costs a credit. */
export function compareRoute(isCharged: boolean) {
  return createRoute({
    method: 'post',
    path: '/networks/connections',
    tags: TAGS,
    summary: 'Connections of given prospects to network members',
    description: `${priceOf(isCharged)} At most ${MAX_DONOR_IDS} donor ids. Strongest first; donors without a connection come last, with strength 0.`,
    middleware: [limitItems('donor_ids', MAX_DONOR_IDS)],
    request: { body: { required: true, ...json(compareSchema) } },
    responses: {
      200: { description: 'The prospects.', ...prospects },
      ...searchErrors(isCharged),
      ...batchErrors,
    },
  });
}

/**
 * Returns all connections of one donor to a team's members. The sandbox's settings determine whether the request costs
 * a credit.
 */
export function donorConnectionsRoute(isCharged: boolean) {
  return createRoute({
    method: 'get',
    path: '/networks/donors/{donor_id}/connections',
    tags: TAGS,
    summary: 'Networks of a donor, and every connection to network members',
    description: `${priceOf(isCharged)} The filters are repeated query parameters, or separated by commas.`,
    request: {
      params: z.object({ donor_id: z.string() }),
      query: z.object({ network_ids: queryFilter, in_network_donor_ids: queryFilter }),
    },
    responses: {
      200: { description: 'The connections.', ...json(donorConnectionsSchema) },
      ...searchErrors(isCharged),
      ...invalidQueryError,
      ...commonErrors,
    },
  });
}

/** Computes all connections of a donor. The sandbox's settings determine whether the request costs a credit. */
export function lookupRoute(isCharged: boolean) {
  return createRoute({
    method: 'post',
    path: '/networks/lookup',
    tags: TAGS,
    summary: 'Connections of any donor, computed on the fly',
    description: `${priceOf(isCharged)} No network is needed. Strengths range from 0 to 1, strongest first.`,
    request: { body: { required: true, ...json(lookupBodySchema) } },
    responses: {
      200: { description: 'The connections.', ...json(lookupSchema) },
      ...searchErrors(isCharged),
      ...batchErrors,
    },
  });
}

function splitAtCommas(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).filter((text) => text !== '');
}

function priceOf(isCharged: boolean): string {
  return isCharged ? 'One credit of the searches bucket.' : 'Free.';
}

function searchErrors(isCharged: boolean) {
  return { ...notFoundError, ...(isCharged ? creditErrors : {}) };
}
