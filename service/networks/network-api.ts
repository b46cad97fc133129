/** The endpoints that manage networks and their members, as openapi.json describes them. */

import { createRoute, z } from '@hono/zod-openapi';
import { donorIdsBodySchema, MAX_DONOR_IDS } from '../donors/batch.ts';
import { batchErrors, commonErrors, creditErrors, json, notFoundError } from '../errors.ts';
import { limitItems } from '../validation.ts';
import { bulkJobSchema } from './bulk-jobs.ts';
import { COLORS, networkSchema } from './networks.ts';

const MAX_NAME_LENGTH = 200;

const TAGS = ['Networks'];

const nameSchema = z.string().trim().min(1).max(MAX_NAME_LENGTH).openapi({ example: 'Board' });

const createSchema = z
  .object({ name: nameSchema, color: z.enum(COLORS) })
  .openapi('NewNetwork', { example: { name: 'Board', color: 'teal' } });
const renameSchema = z.object({ name: nameSchema }).openapi('NetworkName');
const addSchema = z
  .object({ donor_id: z.string().openapi({ example: '0123456789abcdef0123456789abcdef' }) })
  .openapi('DonorId');

const byId = z.object({ id: z.string().openapi({ description: 'A network id' }) });
const byNetworkId = z.object({ network_id: z.string() });

const nothing = { 204: { description: 'Done.' } };

const badName = {
  ...batchErrors,
  400: { ...batchErrors[400], description: 'The team already has a network with this name.' },
};

/** Lists a team's networks. */
export const listNetworksRoute = createRoute({
  method: 'get',
  path: '/networks',
  tags: TAGS,
  summary: 'All networks of the team, oldest first',
  description: 'Free.',
  responses: {
    200: { description: 'The networks.', ...json(z.array(networkSchema)) },
    ...commonErrors,
  },
});

export const createNetworkRoute = createRoute({
  method: 'post',
  path: '/networks',
  tags: TAGS,
  summary: 'Create a network',
  description: 'Free. Names are unique within the team.',
  request: { body: { required: true, ...json(createSchema) } },
  responses: { 201: { description: 'The new network.', ...json(networkSchema) }, ...badName },
});

export const renameNetworkRoute = createRoute({
  method: 'put',
  path: '/networks/{id}',
  tags: TAGS,
  summary: 'Rename a network',
  description: 'Free.',
  request: { params: byId, body: { required: true, ...json(renameSchema) } },
  responses: { ...nothing, ...notFoundError, ...badName },
});

export const deleteNetworkRoute = createRoute({
  method: 'delete',
  path: '/networks/{id}',
  tags: TAGS,
  summary: 'Delete a network',
  description: 'Free. Its members stay in their other networks.',
  request: { params: byId },
  responses: { ...nothing, ...notFoundError, ...commonErrors },
});

/**
 * Adds one donor and computes the donor's connections. The sandbox's settings determine whether the request costs a
 * credit.
 */
export function addMemberRoute(isCharged: boolean) {
  return createRoute({
    method: 'post',
    path: '/networks/{network_id}/members',
    tags: TAGS,
    summary: 'Add a donor to a network',
    description: `${isCharged ? 'One credit of the networks bucket.' : 'Free.'} The connections are computed before the response. A donor who is already a member stays a member.`,
    request: { params: byNetworkId, body: { required: true, ...json(addSchema) } },
    responses: {
      ...nothing,
      ...notFoundError,
      ...batchErrors,
      ...(isCharged ? creditErrors : {}),
    },
  });
}

/** Starts a job that adds many donors. The request costs credits. */
export const addMembersRoute = createRoute({
  method: 'post',
  path: '/networks/{network_id}/members/batch',
  tags: TAGS,
  summary: 'Add many donors to a network',
  description: `One credit of the networks bucket per donor id, at most ${MAX_DONOR_IDS}. When the balance is short, as many are processed as it covers, from the front.`,
  middleware: [limitItems('donor_ids', MAX_DONOR_IDS)],
  request: { params: byNetworkId, body: { required: true, ...json(donorIdsBodySchema) } },
  responses: {
    202: {
      description: 'A job is created.',
      ...json(z.object({ job_id: z.string() }).openapi('BulkAddAccepted')),
    },
    ...creditErrors,
    ...notFoundError,
    ...batchErrors,
  },
});

/** Reads the progress and the results of a bulk add. */
export const bulkJobRoute = createRoute({
  method: 'get',
  path: '/networks/jobs/{job_id}',
  tags: TAGS,
  summary: 'Progress and results of a bulk add',
  description: 'Free.',
  request: { params: z.object({ job_id: z.string() }) },
  responses: {
    200: { description: 'Its state.', ...json(bulkJobSchema) },
    ...notFoundError,
    ...commonErrors,
  },
});

/** Removes donors from a network. */
export const removeMembersRoute = createRoute({
  method: 'post',
  path: '/networks/{id}/members/remove',
  tags: TAGS,
  summary: 'Remove donors from a network',
  description: `Free; at most ${MAX_DONOR_IDS} donor ids. Donors who are not members are ignored.`,
  middleware: [limitItems('donor_ids', MAX_DONOR_IDS)],
  request: { params: byId, body: { required: true, ...json(donorIdsBodySchema) } },
  responses: { ...nothing, ...notFoundError, ...batchErrors },
});
