/** The donor endpoints (service document, section 4.4). Profiles cost credits, and metadata is free. */

import type { OpenAPIHono } from '@hono/zod-openapi';
import type { PartnerEnv } from '../context.ts';
import type { World } from '../donor.ts';
import type { ChargedEndpoint } from '../metering.ts';
import { toProfile } from '../profile.ts';
import { createRouter } from '../router.ts';
import { batchMeta, countDonorIds, resolveDonors, underRequestedIds } from './batch.ts';
import { donorBatchRoute, donorRoute, metadataBatchRoute, metadataRoute } from './donor-api.ts';
import { toMetadata } from './summary.ts';

export interface DonorOptions {
  world: World;
  clock: () => number;
}

/** The prices for reading donors. The health check is free. */
export const CHARGED_DONORS: readonly ChargedEndpoint[] = [
  { method: 'GET', path: /^\/donors\/(?!health$)[^/]+$/, bucket: 'donors', items: () => 1 },
  { method: 'POST', path: /^\/donors\/batch$/, bucket: 'donors', items: countDonorIds },
];

/** Creates the donor endpoints. */
export function donorRoutes(options: DonorOptions): OpenAPIHono<PartnerEnv> {
  const { world, clock } = options;
  const router = createRouter();
  router.openapi(donorRoute, (c) => {
    const number = world.donorNumber(c.req.valid('param').id);
    return number === null
      ? c.json({ detail: 'Donor not found' }, 404)
      : c.json(toProfile(world.donor(number), clock()), 200);
  });
  router.openapi(donorBatchRoute, (c) =>
    c.json(readProfiles(options, c.req.valid('json').donor_ids, c.var.charged), 200),
  );
  router.openapi(metadataRoute, (c) => {
    const number = world.donorNumber(c.req.valid('param').id);
    return number === null
      ? c.json({ detail: 'Donor not found' }, 404)
      : c.json(toMetadata(world.donor(number)), 200);
  });
  router.openapi(metadataBatchRoute, (c) => {
    const ids = c.req.valid('json').donor_ids;
    const { numbers, notFoundIds } = resolveDonors(world, ids);
    const found = numbers.map((number) => toMetadata(world.donor(number)));
    const donors = underRequestedIds(world, ids, found, {
      idOf: ({ id }) => id,
      withId: (metadata, id) => ({ ...metadata, id }),
    });
    return c.json({ donors, not_found_ids: notFoundIds }, 200);
  });
  return router;
}

function readProfiles({ world, clock }: DonorOptions, ids: readonly string[], paid: number) {
  const { numbers, notFoundIds } = resolveDonors(world, ids.slice(0, paid));
  const nowMs = clock();
  return {
    donors: numbers.map((number) => toProfile(world.donor(number), nowMs)),
    not_found_ids: notFoundIds,
    unpaid_ids: ids.slice(paid),
    meta: batchMeta(ids.length, paid),
  };
}
