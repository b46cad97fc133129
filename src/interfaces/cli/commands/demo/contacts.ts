import { nicknamesOf } from '../../../../../people/nicknames.ts';
import type { Address, CrmPerson, Donor, World } from '../../../../../people/world.ts';

/** A row of the demo's contact list. Every value may be blank. */
export interface DemoContact {
  id: string;
  firstName: string;
  lastName: string;
  street: string;
  city: string;
  state: string;
  zip: string;
  employer: string;
  /** A text that a user has typed into the net worth field. */
  netWorthNote: string;
  /** The reason why the contact is an example in the list, or null. */
  story: string | null;
}

/**
 * Creates the contact list. The same world always results in the same list. The first people are examples of what a
 * sync does and does not do. Other people of the sandbox follow.
 */
export function createDemoContacts(world: World, size: number): DemoContact[] {
  const pick = createPicker(world);
  const chosen = [...easyPeople(world, pick), ...hardPeople(world, pick)];
  const known = new Set(chosen.map(({ donorId }) => donorId));
  const others: Part[] = [];
  for (let row = 0; others.length < size - chosen.length && row < world.donorCount; row += 1) {
    const person = world.crmPerson(row);
    // Each person appears only once in the list.
    if (!known.has(person.donorId)) others.push(ordinary(person));
  }
  return [...chosen, ...others].slice(0, size).map(({ donorId: _, ...part }, index) => ({
    id: `C${String(index + 1).padStart(3, '0')}`,
    ...part,
  }));
}

type Part = Omit<DemoContact, 'id'> & { donorId: string | null };

/** Returns people that the service recognises. */
function easyPeople(world: World, pick: Picker): Part[] {
  const plain = pick((donor) => isRich(donor) && donor.education.length > 0);
  const nicknamed = pick(({ name }) => findNickname(name.first) !== null);
  const [one, other] = pickNamesakes(world, pick);
  const nickname = findNickname(nicknamed.name.first) ?? nicknamed.name.first;
  return [
    entry(plain, { story: 'name, address and employer agree' }),
    entry(nicknamed, {
      firstName: nickname,
      story: `the service knows "${nickname}" as ${nicknamed.name.first}`,
    }),
    entry(one, { story: 'two people have this name…' }),
    entry(other, { story: '…and differ in where they live' }),
    entry(pick(isRich), {
      netWorthNote: 'about $2M, says the board',
      story: 'a user typed a net worth, which stays',
    }),
  ];
}

/** Returns people whose profiles are not written. Each of these people has a different reason. */
function hardPeople(world: World, pick: Picker): Part[] {
  const misspelt = pick(({ name }) => name.last.length === SHORT_NAME_LENGTH);
  const neighbour = pick(() => true);
  return [
    entry(misspelt, {
      lastName: unknownSurnameLike(world, misspelt.name.last),
      story: `the service found ${misspelt.name.first} ${misspelt.name.last}`,
    }),
    entry(
      pick(() => true),
      { lastName: '' },
    ),
    {
      ...entry(neighbour, { firstName: 'Ottoline', lastName: 'Quillfeather', employer: '' }),
      donorId: null,
    },
  ];
}

/**
 * The maximum length of a short name. In a short name, an additional letter results in a different name and is not a
 * typo.
 */
const SHORT_NAME_LENGTH = 4;

function entry({ id, name, addresses, work }: Donor, changes: Partial<Part>): Part {
  return {
    donorId: id,
    firstName: name.first,
    lastName: name.last,
    ...toCells(addresses[0] ?? null),
    employer: work[0]?.organisationName ?? '',
    netWorthNote: '',
    story: null,
    ...changes,
  };
}

function ordinary({ donorId, firstName, lastName, address, employer }: CrmPerson): Part {
  return {
    donorId,
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    ...toCells(address),
    employer: employer ?? '',
    netWorthNote: '',
    story: null,
  };
}

function toCells(address: Address | null) {
  const { street = '', city = '', state = '', postalCode: zip = '' } = address ?? {};
  return { street, city, state, zip };
}

type Picker = (fits: (donor: Donor) => boolean) => Donor;

function createPicker(world: World): Picker {
  const taken = new Set<string>();
  return (fits) => {
    for (let number = 0; number < world.donorCount; number += 1) {
      const donor = world.donor(number);
      if (taken.has(donor.id) || !isKnown(donor) || !fits(donor)) continue;
      taken.add(donor.id);
      return donor;
    }
    throw new Error('The world of the demo is too small for its contacts');
  };
}

function isKnown({ addresses, work, netWorth }: Donor): boolean {
  return addresses.length > 0 && work.length > 0 && netWorth !== null;
}

function isRich({ netWorth }: Donor): boolean {
  return (netWorth?.low ?? 0) >= 1_000_000;
}

/** Returns two people with the same name in different cities. */
function pickNamesakes(world: World, pick: Picker): [Donor, Donor] {
  const bearers = new Map<string, Donor[]>();
  for (let number = 0; number < world.donorCount; number += 1) {
    const donor = world.donor(number);
    if (isKnown(donor))
      bearers.set(toFullName(donor), [...(bearers.get(toFullName(donor)) ?? []), donor]);
  }
  const areNamesakes = (one: Donor, other: Donor) =>
    toFullName(one) === toFullName(other) && one.addresses[0]?.city !== other.addresses[0]?.city;
  const one = pick((donor) =>
    (bearers.get(toFullName(donor)) ?? []).some((other) => areNamesakes(donor, other)),
  );
  return [one, pick((other) => areNamesakes(one, other))];
}

function toFullName({ name }: Donor): string {
  return `${name.first} ${name.last}`;
}

function findNickname(firstName: string): string | null {
  return nicknamesOf(firstName)[0] ?? null;
}

/** Returns a surname with one additional letter that nobody in this world has. */
function unknownSurnameLike(world: World, surname: string): string {
  const surnames = new Set(
    Array.from({ length: world.donorCount }, (_, number) => world.donor(number).name.last),
  );
  const unknown = [...'esrnk']
    .map((letter) => surname + letter)
    .find((name) => !surnames.has(name));
  return unknown ?? `${surname}x`;
}
