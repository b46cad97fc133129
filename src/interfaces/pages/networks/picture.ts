/** Builds the picture of a network for its page, with names if the user may see them. All functions are pure. */
import {
  choosePaths,
  type NetworkPicture,
  type PicturePath,
  pathSentence,
  WEAKEST,
} from '../../../networks/network-picture.ts';

export type Names = ReadonlyMap<string, string>;

/** Returns the CRM IDs of the people on these paths, strongest paths first. */
export function listContactIds({
  paths,
  people,
}: Pick<NetworkPicture, 'paths' | 'people'>): string[] {
  const contacts = new Map(people.map((person) => [person.donorId, person.contacts[0]]));
  const ids = paths.flatMap(({ from, contact }) => [contacts.get(from) ?? [], contact].flat());
  return [...new Set(ids)];
}

/** Returns a function that labels people: with the name, or with an ID if there is no name. */
export function createNamer(
  { people }: Pick<NetworkPicture, 'people'>,
  names: Names | null,
): (donorId: string) => string {
  const contacts = new Map(people.map((person) => [person.donorId, person.contacts[0]]));
  return (donorId) => {
    const crmId = contacts.get(donorId);
    if (crmId === undefined) return `donor ${donorId.slice(0, SHORT)}`;
    return names?.get(crmId) ?? crmId;
  };
}

/**
 * The number of characters of a donor ID in a label. This number of characters is enough to distinguish donors. A
 * complete ID has 32 characters.
 */
const SHORT = 8;

/** Returns the data that the page's script needs to draw the picture. */
export function pictureData(picture: NetworkPicture, names: Names | null) {
  const called = createNamer(picture, names);
  return {
    people: picture.people.map(({ donorId, contacts, networks }) => ({
      id: donorId,
      label: called(donorId),
      contact: contacts[0] ?? null,
      isMember: networks.length > 0,
    })),
    paths: picture.paths.map(({ from, to, contact, strength, network }) => ({
      from,
      to,
      contact,
      strength,
      network,
    })),
  };
}

/** The selected person, and the members who know them. */
export interface ShownPerson {
  /** The selected person. */
  who: string;
  /** The person's CRM ID, or null if the person is not in the picture. */
  contact: string | null;
  /** The person's name. Null if there is no name, or if the page may not show it. */
  name: string | null;
  /** The introduction that a run has written into the CRM. Null if there is none, or if the page may not show it. */
  sentence: string | null;
  memberOf: string[];
  /** A sentence for each path to the person. The number of sentences is limited, so that users can read all of them. */
  sentences: string[];
  more: number;
  /** The reason why the page does not show the introductions. Omitted if the page shows the introductions. */
  keptBack?: string;
}

export const MAX_SENTENCES = 12;

/** Returns the selected person. Sentences contain IDs for people whose name is not in `names`. */
export function getShownPerson(
  picture: NetworkPicture,
  who: string,
  names: Names | null = null,
): ShownPerson {
  const person = picture.people.find(
    ({ donorId, contacts }) => donorId === who || contacts.includes(who),
  );
  const contact = person?.contacts.includes(who) ? who : (person?.contacts[0] ?? null);
  const all = choosePaths(picture, { weakest: WEAKEST, network: null, who });
  const called = createNamer(picture, names);
  const about = (path: PicturePath) => all.filter(({ to }) => to === path.to).length;
  return {
    who,
    contact,
    name: null,
    sentence: null,
    memberOf: person?.networks ?? [],
    sentences: all
      .slice(0, MAX_SENTENCES)
      .map((path) =>
        pathSentence(
          path,
          about(path),
          called(path.from),
          names?.get(path.contact) ?? path.contact,
        ),
      ),
    more: Math.max(0, all.length - MAX_SENTENCES),
  };
}
