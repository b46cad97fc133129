/** The data of a run, and the dependencies for the run's stations. */
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
 * clock and are kept in memory. An adjustable clock or a different process's clock does not show how much time the
 * service has had.
 */
export interface Observations {
  /** Returns the time at which this process first saw the request, or `nowMs` if it has not seen the request before. */
  firstSeenMs(id: string, nowMs: number): number;
  /** Removes a request whose outcome is now known. */
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
  /** The times at which requests were first seen. All runs of this process share these times. */
  sightings: Observations;
  log: Log;
  /** Acquires an integration's lease, unless a different process has the lease. */
  takeLease: (integrationId: string) => Promise<LeaseAttempt>;
  /** The maximum number of people in a submission. Defaults to the service's own maximum. */
  personsPerSubmission?: number;
  /** The number of days for which history is kept. */
  retention: Retention;
  /** True if a user has to confirm erasures that a CRM requests (`twoPeople.forgetByCrm` in the settings). */
  erasuresWait?: boolean;
  /** Returns a new ID that nobody can guess. */
  newId: () => string;
  canonicalId: CanonicalId;
  /** Returns the other forms of this contact's canonical ID. */
  otherForms?: (crmId: string) => readonly string[];
}

/** The dependencies that a run needs before it opens its CRM. */
export interface RunDeps extends Omit<SyncDeps, 'connector'> {
  /**
   * Opens the integration's CRM. Throws a ConfigurationError if the CRM account is different from the stored account.
   * If a lease is given, the first account is stored permanently.
   */
  openConnector(lease: Lease | null): Promise<Connector>;
}

/** A user's request to deliver stored profiles again. */
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
  /** The field map that the run uses. The field map comes from the settings or is the connector's default. */
  mappings: readonly FieldMapping[];
  /** The ID of the mapping that the run uses (see `fingerprintMapping`). Set once the CRM is open. */
  mapping: string;
  /** The CRM's descriptions of the mapped fields. Set before contacts are read. */
  fields: readonly CrmField[];
  /** Fields that the CRM's automation changes after a write. Set before contacts are read. */
  normalised?: NormalisedFields;
  /** The names of all fields that the CRM shows. Set before contacts are read. */
  described: ReadonlySet<string>;
  /** The mapped fields that this run has created. The created fields contain no values from before the run. */
  created?: ReadonlySet<string>;
  /** The fingerprint of the service key. The database stores balances and open submissions by service key. */
  partnerKey: string;
  /** Reads the contacts' identities. Set before contacts are read. */
  identities: IdentityReader;
  /** The fingerprints of erased contacts, which the run must not process. */
  forgotten: ReadonlySet<string>;
  /** Further data about erased people. Set before contacts are read. */
  erased?: ErasedPersons;
  /** CRM values that name erased people. Set before contacts are read, and omitted if no such values exist. */
  erasedTexts?: ErasedTexts;
  /**
   * Contacts that the run must not submit. The run noticed this on a page that it read while their profile was in
   * flight. The value for each contact contains the time of the page (monotonic ms).
   */
  refused?: Map<string, { reason: OutcomeReason; atMs: number }>;
  /**
   * The last restore, once this run has decided about all contacts that the restore affects. `heldAt` is the time of the
   * restore (epoch ms). `isExplained` means that the journal contains all spending since the backup. Omitted until then.
   */
  sortedRestore?: { heldAt: number; isExplained: boolean };
  /** True if this run has compared all networks with their groups. Omitted until the comparison is complete. */
  mirroredAll?: boolean;
  /** Whether the CRM contains no contacts. Null until the run has read all contacts. */
  readAll?: { isEmpty: boolean } | null;
  /**
   * The CRM IDs of the contacts in mirrored groups. The run enhances contacts in mirrored groups first. Set before
   * contacts are read.
   */
  groupMembers: Set<string>;
  /** True if the run reads all contacts and not only changed contacts. */
  full: boolean;
  /** The CRM IDs of the contacts to sync, or null for all contacts. Never empty. */
  only: readonly string[] | null;
  /** The contacts in `only` that the CRM does not contain. Set before contacts are read. */
  ignored: Set<string>;
  /**
   * The contacts that this run has read by ID. The filter has not been applied to them. Filled while contacts are read.
   */
  named?: Set<string>;
  /** The maximum number of credits that this run may spend on enhancements, or null for no limit. */
  limit: number | null;
  /** True to adopt contacts that have a donor ID from a different database. Adopting a contact costs no credits. */
  adopt: boolean;
  /**
   * A user's request to deliver profiles again. If it is set, the run does nothing else. Null or omitted in an ordinary
   * run.
   */
  redelivery?: RedeliveryRequest | null;
  control: RunControl;
}
