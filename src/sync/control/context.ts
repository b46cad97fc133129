/** What one run is made of, and what its stations may use. */
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
 * When this process first saw each request whose answer is lost, by its own monotonic clock and in
 * memory alone: no clock of another process, and none that may be set, tells how long the service
 * has had.
 */
export interface Observations {
  /** The moment of the first look at this request; `nowMs` if this is the first. */
  firstSeenMs(id: string, nowMs: number): number;
  /** The request is settled. */
  forget(id: string): void;
}

/** What the sync needs of the world. */
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
  /** Takes the lease of an integration, unless a living process has it. */
  takeLease: (integrationId: string) => Promise<LeaseAttempt>;
  /** How many persons a submission holds at most; as many as the service takes unless given. */
  personsPerSubmission?: number;
  /** For how many days what happened is kept. */
  retention: Retention;
  /** A new identifier that cannot be guessed. */
  newId: () => string;
  /** The one form of a contact's id in this CRM. */
  canonicalId: CanonicalId;
  /** Other texts by which people and programs mean the contact with this canonical id. */
  otherForms?: (crmId: string) => readonly string[];
}

/** The same before the CRM is open. */
export interface RunDeps extends Omit<SyncDeps, 'connector'> {
  /**
   * Opens the CRM of the integration, which is closed along with it. Throws a ConfigurationError if it
   * leads to another account than before; with a lease, the first account is pinned.
   */
  openConnector(lease: Lease | null): Promise<Connector>;
}

/** Kept profiles that a user wants delivered again. */
export interface RedeliveryRequest {
  /** The names of the CRM's fields; null for all mapped ones. */
  fields: readonly string[] | null;
}

/** One execution of the sync of one integration. */
export interface Run {
  id: string;
  lease: Lease;
  integration: Integration;
  trigger: Trigger;
  /** The field map in force: the settings' or the connector's own. */
  mappings: readonly FieldMapping[];
  /** Id of the mapping in use (`fingerprintMapping`); filled once the CRM is open. */
  mapping: string;
  /** The CRM's description of the mapped fields; filled before contacts are read. */
  fields: readonly CrmField[];
  /** Fields that the CRM's automation changes after a write; filled before contacts are read. */
  normalised?: NormalisedFields;
  /** The names of all fields that the CRM shows; filled before contacts are read. */
  described: ReadonlySet<string>;
  /** The mapped fields that this run has created: nothing that was written into them before is there. */
  created?: ReadonlySet<string>;
  /** Fingerprint of the partner key: balances and open submissions belong to it. */
  partnerKey: string;
  /** How identities are read; filled before contacts are read. */
  identities: IdentityReader;
  /** Fingerprints of contacts that were erased and must not be taken up again. */
  forgotten: ReadonlySet<string>;
  /** What is known of those people besides; filled before contacts are read. */
  erased?: ErasedPersons;
  /** Values in the CRM that name erased people; filled before contacts are read; left out where there are none. */
  erasedTexts?: ErasedTexts;
  /** Contacts that a page has shown as not to be submitted while their profile was on its way, and when (monotonic ms). */
  refused?: Map<string, { reason: OutcomeReason; atMs: number }>;
  /** Whether all contacts were read to the end, and whether there were any; null until then. */
  readAll?: { isEmpty: boolean } | null;
  /** CRM ids of the members of mirrored groups, who come first; filled before contacts are read. */
  groupMembers: Set<string>;
  /** Reads everything anew instead of what changed. */
  full: boolean;
  /** The contacts to sync, by CRM id, at least one; null for all. */
  only: readonly string[] | null;
  /** Those of them that the CRM does not have; filled before contacts are read. */
  ignored: Set<string>;
  /** Contacts that this run has read by their ids, so that no filter has chosen them; filled while contacts are read. */
  named?: Set<string>;
  /** The most credits for enhancements that a person wants this run to spend; null for no limit. */
  limit: number | null;
  /** Takes contacts that carry a donor id of another database over, without a credit. */
  adopt: boolean;
  /** What a user wants delivered again, which is then all that the run does; null or left out in an ordinary run. */
  redelivery?: RedeliveryRequest | null;
  control: RunControl;
}
