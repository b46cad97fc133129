/** The endpoints that query connections (service document, sections 4.1 and 4.2). */

import type { OpenAPIHono } from '@hono/zod-openapi';
import type { PartnerEnv } from '../context.ts';
import { underRequestedIds } from '../donors/batch.ts';
import { createRouter } from '../router.ts';
import { createSlices } from '../slices.ts';
import { TWO_PEOPLE } from '../two-people.ts';
import { findDonors, findNetworks } from './lookups.ts';
import type { CoverFilter } from './members.ts';
import { compareRoute, discoverRoute, donorConnectionsRoute, lookupRoute } from './search-api.ts';
import type { NetworkService } from './service.ts';
import { STORED_STRENGTH_FLOOR } from './stored-connections.ts';

/**
 * Creates the search endpoints. The routes only document whether a request is charged, and the metering middleware
 * charges it.
 */
export function searchRoutes(service: NetworkService, isCharged: boolean): OpenAPIHono<PartnerEnv> {
  const router = createRouter();
  addProspectRoutes(router, service, isCharged);
  addDonorRoutes(router, service, isCharged);
  return router;
}

function addProspectRoutes(
  router: OpenAPIHono<PartnerEnv>,
  service: NetworkService,
  isCharged: boolean,
): void {
  const { world, searches } = service;
  router.openapi(discoverRoute(isCharged), async (c) => {
    const { team } = c.var.key;
    const { min_strength: minStrength, limit, ...filters } = c.req.valid('json');
    const cover = await resolveFilters(service, team, filters);
    return 'detail' in cover
      ? c.json(cover, 404)
      : c.json({ prospects: await searches.discover({ team, minStrength, ...cover }, limit) }, 200);
  });
  router.openapi(compareRoute(isCharged), async (c) => {
    const { team } = c.var.key;
    const { donor_ids: ids, min_strength: minStrength, ...filters } = c.req.valid('json');
    const cover = await resolveFilters(service, team, filters);
    if ('detail' in cover) {
      return c.json(cover, 404);
    }
    const donors = await findDonors(world, ids);
    if ('detail' in donors) {
      return c.json(donors, 404);
    }
    const compared = await searches.compare({ team, minStrength, ...cover }, donors.numbers);
    const prospects = underRequestedIds(world, ids, compared, {
      idOf: ({ donor }) => donor.id,
      withId: (prospect, id) => ({ ...prospect, donor: { ...prospect.donor, id } }),
    });
    return c.json({ prospects }, 200);
  });
}

function addDonorRoutes(
  router: OpenAPIHono<PartnerEnv>,
  service: NetworkService,
  isCharged: boolean,
): void {
  const { world, searches } = service;
  router.openapi(donorConnectionsRoute(isCharged), async (c) => {
    const { team } = c.var.key;
    const donor = world.donorNumber(c.req.valid('param').donor_id);
    const cover = await resolveFilters(service, team, c.req.valid('query'));
    if (donor === null) {
      return c.json(NO_DONOR, 404);
    }
    if (service.members.wasForTwo(team, donor)) return c.json({ detail: TWO_PEOPLE }, 404);
    return 'detail' in cover
      ? c.json(cover, 404)
      : c.json(
          await searches.ofDonor({ team, minStrength: STORED_STRENGTH_FLOOR, ...cover }, donor),
          200,
        );
  });
  router.openapi(lookupRoute(isCharged), async (c) => {
    const { donor_id: id, limit } = c.req.valid('json');
    const donor = world.donorNumber(id);
    return donor === null
      ? c.json(NO_DONOR, 404)
      : c.json(await searches.lookUp(donor, limit), 200);
  });
}

const NO_DONOR = { detail: 'Donor not found' };

interface Filters {
  network_ids?: string[] | null | undefined;
  in_network_donor_ids?: string[] | null | undefined;
}

async function resolveFilters(
  { networks, members, world }: NetworkService,
  team: string,
  filters: Filters,
): Promise<CoverFilter | { detail: string }> {
  const byNetwork =
    filters.network_ids && (await findNetworks(networks, team, filters.network_ids));
  if (byNetwork && 'detail' in byNetwork) {
    return byNetwork;
  }
  const byDonor =
    filters.in_network_donor_ids && (await findDonors(world, filters.in_network_donor_ids));
  if (byDonor && 'detail' in byDonor) {
    return byDonor;
  }
  const slices = createSlices();
  for (const donor of byDonor?.numbers ?? []) {
    if (slices.isOver()) await slices.next();
    if (members.wasForTwo(team, donor)) return { detail: TWO_PEOPLE };
  }
  return { networks: byNetwork?.numbers ?? null, donors: byDonor?.numbers ?? null };
}
