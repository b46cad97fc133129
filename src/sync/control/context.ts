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
 * When this process first saw each request whose response is lost. It uses only its own monotonic clock, in
 * memory: another process's clock, or a clock that can be adjusted, does not show how much time the service
 * has had.
 */
export interface Observations {
  /** Returns when this request was first seen; `nowMs` if this is the first time. */
  firstSeenMs(id: string, nowMs: number): number;
  /** Removes a request that is settled. */
  forget(id: string): void;
}

/** The dependencies of a sync. */
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
  /** Shared by all runs of this process. */
  sightings: Observations;
  log: Log;
  /** Takes an integration's lease, unless another living process has it. */
  takeLease: (integrationId: string) => Promise<LeaseAttempt>;
  /** The maximum number of people in a submission; by default the maximum that the service accepts. */
  personsPerSubmission?: number;
  /** The number of days for which history is kept. */
  retention: Retention;
  /** True if erasures that a CRM requests wait for users (`twoPeople.forgetByCrm` in the settings). */
  erasuresWait?: boolean;
  /** Returns a new identifier that cannot be guessed. */
  newId: () => string;
  /** Returns the canonical form of a contact's ID in this CRM. */
  canonicalId: CanonicalId;
  /** Returns other texts that mean the contact with this canonical ID. */
  otherForms?: (crmId: string) => readonly string[];
}

/** The same dependencies, before the CRM is open. */
export interface RunDeps extends Omit<SyncDeps, 'connector'> {
  /**
   * Opens the integration's CRM, which is closed together with it. Throws a ConfigurationError if
   * it leads to a different account than before. With a lease, the first account is pinned.
   */
  openConnector(lease: Lease | null): Promise<Connector>;
}

/** Kept profiles that a user wants delivered again. */
export interface RedeliveryRequest {
  /** The CRM's field names, or null for all mapped fields. */
  fields: readonly string[] | null;
}

/** One execution of the sync of one integration. */
export interface Run {
  id: string;
  lease: Lease;
  integration: Integration;
  trigger: Trigger;
  /** The field map in use: from the settings or the connector's default. */
  mappings: readonly FieldMapping[];
  /** ID of the mapping in use (`fingerprintMapping`). Set once the CRM is open. */
  mapping: string;
  /** The CRM's description of the mapped fields. Set before contacts are read. */
  fields: readonly CrmField[];
  /** Fields that the CRM's automation changes after a write. Set before contacts are read. */
  normalised?: NormalisedFields;
  /** The names of all fields that the CRM shows. Set before contacts are read. */
  described: ReadonlySet<string>;
  /** The mapped fields that this run has created, so earlier values in them no longer exist. */
  created?: ReadonlySet<string>;
  /** Fingerprint of the service key, which balances and open submissions belong to. */
  partnerKey: string;
  /** Reads identities. Set before contacts are read. */
  identities: IdentityReader;
  /** Fingerprints of contacts that were erased and must not be processed again. */
  forgotten: ReadonlySet<string>;
  /** Further facts about these people. Set before contacts are read. */
  erased?: ErasedPersons;
  /** Values in the CRM that name erased people. Set before contacts are read. Omitted if there are none. */
  erasedTexts?: ErasedTexts;
  /**
   * Contacts that a page showed as not to be submitted while their profile was in flight, with the time
   * (monotonic ms).
   */
  refused?: Map<string, { reason: OutcomeReason; atMs: number }>;
  /** The time of the restore whose contacts this run has sorted (epoch ms). Omitted until the run has done so. */
  sortedRestore?: number;
  /** True if this run has compared all networks with their groups. Omitted until then. */
  mirroredAll?: boolean;
  /** Whether all contacts were read, and whether there were any, or null until then. */
  readAll?: { isEmpty: boolean } | null;
  /** CRM IDs of the members of mirrored groups, which come first. Set before contacts are read. */
  groupMembers: Set<string>;
  /** True to read everything again, not only changes. */
  full: boolean;
  /** The CRM IDs of the contacts to sync, at least one, or null for all. */
  only: readonly string[] | null;
  /** The contacts in `only` that the CRM does not have. Set before contacts are read. */
  ignored: Set<string>;
  /** Contacts that this run has read by ID and that no filter has selected. Filled while contacts are read. */
  named?: Set<string>;
  /** The maximum number of credits that a user lets this run spend on enhancements, or null for no limit. */
  limit: number | null;
  /** True to adopt, without a credit, contacts that have another database's donor ID. */
  adopt: boolean;
  /**
   * The profiles that a user wants delivered again; the run then does nothing else. Null or omitted
   * in an ordinary run.
   */
  redelivery?: RedeliveryRequest | null;
  control: RunControl;
}
