/** Removes from a picture the contacts that the contact page withholds, and reads the names of the others. */

import type { LiveDeps } from '../../../clients/live-crm.ts';
import { withCrm } from '../../../clients/live-crm.ts';
import { type ContactRecord, findContacts } from '../../../contacts/contacts.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import type { Reader } from '../../../database/reader.ts';
import { contactName } from '../../../decisions/contact-name.ts';
import type { NetworkPicture } from '../../../networks/network-picture.ts';
import { lookUp } from '../../../sync/control/look-up.ts';
import { findKeptBack } from '../../../sync/guards/kept-back.ts';
import type { Names } from './picture.ts';

/** Returns the picture without paths to contacts that are withheld according to the database. */
export async function withoutKeptBack(
  reader: Reader,
  integrationId: string,
  picture: NetworkPicture,
): Promise<NetworkPicture> {
  const ids = [...new Set(picture.paths.map(({ contact }) => contact))];
  const records = await findContacts(reader, integrationId, ids);
  const isShown = (record: ContactRecord | undefined) =>
    record !== undefined && findKeptBack(record, undefined) === null;
  const paths = picture.paths.filter(({ contact }) => isShown(records.get(contact)));
  const shown = new Set(paths.flatMap(({ from, to }) => [from, to]));
  const people = picture.people.filter(({ donorId }) => shown.has(donorId));
  return { ...picture, paths, people };
}

/** Returns the names of these contacts in the CRM now, without contacts that are withheld. */
export async function readShownNames(
  live: LiveDeps,
  integration: Integration,
  crmIds: readonly string[],
): Promise<Names> {
  if (crmIds.length === 0) return new Map();
  const records = await findContacts(live.application.store.reader, integration.id, crmIds);
  const lookups = await withCrm(live, integration, (crm) => lookUp(crm.connector, crmIds));
  const names = new Map<string, string>();
  for (const lookup of lookups) {
    const record = records.get(lookup.id);
    const name = contactName(lookup);
    if (name === null || record === undefined || findKeptBack(record, lookup) !== null) continue;
    names.set(lookup.id, name);
  }
  return names;
}
