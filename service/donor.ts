/**
 * A donor, as the service stores and judges it. Everything that brings people into the service, such as an
 * import or a sandbox's world, describes them in this form.
 */

/** A name. The middle part is a name or an initial, or null if unknown. */
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

/** The source of a statement, and how reliable it is. */
export interface SourceNote {
  /** The collection, for example `irs-990`. */
  source: string;
  /** The record in it, for example `EIN 12-3456789, tax period ending 2024-12-31`. */
  reference: string;
  /** The ISO day on which the statement was true. */
  date: string;
  /** From 0 to 1: how likely the statement is true of this person. */
  confidence: number;
}

/** The facts about a person that have their own source, other than roles and gifts. */
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

/** A dated relation to an organisation. Dates are ISO days, and `end` is null while the relation lasts. */
export interface Role {
  organisationId: string;
  organisationName: string;
  title: string;
  start: string;
  end: string | null;
  /** The kind of organisation, if it really exists. */
  body?: BodyKind;
  /** True if the person served there as a judge, a legislator or a soldier, and did not merely work there. */
  isService?: boolean;
  /** The source. Absent for people who were not imported. */
  source?: SourceNote;
}

/** A gift to a nonprofit organisation, in whole US dollars. */
export interface Gift {
  organisationId: string;
  organisationName: string;
  amount: number;
  date: string;
  /** The source. Absent for people who were not imported. */
  source?: SourceNote;
}

/** A human being as the service knows them. */
export interface Donor {
  /** 32 hexadecimal characters. */
  id: string;
  /** The address of this donor's page. Absent if a service has one address for the pages of all donors. */
  page?: string;
  name: Name;
  birthYear: number | null;
  /** The whole ISO day, if known. */
  birthday?: string;
  /** `Jr`, `III`: distinguishes generations with the same name. */
  suffix?: string;
  /** True for people who have died. Absent for all others. */
  isDeceased?: boolean;
  /** People at the same address share one household. */
  householdId: string | null;
  /** The current address first, then earlier ones. */
  addresses: Address[];
  /** Latest first, and so is `education`. */
  work: Role[];
  education: Role[];
  boards: Role[];
  /** Latest first. */
  gifts: Gift[];
  /** The bounds in whole US dollars, or null if unknown. */
  netWorth: { low: number; high: number } | null;
  /** Estimated giving capacity of the person, in whole US dollars, or null if unknown. */
  capacity: { political: number | null; nonprofit: number | null };
  bio: string[];
  /** The sources of the facts. Only imported people have them. */
  sources?: Partial<Record<SourcedFact, SourceNote>>;
}

/** All donors of a service. */
export interface World {
  /** Distinguishes worlds of invented people, or 0 for imported people. */
  seed: number;
  donorCount: number;
  /** Describes the real people in words. Absent if there are none. */
  realPeople?: string;
  /** The ISO day up to which the data about people is current. Current roles last until then. */
  asOf: string;
  /** Returns the donor with a number from 0 to `donorCount - 1`. Any other number causes a RangeError. */
  donor(n: number): Donor;
  /** Returns the number of the donor with this ID, or null if there is no such donor. */
  donorNumber(id: string): number | null;
}

/** Creates a donor with only a name. */
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
