/**
 * A donor as the service stores and judges one. Whoever brings people into the service, an import or a stand-in's
 * world, describes them in this form.
 */

/** A name; the middle is a name or an initial, null where none is known. */
export interface Name {
  first: string;
  middle: string | null;
  last: string;
}

/** A postal address of the United States. */
export interface Address {
  street: string;
  city: string;
  /** Two letters, for example IL. */
  state: string;
  /** Five digits. */
  postalCode: string;
}

/** The kinds of organisations that really exist. */
export const BODY_KINDS = [
  'school',
  'law_school',
  'court',
  'government',
  'local_government',
  'state_government',
  'federal_government',
  'prosecutor',
  'public_defender',
  'legislature',
  'congress_office',
  'committee',
  'military',
  'nonprofit',
  'company',
  'other',
] as const;

export type BodyKind = (typeof BODY_KINDS)[number];

/** Where a statement is from, and how far it may be believed. */
export interface SourceNote {
  /** The collection, for example `irs-990`. */
  source: string;
  /** The record in it, for example `EIN 12-3456789, tax period ending 2024-12-31`. */
  reference: string;
  /** The day that the statement is of, as an ISO day. */
  date: string;
  /** From 0 to 1: how likely the statement is true of this person. */
  confidence: number;
}

/** The facts about a person, beside roles and gifts, that have a source of their own. */
export const SOURCED_FACTS = [
  'name',
  'birth',
  'death',
  'address',
  'netWorth',
  'capacity',
  'bio',
] as const;

export type SourcedFact = (typeof SOURCED_FACTS)[number];

/** A dated tie to an organisation; dates are ISO days, `end` is null while it lasts. */
export interface Role {
  organisationId: string;
  organisationName: string;
  title: string;
  start: string;
  end: string | null;
  /** What kind of organisation it is, where it really exists. */
  body?: BodyKind;
  /** Served there as a judge, a legislator or a soldier rather than worked there. */
  isService?: boolean;
  /** Where it is from; absent for people who were not imported. */
  source?: SourceNote;
}

/** A gift to a nonprofit organisation, in whole US dollars. */
export interface Gift {
  organisationId: string;
  organisationName: string;
  amount: number;
  date: string;
  /** Where it is from; absent for people who were not imported. */
  source?: SourceNote;
}

/** A human being as the service knows them. */
export interface Donor {
  /** 32 hexadecimal characters. */
  id: string;
  /** Where people see this donor; absent where a service has one address for the pages of all. */
  page?: string;
  name: Name;
  birthYear: number | null;
  /** The whole ISO day, where it is known. */
  birthday?: string;
  /** `Jr`, `III`: the generation of those who share a name. */
  suffix?: string;
  /** True of people who have died; absent for all others. */
  isDeceased?: boolean;
  /** People at the same address share one household. */
  householdId: string | null;
  /** The present address first, then earlier ones. */
  addresses: Address[];
  /** The latest first, as in `education`. */
  work: Role[];
  education: Role[];
  boards: Role[];
  /** The latest first. */
  gifts: Gift[];
  /** Bounds in whole US dollars; null where nothing is known. */
  netWorth: { low: number; high: number } | null;
  /** What the person could give, in whole US dollars; null where nothing is known. */
  capacity: { political: number | null; nonprofit: number | null };
  bio: string[];
  /** Where the facts are from: present for the people that were imported, and for no others. */
  sources?: Partial<Record<SourcedFact, SourceNote>>;
}

/** All donors of a service. */
export interface World {
  /** Tells one world of invented people from another; 0 for imported people. */
  seed: number;
  donorCount: number;
  /** What real people there are, in words; absent without any. */
  realPeople?: string;
  /** The ISO day of which the people are: what lasts, lasts until then. */
  asOf: string;
  /** The donor with a number from 0 to `donorCount - 1`; any other number is a RangeError. */
  donor(n: number): Donor;
  /** The number of the donor with this id, or null if there is no such donor. */
  donorNumber(id: string): number | null;
}

/** A donor with a name, and nothing else that is known. */
export function blankDonor(id: string, name: Name): Donor {
  return {
    id,
    name,
    birthYear: null,
    householdId: null,
    addresses: [],
    work: [],
    education: [],
    boards: [],
    gifts: [],
    netWorth: null,
    capacity: { political: null, nonprofit: null },
    bio: [],
  };
}
