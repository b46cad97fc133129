import type { Charge } from '../buckets.ts';
import type { MayLeave } from '../request.ts';
import type { Routes } from '../routes.ts';
import type { Send } from '../send.ts';
import { type DonorConnections, type Filters, readDonorConnections } from './connection.ts';
import {
  compareProspects,
  type DiscoverOptions,
  discoverProspects,
  type LookupConnection,
  type LookupOptions,
  lookupConnections,
  type Prospect,
  type ProspectFilters,
} from './prospects.ts';
import type { QueryCost, QueryKind, QueryMeter } from './query-cost.ts';

/**
 * Queries the service for connections (service document, sections 4.1 and 4.2). The strongest come first. Their cost is
 * not documented, so it is measured with the first query of each kind, and `queryCost` returns it. It is not repeated
 * if its response is lost or if it is stopped in flight. In that case, it rejects with `AnswerLost`. `mayLeave` is
 * called before each attempt of a query that costs credits or may do so.
 */
export interface Connections {
  /** Finds prospects in the whole database who are connected to members. */
  discover(options?: DiscoverOptions, signal?: AbortSignal): Promise<Prospect[]>;
  /**
   * Reads the connections of 1 to 100 given prospects to members. Prospects without any connection come last,
   * with strength 0.
   */
  compare(
    donorIds: readonly string[],
    filters?: ProspectFilters,
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<Prospect[]>;
  /** Reads all connections of one donor to members. Throws `PartnerNotFound` for an unknown donor. */
  ofDonor(
    donorId: string,
    filters?: Filters,
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<DonorConnections>;
  /**
   * Reads one donor's connections to all others. They are computed during the call, which can take up to 20 seconds.
   * Throws `PartnerNotFound` for an unknown donor.
   */
  lookup(
    donorId: string,
    options?: LookupOptions,
    signal?: AbortSignal,
  ): Promise<LookupConnection[]>;
  /**
   * Returns the number of credits by which the first query of this kind reduced the balance. Every further query is
   * assumed to have the same cost. Null if it was free, and undefined before the first query. Without a kind, returns
   * the cost of the kind that was measured last.
   */
  queryCost(kind?: QueryKind): QueryCost | null | undefined;
}

export interface ConnectionsDeps {
  send: Send;
  routes: Routes;
  queries: QueryMeter;
}

export function createConnections(deps: ConnectionsDeps): Connections {
  const { send, queries } = deps;
  return {
    discover: (options = {}, signal) =>
      queries.meter(
        'discover',
        (charges) => discoverProspects(deps, options, charges, signal),
        signal,
      ),
    compare: (donorIds, filters = {}, signal, mayLeave) =>
      queries.meter(
        'compare',
        (charges) =>
          compareProspects(send, donorIds, filters, charges, signal, ifPaid(charges, mayLeave)),
        signal,
      ),
    ofDonor: (donorId, filters = {}, signal, mayLeave) =>
      queries.meter(
        'ofDonor',
        (charges) =>
          readDonorConnections(send, donorId, filters, charges, signal, ifPaid(charges, mayLeave)),
        signal,
      ),
    lookup: (donorId, options = {}, signal) =>
      queries.meter(
        'lookup',
        (charges) => lookupConnections(deps, donorId, options, charges, signal),
        signal,
      ),
    queryCost: (kind) => queries.cost(kind),
  };
}

/** Returns `mayLeave` for queries that may cost credits. A query that is certainly free may always be sent. */
function ifPaid(charges: Charge, mayLeave: MayLeave | undefined): MayLeave | undefined {
  return charges === null ? undefined : mayLeave;
}
