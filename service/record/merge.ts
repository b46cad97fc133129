/**
 * Computes a donor's new data after a source has been added, with pure functions. If an import adds a source again, the
 * donor's data does not change.
 */

import { createHash } from 'node:crypto';
import { blankDonor, type Donor, type Gift, type Role, type SourceNote } from '../donor.ts';
import { comparableAddress } from '../matcher/addresses.ts';
import { words } from '../matcher/words.ts';
import {
  type Entry,
  entryOf,
  type NamedOrganisation,
  type NamedRole,
  SIDES,
  type Side,
} from './entry.ts';

/** Returns the ID and the stored name of an organisation. */
export type Identify = (organisation: NamedOrganisation) => { id: string; name: string };

/** The maximum number of sentences in a profile. The latest sentences are kept, because people read them. */
const MOST_SENTENCES = 6;

/**
 * The maximum number of days between two roles that are merged. Consecutive terms and tax years follow each other
 * closely.
 */
const DAYS_BETWEEN = 40;

export function newDonor(
  entry: Entry,
  identify: Identify,
  id = idFrom('person', entry.keys[0]),
): Donor {
  const { first, middle, last, suffix } = entry.name;
  const blank: Donor = {
    ...blankDonor(id, { first, middle, last }),
    ...(suffix === null ? {} : { suffix }),
    sources: { name: entry.source },
  };
  return mergeEntry(blank, entry, identify);
}

/**
 * Returns the donor with the data from an entry added. If two sources contradict each other, the later source is used.
 */
export function mergeEntry(donor: Donor, entry: Entry, identify: Identify): Donor {
  const side = (wanted: Side) =>
    mergeRoles(
      donor[wanted],
      entry.roles.filter((role) => role.side === wanted).map((role) => toRole(role, identify)),
    );
  return {
    ...donor,
    ...mergeFacts(donor, entry),
    work: side('work'),
    education: side('education'),
    boards: side('boards'),
    gifts: mergeGifts(donor.gifts, entry, identify),
  };
}

/** Returns the ID for a key. A key always leads to one ID. */
export function idFrom(what: 'person' | 'organisation', key: string): string {
  return createHash('sha256').update(`record ${what} ${key}`).digest('hex').slice(0, 32);
}

type Facts = Omit<Donor, 'id' | 'work' | 'education' | 'boards' | 'gifts' | 'householdId'>;

function mergeFacts(donor: Donor, entry: Entry): Facts {
  const sources = { ...donor.sources };
  const facts: Facts = {
    name: donor.name,
    birthYear: donor.birthYear,
    addresses: donor.addresses,
    netWorth: donor.netWorth,
    capacity: donor.capacity,
    bio: donor.bio,
    sources,
  };
  if (isFuller(entry.name.middle, donor.name.middle)) {
    facts.name = { ...donor.name, middle: entry.name.middle };
    sources.name = entry.source;
  }
  if (donor.suffix === undefined && entry.name.suffix !== null) facts.suffix = entry.name.suffix;
  if (entry.born.length > bornOf(donor).length) {
    facts.birthYear = Number(entry.born.slice(0, 4));
    if (entry.born.length > 4) facts.birthday = entry.born;
    sources.birth = entry.source;
  }
  if (entry.isDeceased && donor.isDeceased !== true) {
    facts.isDeceased = true;
    sources.death = entry.source;
  }
  const added = entry.addresses.filter(
    (one) => !donor.addresses.some((is) => isSameHouse(is, one)),
  );
  if (added.length > 0) {
    const isLater = isAfter(entry.source, sources.address);
    facts.addresses = isLater ? [...added, ...donor.addresses] : [...donor.addresses, ...added];
    if (isLater) sources.address = entry.source;
  }
  if (entry.netWorth !== null && isAfter(entry.netWorth.source, sources.netWorth)) {
    facts.netWorth = entry.netWorth.value;
    sources.netWorth = entry.netWorth.source;
  }
  if (entry.capacity !== null && isBetter(entry.capacity, donor, sources.capacity)) {
    facts.capacity = { political: null, nonprofit: entry.capacity.value };
    sources.capacity = entry.capacity.source;
  }
  const sentences = entry.bio.filter((sentence) => !donor.bio.includes(sentence));
  if (sentences.length > 0) {
    facts.bio = [...donor.bio, ...sentences].slice(-MOST_SENTENCES);
    sources.bio = entry.source;
  }
  return facts;
}

/**
 * Returns true if the first middle name contains more information than the second middle name. For example, "Quincy"
 * contains more information than "Q", and "Q" contains more than a blank.
 */
function isFuller(middle: string | null, present: string | null): boolean {
  if (middle === null) return false;
  if (present === null) return true;
  const [own = '', other = ''] = [words(middle).join(''), words(present).join('')];
  return own.length > other.length && other.length === 1 && own.startsWith(other);
}

function bornOf({ birthday, birthYear }: Donor): string {
  return birthday ?? String(birthYear ?? '');
}

function isSameHouse(one: Donor['addresses'][number], other: Donor['addresses'][number]): boolean {
  return JSON.stringify(comparableAddress(one)) === JSON.stringify(comparableAddress(other));
}

function isAfter(source: SourceNote, present: SourceNote | undefined): boolean {
  return present === undefined || source.date > present.date;
}

/**
 * Returns true if this estimate replaces the donor's current estimate. A person may have a separate estimate for each
 * post. The latest estimate replaces earlier estimates. Of two estimates from one day, the higher estimate is used.
 */
function isBetter(
  { value, source }: { value: number; source: SourceNote },
  { capacity }: Donor,
  present: SourceNote | undefined,
): boolean {
  if (isAfter(source, present)) return true;
  return source.date === present?.date && value > (capacity.nonprofit ?? 0);
}

function toRole({ organisation, side: _, ...role }: NamedRole, identify: Identify): Role {
  const { id, name } = identify(organisation);
  return { organisationId: id, organisationName: name, ...role };
}

/** Merges overlapping or consecutive roles that have one title and one organisation. */
function mergeRoles(present: readonly Role[], added: readonly Role[]): Role[] {
  if (added.length === 0) return [...present];
  const merged: Role[] = [];
  for (const role of [...present, ...added].toSorted(byStart)) {
    const earlier = merged.findLastIndex((one) => isSamePost(one, role) && touches(one, role));
    const one = merged[earlier];
    if (one === undefined) merged.push(role);
    else merged[earlier] = joined(one, role);
  }
  return merged.toSorted(byLatest);
}

function isSamePost(one: Role, other: Role): boolean {
  const titleOf = ({ title }: Role) => words(title).join(' ');
  return one.organisationId === other.organisationId && titleOf(one) === titleOf(other);
}

function touches(earlier: Role, later: Role): boolean {
  if (earlier.end === null) return true;
  return dayNumber(later.start) - dayNumber(earlier.end) <= DAYS_BETWEEN;
}

/**
 * Merges two statements about one role. If a later source says that the role has ended, the role has an end. An earlier
 * source may have listed the role as current.
 */
function joined(one: Role, other: Role): Role {
  const latest = (other.source?.date ?? '') > (one.source?.date ?? '') ? other : one;
  const ends = [one.end, other.end];
  const end = ends.includes(null) ? latest.end : (ends.toSorted().at(-1) ?? null);
  return { ...latest, start: one.start, end };
}

function mergeGifts(present: readonly Gift[], { gifts }: Entry, identify: Identify): Gift[] {
  const merged = new Map(present.map((gift) => [giftKey(gift), gift]));
  for (const { organisation, ...gift } of gifts) {
    const { id, name } = identify(organisation);
    const added = { organisationId: id, organisationName: name, ...gift };
    if (!merged.has(giftKey(added))) merged.set(giftKey(added), added);
  }
  return [...merged.values()].sort(
    (a, b) => compare(b.date, a.date) || compare(giftKey(a), giftKey(b)),
  );
}

function giftKey({ organisationId, amount, date }: Gift): string {
  return `${organisationId} ${amount} ${date}`;
}

function dayNumber(day: string): number {
  return Date.parse(day) / 86_400_000;
}

function byStart(a: Role, b: Role): number {
  return compare(a.start, b.start) || compare(a.end ?? '9', b.end ?? '9') || byPost(a, b);
}

function byLatest(a: Role, b: Role): number {
  return compare(b.end ?? '9', a.end ?? '9') || compare(b.start, a.start) || byPost(a, b);
}

function byPost(a: Role, b: Role): number {
  return compare(`${a.organisationId} ${a.title}`, `${b.organisationId} ${b.title}`);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Adds all data of a second donor to a donor, because the two donors are one person. */
export function mergeDonors(donor: Donor, other: Donor): Donor {
  // The organisations of each donor already have IDs.
  const identify: Identify = ({ name, ein }) => ({ id: ein ?? '', name });
  return entriesOfDonor(other).reduce(
    (merged, entry) => mergeEntry(merged, entry, identify),
    donor,
  );
}

/** Splits a donor's data into one entry for each source. */
function entriesOfDonor(donor: Donor): Entry[] {
  const { sources = {}, name, suffix = null, capacity, netWorth } = donor;
  const source = sources.name ?? NO_SOURCE;
  const entry = (facts: Partial<Entry>) =>
    entryOf({ keys: [''], name: { ...name, middle: null, suffix: null }, source, ...facts });
  const roles = SIDES.flatMap((side) => donor[side].map((role) => toNamedRole(side, role, source)));
  const gifts = donor.gifts.map(({ organisationId: ein, organisationName, ...gift }) => ({
    ...gift,
    organisation: { name: organisationName, ein },
    source: gift.source ?? source,
  }));
  const figure = { value: capacity.nonprofit ?? 0, source: sources.capacity ?? source };
  return [
    entry({ name: { ...name, suffix }, roles, gifts }),
    entry({ born: bornOf(donor), source: sources.birth ?? source }),
    entry({ isDeceased: donor.isDeceased === true, source: sources.death ?? source }),
    entry({ addresses: donor.addresses, source: sources.address ?? source }),
    entry({ bio: donor.bio, source: sources.bio ?? source }),
    entry({
      netWorth: netWorth && { value: netWorth, source: sources.netWorth ?? source },
      capacity: capacity.nonprofit === null ? null : figure,
    }),
  ];
}

const NO_SOURCE: SourceNote = { source: '', reference: '', date: '', confidence: 0 };

function toNamedRole(side: Side, role: Role, source: SourceNote): NamedRole {
  const { organisationId: ein, organisationName: name, ...rest } = role;
  return { ...rest, side, organisation: { name, ein }, source: role.source ?? source };
}
