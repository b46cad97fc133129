/** Decides whether a donor matches a search, and explains why and how well. */

import type { Donor } from '../donor.ts';
import { toLatin } from '../matcher/latin.ts';
import { comparableName } from '../matcher/names.ts';
import { ageOf } from '../profile.ts';
import type { Filters, TieFilter } from './criteria.ts';
import { fitName, NAME_FITS, type SoughtName } from './names.ts';
import { createTextTest } from './texts.ts';

/** The filters in a form that is fast to check for many donors. */
export interface Wanted {
  filters: Filters;
  name: SoughtName | null;
  ties: WantedTie[];
  isCity: (city: string) => boolean;
  /** The current time, from which ages are computed. */
  nowMs: number;
}

interface WantedTie extends TieFilter {
  isOrganisation: (name: string) => boolean;
  isTitle: (title: string) => boolean;
}

/** The evidence that a donor matches. The texts are created only for donors that the response contains. */
export interface Fit {
  /** The donor's ranks. A higher number is better, and the first rank is the most important. */
  ranks: number[];
  tell(): string[];
}

/** Prepares the filters. `name` is the name from the filters in the form that the index uses. */
export function prepare(filters: Filters, name: SoughtName | null, nowMs: number): Wanted {
  return {
    filters,
    name,
    ties: filters.ties.map((tie) => ({
      ...tie,
      isOrganisation: createTextTest(tie.organization ?? ''),
      isTitle: createTextTest(tie.title ?? ''),
    })),
    isCity: createTextTest(filters.city ?? ''),
    nowMs,
  };
}

/**
 * Returns how well a donor matches. Returns undefined if the donor does not meet a criterion, or if the necessary fact
 * is unknown. The order depends first on whether the donor is alive, and then on the name, on how current the
 * relationships are, and on the capacity.
 */
export function fitDonor(donor: Donor, wanted: Wanted): Fit | undefined {
  if (!factsHold(donor, wanted)) {
    return undefined;
  }
  const name = fitNameOf(donor, wanted);
  const ties = name === undefined ? undefined : fitTies(donor, wanted);
  if (name === undefined || ties === undefined) {
    return undefined;
  }
  const lasting = ties.filter(({ end }) => end === null).length;
  const { nonprofit } = donor.capacity;
  return {
    ranks: [Number(donor.isDeceased !== true), name.rank, lasting, nonprofit ?? 0],
    tell: () => [...name.matched, ...ties.map((tie) => tie.tell()), ...tellFacts(donor, wanted)],
  };
}

function factsHold(donor: Donor, wanted: Wanted): boolean {
  const { filters, nowMs } = wanted;
  const { netWorth, capacity } = donor;
  const age = ageOf(donor, nowMs);
  return (
    livesThere(donor, wanted) &&
    isWithin(age, age, filters.min_age, filters.max_age) &&
    isWithin(netWorth?.low, netWorth?.high, filters.min_net_worth, filters.max_net_worth) &&
    isWithin(capacity.nonprofit, null, filters.min_capacity, undefined)
  );
}

function livesThere({ addresses: [home] }: Donor, { filters, isCity }: Wanted): boolean {
  const { city, state } = filters;
  return (
    (city === undefined || (home !== undefined && isCity(home.city))) &&
    (state === undefined || home?.state === state)
  );
}

function tellFacts(donor: Donor, { filters, nowMs }: Wanted): string[] {
  const [home] = donor.addresses;
  const { netWorth, capacity } = donor;
  const facts: string[] = [];
  if (home && isAsked(filters.city, filters.state)) {
    facts.push(`lives in ${home.city}, ${home.state}`);
  }
  if (isAsked(filters.min_age, filters.max_age)) {
    facts.push(`is ${ageOf(donor, nowMs)}`);
  }
  if (netWorth && isAsked(filters.min_net_worth, filters.max_net_worth)) {
    facts.push(`net worth ${dollars(netWorth.low)} to ${dollars(netWorth.high)}`);
  }
  if (isAsked(filters.min_capacity)) {
    facts.push(`capacity ${dollars(capacity.nonprofit ?? 0)}`);
  }
  return facts;
}

function isAsked(...filters: unknown[]): boolean {
  return filters.some((filter) => filter !== undefined);
}

/** Returns true if the amount is in the range. An unknown amount is never in a range. */
function isWithin(
  low: number | null | undefined,
  high: number | null | undefined,
  min: number | undefined,
  max: number | undefined,
): boolean {
  return (
    (min === undefined || (low != null && low >= min)) &&
    (max === undefined || (high != null && high <= max))
  );
}

function fitNameOf(donor: Donor, { name }: Wanted) {
  if (name === null) {
    return { rank: 0, matched: [] };
  }
  const { first, last } = comparableName(toLatin(donor.name.first), '', toLatin(donor.name.last));
  const fit = fitName(name, first, last);
  if (fit === undefined) {
    return undefined;
  }
  const rank = NAME_FITS.length - NAME_FITS.indexOf(fit);
  return name.isCorrected
    ? { rank: rank - NAME_FITS.length, matched: [NAME_REASONS.typo] }
    : { rank, matched: [NAME_REASONS[fit]] };
}

const NAME_REASONS = {
  same: 'name',
  nickname: 'short form of the name',
  spelling: 'other spelling of the name',
  initial: 'initial of the name',
  typo: 'name within one typo',
};

/** A donor's relationship with an organisation. Roles and gifts have the same form. */
interface Tie {
  organisation: string;
  title: string;
  end: string | null;
  amount: number;
  tell(): string;
}

/**
 * For each relationship in the filters, returns the donor's relationship that matches best. Returns undefined if a
 * relationship in the filters has no match.
 */
function fitTies(donor: Donor, { ties }: Wanted): Tie[] | undefined {
  const found = ties.map((wanted) => {
    const fitting = tiesOf(donor, wanted.relationship).filter((tie) => isWanted(tie, wanted));
    return fitting.find(({ end }) => end === null) ?? fitting[0];
  });
  const present = found.filter((tie) => tie !== undefined);
  return present.length < ties.length ? undefined : present;
}

function isWanted(tie: Tie, wanted: WantedTie): boolean {
  return (
    tie.amount >= (wanted.min_amount ?? 0) &&
    (wanted.when === 'ever' || (tie.end === null) === (wanted.when === 'present')) &&
    wanted.isOrganisation(tie.organisation) &&
    wanted.isTitle(tie.title)
  );
}

function tiesOf(donor: Donor, relationship: TieFilter['relationship']): Tie[] {
  const all = relationship === undefined;
  return [
    ...(all || relationship === 'sits_on_board_of' ? rolesAs('on the board of', donor.boards) : []),
    ...(all || relationship === 'works_for' ? rolesAs('at', donor.work) : []),
    ...(all || relationship === 'attends' ? rolesAs('at', donor.education) : []),
    ...(all || relationship === 'donates_to' ? giftsAsTies(donor) : []),
  ];
}

function rolesAs(preposition: string, roles: Donor['work']): Tie[] {
  return roles.map(({ organisationName, title, start, end }) => ({
    organisation: organisationName,
    title,
    end,
    amount: 0,
    tell: () =>
      `${title} ${preposition} ${organisationName}, ${start.slice(0, 4)} to ${end?.slice(0, 4) ?? 'present'}`,
  }));
}

/** Converts gifts to relationships. A gift is always in the past. */
function giftsAsTies({ gifts }: Donor): Tie[] {
  return gifts.map(({ organisationName, amount, date }) => ({
    organisation: organisationName,
    title: '',
    end: date,
    amount,
    tell: () => `gave ${dollars(amount)} to ${organisationName} in ${date.slice(0, 4)}`,
  }));
}

function dollars(amount: number): string {
  return `$${amount.toLocaleString('en-US')}`;
}
