import { type ContactRecord, findContacts } from '../contacts/contacts.ts';
import type { Reader } from '../database/reader.ts';
import { type NetworkPicture, readPicture } from '../networks/network-picture.ts';
import { findKeptBack } from '../sync/guards/kept-back.ts';

/**
 * Reads the introductions that a page may show, without withheld contacts. `who` adds all paths to one contact, even
 * weak paths.
 */
export async function readShownPicture(
  reader: Reader,
  integrationId: string,
  who: string | null = null,
): Promise<NetworkPicture> {
  const picture = await readPicture(reader, integrationId, who);
  const ids = [...new Set(picture.paths.map(({ contact }) => contact))];
  const records = await findContacts(reader, integrationId, ids);
  const isShown = (record: ContactRecord | undefined) =>
    record !== undefined && findKeptBack(record, undefined) === null;
  const paths = picture.paths.filter(({ contact }) => isShown(records.get(contact)));
  const shown = new Set(paths.flatMap(({ from, to }) => [from, to]));
  const people = picture.people.filter(({ donorId }) => shown.has(donorId));
  return { ...picture, paths, people };
}
