/** The tables of warm paths. There are ids and numbers in them, no names and no sentences. */

export interface WarmPathTables {
  warm_paths: WarmPathsTable;
  warm_path_scopes: WarmPathScopesTable;
  warm_path_costs: WarmPathCostsTable;
  query_intents: QueryIntentsTable;
}

/** One row for each contact with a donor: its best connection to the networks, if it has one. */
export interface WarmPathsTable {
  integration_id: string;
  crm_id: string;
  /** The contact's donor, for which it was or is to be computed. */
  donor_id: string;
  /** 1 if it may have changed since it was computed. */
  stale: number;
  /** When it was computed last; 0 for never. */
  computed_at: number;
  /** Strength of the best connection in millionths; null without a path. */
  strength_millionths: number | null;
  /** How many people in the networks the contact is connected to. */
  people: number;
  /** Donor id of the member at the other end of the best connection. */
  introducer_id: string | null;
  /** The service's id of the network that the introducer comes from. */
  network_id: string | null;
  /** JSON: donor ids of all those people; null if the service did not name every one. */
  connecting: string | null;
  /** Fingerprint of what the CRM holds; null if its record is to be compared in any case. */
  told: string | null;
}

/** What the warm paths of an integration were last compared with. */
export interface WarmPathScopesTable {
  integration_id: string;
  /** Fingerprint of the settings that decide what a path is and where it is written. */
  settings: string;
  /** JSON: the service's id of each network → donor ids of its members. */
  members: string;
  /**
   * The epoch of the lease under which that was: contacts that no run has touched since are as they
   * were. Null if every contact is to be looked at.
   */
  looked_epoch: number | null;
}

/** What a run's queries for paths have cost; there is no row where they were free. */
export interface WarmPathCostsTable {
  run_id: string;
  bucket: string;
  credits: number;
}

/** A query that costs credits, or may, and of which it is not known yet whether it did. */
export interface QueryIntentsTable {
  id: string;
  integration_id: string;
  run_id: string;
  /** The bucket that it takes its credits from, as far as is known, and how many. */
  bucket: string;
  credits: number;
  /** What the bucket held before it, as far as was known. */
  balance_before: number;
  intended_at: number;
}
