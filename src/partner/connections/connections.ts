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
 * Queries the service for connections (service document, sections 4.1 and 4.2). The strongest connections come first.
 * The document does not state the cost, so donor-sync measures the cost with the first query of each kind, and
 * `queryCost` returns it. If a query's response is lost or the query is stopped in flight, the query is not repeated
 * and rejects with `AnswerLost`. `mayLeave` is called before each attempt of a query that costs credits or may cost
 * credits.
 */
export interface Connections {
  /** Finds prospects in the whole database who are connected to members. */
  discover(options?: DiscoverOptions, signal?: AbortSignal): Promise<Prospect[]>;
  /**
   * Reads the connections between 1 to 100 given prospects and network members. Prospects without a connection come
   * last, with strength 0.
   */
  compare(
    donorIds: readonly string[],
    filters?: ProspectFilters,
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<Prospect[]>;
  /** Reads all connections between one donor and network members. Throws `PartnerNotFound` for an unknown donor. */
  ofDonor(
    donorId: string,
    filters?: Filters,
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<DonorConnections>;
  /**
   * Reads one donor's connections to all other donors. The service computes them during the call, which can take up to
   * 20 seconds. Throws `PartnerNotFound` for an unknown donor.
   */
  lookup(
    donorId: string,
    options?: LookupOptions,
    signal?: AbortSignal,
  ): Promise<LookupConnection[]>;
  /**
   * Returns the number of credits by which the first query of this kind reduced the balance. donor-sync assumes the
   * same cost for every further query. Null if the query was free, and undefined before the first query. If no kind is
   * given, returns the last measured cost of any kind.
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

/** Returns `mayLeave` for queries that may cost credits. A query that is certainly free needs no permission. */
function ifPaid(charges: Charge, mayLeave: MayLeave | undefined): MayLeave | undefined {
  return charges === null ? undefined : mayLeave;
}
