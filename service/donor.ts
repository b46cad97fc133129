/** The form of a person in the service, in which imports and generated worlds create people. */

/** A person's name. `middle` is a name or an initial, or null if it is unknown. */
export interface Name {
  first: string;
  middle: string | null;
  last: string;
}

export interface Address {
  street: string;
  city: string;
  /** The two-letter code of the address's state, for example IL. */
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
  /**
   * The identification of the record within its collection, for example `EIN 12-3456789, tax period ending 2024-12-31`.
   */
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
  /** The kind of a real organisation. Absent for a fictional organisation. */
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
  /** The address of the donor's page. Absent if the service has one address for all donors' pages. */
  page?: string;
  name: Name;
  birthYear: number | null;
  /** The complete date of birth in ISO format, if it is known. */
  birthday?: string;
  suffix?: string;
  /** True for a donor who has died. Absent for all other donors. */
  isDeceased?: boolean;
  /** The ID of the household, which all people at one address share. */
  householdId: string | null;
  /** The addresses. The current address comes first. */
  addresses: Address[];
  /** The donor's roles, latest role first. The list `education` has the same order. */
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
  /** The source of each fact about an imported person. Absent for people who were not imported. */
  sources?: Partial<Record<SourcedFact, SourceNote>>;
}

/** All donors that one service knows. */
export interface World {
  /** The seed of a world with fictional people, or 0 for imported people. */
  seed: number;
  donorCount: number;
  /** A description of the real people in the world. Absent if all people are fictional. */
  realPeople?: string;
  /** The ISO date up to which the data describes people. Roles without an end last until that day. */
  asOf: string;
  /** Returns the donor with the given number, from 0 to `donorCount - 1`. Throws a RangeError for any other number. */
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
