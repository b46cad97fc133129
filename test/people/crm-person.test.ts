import { describe, expect, it } from 'vitest';
import { MESS_RATES } from '../../people/mess.ts';
import { areSameFirstName, nicknamesOf } from '../../people/nicknames.ts';
import { type Address, type CrmPerson, createWorld, type Donor } from '../../people/world.ts';

const world = createWorld({ seed: 77, donors: 20_000 });
const donors = Array.from({ length: world.donorCount }, (_, n) => world.donor(n));
const donorById = new Map(donors.map((donor) => [donor.id, donor]));
const rows = Array.from({ length: world.donorCount }, (_, n) => world.crmPerson(n));
const known = rows.flatMap((row) => {
  const donor = donorById.get(row.donorId ?? '');
  return donor ? [{ row, donor }] : [];
});

interface Known {
  row: CrmPerson;
  donor: Donor;
}

describe('crmPerson', () => {
  it('numbers its rows and reaches most donors once', () => {
    expect(rows.every((row, n) => row.number === n)).toBe(true);
    expect(new Set(known.map(({ donor }) => donor.id)).size / rows.length).toBeGreaterThan(0.95);
  });

  it('goes through the donors again when the list is longer than the world', () => {
    const small = createWorld({ seed: 77, donors: 50 });
    const ids = Array.from({ length: 100 }, (_, n) => small.crmPerson(n).donorId);
    expect(
      ids.filter((id, n) => n >= 50 && id !== null && id === ids[n - 50]).length,
    ).toBeGreaterThan(40);
  });

  it('has strangers, repetitions and gaps at the stated rates', () => {
    const strangers = rows.filter(({ donorId }) => donorId === null);
    expectRate(strangers.length / rows.length, MESS_RATES.unknownPerson);
    const repeated = known.length - new Set(known.map(({ donor }) => donor.id)).size;
    expectRate(repeated / rows.length, MESS_RATES.duplicate);
    expectRate(
      shareOf(rows, ({ address }) => address === null),
      MESS_RATES.missingAddress,
    );
    expectRate(
      shareOf(rows, ({ employer }) => employer === null),
      0.3,
    );
    expectRate(
      shareOf(rows, ({ email }) => email === null),
      MESS_RATES.missingEmail,
    );
    expectRate(
      shareOf(rows, ({ firstName, lastName }) => firstName === null || lastName === null),
      MESS_RATES.missingName,
    );
  });

  it('spoils names at the stated rates', () => {
    const nicknamed = known.filter(({ donor }) => nicknamesOf(donor.name.first).length > 0);
    const withMiddle = known.filter(({ donor }) => donor.name.middle !== null);
    expectRate(shareOf(nicknamed, hasNickname), MESS_RATES.nickname);
    expectRate(shareOf(withMiddle, hasMiddleName), MESS_RATES.middleInFirstName);
    expectRate(shareOf(known, hasInitial), MESS_RATES.initial);
    expectRate(shareOf(known, hasTypo), MESS_RATES.typo);
    expectRate(
      shareOf(rows, ({ lastName }) => lastName !== null && lastName === lastName.toUpperCase()),
      MESS_RATES.allCaps,
    );
  });

  it('spoils addresses and employers at the stated rates', () => {
    const housed = known.filter(({ row }) => row.address !== null);
    const moved = housed.filter(({ donor }) => donor.addresses.length > 1);
    expectRate(shareOf(moved, livesElsewhere), MESS_RATES.oldAddress);
    expectRate(
      shareOf(housed, ({ row }) =>
        /\b(St|Ave|Rd|Dr|Ln|Ct|Pl|Blvd|Ter|Cir)\b/.test(row.address?.street ?? ''),
      ),
      MESS_RATES.abbreviatedAddress,
    );
    const worked = known.filter(({ donor }) => donor.work.length > 0);
    expectRate(
      shareOf(
        worked,
        ({ row, donor }) =>
          row.employer !== null && row.employer !== donor.work[0]?.organisationName,
      ),
      MESS_RATES.employerVariant,
    );
  });

  it('never gives two rows one email address, and none that reaches anybody', () => {
    const emails = rows.flatMap(({ email }) => (email === null ? [] : [email]));
    expect(new Set(emails).size).toBe(emails.length);
    expect(
      emails.every((email) => /^[a-z']+\.[a-z']+\d+@example\.(com|org|net)$/.test(email)),
    ).toBe(true);
  });

  it('leaves nine rows in ten to be recognised by name and address or employer', () => {
    const match = createMatcher(donors);
    const found = known.map(({ row, donor }) => ({ right: donor.id, found: match(row) }));
    const right = found.filter((each) => each.found === each.right).length;
    const wrong = found.filter((each) => each.found !== null && each.found !== each.right).length;
    expect(right / rows.length).toBeGreaterThan(0.9);
    expect(wrong / rows.length).toBeLessThan(0.005);
    const strangers = rows.filter(({ donorId }) => donorId === null);
    expect(shareOf(strangers, (row) => match(row) !== null)).toBeLessThan(0.01);
  });

  it('has strangers who bear the name of a donor', () => {
    const names = new Set(donors.map(({ name }) => `${name.first} ${name.last}`));
    const strangers = rows.filter(({ donorId }) => donorId === null);
    const namesakes = strangers.filter((row) => names.has(`${row.firstName} ${row.lastName}`));
    expect(namesakes.length).toBeGreaterThan(0);
    expect(namesakes.length).toBeLessThan(strangers.length / 2);
  });
});

/**
 * Expects a share that differs from the rate by at most a fifth. For the rarest features, allows four standard
 * deviations.
 */
function expectRate(share: number, rate: number): void {
  const tolerance = Math.max(rate / 5, 4 * Math.sqrt(rate / 20_000));
  expect(Math.abs(share - rate)).toBeLessThan(tolerance);
}

function shareOf<T>(list: T[], holds: (entry: T) => boolean): number {
  return list.filter(holds).length / list.length;
}

function hasNickname({ row, donor }: Known): boolean {
  return nicknamesOf(donor.name.first).some((name) => fold(name) === fold(row.firstName));
}

function hasMiddleName({ row, donor }: Known): boolean {
  return fold(row.firstName) === fold(`${donor.name.first} ${donor.name.middle}`);
}

function hasInitial({ row }: Known): boolean {
  return /^[A-Z]\.$/.test(row.firstName ?? '');
}

function hasTypo({ row, donor }: Known): boolean {
  const slips = [
    [row.firstName, donor.name.first],
    [row.lastName, donor.name.last],
  ].filter(([typed, real]) => isOneEditAway(fold(typed), fold(real)));
  return slips.length === 1 && !hasNickname({ row, donor }) && !hasInitial({ row, donor });
}

function livesElsewhere({ row, donor }: Known): boolean {
  return row.address?.postalCode !== donor.addresses[0]?.postalCode;
}

/**
 * Creates a function that identifies a row's person by name and address, or by employer if there is no address. If
 * there are several candidates, the right one also shares the other detail or has exactly the same name.
 */
function createMatcher(people: Donor[]): (row: CrmPerson) => string | null {
  const places = new Map<string, Donor[]>();
  for (const donor of people) {
    for (const place of placesOf(donor)) {
      const there = places.get(place) ?? [];
      there.push(donor);
      places.set(place, there);
    }
  }
  return (row) => {
    const employer = row.employer && employerKey(row.employer);
    const place = row.address ? addressKey(row.address) : employer;
    const ranked = (places.get(place ?? '') ?? [])
      .filter((donor) => namesAgree(row, donor))
      .map((donor) => ({ id: donor.id, rank: rankOf(row, employer, donor) }))
      .sort((a, b) => b.rank - a.rank);
    const [best, second] = ranked;
    return best && best.rank !== second?.rank ? best.id : null;
  };
}

function rankOf(row: CrmPerson, employer: string | null, donor: Donor): number {
  const isColleague = employer !== null && placesOf(donor).has(employer);
  return Number(isColleague) * 2 + Number(isExact(row, donor));
}

function placesOf({ addresses, work }: Donor): Set<string> {
  return new Set([
    ...addresses.map(addressKey),
    ...work.map(({ organisationName }) => employerKey(organisationName)),
  ]);
}

function addressKey({ street, postalCode }: Address): string {
  const [number, ...words] = street.split(' ');
  const name = words.find((word) => !/^(North|South|East|West|[NSEW])\.?$/.test(word));
  return `${number} ${name} ${postalCode}`;
}

function employerKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/^the /, '')
    .replace(/,? (inc\.?|llc|corp\.|corporation|co\.)$/, '');
}

function namesAgree({ firstName, lastName }: CrmPerson, { name }: Donor): boolean {
  if (!firstName || !lastName) return false;
  const [first = ''] = firstName.split(' ');
  const isLastAlike = isAlike(fold(lastName), fold(name.last));
  const isInitial = /^[A-Z]\.$/.test(first) && first.charAt(0) === name.first.charAt(0);
  return (
    isLastAlike &&
    (isInitial || areSameFirstName(first, name.first) || isAlike(fold(first), fold(name.first)))
  );
}

function isExact({ firstName, lastName }: CrmPerson, { name }: Donor): boolean {
  return fold(firstName) === fold(name.first) && fold(lastName) === fold(name.last);
}

function isAlike(one: string, other: string): boolean {
  return one === other || isOneEditAway(one, other);
}

function fold(name: string | null | undefined): string {
  return (name ?? '').toLowerCase();
}

/** Returns true if the words differ by one letter that was dropped, added, replaced, or swapped with its neighbour. */
function isOneEditAway(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  const longest = Math.min(one.length, other.length) - start;
  while (end < longest && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const left = one.slice(start, one.length - end);
  const right = other.slice(start, other.length - end);
  const isSwap = left.length === 2 && left === [...right].reverse().join('');
  return isSwap || Math.max(left.length, right.length) === 1;
}
