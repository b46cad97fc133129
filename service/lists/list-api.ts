/** Describes the list endpoints for openapi.json. */

import { createRoute, z } from '@hono/zod-openapi';
import {
  batchMetaSchema,
  donorIdsBodySchema,
  idsSchema,
  MAX_DONOR_IDS,
  notFoundIdsSchema,
  unpaidIdsSchema,
} from '../donors/batch.ts';
import { summarySchema } from '../donors/summary.ts';
import {
  batchErrors,
  commonErrors,
  creditErrors,
  invalidQueryError,
  json,
  notFoundError,
} from '../errors.ts';
import { nextCursorSchema, pageQuerySchema } from '../pages.ts';
import { limitItems } from '../validation.ts';
import { ALL_SAVED_DONORS } from './list-store.ts';

const MAX_NAME_LENGTH = 200;

const TAGS = ['Lists'];

const oneList = z.object({ id: z.string().openapi({ description: 'A list id' }) });

const nameSchema = z
  .object({
    name: z.string().trim().min(1).max(MAX_NAME_LENGTH).openapi({ example: 'Spring gala' }),
  })
  .openapi('ListName');

const listShape = {
  list_id: z.string(),
  name: z.string(),
  is_system: z.boolean().openapi({ description: `True for the list ${ALL_SAVED_DONORS}` }),
  created_at: z.iso.datetime(),
  donor_count: z.int().min(0),
};

const listSchema = z.object(listShape).openapi('List');

const badName = {
  ...batchErrors,
  400: { ...batchErrors[400], description: 'The team already has a list with this name.' },
};

/** Returns a team's lists. */
export const listsRoute = createRoute({
  method: 'get',
  path: '/lists',
  tags: TAGS,
  summary: 'All lists of the team',
  description: `Free. The system list ${ALL_SAVED_DONORS}, which collects every donor who is added to any list, comes first.`,
  responses: {
    200: { description: 'The lists.', ...json(z.object({ lists: z.array(listSchema) })) },
    ...commonErrors,
  },
});

export const createListRoute = createRoute({
  method: 'post',
  path: '/lists',
  tags: TAGS,
  summary: 'Create a list',
  description: 'Free. Names are unique within the team.',
  request: { body: { required: true, ...json(nameSchema) } },
  responses: { 201: { description: 'The new list.', ...json(listSchema) }, ...badName },
});

/** Returns a list, with its donors in pages. */
export const listRoute = createRoute({
  method: 'get',
  path: '/lists/{id}',
  tags: TAGS,
  summary: 'A list and its donors',
  description: 'Free. The donors come in the order in which they were added.',
  request: { params: oneList, query: pageQuerySchema },
  responses: {
    200: {
      description: 'The list, with one page of its donors.',
      ...json(
        z
          .object({
            ...listShape,
            donors: z.array(z.object({ ...summarySchema.shape, added_at: z.iso.datetime() })),
            not_found: z.array(z.object({ donor_id: z.string(), detail: z.string() })).openapi({
              description: 'List entries that were created while two people were treated as one',
            }),
            next_cursor: nextCursorSchema,
          })
          .openapi('ListWithDonors'),
      ),
    },
    ...notFoundError,
    ...invalidQueryError,
    ...commonErrors,
  },
});

export const renameListRoute = createRoute({
  method: 'patch',
  path: '/lists/{id}',
  tags: TAGS,
  summary: 'Rename a list',
  description: 'Free. System lists keep their names.',
  request: { params: oneList, body: { required: true, ...json(nameSchema) } },
  responses: {
    204: { description: 'Renamed.' },
    ...badName,
    400: {
      ...batchErrors[400],
      description: 'The team has another list with this name, or the list is a system list.',
    },
    ...notFoundError,
  },
});

export const deleteListRoute = createRoute({
  method: 'delete',
  path: '/lists/{id}',
  tags: TAGS,
  summary: 'Delete a list',
  description: `Free. Its donors stay in ${ALL_SAVED_DONORS}.`,
  request: { params: oneList },
  responses: {
    204: { description: 'Deleted.' },
    400: { ...batchErrors[400], description: 'A system list cannot be deleted.' },
    ...notFoundError,
    ...commonErrors,
  },
});

/** Adds donors to a list. The request costs credits. */
export const addToListRoute = createRoute({
  method: 'post',
  path: '/lists/{id}/donors',
  tags: TAGS,
  summary: 'Add donors to a list',
  description: `One credit of the lists bucket per donor id, at most ${MAX_DONOR_IDS}. When the balance is short, as many are processed as it covers, from the front.`,
  middleware: [limitItems('donor_ids', MAX_DONOR_IDS)],
  request: { params: oneList, body: { required: true, ...json(donorIdsBodySchema) } },
  responses: {
    200: {
      description: 'The outcome for each donor id.',
      ...json(
        z
          .object({
            list_id: z.string(),
            added_ids: idsSchema('Donors who are on the list now'),
            already_listed_ids: idsSchema('Donors who were on the list before'),
            not_found_ids: notFoundIdsSchema,
            unpaid_ids: unpaidIdsSchema,
            meta: batchMetaSchema,
          })
          .openapi('ListAddition'),
      ),
    },
    ...creditErrors,
    ...notFoundError,
    ...batchErrors,
  },
});

export const removeFromListRoute = createRoute({
  method: 'post',
  path: '/lists/{id}/donors/remove',
  tags: TAGS,
  summary: 'Remove donors from a list',
  description: `Free; at most ${MAX_DONOR_IDS} donor ids. A donor who is removed from ${ALL_SAVED_DONORS} is removed from every list of the team.`,
  middleware: [limitItems('donor_ids', MAX_DONOR_IDS)],
  request: { params: oneList, body: { required: true, ...json(donorIdsBodySchema) } },
  responses: {
    204: { description: 'Removed; ids that are not on the list are ignored.' },
    ...notFoundError,
    ...batchErrors,
  },
});
