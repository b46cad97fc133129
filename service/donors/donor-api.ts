import { createRoute, z } from '@hono/zod-openapi';
import { batchErrors, commonErrors, creditErrors, json, notFoundError } from '../errors.ts';
import { profileSchema } from '../profile.ts';
import { limitItems } from '../validation.ts';
import {
  batchMetaSchema,
  donorIdsBodySchema,
  MAX_DONOR_IDS,
  notFoundIdsSchema,
  unpaidIdsSchema,
} from './batch.ts';
import { metadataSchema } from './summary.ts';

const oneDonor = z.object({ id: z.string().openapi({ description: 'A donor id' }) });

/** Reads one profile. The request costs credits. */
export const donorRoute = createRoute({
  method: 'get',
  path: '/donors/{id}',
  tags: ['Donors'],
  summary: 'Profile of a donor',
  description: 'One credit of the donors bucket.',
  request: { params: oneDonor },
  responses: {
    200: { description: 'The profile.', ...json(profileSchema) },
    ...creditErrors,
    ...notFoundError,
    ...commonErrors,
  },
});

/** Reads many profiles. The request costs credits. */
export const donorBatchRoute = createRoute({
  method: 'post',
  path: '/donors/batch',
  tags: ['Donors'],
  summary: 'Profiles of many donors',
  description: `One credit of the donors bucket per donor id, at most ${MAX_DONOR_IDS}. When the balance is short, as many are processed as it covers, from the front.`,
  middleware: [limitItems('donor_ids', MAX_DONOR_IDS)],
  request: { body: { required: true, ...json(donorIdsBodySchema) } },
  responses: {
    200: {
      description: 'The profiles, in the order of the request.',
      ...json(
        z
          .object({
            donors: z.array(profileSchema),
            not_found_ids: notFoundIdsSchema,
            unpaid_ids: unpaidIdsSchema,
            meta: batchMetaSchema,
          })
          .openapi('DonorBatch'),
      ),
    },
    ...creditErrors,
    ...batchErrors,
  },
});

/** Lists the parts that a profile would contain. */
export const metadataRoute = createRoute({
  method: 'get',
  path: '/donors/{id}/metadata',
  tags: ['Donors'],
  summary: "A donor's name and the contents of the profile",
  description: 'Free.',
  request: { params: oneDonor },
  responses: {
    200: { description: 'The metadata.', ...json(metadataSchema) },
    ...notFoundError,
    ...commonErrors,
  },
});

export const metadataBatchRoute = createRoute({
  method: 'post',
  path: '/donors/metadata/batch',
  tags: ['Donors'],
  summary: 'Names of many donors and the contents of their profiles',
  description: `Free; at most ${MAX_DONOR_IDS} donor ids.`,
  middleware: [limitItems('donor_ids', MAX_DONOR_IDS)],
  request: { body: { required: true, ...json(donorIdsBodySchema) } },
  responses: {
    200: {
      description: 'The metadata, in the order of the request.',
      ...json(
        z
          .object({ donors: z.array(metadataSchema), not_found_ids: notFoundIdsSchema })
          .openapi('DonorMetadataBatch'),
      ),
    },
    ...batchErrors,
  },
});
