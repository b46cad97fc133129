import type { Connector } from '../../connectors/contract.ts';
import { findContacts } from '../contacts/contacts.ts';
import { ConfigurationError } from '../core/errors.ts';
import { unknownContact } from '../core/shared-errors.ts';
import type { PartnerClient } from '../partner/client.ts';
import { findErasedDonors } from '../privacy/statements/mentions.ts';
import type { Store } from '../store.ts';
import { requireNetworks } from './memberships.ts';
import { calledName } from './sentence.ts';
import { describeConnections, type ShownConnection } from './shown-connection.ts';

/** All connections of one contact to the networks. */
export interface ContactPaths {
  integration: string;
  contact: string;
  /** The contact's name in the CRM. */
  name: string | null;
  donorId: string;
  /** The integration's networks that the contact is in. */
  memberOf: string[];
  /** Strongest first. */
  connections: ShownConnection[];
}

export interface ContactPathsDeps {
  store: Pick<Store, 'reader' | 'fingerprint'>;
  /** The connector must already be signed in. */
  connector: Pick<Connector, 'readByIds'>;
  partner: Pick<PartnerClient, 'connections'>;
}

/**
 * Fetches every connection of one contact from the service (one query), without erased people.
 * Throws a ConfigurationError if there are no networks yet, or if the contact's donor is unknown.
 */
export async function readContactPaths(
  { store, connector, partner }: ContactPathsDeps,
  integrationId: string,
  crmId: string,
): Promise<ContactPaths> {
  const networks = await requireNetworks(store.reader, integrationId);
  const donorId = await requireDonor(store, integrationId, crmId);
  const [lookup] = await connector.readByIds([crmId], []);
  const contact = lookup?.state === 'found' ? lookup.contact : NO_NAME;
  const networkIds = networks.map(({ networkId }) => networkId);
  const { connections } = await partner.connections.ofDonor(donorId, { networkIds });
  const introducerIds = [...new Set(connections.map(({ sourceDonor }) => sourceDonor.donorId))];
  const { reader, fingerprint } = store;
  // The service can still have them in a network.
  const erased = await findErasedDonors(reader, fingerprint, integrationId, introducerIds);
  const others = connections.filter(
    ({ sourceDonor }) => sourceDonor.donorId !== donorId && !erased.has(sourceDonor.donorId),
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

async function requireDonor(
  { reader }: Pick<Store, 'reader'>,
  integrationId: string,
  crmId: string,
): Promise<string> {
  const row = (await findContacts(reader, integrationId, [crmId])).get(crmId);
  if (row?.donorId) return row.donorId;
  if (row === undefined) {
    const next = 'Use its ID in the CRM.';
    throw unknownContact(integrationId, crmId, { source: 'database', next, refusal: 'unknown' });
  }
  throw new ConfigurationError(
    `The contact "${crmId}" has not been enhanced yet, so donor-sync does not know which donor it is; \`donor-sync sync ${integrationId} --contact ${crmId}\` does it.`,
    {
      code: 'contact_not_enhanced',
      refusal: 'conflict',
      details: { integration: integrationId, contact: crmId },
    },
  );
}
