/** The data of one run, and the dependencies that its stations may use. */
import type { Connector } from '../../../connectors/contract.ts';
import type { Clock } from '../../core/clock.ts';
import type { CrmField } from '../../core/crm-field.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Log } from '../../core/log.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import type { Retention } from '../../core/retention.ts';
import type { Trigger } from '../../core/run.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import type { Lease, LeaseAttempt } from '../../database/leases.ts';
import type { IdentityReader } from '../../identity/identity-reader.ts';
import type { PartnerClient } from '../../partner/client.ts';
import type { Store } from '../../store.ts';
import type { CanonicalId } from './contact-id.ts';
import type { RunControl } from './control.ts';
import type { ErasedPersons } from './erased-persons.ts';
import type { ErasedTexts } from './erased-texts.ts';
import type { NormalisedFields } from './normalised-fields.ts';

/**
 * Remembers when this process first saw each request with a lost response. The times come from this process's monotonic
 * clock and are kept in memory. A different process's clock, or a clock that can be adjusted, does not show how much
 * time the service has had.
 */
export interface Observations {
  /** Returns the time at which this process first saw the request, or `nowMs` if it has not seen the request before. */
  firstSeenMs(id: string, nowMs: number): number;
  /** Removes a settled request. */
  forget(id: string): void;
}

export interface SyncDeps {
  store: Store;
  connector: Connector;
  partner: Pick<
    PartnerClient,
    | 'discover'
    | 'submitEnhancements'
    | 'readProgress'
    | 'readResults'
    | 'readCredits'
    | 'clockAheadMs'
    | 'networks'
    | 'connections'
  >;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  clock: Clock;
  /** The times at which requests were first seen. All runs of this process share this object. */
  sightings: Observations;
  log: Log;
  /** Takes an integration's lease, unless a different running process holds it. */
  takeLease: (integrationId: string) => Promise<LeaseAttempt>;
  /** The maximum number of people in a submission. Defaults to the service's own maximum. */
  personsPerSubmission?: number;
  /** The number of days for which history is kept. */
  retention: Retention;
  /** True if a user has to confirm erasures that a CRM requests (`twoPeople.forgetByCrm` in the settings). */
  erasuresWait?: boolean;
  /** Returns a new identifier that cannot be guessed. */
  newId: () => string;
  canonicalId: CanonicalId;
  /** Returns the other forms of this contact's canonical ID. */
  otherForms?: (crmId: string) => readonly string[];
}

/** The dependencies that a run needs before it opens its CRM. */
export interface RunDeps extends Omit<SyncDeps, 'connector'> {
  /**
   * Opens the integration's CRM. Throws a ConfigurationError if it is a different account than before. If a lease is
   * given, the first account is recorded permanently.
   */
  openConnector(lease: Lease | null): Promise<Connector>;
}

/** Kept profiles that a user wants delivered again. */
export interface RedeliveryRequest {
  /** The CRM's field names, or null for all mapped fields. */
  fields: readonly string[] | null;
}

/** One execution of an integration's sync. */
export interface Run {
  id: string;
  lease: Lease;
  integration: Integration;
  trigger: Trigger;
  /** The field map in use: from the settings or the connector's default. */
  mappings: readonly FieldMapping[];
  /** The ID of the mapping in use (see `fingerprintMapping`). Set once the CRM is open. */
  mapping: string;
  /** The CRM's descriptions of the mapped fields. Set before contacts are read. */
  fields: readonly CrmField[];
  /** Fields that the CRM's automation changes after a write. Set before contacts are read. */
  normalised?: NormalisedFields;
  /** The names of all fields that the CRM shows. Set before contacts are read. */
  described: ReadonlySet<string>;
  /** The mapped fields that this run has created. Values from before the run no longer exist in these fields. */
  created?: ReadonlySet<string>;
  /** The fingerprint of the service key. Balances and open submissions belong to a key. */
  partnerKey: string;
  /** Set before contacts are read. */
  identities: IdentityReader;
  /** The fingerprints of contacts that were erased and must not be processed again. */
  forgotten: ReadonlySet<string>;
  /** Further facts about erased people. Set before contacts are read. */
  erased?: ErasedPersons;
  /**
   * Values in the CRM that name erased people. This is set before contacts are read, and omitted if no such values
   * exist.
   */
  erasedTexts?: ErasedTexts;
  /**
   * Contacts that must not be submitted, according to a page that was read while their profile was in flight. Each has
   * the time at which this was seen (monotonic ms).
   */
  refused?: Map<string, { reason: OutcomeReason; atMs: number }>;
  /**
   * The time of the restore after which this run has sorted the contacts (epoch ms). Omitted until the contacts are
   * sorted.
   */
  sortedRestore?: number;
  /** True if this run has compared all networks with their groups. Omitted until then. */
  mirroredAll?: boolean;
  /** Records if the CRM contains no contacts, after the run has read all of them. Null until then. */
  readAll?: { isEmpty: boolean } | null;
  /** The CRM IDs of the contacts in mirrored groups, which are enhanced first. Set before contacts are read. */
  groupMembers: Set<string>;
  /** True to read all contacts and not only changes. */
  full: boolean;
  /** The CRM IDs of the contacts to sync, or null for all contacts. Never empty. */
  only: readonly string[] | null;
  /** The contacts in `only` that the CRM does not have. Set before contacts are read. */
  ignored: Set<string>;
  /** The contacts that this run has read by ID. No filter has selected them. Filled while contacts are read. */
  named?: Set<string>;
  /** The maximum number of credits that this run may spend on enhancements, or null for no limit. */
  limit: number | null;
  /** True to adopt contacts that have a donor ID from a different database. Adopting a contact costs no credit. */
  adopt: boolean;
  /**
   * The profiles that a user wants delivered again. If it is set, the run does nothing else. Null or omitted in an
   * ordinary run.
   */
  redelivery?: RedeliveryRequest | null;
  control: RunControl;
}
