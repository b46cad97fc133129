import { type ContactRecord, findContacts } from '../contacts/contacts.ts';
import { type NetworkPicture, readPicture } from '../networks/network-picture.ts';
import { findIntroducers } from '../paths/introducers.ts';
import { findKeptBack } from '../sync/guards/kept-back.ts';
import { getRanking, type RankingDeps } from './introductions/ranking.ts';

/** A picture that shows only the contacts and the members that *Introductions* shows too. */
export interface ShownPicture extends NetworkPicture {
  /** The number of contacts that *Introductions* lists, including contacts for which the picture has no room. */
  total: number;
}

/**
 * Excludes withheld contacts, and members who may not be offered as introducers. `who` adds all paths to one contact,
 * even weak ones.
 */
export async function readShownPicture(
  deps: RankingDeps,
  integrationId: string,
  who: string | null = null,
): Promise<ShownPicture> {
  const { reader } = deps;
  const ranking = await getRanking(deps, integrationId);
  const ranked = new Set(ranking.map(({ crmId }) => crmId));
  const picture = await readPicture(reader, integrationId, who);
  const introducers = await findIntroducers(deps, integrationId);
  const members = new Set([...introducers.values()].flatMap(({ donors }) => [...donors]));
  const ids = [...new Set(picture.paths.map(({ contact }) => contact))];
  const records = await findContacts(reader, integrationId, ids);
  // The ranking is up to a minute old, so the contacts are also checked as they are now.
  const isShown = (record: ContactRecord | undefined) =>
    record !== undefined && findKeptBack(record, undefined) === null;
  const paths = picture.paths.filter(
    ({ contact, from }) =>
      ranked.has(contact) && members.has(from) && isShown(records.get(contact)),
  );
  const shown = new Set(paths.flatMap(({ from, to }) => [from, to]));
  const people = picture.people.filter(({ donorId }) => shown.has(donorId));
  return { ...picture, paths, people, total: ranking.length };
}
