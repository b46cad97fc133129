/**
 * The evidence for and against a candidate, in bits. The method comes from Fellegi and Sunter. The method compares the
 * probability of an observation for one person (m) with its probability for two people (u).
 * `scripts/estimate-weights.ts` estimates m. If a case is too rare for the script, its value is set by hand. The script
 * contains the reasons for the values that are set by hand. The u of a name is its share of the population. The u of an
 * employer is its share of the donors.
 */

import {
  ADDRESS_FITS,
  type AddressFit,
  type AddressText,
  fitAddress,
  fitState,
} from './addresses.ts';
import type { Candidate, DonorIndex } from './donor-index.ts';
import { type EmployerFit, fitEmployer } from './employers.ts';
import {
  type Comparing,
  type Evidence,
  MOSTLY_ONE,
  MOSTLY_TWO,
  NEARLY_ALWAYS_TWO,
  ONE_OR_TWO,
} from './evidence.ts';
import {
  areOfOneThird,
  areOftenTwoPeople,
  areOwnNames,
  arePairOfSexes,
  isSpelledOtherwise,
  isVariantOf,
  mayBeOwnName,
  mayBeSlip,
} from './given-name-pairs.ts';
import { areExchanged, fitsFull, weighMiddle } from './middle-names.ts';
import {
  areLastNameSpellings,
  areSpellings,
  areTwoSlips,
  fitFirstName,
  isTypo,
  type Reading,
} from './names.ts';
import { isPartOf, isShortFor } from './nicknames.ts';
import type { Population } from './population.ts';
import { withinOneEdit } from './words.ts';

/**
 * The minimum number of people that the matcher assumes. The matcher uses this number for a small file, because the
 * submitted person may not be in the file.
 */
export const LEAST_PEOPLE = 300_000;

/**
 * The matcher adds this number to the number of donors before it computes an employer's share. A few donors are not a
 * reliable basis for a share.
 */
const ADDED_TO_DONORS = 20_000;

const FIRST = {
  same: 0.7,
  nickname: 0.1,
  sibling: 0.03,
  spelling: 0.05,
  typo: 0.07,
  initial: 0.02,
  slips: 0.01,
  middle: 0.07,
  exchanged: 0.005,
};
const LAST = {
  same: 0.82,
  typo: 0.06,
  spelling: 0.03,
  slips: 0.01,
  part: 0.07,
  former: 0.03,
  other: 0.02,
};
/**
 * The probability that first and last name are swapped in a record. If a name makes sense only when it is swapped, it
 * is probably swapped in all records with the name.
 */
const SWAPPED = { elsewhere: 0.02, plainly: 0.5 };
const SLIPPED_NUMBER = 'The address is the same, with two digits of the house number exchanged';
const ADDRESS = {
  house: { m: 0.78, u: 1e-6, reason: 'The address is that of the same house' },
  // A relative in the same street hardly ever has a house number with swapped digits.
  numberSlip: { m: 0.003, u: 3e-6, reason: SLIPPED_NUMBER },
  otherUnit: { m: 0.12, u: 1e-3, reason: 'The address is another unit of the same building' },
  zip: { m: 0.12, u: 1e-3, reason: 'The ZIP code is the same' },
  otherHouse: { m: 0.05, u: 1e-3, reason: 'The ZIP code is the same, and the house another one' },
  city: { m: 0.12, u: 0.02, reason: 'The city is the same' },
};
/** People usually move within their state, but namesakes live anywhere. */
const NO_ADDRESS = {
  inState: { bits: Math.log2(0.3), reason: 'No address agrees, but the state does' },
  elsewhere: {
    ...{ bits: Math.log2(0.1), reason: 'The addresses are in different states' },
    atMostByName: MOSTLY_TWO,
  },
  unknown: { bits: Math.log2(0.1), reason: 'No address agrees' },
};
const EMPLOYER: Record<EmployerFit, { m: number; times: number; reason: string }> = {
  same: { m: 0.7, times: 1, reason: 'The employer is the same' },
  typo: { m: 0.08, times: 2, reason: 'The employer is the same but for one typo' },
  part: { m: 0.15, times: 2, reason: 'The employer is the same with other words added' },
  // Baker & Brown is rarely the same company as Brown, and a namesake may work for the other company.
  'inner part': { m: 0.03, times: 20, reason: 'The employer is the same with other names added' },
  // Different companies can have the same initials, especially with only two letters.
  initials: { m: 0.05, times: 4, reason: 'The employer has these initials' },
  'two initials': { m: 0.05, times: 20, reason: 'The employer has these two initials' },
};
const NO_EMPLOYER = {
  ...{ bits: Math.log2(0.35), reason: 'No employer agrees' },
  atMostByName: ONE_OR_TWO,
};
/**
 * The dates of birth of a country's adults cover about seventy years. The date of birth in a record is sometimes wrong
 * by a day or a year.
 */
const BIRTH = {
  day: { m: 0.9, u: 1 / (70 * 365), reason: 'The day of birth is the same' },
  year: { m: 0.9, u: 1 / 70, reason: 'The year of birth is the same' },
  nextYear: { m: 0.05, u: 2 / 70, reason: 'The years of birth lie side by side' },
};
/** In some dates, day and month are swapped, or two digits are swapped. */
const SLIPPED_BIRTH = {
  ...{ bits: Math.log2(0.2), reason: 'The dates of birth differ by a slip' },
  atMostByName: ONE_OR_TWO,
};
const OTHER_BIRTH = {
  ...{ bits: Math.log2(0.005), reason: 'The dates of birth differ', isContradiction: true },
  atMost: NEARLY_ALWAYS_TWO,
};
const GENERATION = {
  m: 0.6,
  bits: Math.log2(0.6 / 0.03),
  reason: 'The suffix names the same generation',
};
const ONE_SUFFIX: Evidence = {
  bits: 0,
  reason: 'Only one of the two has a suffix, so they may be a father and a son',
  ...{ needsOneOf: ['employer', 'birth'], needsForJoin: ['birth'], atMost: MOSTLY_ONE },
};
/** The evidence if a father would hardly be alive, so that a suffix was probably left out. */
const SUFFIX_OF_OLD: Evidence = { bits: 0, reason: '', needsForJoin: ['birth'] };
const OLD_SON = 70;
const LEAST_EMPLOYER_SHARE = 1e-4;
/** The share of donors from which on an employer is common, because namesakes work at a common employer. */
const COMMON_EMPLOYER = 0.03;
const INITIAL_SHARE = 0.08;

const OF_HUSBAND: Evidence = {
  bits: Math.log2(0.05),
  reason: 'A woman is addressed by the name of this man, as his wife',
  ...{ isContradiction: true, atMost: NEARLY_ALWAYS_TWO },
};

/** A relative with a different name may live in the same home. */
const NEEDS_MORE: Pick<Evidence, 'needsOneOf' | 'atMost'> = {
  ...{ needsOneOf: ['employer', 'birth'], atMost: ONE_OR_TWO },
};

/** The evidence for a name that both sexes use or that is not in the lists. */
const PERHAPS_OF_HUSBAND: Evidence = {
  bits: Math.log2(0.5),
  reason: "A woman is addressed, and the name may be her husband's",
  ...NEEDS_MORE,
};

/**
 * Returns how well two names agree, or undefined if they cannot belong to one person. Returns "ruled out" if the
 * difference shows two different people, whatever other readings the names have.
 */
export function weighName(
  comparing: Comparing,
  reading: Reading,
  donor: Candidate,
): Evidence[] | 'ruled out' | undefined {
  const { population } = comparing;
  const last = weighLast(population, reading, donor);
  const first = weighFirst(comparing, reading, donor);
  const isPlain = reading.way === 'as written' && first?.isFull === true;
  if (first === undefined || (last === OTHER_LAST && !isPlain)) return undefined;
  // Bonnie Gregory is not Gregory Ronnie, because nobody makes a typing error and also swaps the fields.
  if (reading.way === 'swapped' && first.isFull !== true) return undefined;
  const middle = first.isExchanged === true ? [] : weighMiddle(comparing, reading, donor);
  const generation = weighGeneration(reading, donor);
  if (middle === undefined || generation === undefined) {
    return isPlain && reading.last === donor.last ? 'ruled out' : undefined;
  }
  const husband = reading.isMrs ? weighHusband(population, donor) : [];
  const way = reading.way === 'swapped' ? swappedShare(population, reading) : 1;
  return [
    first,
    last,
    ...middle,
    ...generation,
    ...husband,
    ...(way === 1 ? [] : [{ bits: Math.log2(way), reason: 'First and last name are swapped' }]),
  ];
}

/** Computes the evidence from a husband's name. A letter may address a woman with her husband's name. */
function weighHusband(population: Population, donor: Candidate): Evidence[] {
  if (isMan(population, donor)) return [OF_HUSBAND];
  return population.isWomansName(donor.first) ? [] : [PERHAPS_OF_HUSBAND];
}

function isMan({ isMansName }: Population, { first, middles, generation }: Candidate): boolean {
  return generation !== null || isMansName(first) || middles.some(isMansName);
}

function swappedShare({ isGivenName }: Population, { first, last }: Reading): number {
  return isGivenName(first) && !isGivenName(last) ? SWAPPED.plainly : SWAPPED.elsewhere;
}

function weighFirst(
  comparing: Comparing,
  { first, middles }: Reading,
  donor: Candidate,
): Evidence | undefined {
  const { population } = comparing;
  const share = population.first(donor.first);
  const isOther =
    arePairOfSexes(population, first, donor.first) || areOfOneThird(population, first, donor.first);
  const fit = isOther ? undefined : fitFirstName(first, donor.first);
  if (fit === 'same' && first.length === 1) {
    return { m: FIRST.same, bits: Math.log2(FIRST.same / INITIAL_SHARE), reason: BOTH_INITIALS };
  }
  if (fit === 'same') {
    return {
      m: FIRST.same,
      bits: Math.log2(FIRST.same / share),
      reason: 'The first name is the same',
      isFull: true,
    };
  }
  if (fit === 'nickname') {
    const likelier = Math.max(share, population.first(first));
    const isForm = isShortFor(first, donor.first);
    const m = isForm ? FIRST.nickname : FIRST.sibling;
    const bits = Math.log2(m / (isForm ? shareOfForm(population, first, share) : 2 * likelier));
    const isOne =
      (isForm || isVariantOf(first, donor.first)) &&
      !areOftenTwoPeople(population, first, donor.first);
    if (!isOne) {
      const reason = 'The first name may be another form of the same name, or a relative';
      const isPart = isPartOf(first, donor.first) || isPartOf(donor.first, first);
      const more =
        isForm && !isPart && areOwnNames(population, first, donor.first) ? NEEDS_ALL : NEEDS_MORE;
      // Twins may be called Lucy and Cindy, which are both short forms of Lucinda.
      const isJoined = isForm ? {} : NEEDS_EMPLOYER_TO_JOIN;
      return { m, bits, reason, isFull: true, ...isJoined, ...more };
    }
    return { m, bits, reason: 'The first name is another form of the same name', isFull: true };
  }
  // "Mary Ann" can be Maryann, but "Robert A." is not Roberta.
  const joined = [first, ...middles.filter((middle) => middle.length > 1)].join('');
  if (areExchanged(comparing, { first, middles }, donor)) {
    // The names of brothers are not independent, so a second name adds no evidence.
    const bits = Math.log2(
      FIRST.exchanged / (first.length === 1 ? INITIAL_SHARE : population.first(first)),
    );
    return { m: FIRST.exchanged, bits, reason: EXCHANGED, isExchanged: true, ...NEEDS_MORE };
  }
  if (middles.length > 0 && (joined === donor.first || middles.includes(donor.first))) {
    const reason = 'One of the first names is the same';
    return { m: FIRST.middle, bits: Math.log2(FIRST.middle / share), reason };
  }
  // "Maryann" can be Mary Ann, but "Roberta" is not Robert A.
  const [donorMiddle = ''] = donor.middles;
  if (donorMiddle.length > 1 && first === `${donor.first}${donorMiddle}`) {
    const reason = 'The first name is the first and the middle name of the donor';
    return { m: FIRST.middle, bits: Math.log2(FIRST.middle / share), reason };
  }
  const middle = donor.middles.find((one) => fitsFull(comparing, first, one));
  if (middle !== undefined) {
    const reason = 'The first name is the middle name of the donor';
    return { m: FIRST.middle, bits: Math.log2(FIRST.middle / population.first(middle)), reason };
  }
  if (fit === 'spelling') {
    const reason = 'The first name is another spelling of the same name';
    // Twins may be called Kathryn and Catherine.
    const isJoined = areOwnNames(population, first, donor.first) ? NEEDS_EMPLOYER_TO_JOIN : {};
    return {
      m: FIRST.spelling,
      bits: Math.log2(FIRST.spelling / (2 * share)),
      reason,
      isFull: true,
      ...isJoined,
    };
  }
  if (fit === 'initial') {
    return {
      ...{ m: FIRST.initial, bits: Math.log2(FIRST.initial / INITIAL_SHARE) },
      ...{ reason: SAME_INITIAL, atMostByName: ONE_OR_TWO },
    };
  }
  const isSpelled = isSpelledOtherwise(population, first, donor.first);
  const isSpelling =
    fit === undefined || fit === 'slips' ? areSpellings(first, donor.first) : isSpelled;
  const ownName = isSpelled ? 'never' : mayBeOwnName(comparing, first, donor.first, isSpelling);
  const isOwn = ownName === 'surely';
  if (!isOwn && isSpelling) {
    const reason = 'The first name is another spelling of the same name';
    return { m: FIRST.spelling, bits: Math.log2(FIRST.spelling / (2 * share)), reason };
  }
  const isSlip =
    (fit === 'slips' || fit === 'typo') && mayBeSlip(population, first, donor.first, fit);
  if (fit === 'slips' && !isOwn && isSlip) {
    const reason = 'The first name is the same but for two slips';
    return { m: FIRST.slips, bits: Math.log2(FIRST.slips / (10 * share)), reason };
  }
  if (fit === 'typo' && !isOwn && isSlip) {
    const reason = 'The first name is the same but for one typo';
    const bits = Math.log2(FIRST.typo / (2 * share));
    return { m: FIRST.typo, bits, reason, ...(ownName === 'perhaps' ? NEEDS_EMPLOYER : {}) };
  }
  return undefined;
}

/**
 * Returns the share of all people who use the given form of the donor's name, including people who have the donor's
 * name and use the form.
 */
function shareOfForm(population: Population, form: string, share: number): number {
  return population.first(form) + FIRST.nickname * share;
}

const EXCHANGED = 'The first and the middle name are exchanged, as between brothers';
const BOTH_INITIALS = 'Both first names are known by the same initial only';
const SAME_INITIAL = 'The first name has the same initial, which relatives may share';

const NEEDS_EMPLOYER_TO_JOIN: Pick<Evidence, 'needsForJoin'> = { needsForJoin: ['employer'] };

/** Twins share a home and a birthday, and they often have similar names. */
const NEEDS_EMPLOYER: Pick<Evidence, 'needs' | 'atMost'> = {
  ...{ needs: ['employer'], atMost: ONE_OR_TWO },
};

/**
 * The lists call Jean a form of Jane. However, parents choose both as full names. Sisters who work in the same family
 * business often have such names. Twins also share their birthday. Therefore, a match needs all of this evidence.
 */
const NEEDS_ALL: Pick<Evidence, 'needs' | 'atMost'> = {
  ...{ needs: ['employer', 'birth'], atMost: NEARLY_ALWAYS_TWO },
};

/**
 * Computes the evidence from the suffix. A father and a son may share the name and the home. A suffix is often left
 * out, so a missing suffix shows nothing. If a suffix is present, a second person with the same name exists. If a
 * suffix is present, a match needs the employer or the birthday. A join needs the birthday, because a father and a son
 * often have the same employer.
 */
function weighGeneration(reading: Reading, donor: Candidate): Evidence[] | undefined {
  if (reading.generation === null && donor.generation === null) return [];
  if (reading.generation === null && isSonOfTheDead(donor)) return [SUFFIX_OF_OLD];
  if (reading.generation === null || donor.generation === null) return [ONE_SUFFIX];
  return reading.generation === donor.generation ? [GENERATION] : undefined;
}

/** Returns true if the father of a person with "Jr" or "III" would be at least about 90 years old. */
function isSonOfTheDead({ generation, born }: Candidate): boolean {
  const age = new Date().getUTCFullYear() - Number(born.slice(0, 4));
  return generation !== null && generation > 1 && born !== '' && age >= OLD_SON;
}

function weighLast(
  population: Population,
  { last, lastParts, middles }: Reading,
  donor: Candidate,
): Evidence {
  const share = population.last(donor.last);
  if (last === donor.last) {
    return {
      m: LAST.same,
      bits: Math.log2(LAST.same / share),
      reason: 'The last name is the same',
    };
  }
  if (isTypo(last, donor.last)) {
    const reason = 'The last name is the same but for one typo';
    return { m: LAST.typo, bits: Math.log2(LAST.typo / (2 * share)), reason };
  }
  const mine = [last, ...lastParts];
  const theirs = [donor.last, ...donor.lastParts];
  const part = mine.find((one) => theirs.some((other) => one === other || isTypo(one, other)));
  if (part !== undefined) {
    const reason = 'A part of the last name is the same';
    return { m: LAST.part, bits: Math.log2(LAST.part / (2 * population.last(part))), reason };
  }
  const former =
    donor.middles.find((one) => one.length > 2 && mine.includes(one)) ??
    middles.find((one) => one.length > 2 && theirs.includes(one));
  if (former !== undefined) {
    const reason = 'The last name is a middle or former name';
    return { m: LAST.former, bits: Math.log2(LAST.former / population.last(former)), reason };
  }
  if (areLastNameSpellings(last, donor.last)) {
    const reason = 'The last name is another spelling of the same name';
    return { m: LAST.spelling, bits: Math.log2(LAST.spelling / (4 * share)), reason };
  }
  if (areTwoSlips(last, donor.last)) {
    const reason = 'The last name is the same but for two slips';
    return { m: LAST.slips, bits: Math.log2(LAST.slips / (10 * share)), reason };
  }
  return OTHER_LAST;
}

/** If given name, home and employer agree, the last name has probably changed after a marriage. */
const OTHER_LAST: Evidence = {
  bits: Math.log2(LAST.other),
  reason: 'The last name is another one, as after a marriage',
  needs: ['address', 'employer'],
  ...{ isContradiction: true, atMost: MOSTLY_TWO },
};

/** Returns the evidence from the pair of addresses that agrees best. Returns undefined if one person has no address. */
export function weighAddresses(texts: readonly AddressText[], donor: Candidate): Evidence[] {
  if (texts.length === 0) return [];
  const addresses = donor.addresses();
  if (addresses.length === 0) return [];
  const fits = new Set<AddressFit | undefined>();
  for (const text of texts) {
    for (const address of addresses) fits.add(fitAddress(text, address));
  }
  const best = ADDRESS_FITS.find((fit) => fits.has(fit));
  if (best === undefined) {
    return [{ ...ELSEWHERE, ...NO_ADDRESS[fitState(texts, addresses)] }];
  }
  const { m, u, reason } = ADDRESS[best];
  return [
    {
      m,
      bits: Math.log2(m / u),
      reason,
      ...(best === 'house' || best === 'numberSlip' || best === 'zip' ? ADDRESS_KIND : {}),
      ...(best === 'otherHouse' || best === 'otherUnit' ? ELSEWHERE : {}),
      ...(best === 'otherHouse' ? NEARBY : {}),
    },
  ];
}

const ADDRESS_KIND = { kind: 'address' } as const;
const ELSEWHERE = { isElsewhere: true, atMostByName: ONE_OR_TWO };
/** Relatives with the same name often live near each other. A join therefore also needs the day of birth. */
const NEARBY: Pick<Evidence, 'isNearby' | 'needsForJoin'> = {
  ...{ isNearby: true, needsForJoin: ['birth'] },
};

/** Returns the evidence from the dates of birth, or undefined if one of them is unknown. */
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
  return [{ m, bits: Math.log2(m / u), reason, ...kind }];
}

const BIRTH_KIND = { kind: 'birth' } as const;

/** Returns true for January 1 of certain years, which represents an unknown birthday. */
function isNoBirth(born: string): boolean {
  return born === '' || born === '1900-01-01' || born === '1970-01-01';
}

/** Returns true if day and month are swapped, or if two neighbouring digits are swapped. */
function isSlip(one: string, other: string): boolean {
  const [year, month, day] = one.split('-');
  if (other === `${year}-${day}-${month}`) return true;
  const [mine, theirs] = [one, other].map((born) => born.replaceAll('-', ''));
  const isOneEdit = withinOneEdit(mine ?? '', theirs ?? '');
  return isOneEdit && [...(mine ?? '')].toSorted().join() === [...(theirs ?? '')].toSorted().join();
}

/**
 * Returns the evidence from the pair of employers that agrees best. An employer with many people is only weak evidence.
 */
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
    m,
    bits,
    reason: `${reason} (${size} ${size === 1 ? 'donor' : 'donors'})`,
    ...(bits > 0 ? EMPLOYER_KIND : {}),
    ...(times * share > COMMON_EMPLOYER || fit === 'inner part' ? { isCommon: true } : {}),
  };
}

const EMPLOYER_KIND = { kind: 'employer' } as const;
