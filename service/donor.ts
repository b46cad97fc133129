/** The form of a person in the service. Imports and generated worlds create people in this form. */

/** A person's name. `middle` is a name or an initial, or null if it is unknown. */
export interface Name {
  first: string;
  middle: string | null;
  last: string;
}

export interface Address {
  street: string;
  city: string;
  /** The state's two-letter code, for example IL. */
  state: string;
  /** The ZIP code with five digits. */
  postalCode: string;
}

/** The kinds of real organisations. */
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

/** The source of a statement about a person, and the reliability of the statement. */
export interface SourceNote {
  /** The name of the collection of records, for example `irs-990`. */
  source: string;
  /** The record within the collection, for example `EIN 12-3456789, tax period ending 2024-12-31`. */
  reference: string;
  /** The ISO date on which the statement was true. */
  date: string;
  /** The probability, from 0 to 1, that the statement is true of this person. */
  confidence: number;
}

/** The kinds of facts that have a source, in addition to roles and gifts. */
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

/**
 * A relationship with an organisation, with its start and end as ISO dates. `end` is null while the relationship lasts.
 */
export interface Role {
  organisationId: string;
  organisationName: string;
  title: string;
  start: string;
  end: string | null;
  /** The kind of organisation. Only real organisations have a kind. */
  body?: BodyKind;
  /** True for a judge, a legislator or a soldier. False for ordinary employment. */
  isService?: boolean;
  /** Absent for people who were not imported. */
  source?: SourceNote;
}

/** A gift to a nonprofit organisation, in whole US dollars. */
export interface Gift {
  organisationId: string;
  organisationName: string;
  amount: number;
  date: string;
  /** Absent for people who were not imported. */
  source?: SourceNote;
}

/** The data that the service has about a person. */
export interface Donor {
  /** The ID as 32 hexadecimal characters. */
  id: string;
  /** The address of this donor's page. Absent if the service has one address for all donors' pages. */
  page?: string;
  name: Name;
  birthYear: number | null;
  /** The complete date of birth in ISO format, if it is known. */
  birthday?: string;
  suffix?: string;
  /** True for people who have died. Absent for all other people. */
  isDeceased?: boolean;
  /** The ID of the household. All people at one address have the same household. */
  householdId: string | null;
  /** The addresses. The current address comes first. */
  addresses: Address[];
  /** The roles, sorted by time. The latest role comes first. `education` is in the same order. */
  work: Role[];
  education: Role[];
  boards: Role[];
  /** The gifts. The latest gift comes first. */
  gifts: Gift[];
  /** The lower and the upper bound in whole US dollars, or null if they are unknown. */
  netWorth: { low: number; high: number } | null;
  /** The person's estimated giving capacity in whole US dollars, or null if it is unknown. */
  capacity: { political: number | null; nonprofit: number | null };
  bio: string[];
  /** The sources of facts. Only imported people have sources. */
  sources?: Partial<Record<SourcedFact, SourceNote>>;
}

/** All donors of a service. */
export interface World {
  /** The seed of a world with fictional people, or 0 for imported people. */
  seed: number;
  donorCount: number;
  /** A description of the real people. Absent if there are no real people. */
  realPeople?: string;
  /** The ISO date up to which the data describes people. Roles without an end last until that day. */
  asOf: string;
  /**
   * Returns the donor with this number. Numbers range from 0 to `donorCount - 1`. Throws a RangeError for any other
   * number.
   */
  donor(n: number): Donor;
  /** Returns the number of the donor with this ID, or null if no donor has the ID. */
  donorNumber(id: string): number | null;
}

/** Creates a donor who has only a name. */
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
