/**
 * What speaks for and against a candidate, in bits, after Fellegi and Sunter: the logarithm of how much
 * likelier it is to be seen of the same person than of another one (m against u). The starting values of m
 * are those that Splink learnt for names, set by hand where its data know no such case; u of a name is its
 * share of the population, u of an employer its share of the donors.
 */

import { ADDRESS_FITS, type AddressFit, type AddressText, fitAddress } from './addresses.ts';
import type { Candidate, DonorIndex } from './donor-index.ts';
import { type EmployerFit, fitEmployer } from './employers.ts';
import { fitFirstName, isTypo, middlesAgree, type Reading } from './names.ts';
import { isShortFor } from './nicknames.ts';
import type { Population } from './population.ts';
import { withinOneEdit } from './words.ts';

/** One piece of evidence. */
export interface Evidence {
  bits: number;
  /** In words; empty where there is nothing to say. */
  reason: string;
  /** The kind of evidence beyond the name; absent for names and cities, which are never enough. */
  kind?: EvidenceKind;
  /** Whether it speaks so strongly against one person that an address never outweighs it. */
  isContradiction?: boolean;
  /** Whether a middle name or initial agrees, which counts beside a day of birth where records are joined. */
  isMiddle?: boolean;
}

/** Kinds of evidence beyond the name. */
export type EvidenceKind = 'address' | 'employer' | 'birth';

/** What a person is compared with. */
export interface Comparing {
  index: DonorIndex;
  population: Population;
}

/** Fewer donors than this are compared as if they were so many: any of more people could be meant. */
export const LEAST_PEOPLE = 300_000;

/** So many are added to the donors before an employer's share is taken: few donors tell little of it. */
const ADDED_TO_DONORS = 20_000;

const FIRST = {
  same: 0.62,
  nickname: 0.14,
  sibling: 0.03,
  spelling: 0.06,
  typo: 0.07,
  initial: 0.02,
  middle: 0.06,
};
const LAST = { same: 0.82, typo: 0.06, part: 0.07, former: 0.03, other: 0.02 };
const WAY = { 'as written': 1, swapped: 0.02, 'in one field': 1 };
const ADDRESS = {
  house: { m: 0.7, u: 1e-6, reason: 'The address is that of the same house' },
  otherUnit: { m: 0.12, u: 1e-3, reason: 'The address is another unit of the same building' },
  zip: { m: 0.12, u: 1e-3, reason: 'The ZIP code is the same' },
  city: { m: 0.12, u: 0.02, reason: 'The city is the same' },
};
const NO_ADDRESS = { bits: Math.log2(0.1), reason: 'No address agrees' };
const EMPLOYER: Record<EmployerFit, { m: number; times: number; reason: string }> = {
  same: { m: 0.6, times: 1, reason: 'The employer is the same' },
  typo: { m: 0.08, times: 2, reason: 'The employer is the same but for one typo' },
  part: { m: 0.15, times: 2, reason: 'The employer is the same with other words added' },
  initials: { m: 0.05, times: 20, reason: 'The employer has these initials' },
};
const NO_EMPLOYER = { bits: Math.log2(0.35), reason: 'No employer agrees' };
/** The adults of a country were born within some seventy years; records are a day or a year wrong at times. */
const BIRTH = {
  day: { m: 0.9, u: 1 / (70 * 365), reason: 'The day of birth is the same' },
  year: { m: 0.9, u: 1 / 70, reason: 'The year of birth is the same' },
  nextYear: { m: 0.05, u: 2 / 70, reason: 'The years of birth lie side by side' },
};
/** Day and month are swapped at times, and digits. */
const SLIPPED_BIRTH = { bits: Math.log2(0.2), reason: 'The dates of birth differ by a slip' };
const OTHER_BIRTH = {
  ...{ bits: Math.log2(0.005), reason: 'The dates of birth differ', isContradiction: true },
};
/** Of the same person 2 % of the middle initials differ, of two people nearly all. */
const OTHER_INITIAL = {
  ...{ bits: Math.log2(0.02 / 0.93), reason: 'The middle initial is another one' },
  isContradiction: true,
};
const GENERATION = { bits: Math.log2(0.6 / 0.03), reason: 'The suffix names the same generation' };
const LEAST_EMPLOYER_SHARE = 1e-4;
const INITIAL_SHARE = 0.08;

/** How the names agree; undefined where they cannot be one person's. */
export function weighName(
  { population }: Comparing,
  reading: Reading,
  donor: Candidate,
): Evidence[] | undefined {
  const last = weighLast(population, reading, donor);
  const first = weighFirst(population, reading, donor);
  if (first === undefined || last === undefined) return undefined;
  const middle = weighMiddle(population, reading, donor);
  const generation = weighGeneration(reading, donor);
  if (middle === undefined || generation === undefined) return undefined;
  const way = WAY[reading.way];
  return [
    first,
    last,
    ...middle,
    ...generation,
    ...(way === 1 ? [] : [{ bits: Math.log2(way), reason: 'First and last name are swapped' }]),
  ];
}

function weighFirst(
  population: Population,
  { first, middles }: Reading,
  donor: Candidate,
): Evidence | undefined {
  const share = population.first(donor.first);
  const fit = fitFirstName(first, donor.first);
  if (fit === 'same') {
    return { bits: Math.log2(FIRST.same / share), reason: 'The first name is the same' };
  }
  if (fit === 'nickname') {
    const likelier = Math.max(share, population.first(first));
    const reason = 'The first name is another form of the same name';
    const m = isShortFor(first, donor.first) ? FIRST.nickname : FIRST.sibling;
    return { bits: Math.log2(m / (2 * likelier)), reason };
  }
  // "Mary Ann" is Maryann, but "Robert A." is not Roberta.
  const joined = [first, ...middles.filter((middle) => middle.length > 1)].join('');
  if (middles.length > 0 && (joined === donor.first || middles.includes(donor.first))) {
    const reason = 'One of the first names is the same';
    return { bits: Math.log2(FIRST.middle / share), reason };
  }
  const middle = donor.middles.find((one) => fitsFull(first, one));
  if (middle !== undefined) {
    const reason = 'The first name is the middle name of the donor';
    return { bits: Math.log2(FIRST.middle / population.first(middle)), reason };
  }
  if (fit === 'spelling') {
    const reason = 'The first name is another spelling of the same name';
    return { bits: Math.log2(FIRST.spelling / (2 * share)), reason };
  }
  if (fit === 'initial') {
    const reason = 'The first name has the same initial, which relatives may share';
    return { bits: Math.log2(FIRST.initial / INITIAL_SHARE), reason };
  }
  if (fit === 'typo' && !isAnotherName(population, first, donor.first)) {
    const reason = 'The first name is the same but for one typo';
    return { bits: Math.log2(FIRST.typo / (2 * share)), reason };
  }
  return undefined;
}

function fitsFull(first: string, middle: string): boolean {
  return middle.length > 1 && first.length > 1 && (first === middle || isTypoOfLong(first, middle));
}

function isTypoOfLong(one: string, other: string): boolean {
  return Math.min(one.length, other.length) >= 6 && isTypo(one, other);
}

/** Joan is no typo of John: a name that is known as such is meant. "Jonh" is none. */
function isAnotherName(population: Population, written: string, donors: string): boolean {
  return population.isGivenName(written) && population.isGivenName(donors);
}

/** Father and son; a suffix that one side lacks says nothing. */
function weighGeneration(reading: Reading, donor: Candidate): Evidence[] | undefined {
  if (reading.generation === null || donor.generation === null) return [];
  return reading.generation === donor.generation ? [GENERATION] : undefined;
}

function weighLast(
  population: Population,
  { last, lastParts, middles }: Reading,
  donor: Candidate,
): Evidence | undefined {
  const share = population.last(donor.last);
  if (last === donor.last) {
    return { bits: Math.log2(LAST.same / share), reason: 'The last name is the same' };
  }
  if (isTypo(last, donor.last)) {
    const reason = 'The last name is the same but for one typo';
    return { bits: Math.log2(LAST.typo / (2 * share)), reason };
  }
  const mine = [last, ...lastParts];
  const theirs = [donor.last, ...donor.lastParts];
  const part = mine.find((one) => theirs.some((other) => one === other || isTypo(one, other)));
  if (part !== undefined) {
    const reason = 'A part of the last name is the same';
    return { bits: Math.log2(LAST.part / (2 * population.last(part))), reason };
  }
  const former =
    donor.middles.find((one) => one.length > 2 && mine.includes(one)) ??
    middles.find((one) => one.length > 2 && theirs.includes(one));
  if (former !== undefined) {
    const reason = 'The last name is a middle or former name';
    return { bits: Math.log2(LAST.former / population.last(former)), reason };
  }
  return undefined;
}

/** Middle names that differ speak for two people, such as a father and a son. */
function weighMiddle(
  population: Population,
  { first, middles, lastParts, last }: Reading,
  donor: Candidate,
): Evidence[] | undefined {
  const used = new Set([donor.first, donor.last, ...donor.lastParts]);
  const mine = middles.filter((one) => !used.has(one));
  const mineUsed = new Set([first, last, ...lastParts]);
  const theirs = donor.middles.filter((one) => !mineUsed.has(one));
  if (mine.length === 0 || theirs.length === 0) return [];
  const agreed = mine.find((one) => theirs.some((other) => middlesAgree(one, other)));
  if (agreed === undefined) return weighOtherMiddle(mine, theirs, { lastParts, last }, donor);
  const isFull = theirs.some((other) => other === agreed && other.length > 1);
  const bits = isFull ? Math.log2(0.6 / Math.max(1e-3, population.first(agreed))) : 3;
  const reason = isFull ? 'The middle name is the same' : 'The middle initial agrees';
  return [{ bits, reason, isMiddle: true }];
}

/** Two full middle names are two people; an initial may be wrong, or that of another name of either side. */
function weighOtherMiddle(
  mine: readonly string[],
  theirs: readonly string[],
  reading: Pick<Reading, 'last' | 'lastParts'>,
  donor: Candidate,
): Evidence[] | undefined {
  const hasInitial = [mine, theirs].some((side) => side.every((one) => one.length === 1));
  if (!hasInitial) return undefined;
  // The initial of the last name that both bear explains nothing.
  const others = [
    ...reading.lastParts.filter((part) => part !== donor.last),
    ...donor.lastParts.filter((part) => part !== reading.last),
  ];
  const explained = (side: readonly string[]) =>
    side.some((one) => one.length === 1 && others.some((other) => other.startsWith(one)));
  return explained(mine) || explained(theirs) ? [] : [OTHER_INITIAL];
}

/** How the best address agrees; nothing where one side has none. */
export function weighAddresses(texts: readonly AddressText[], donor: Candidate): Evidence[] {
  if (texts.length === 0) return [];
  const addresses = donor.addresses();
  if (addresses.length === 0) return [];
  const fits = new Set<AddressFit | undefined>();
  for (const text of texts) {
    for (const address of addresses) fits.add(fitAddress(text, address));
  }
  const best = ADDRESS_FITS.find((fit) => fits.has(fit));
  if (best === undefined) return [NO_ADDRESS];
  const { m, u, reason } = ADDRESS[best];
  return [{ bits: Math.log2(m / u), reason, ...(best === 'city' ? {} : ADDRESS_KIND) }];
}

const ADDRESS_KIND = { kind: 'address' } as const;

/** How the days or years of birth agree; nothing where one side has none. */
export function weighBirth(born: string, donor: Candidate): Evidence[] {
  const theirs = donor.born;
  if (isNoBirth(born) || isNoBirth(theirs)) return [];
  const length = Math.min(born.length, theirs.length);
  const isSame = born.slice(0, length) === theirs.slice(0, length);
  const years = Math.abs(Number(born.slice(0, 4)) - Number(theirs.slice(0, 4)));
  const isYearOnly = length === 4;
  if (!isSame && isYearOnly && years !== 1) return [OTHER_BIRTH];
  if (!isSame && !isYearOnly) return [isSlip(born, theirs) ? SLIPPED_BIRTH : OTHER_BIRTH];
  const { m, u, reason } = isSame ? (isYearOnly ? BIRTH.year : BIRTH.day) : BIRTH.nextYear;
  const kind = isSame && !isYearOnly ? BIRTH_KIND : {};
  return [{ bits: Math.log2(m / u), reason, ...kind }];
}

const BIRTH_KIND = { kind: 'birth' } as const;

/** The first day of these years stands for an unknown one. */
function isNoBirth(born: string): boolean {
  return born === '' || born === '1900-01-01' || born === '1970-01-01';
}

/** Day and month swapped, or two neighbouring digits. */
function isSlip(one: string, other: string): boolean {
  const [year, month, day] = one.split('-');
  if (other === `${year}-${day}-${month}`) return true;
  const [mine, theirs] = [one, other].map((born) => born.replaceAll('-', ''));
  const isOneEdit = withinOneEdit(mine ?? '', theirs ?? '');
  return isOneEdit && [...(mine ?? '')].toSorted().join() === [...(theirs ?? '')].toSorted().join();
}

/** How the best employer agrees; one of many people says little. */
export function weighEmployers(
  { index }: Comparing,
  names: readonly string[],
  donor: Candidate,
): Evidence[] {
  if (names.length === 0) return [];
  const employers = donor.employers();
  if (employers.length === 0) return [];
  let best: Evidence = NO_EMPLOYER;
  for (const name of names) {
    for (const employer of employers) {
      const fit = fitEmployer(name, employer);
      if (fit === undefined) continue;
      const evidence = weighEmployer(index, fit, employer);
      if (evidence.bits > best.bits) best = evidence;
    }
  }
  return [best];
}

function weighEmployer(index: DonorIndex, fit: EmployerFit, employer: string): Evidence {
  const size = index.employerSize(employer);
  const share = size / (index.donorCount + ADDED_TO_DONORS);
  const { m, times, reason } = EMPLOYER[fit];
  const bits = Math.log2(m / Math.max(LEAST_EMPLOYER_SHARE, times * share));
  return {
    bits,
    reason: `${reason} (${size} ${size === 1 ? 'donor' : 'donors'})`,
    ...(bits > 0 ? EMPLOYER_KIND : {}),
  };
}

const EMPLOYER_KIND = { kind: 'employer' } as const;
