/** The picture of a network as its page shows it, with names where they may be shown: pure. */
import {
  choosePaths,
  type NetworkPicture,
  type PicturePath,
  pathSentence,
  WEAKEST,
} from '../../../networks/network-picture.ts';

/** Names by id in the CRM. */
export type Names = ReadonlyMap<string, string>;

/** Ids in the CRM of the people of these paths, those of the strongest first. */
export function listContactIds({
  paths,
  people,
}: Pick<NetworkPicture, 'paths' | 'people'>): string[] {
  const contacts = new Map(people.map((person) => [person.donorId, person.contacts[0]]));
  const ids = paths.flatMap(({ from, contact }) => [contacts.get(from) ?? [], contact].flat());
  return [...new Set(ids)];
}

/** How a person is called: by name, else by an id. */
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

/** Of a donor's 32 characters, as many as tell it from others. */
const SHORT = 8;

/** What the script of the page draws. */
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

/** One person who is looked at, and who knows them. */
export interface ShownPerson {
  /** What was asked for. */
  who: string;
  /** The id in the CRM; null if no such person is in the picture. */
  contact: string | null;
  /** Null where names may not be shown, or there is none. */
  name: string | null;
  /** As a run has written it into the CRM; null where there is none, or it may not be shown. */
  sentence: string | null;
  memberOf: string[];
  /** What leads to the person, each in a sentence; at most as many as can be read. */
  sentences: string[];
  more: number;
}

const MAX_SENTENCES = 12;

export function getShownPerson(picture: NetworkPicture, who: string): ShownPerson {
  const person = picture.people.find(
    ({ donorId, contacts }) => donorId === who || contacts.includes(who),
  );
  const contact = person?.contacts.includes(who) ? who : (person?.contacts[0] ?? null);
  const all = choosePaths(picture, { weakest: WEAKEST, network: null, who });
  const called = createNamer(picture, null);
  const about = (path: PicturePath) => all.filter(({ to }) => to === path.to).length;
  return {
    who,
    contact,
    name: null,
    sentence: null,
    memberOf: person?.networks ?? [],
    sentences: all
      .slice(0, MAX_SENTENCES)
      .map((path) => pathSentence(path, about(path), called(path.from), path.contact)),
    more: Math.max(0, all.length - MAX_SENTENCES),
  };
}
