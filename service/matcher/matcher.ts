/**
 * Finds the donor who is the submitted person. If the evidence is not sufficient, finds no donor, because a wrong donor
 * is worse.
 */

import { atOnce, inSlices, type Slices } from '../slices.ts';
import { type AddressText, addressText } from './addresses.ts';
import { agreeInFull, areKnownAlike } from './agreement.ts';
import { findCandidates } from './candidates.ts';
import type { Candidate, DonorIndex } from './donor-index.ts';
import { writtenEmployer } from './employers.ts';
import type { Comparing, Evidence, EvidenceKind } from './evidence.ts';
import { fitFirstName, type Reading, readingsOf } from './names.ts';
import { readPopulation } from './population.ts';
import { LEAST_PEOPLE, weighAddresses, weighBirth, weighEmployers, weighName } from './weights.ts';

/** A submitted person. All texts in the record are free text. */
export interface SoughtPerson {
  first: string;
  last: string;
  addresses: readonly string[];
  employers: readonly string[];
  /** The ISO date or the year of birth, which only sources of people contain. */
  born?: string;
}

/** A donor who may be the submitted person. */
export interface Likely {
  donorNumber: number;
  /** A number from 0 to 1. */
  probability: number;
  /** The evidence for and against the donor, in words. */
  reasons: string[];
}

export interface Match {
  /** The number of the found donor, or null if no donor is certain enough. */
  donorNumber: number | null;
  /**
   * The probability that the found donor is the right donor. If no donor is found, `probability` is the probability of
   * the most likely donor. The computation assumes that the chance of finding the person in the file is one half.
   */
  probability: number;
  /**
   * The probability on which the matcher bases decisions. The probability `cautious` assumes that at least
   * `LEAST_PEOPLE` people are possible, even if the file is small. For a found donor, `cautious` is equal to
   * `probability`.
   */
  cautious: number;
  reasons: string[];
  /**
   * The second most likely donor or, if no donor was found, the most likely donor. Missing evidence does not reduce the
   * probability of this donor.
   */
  runnerUp: Likely | null;
  /**
   * The number of kinds of evidence for the found donor: address, employer and day of birth. The name does not count as
   * a kind of evidence. If there is a day of birth, a matching middle name counts too.
   */
  kinds: number;
  /** True if strong evidence contradicts the match, such as a different middle initial. */
  isContradicted: boolean;
  /** True if the evidence has enough kinds for a join, which must also reach its own threshold. */
  isJoinable: boolean;
}

/** Finds donors. */
export interface Matcher {
  /** Finds the donor. The argument `except` is the number of the person's own entry in the index. */
  match(person: SoughtPerson, except?: number): Match;
  /** Finds the donor, but pauses to let other requests run. A person may resemble thousands of donors. */
  matchInSlices(person: SoughtPerson, slices: Slices): Promise<Match>;
}

/** The probabilities from which on the matcher treats two records as one person. */
export const THRESHOLDS = {
  /** The threshold for a submitted person and a donor, where a wrong match affects only one profile. */
  match: 0.97,
  /**
   * The threshold for joining records from two sources. A wrong join stays in the file, so it needs two kinds of
   * evidence in addition to the name.
   */
  join: 0.9995,
  /** The threshold for a review. An operator reviews pairs that are likely but not certain enough. */
  review: 0.9,
};

/**
 * Computes the evidence for and against two known records. The computation ignores all other people. Returns undefined
 * if the records contradict each other.
 */
export function comparePair(
  index: DonorIndex,
  person: SoughtPerson,
  candidate: Candidate,
): Omit<Match, 'donorNumber' | 'cautious' | 'runnerUp'> | undefined {
  const sought = toSought(person);
  const weighed = weigh(comparingWith(index), sought, candidate);
  if (weighed === undefined) return undefined;
  const { donorNumber: _, cautious: __, runnerUp: ___, ...pair } = choose(index, [weighed], sought);
  return pair;
}

function comparingWith(index: DonorIndex): Comparing {
  return {
    index,
    get population() {
      return readPopulation();
    },
  };
}

/** The minimum probability of a second candidate. The matcher ignores candidates with a lower probability. */
const LEAST_MENTIONED = 0.001;

/**
 * The maximum number of characters that the matcher reads from each submitted text. The time for comparing names grows
 * with the square of their length.
 */
const MAX_TEXT_LENGTH = 300;
const MAX_TEXTS = 20;

/** A candidate with the evidence, from which a script estimates the weights. */
export interface Compared {
  donorNumber: number;
  evidence: readonly Evidence[];
}

/** Compares a person with all candidates without making a decision. */
export function compareAll(index: DonorIndex, person: SoughtPerson): Compared[] {
  const comparing = comparingWith(index);
  const sought = toSought(person);
  return [...atOnce(findCandidates(index, sought.readings, sought.addresses))].flatMap((number) => {
    const candidate = index.candidate(number);
    const weighed = candidate && weigh(comparing, sought, candidate);
    return weighed === undefined ? [] : [{ donorNumber: number, evidence: weighed.evidence }];
  });
}

/** Creates a matcher that uses this index. */
export function createMatcher(index: DonorIndex): Matcher {
  const comparing = comparingWith(index);

  function* find(person: SoughtPerson, except?: number): Generator<void, Match> {
    const sought = toSought(person);
    yield;
    const candidates = yield* findCandidates(index, sought.readings, sought.addresses);
    const weighed: Weighed[] = [];
    for (const number of candidates) {
      yield;
      if (number === except) continue;
      const candidate = index.candidate(number);
      const one = candidate && weigh(comparing, sought, candidate);
      if (one !== undefined) weighed.push(one);
    }
    return byNameAlone(index, weighed, sought) ?? choose(index, weighed, sought);
  }

  return {
    match: (person, except) => atOnce(find(person, except)),
    matchInSlices: (person, slices) => inSlices(find(person), slices),
  };
}

interface Sought {
  readings: Reading[];
  addresses: AddressText[];
  employers: string[];
  born: string;
}

function toSought(person: SoughtPerson): Sought {
  return {
    readings: readingsOf(cut(person.first), cut(person.last)),
    addresses: person.addresses
      .slice(0, MAX_TEXTS)
      .map((text) => addressText(cut(text)))
      .filter((text) => text.size > 0),
    employers: person.employers
      .slice(0, MAX_TEXTS)
      .map((text) => writtenEmployer(cut(text)))
      .filter((name) => name !== ''),
    born: person.born ?? '',
  };
}

function cut(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH);
}

/** A candidate, with all evidence for and against the candidate. */
interface Weighed {
  candidate: Candidate;
  /** The odds that this donor is the person. The alternative is that the submitted person is not a donor. */
  odds: number;
  evidence: Evidence[];
}

function weigh(comparing: Comparing, sought: Sought, candidate: Candidate): Weighed | undefined {
  const weighed = sought.readings.map((reading) => weighName(comparing, reading, candidate));
  if (weighed.includes('ruled out')) return undefined;
  const [name] = weighed
    .filter((evidence) => typeof evidence === 'object')
    .toSorted((a, b) => bitsOf(b) - bitsOf(a));
  if (name === undefined) return undefined;
  const evidence = [
    ...name,
    ...weighAddresses(sought.addresses, candidate),
    ...weighEmployers(comparing, sought.employers, candidate),
    ...weighBirth(sought.born, candidate),
  ];
  const people = Math.max(LEAST_PEOPLE, comparing.index.donorCount);
  return { candidate, odds: 2 ** bitsOf(evidence) / people, evidence };
}

function bitsOf(evidence: readonly Evidence[]): number {
  return evidence.reduce((sum, { bits }) => sum + bits, 0);
}

function choose(index: DonorIndex, weighed: readonly Weighed[], { readings, born }: Sought): Match {
  const { ranked, twin } = foldTwins(
    index,
    weighed.toSorted((a, b) => b.odds - a.odds || a.candidate.number - b.candidate.number),
    born,
  );
  const all = 1 + ranked.reduce((sum, { odds }) => sum + odds, 0);
  const toLikely = ({ candidate, odds, evidence }: Weighed): Likely => ({
    donorNumber: candidate.number,
    probability: odds / all,
    reasons: [
      ...evidence.flatMap(({ reason }) => (reason === '' ? [] : reason)),
      ...(candidate.isDead ? ['This donor has died'] : []),
      ...(twin !== undefined && candidate === ranked[0]?.candidate ? [TWIN] : []),
    ],
  });
  const [best, second] = ranked.slice(0, 2).map(toLikely);
  if (best === undefined) {
    return {
      donorNumber: null,
      ...{ probability: 0, cautious: 0 },
      reasons: [NOT_FOUND(readings)],
      runnerUp: null,
      ...NOT_SURE,
    };
  }
  const evidence = ranked[0]?.evidence ?? [];
  const kinds = findKinds(evidence);
  const isContradicted = evidence.some((one) => one.isContradiction === true);
  // Relatives share a home, so an equal address does not outweigh a contradiction.
  const isMet = evidence.every(({ needs = [] }) => needs.every((kind) => kinds.has(kind)));
  // Two forms of a name at the same home belong to one person as often as to two people.
  const isTold = evidence.every(
    ({ needsOneOf }) => needsOneOf === undefined || needsOneOf.some((kind) => kinds.has(kind)),
  );
  // Two cousins may have the same employer. If the addresses and the initials differ, the matcher cannot decide.
  const isElsewhere = evidence.some((one) => one.isElsewhere === true);
  const isOutweighed =
    !isContradicted || kinds.has('birth') || (kinds.has('employer') && !isElsewhere);
  if (kinds.size > 0 && isMet && isTold && isOutweighed && best.probability >= THRESHOLDS.match) {
    const { donorNumber, probability, reasons } = best;
    const isMentioned = second !== undefined && second.probability >= LEAST_MENTIONED;
    const runnerUp = twin === undefined ? (isMentioned ? second : null) : toLikely(twin);
    // Two people of one family never have both the same middle name and the same day of birth.
    const isMiddle = kinds.has('birth') && evidence.some((one) => one.isMiddle === true);
    const count = kinds.size + Number(isMiddle);
    const found = { donorNumber, probability, cautious: probability, reasons, runnerUp };
    const isJoinable = evidence.every(({ needsForJoin = [] }) =>
      needsForJoin.every((kind) => kinds.has(kind)),
    );
    return { ...found, kinds: count, isContradicted, isJoinable };
  }
  const isTied = second !== undefined && best.probability < 2 * second.probability;
  const isEnough = kinds.size > 0 && isMet && isTold && isOutweighed;
  const most = isEnough ? MOST_STATED : limitOf(evidence, kinds);
  const stated = Math.min(MOST_STATED, stateProbability(index, ranked));
  const probability = Math.min(most, stated);
  return {
    donorNumber: null,
    probability,
    cautious: isEnough ? best.probability : Math.min(best.probability, most),
    reasons: [
      isTied && kinds.size > 0 ? TIED : kinds.size > 0 && !isOutweighed ? OTHER : TOO_LITTLE,
    ],
    runnerUp: { ...best, probability: stated },
    ...NOT_SURE,
  };
}

/** The maximum probability of a donor if the evidence is not enough for a match. */
const MOST_STATED = 0.96;

/** The minimum number of donors. A small file says nothing about the people who are not in it. */
const LEAST_DONORS = 1_000;

/**
 * Returns the probability of the most likely donor. The matcher assumes that the chance of finding the person among the
 * donors is one half. Decisions assume that a small file contains only a few of the possible people.
 */
function stateProbability(index: DonorIndex, ranked: readonly Weighed[]): number {
  const assumed = Math.max(LEAST_PEOPLE, index.donorCount);
  const times = assumed / Math.max(LEAST_DONORS, index.donorCount);
  const all = 1 / times + ranked.reduce((sum, { odds }) => sum + odds, 0);
  return (ranked[0]?.odds ?? 0) / all;
}

/** Returns the highest probability that the evidence allows, which contradictions and missing evidence reduce. */
function limitOf(evidence: readonly Evidence[], kinds: ReadonlySet<EvidenceKind>): number {
  const limits = evidence.flatMap(({ atMost }) => atMost ?? []);
  if (kinds.size > 0) return Math.min(1, ...limits);
  return Math.min(NAME_ALONE, ...limits, ...evidence.flatMap((one) => one.atMostByName ?? []));
}

/**
 * Returns the kinds of evidence for a candidate. A large employer does not count if the addresses differ, because a
 * namesake may work there.
 */
function findKinds(evidence: readonly Evidence[]): Set<EvidenceKind> {
  const isElsewhere = evidence.some((one) => one.isElsewhere === true);
  const telling = evidence.filter((one) => !(isElsewhere && one.isCommon === true));
  const kinds = new Set(telling.flatMap(({ kind }) => kind ?? []));
  const isWholeName = evidence.some((one) => one.isWholeName === true);
  if (isWholeName && evidence.some((one) => one.isNearby === true)) kinds.add('address');
  return kinds;
}

/**
 * Combines donors whose details agree completely, because they are one person or cannot be distinguished. The donor who
 * was added first represents the combined donors. If equal donors were not combined, no submitted person would match
 * any of them.
 */
function foldTwins(
  index: DonorIndex,
  ranked: readonly Weighed[],
  born: string,
): { ranked: Weighed[]; twin: Weighed | undefined } {
  const [best] = ranked;
  const twins =
    best === undefined
      ? []
      : ranked.filter((one) => one === best || areTwins(index, best, one, born));
  if (best === undefined || twins.length < 2) return { ranked: [...ranked], twin: undefined };
  const [oldest = best, twin] = twins.toSorted((a, b) => a.candidate.number - b.candidate.number);
  const odds = twins.reduce((sum, one) => sum + one.odds, 0);
  const others = ranked.filter((one) => !twins.includes(one));
  return { ranked: [{ ...oldest, odds }, ...others], twin };
}

/**
 * Returns true if two rows probably describe the same person. In a list with one ID per person, all details must agree.
 * In two different lists, some details may differ.
 */
function areTwins(index: DonorIndex, best: Weighed, other: Weighed, born: string): boolean {
  const [one, two] = [best.candidate, other.candidate];
  return (
    other.odds * LEAST_OF_TWIN >= best.odds &&
    agreeInFull(one, two, born) &&
    (areKnownAlike(one, two) || !index.areOfOneList(one.number, two.number)) &&
    !index.areApart(one.number, two.number)
  );
}

/** The ratio of odds from which on a donor is too unlikely to be compared. */
const LEAST_OF_TWIN = 1_000;

const NOT_SURE = { kinds: 0, isContradicted: false, isJoinable: false };

/**
 * Returns true if the name alone is enough for a match. A match by name alone is possible only for a fictional donor,
 * and only if nothing else was submitted. For a match by name alone, the name must be unique and rare. For every real
 * person, there are other people with the same name.
 */
function byNameAlone(
  index: DonorIndex,
  weighed: readonly Weighed[],
  { readings, addresses, employers }: Sought,
): Match | null {
  const [only, ...others] = weighed.filter(({ odds }) => odds * LEAST_PEOPLE > 1);
  const [reading] = readings;
  if (only === undefined || others.length > 0 || addresses.length + employers.length > 0)
    return null;
  const { first, last, isInvented, number } = only.candidate;
  const expected =
    (index.countFirstName(first) * index.countLastName(last)) / Math.max(1, index.donorCount);
  const fit = reading?.last === last ? fitFirstName(reading.first, first) : undefined;
  const isFull = fit === 'same' || fit === 'nickname';
  if (!isInvented || !isFull || expected >= MAX_EXPECTED_BEARERS) return null;
  const told = only.evidence.flatMap(({ reason }) => (reason === '' ? [] : reason));
  const reasons = [...told, 'No other donor has this name'];
  const probability = THRESHOLDS.match;
  const found = { donorNumber: number, probability, cautious: probability, reasons };
  return { ...found, runnerUp: null, ...NOT_SURE };
}

const MAX_EXPECTED_BEARERS = 0.5;

/** The probability of a match by name alone. Even if a name is very rare, someone outside the file may have it. */
const NAME_ALONE = 0.9;

const TWIN = 'Another donor agrees with this one in all parts: they can be one person';
const TIED = 'Several donors match this person equally well';
const OTHER = 'The likeliest donor differs in a part that relatives at one address differ in';
const TOO_LITTLE = 'Too little is known to tell which donor this person is';
const NOT_FOUND = (readings: readonly Reading[]) =>
  readings.length === 0
    ? 'A first and a last name are needed to find a donor'
    : 'No donor matches this person';
