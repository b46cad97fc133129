/** Forecasts a run's work on warm paths. The forecast writes nothing and sends no request to the service. */

import type { FieldMapping } from '../core/field-map.ts';
import type { Integration } from '../core/integration-settings.ts';
import { listMirroredNetworks } from '../networks/statements/mirrored-networks.ts';
import { MAX_DONORS_PER_REQUEST } from '../partner/donor-batch.ts';
import type { InsightDeps } from './insight-deps.ts';
import { fingerprintSettings } from './memberships.ts';
import { countPossiblePaths, countStalePaths, hasPathScope } from './statements/warm-paths.ts';

/** The forecast for the warm paths of an integration. */
export interface PathsForecast {
  /** The maximum number of contacts whose connections the run would query. */
  contacts: number;
  /** The maximum number of queries. If the service charges for queries, `insights.budget` is the limit. */
  queries: number;
  /** The number of requests to the service, and the number of requests to the CRM if every path has changed. */
  calls: { partner: number; crm: number };
}

/** The parts of the run's other work that affect the number of paths. */
export interface PathsForecastFacts {
  integration: Integration;
  mappings: readonly FieldMapping[];
  /** The run's contacts, or null for all contacts. */
  only: readonly string[] | null;
  /** The number of contacts that the run will enhance. */
  enhanced: number;
  /** The number of donors who join a network, and of contacts who may join once they are enhanced. */
  joiners: number;
}

/**
 * Forecasts the work on warm paths as numbers only. The paths themselves are only at the service, and reading them may
 * cost credits.
 */
export async function forecastPaths(
  { store, connector }: Pick<InsightDeps, 'store' | 'connector'>,
  { integration, mappings, only, enhanced, joiners }: PathsForecastFacts,
): Promise<PathsForecast> {
  const { id, insights, networks } = integration;
  if (!insights.enabled || networks.length === 0) return NOTHING;
  const mirrored = await listMirroredNetworks(store.reader, id);
  if (joiners === 0 && !mirrored.some(({ members }) => members.length > 0)) return NOTHING;
  const settings = fingerprintSettings(store, { integration, mappings }, mirrored);
  // A new member may be the best introducer for any contact, so all paths must be computed again.
  const areAllStale = joiners > 0 || !(await hasPathScope(store.reader, id, settings));
  const known = areAllStale
    ? await countPossiblePaths(store.reader, id, only)
    : await countStalePaths(store.reader, id, only);
  const contacts = known + enhanced;
  if (contacts === 0) return NOTHING;
  const queries = Math.ceil(contacts / MAX_DONORS_PER_REQUEST);
  const { remote, readBatch, writeBatch } = connector.capabilities;
  const requests = Math.ceil(contacts / readBatch) + Math.ceil(contacts / writeBatch.preferred);
  // One additional request lists the service's networks.
  return { contacts, queries, calls: { partner: queries + 1, crm: remote ? requests : 0 } };
}

const NOTHING: PathsForecast = { contacts: 0, queries: 0, calls: { partner: 0, crm: 0 } };
