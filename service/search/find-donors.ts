/** Finds donors. If possible, uses an index to limit the number of candidates, and then examines each candidate. */

import type { World } from '../donor.ts';
import { type Summary, toSummary } from '../donors/summary.ts';
import type { DonorIndex } from '../matcher/donor-index.ts';
import { isVacant } from '../record/vacancy.ts';
import { createSlices, type Slices } from '../slices.ts';
import type { Filters } from './criteria.ts';
import type { Facts } from './facts.ts';
import { type Fit, fitDonor, prepare, type Wanted } from './fits.ts';
import { fitName, readName, type SoughtName } from './names.ts';
import type { Organisations } from './organisations.ts';

/** The maximum number of donors that one request examines. The remaining donors are examined for later pages. */
const MAX_EXAMINED = 10_000;

export interface FindOptions {
  world: World;
  donorIndex: DonorIndex;
  facts: Facts;
  organisations: Organisations;
  clock: () => number;
}

/** The start of a page. `offset` is the position in the ranked matches among the donors that follow `start`. */
export interface SearchPosition {
  start: number;
  offset: number;
}

export interface FoundDonors {
  donors: (Summary & { matched: string[] })[];
  /** The start of the next page, or null on the last page. */
  next: SearchPosition | null;
  meta: {
    /** The index from which the candidates come: names, organisations, or only the facts. */
    source: 'names' | 'organizations' | 'facts';
    candidates: number;
    /** The number of candidates that were examined for this page. */
    scanned: number;
    /** The number of examined candidates that match the search. */
    found: number;
    /** True if all candidates were examined. `found` and the ranking then include the complete result. */
    complete: boolean;
  };
}

/** Finds a page of donors. The best matches among the examined donors come first. */
export async function findDonors(
  options: FindOptions,
  filters: Filters,
  { start, offset }: SearchPosition,
  limit: number,
): Promise<FoundDonors> {
  const slices = createSlices();
  await slices.next();
  const { world, donorIndex, clock } = options;
  const name = filters.name === undefined ? null : readName(donorIndex, filters.name);
  const wanted = prepare(filters, name, clock());
  const { source, numbers } = await findCandidates(options, wanted, slices);
  const end = Math.min(numbers.length, start + MAX_EXAMINED);
  const fits = await rankFits(world, numbers.slice(start, end), wanted, slices);
  const page = fits.slice(offset, offset + limit);
  const isMoreHere = offset + limit < fits.length;
  const isMoreBehind = end < numbers.length;
  return {
    donors: page.map(({ number, fit }) => ({
      ...toSummary(world.donor(number)),
      matched: fit.tell(),
    })),
    next: isMoreHere
      ? { start, offset: offset + limit }
      : isMoreBehind
        ? { start: end, offset: 0 }
        : null,
    meta: {
      source,
      candidates: numbers.length,
      scanned: Math.max(0, end - start),
      found: fits.length,
      complete: start === 0 && !isMoreBehind,
    },
  };
}

/** Returns the donors that may match, sorted by capacity. The order is the same for each page. */
interface Candidates {
  source: FoundDonors['meta']['source'];
  numbers: Uint32Array;
}

/** The number of donors that are excluded before the function checks the clock again. */
const RULED_OUT_AT_ONCE = 20_000;

async function findCandidates(
  { donorIndex, facts, organisations }: FindOptions,
  wanted: Wanted,
  slices: Slices,
): Promise<Candidates> {
  const { filters, name } = wanted;
  const couldFit = facts.testOf(filters, new Date(wanted.nowMs).getUTCFullYear());
  const marks: Uint8Array[] = [];
  for (const tie of filters.ties) marks.push(await organisations.peopleOf(tie, slices));
  const bearers = name === null ? null : await findBearers(donorIndex, name, slices);
  const possible =
    bearers === null ? facts.byCapacity : Uint32Array.from(bearers).sort(facts.compareCapacity);
  const numbers = new Uint32Array(possible.length);
  let count = 0;
  for (const [place, number] of possible.entries()) {
    if (place % RULED_OUT_AT_ONCE === 0 && slices.isOver()) await slices.next();
    const isCandidate = marks.every((marked) => marked[number] === 1) && couldFit(number);
    if (isCandidate) numbers[count++] = number;
  }
  return {
    source: sourceOf(bearers !== null, marks.length > 0),
    numbers: numbers.subarray(0, count),
  };
}

function sourceOf(isByName: boolean, isByOrganisation: boolean): Candidates['source'] {
  if (isByName) {
    return 'names';
  }
  return isByOrganisation ? 'organizations' : 'facts';
}

/**
 * Finds donors by name. Returns null if the search contains only a first name, because there is no index for first
 * names.
 */
async function findBearers(
  index: DonorIndex,
  name: SoughtName,
  slices: Slices,
): Promise<Set<number> | null> {
  if (name.first !== '' && name.lasts.length === 0) {
    return null;
  }
  const bearers = new Set<number>();
  for (const last of name.lasts) {
    for (const names of index.namesWithLast(last)) {
      if (slices.isOver()) await slices.next();
      for (const { number, first } of names) {
        if (fitName(name, first, last) !== undefined) bearers.add(number);
      }
    }
  }
  return bearers;
}

async function rankFits(
  world: World,
  candidates: Uint32Array,
  wanted: Wanted,
  slices: Slices,
): Promise<{ number: number; fit: Fit }[]> {
  const fits: { number: number; fit: Fit }[] = [];
  for (const number of candidates) {
    if (slices.isOver()) await slices.next();
    const donor = world.donor(number);
    const fit = isVacant(donor) ? undefined : fitDonor(donor, wanted);
    if (fit !== undefined) {
      fits.push({ number, fit });
    }
  }
  return fits.sort((a, b) => compareRanks(a.fit.ranks, b.fit.ranks) || a.number - b.number);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [place, rank] of a.entries()) {
    const difference = (b[place] ?? 0) - rank;
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}
