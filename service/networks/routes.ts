/** All endpoints under /networks, and their cost (service document, sections 4.1, 4.4 and 4.5). */

import type { OpenAPIHono } from '@hono/zod-openapi';
import type { PartnerEnv } from '../context.ts';
import { countDonorIds } from '../donors/batch.ts';
import type { ChargedEndpoint } from '../metering.ts';
import { createRouter } from '../router.ts';
import { managementRoutes } from './management.ts';
import { searchRoutes } from './search-routes.ts';
import type { NetworkService } from './service.ts';

/** The requests that cost credits although the document does not mention a price. By default, the requests are free. */
export interface NetworkPrices {
  /** Each discover, compare, donor connections and lookup request costs one credit of `searches`. */
  chargeQueries: boolean;
  /** Each request that adds a single donor costs one credit of `networks`. */
  chargeSingleAdd: boolean;
}

/** The dependencies of the network endpoints. */
export interface NetworkOptions {
  networkService: NetworkService;
  networkPrices: NetworkPrices;
}

/**
 * Returns the prices of the network endpoints. The bulk add always costs credits. The settings decide whether the other
 * requests cost credits.
 */
export function chargedNetworks({
  chargeQueries,
  chargeSingleAdd,
}: NetworkPrices): ChargedEndpoint[] {
  return [BULK_ADD, ...(chargeSingleAdd ? [SINGLE_ADD] : []), ...(chargeQueries ? QUERIES : [])];
}

/** Creates all network endpoints. */
export function networkRoutes({
  networkService,
  networkPrices,
}: NetworkOptions): OpenAPIHono<PartnerEnv> {
  const router = createRouter();
  router.route('/', searchRoutes(networkService, networkPrices.chargeQueries));
  router.route('/', managementRoutes(networkService, networkPrices.chargeSingleAdd));
  return router;
}

const BULK_ADD: ChargedEndpoint = {
  method: 'POST',
  path: /^\/networks\/[^/]+\/members\/batch$/,
  bucket: 'networks',
  items: countDonorIds,
};

const SINGLE_ADD: ChargedEndpoint = {
  method: 'POST',
  path: /^\/networks\/[^/]+\/members$/,
  bucket: 'networks',
  items: () => 1,
};

const QUERIES: readonly ChargedEndpoint[] = [
  {
    method: 'POST',
    path: /^\/networks\/(discover|connections|lookup)$/,
    bucket: 'searches',
    items: () => 1,
  },
  {
    method: 'GET',
    path: /^\/networks\/donors\/[^/]+\/connections$/,
    bucket: 'searches',
    items: () => 1,
  },
];
