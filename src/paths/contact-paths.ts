import type { Connector } from '../../connectors/contract.ts';
import { type ContactRecord, findContacts } from '../contacts/contacts.ts';
import { ConfigurationError } from '../core/errors.ts';
import { unknownContact } from '../core/shared-errors.ts';
import { exclusionText, type RedeliveryExclusion } from '../fields/redelivery-view.ts';
import type { Store } from '../store.ts';
import { findKeptBack } from '../sync/guards/kept-back.ts';
import { requireNetworks } from './memberships.ts';
import { type ByHand, type ByHandDeps, queryByHand } from './query-by-hand.ts';
import { calledName } from './sentence.ts';
import { describeConnections, type ShownConnection } from './shown-connection.ts';
import { findUnshownDonors } from './unshown-donors.ts';

/** All of one contact's connections to the networks. */
export interface ContactPaths {
  integration: string;
  contact: string;
  /** The contact's name in the CRM. */
  name: string | null;
  donorId: string;
  /** The integration's networks that contain the contact. */
  memberOf: string[];
  /** The connections, strongest first. */
  connections: ShownConnection[];
}

export interface ContactPathsDeps extends ByHandDeps {
  store: ByHandDeps['store'] & Pick<Store, 'fingerprint'>;
  /** The connector, which must already be signed in. */
  connector: Pick<Connector, 'readByIds'>;
}

/**
 * Reads all connections of one contact from the service with one query. Leaves out people whom a page may not show.
 * Before the query, throws a ConfigurationError if there are no networks yet, if the contact's donor is unknown, or if
 * a page may not show any data about the contact.
 */
export async function readContactPaths(
  deps: ContactPathsDeps,
  { integrationId, partnerKey }: Omit<ByHand, 'kind'>,
  crmId: string,
): Promise<ContactPaths> {
  const { store, connector, partner } = deps;
  const networks = await requireNetworks(store.reader, integrationId);
  const row = await requireEnhanced(store, integrationId, crmId);
  const { donorId } = row;
  const [lookup] = await connector.readByIds([crmId], []);
  const reason = findKeptBack(row, lookup);
  if (reason !== null) throw keptBack(integrationId, crmId, reason);
  const contact = lookup?.state === 'found' ? lookup.contact : NO_NAME;
  const networkIds = networks.map(({ networkId }) => networkId);
  const payer = { integrationId, partnerKey, kind: 'ofDonor' as const };
  const { connections } = await queryByHand(deps, payer, () =>
    partner.connections.ofDonor(donorId, { networkIds }),
  );
  const introducerIds = new Set(connections.map(({ sourceDonor }) => sourceDonor.donorId));
  const unshown = await findUnshownDonors(store, integrationId, introducerIds);
  const others = connections.filter(
    ({ sourceDonor }) => sourceDonor.donorId !== donorId && !unshown.has(sourceDonor.donorId),
  );
  return {
    integration: integrationId,
    contact: crmId,
    name: [contact.firstName, contact.lastName].filter(Boolean).join(' ') || null,
    donorId,
    memberOf: networks.filter(({ members }) => members.includes(donorId)).map(({ name }) => name),
    connections: describeConnections(others, networks, calledName(contact)),
  };
}

const NO_NAME = { firstName: null, lastName: null };

/** A contact that the service has found. */
type EnhancedContact = ContactRecord & { donorId: string };

function isEnhanced(row: ContactRecord | undefined): row is EnhancedContact {
  return row !== undefined && row.donorId !== null;
}

async function requireEnhanced(
  { reader }: Pick<Store, 'reader'>,
  integrationId: string,
  crmId: string,
): Promise<EnhancedContact> {
  const row = (await findContacts(reader, integrationId, [crmId])).get(crmId);
  if (isEnhanced(row)) return row;
  if (row === undefined) {
    const next = 'Use its ID in the CRM.';
    throw unknownContact(integrationId, crmId, { source: 'database', next, refusal: 'unknown' });
  }
  throw new ConfigurationError(
    `The contact "${crmId}" has not been enhanced yet, so donor-sync does not know which donor it is. To enhance it: donor-sync sync ${integrationId} --contact ${crmId}`,
    {
      code: 'contact_not_enhanced',
      refusal: 'conflict',
      details: { integration: integrationId, contact: crmId },
    },
  );
}

/** Creates the error for a contact whose connections donor-sync must not use. `findKeptBack` returns the reason. */
export function keptBack(integration: string, contact: string, reason: RedeliveryExclusion) {
  return new ConfigurationError(
    `No connection of the contact "${contact}" is shown, and it cannot be put on a list: ${exclusionText(reason)}.`,
    {
      code: 'contact_kept_back',
      refusal: 'conflict',
      details: { integration, contact, reason },
    },
  );
}
