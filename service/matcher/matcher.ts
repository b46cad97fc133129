/**
 * The matcher: which donor a submitted person is. It would rather find no donor than a wrong one,
 * so a match needs a name that fits and evidence that it is this bearer of the name.
 */

import { formalNamesOf, nicknamesOf } from '../../people/nicknames.ts';
import { fitAddress } from './addresses.ts';
import type { Candidate, DonorIndex } from './donor-index.ts';
import { comparableEmployer, isSameEmployer } from './employers.ts';
import { type ComparableName, comparableName, fitFirstName, middlesDisagree } from './names.ts';
import { words } from './words.ts';

/** What is known of a person; all free text, as it was submitted. */
export interface SoughtPerson {
  first: string;
  last: string;
  addresses: readonly string[];
  employers: readonly string[];
}

/** The donor found, as a number of the world, or why none was. */
export type Match = { donorNumber: number } | { reason: string };

/** Finds donors. */
export interface Matcher {
  match(person: SoughtPerson): Match;
}

/**
 * A full name alone is evidence when, by the frequency of its two parts, fewer than so many
 * donors are expected to bear it.
 */
const MAX_EXPECTED_BEARERS = 0.5;

/**
 * Of what was submitted so much is read: no name, address or employer of a donor is longer, and the
 * effort that similar names take grows with the square of their length.
 */
const MAX_TEXT_LENGTH = 300;
const MAX_TEXTS = 100;

/** Points of evidence. An address beats an employer; both beat any difference between names. */
const HOUSE_POINTS = 6;
const EMPLOYER_POINTS = 4;
const NAME_POINTS = { same: 2, nickname: 1, initial: 0, typo: 0 };

/** Builds the matcher over an index. */
export function createMatcher(index: DonorIndex): Matcher {
  return {
    match(person) {
      const sought = toSought(person);
      const fits = findFits(index, sought);
      const supported = fits.filter((fit) => isSupported(fit));
      if (supported.length > 0) {
        return chooseBest(supported);
      }
      const [only, ...others] = fits;
      if (only === undefined) {
        return { reason: 'No donor matches this person' };
      }
      return others.length === 0 && nameSuffices(index, sought, only)
        ? { donorNumber: only.candidate.number }
        : { reason: 'Too little is known to tell which donor this person is' };
    },
  };
}

interface Sought {
  name: ComparableName;
  /** The words of each address. */
  addresses: Set<string>[];
  employers: string[];
}

/** A candidate whose name fits, and what else speaks for it. */
interface Fit {
  candidate: Candidate;
  /** How many parts of the name (first, last) are written otherwise than the donor's. */
  flaws: number;
  namePoints: number;
  isHouse: boolean;
  isArea: boolean;
  isEmployer: boolean;
}

function toSought(person: SoughtPerson): Sought {
  return {
    name: comparableName(cut(person.first), '', cut(person.last)),
    addresses: person.addresses
      .slice(0, MAX_TEXTS)
      .map((text) => new Set(words(cut(text))))
      .filter((text) => text.size > 0),
    employers: person.employers
      .slice(0, MAX_TEXTS)
      .map((text) => comparableEmployer(cut(text)))
      .filter((name) => name !== ''),
  };
}

function cut(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH);
}

/** A last name that a donor bears is taken as it is; another may be a typo of one. */
function findFits(index: DonorIndex, sought: Sought): Fit[] {
  const { first, last } = sought.name;
  if (first === '' || last === '') {
    return [];
  }
  const lastNames = index.countLastName(last) > 0 ? [last] : index.similarLastNames(last);
  return lastNames.flatMap((lastName) =>
    findCandidates(index, lastName, first).flatMap((candidate) => {
      const fit = fitCandidate(sought, candidate);
      return fit === undefined ? [] : [fit];
    }),
  );
}

/**
 * A first name that a donor bears is never taken for a typo of another one (John is not Joan), so
 * only its own bearers and those of its other forms are seen; for any other name, all of a family.
 */
function findCandidates(index: DonorIndex, last: string, first: string): Candidate[] {
  const formal = formalNamesOf(first);
  const forms = [first, ...nicknamesOf(first), ...formal, ...formal.flatMap(nicknamesOf)];
  const known = [...new Set(forms.map((form) => form.toLowerCase()))].filter(
    (form) => index.countFirstName(form) > 0,
  );
  return first.length > 1 && known.length > 0
    ? known.flatMap((form) => index.withName(last, form))
    : index.withLastName(last);
}

function fitCandidate(sought: Sought, candidate: Candidate): Fit | undefined {
  const { name } = sought;
  const fit = fitFirstName(name.first, candidate.first);
  if (fit === undefined || middlesDisagree(name.middles, candidate.middles)) {
    return undefined;
  }
  const addresses = candidate.addresses();
  const employers = candidate.employers();
  const places = sought.addresses.flatMap((text) =>
    addresses.map((address) => fitAddress(text, address)),
  );
  const isFlawed = fit === 'initial' || fit === 'typo';
  return {
    candidate,
    flaws: Number(isFlawed) + Number(name.last !== candidate.last),
    namePoints: NAME_POINTS[fit],
    isHouse: places.includes('house'),
    isArea: places.includes('area'),
    isEmployer: sought.employers.some((one) =>
      employers.some((other) => isSameEmployer(one, other)),
    ),
  };
}

/** A name with one flaw needs evidence; one with two fits no donor. */
function isSupported(fit: Fit): boolean {
  return fit.flaws <= 1 && (fit.isHouse || fit.isEmployer);
}

function chooseBest(fits: readonly Fit[]): Match {
  const ranked = fits.toSorted((a, b) => points(b) - points(a));
  const [best, second] = ranked;
  const isClear = best !== undefined && (second === undefined || points(best) > points(second));
  return isClear
    ? { donorNumber: best.candidate.number }
    : { reason: 'Several donors match this person equally well' };
}

function points(fit: Fit): number {
  const evidence = (fit.isHouse ? HOUSE_POINTS : 0) + (fit.isEmployer ? EMPLOYER_POINTS : 0);
  return evidence + fit.namePoints - fit.flaws;
}

/**
 * The only bearer of a flawless name is the person if the neighbourhood agrees, or if nothing
 * speaks against it because nothing else is known; in both cases the name must be a rare one.
 */
function nameSuffices(index: DonorIndex, sought: Sought, fit: Fit): boolean {
  if (fit.flaws > 0) {
    return false;
  }
  const nothingElse = sought.addresses.length === 0 && sought.employers.length === 0;
  return (
    (fit.isArea || nothingElse) && expectedBearers(index, fit.candidate) < MAX_EXPECTED_BEARERS
  );
}

function expectedBearers(index: DonorIndex, { first, last }: Candidate): number {
  return (index.countFirstName(first) * index.countLastName(last)) / index.donorCount;
}
