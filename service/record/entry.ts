/** The data that a source contains about one person, before the service knows which donor the person is. */

import type { Address, BodyKind, SourceNote } from '../donor.ts';

/**
 * An organisation with the name that a source uses. Two entries with one EIN are one organisation, whatever their names
 * are.
 */
export interface NamedOrganisation {
  name: string;
  /** The nine digits of the EIN. */
  ein: string | null;
}

/** The part of a person's life to which a role belongs. */
export const SIDES = ['work', 'education', 'boards'] as const;

export type Side = (typeof SIDES)[number];

/** A dated role. `end` is null while the role lasts. */
export interface NamedRole {
  side: Side;
  organisation: NamedOrganisation;
  title: string;
  start: string;
  end: string | null;
  body?: BodyKind;
  isService?: boolean;
  source: SourceNote;
}

/** A gift, in whole US dollars. */
export interface NamedGift {
  organisation: NamedOrganisation;
  amount: number;
  date: string;
  source: SourceNote;
}

/** A figure, with its source. */
export interface Sourced<T> {
  value: T;
  source: SourceNote;
}

export interface Entry {
  /** The IDs that sources use for the person, such as `bioguide:A000002`. Each person has at least one ID. */
  keys: readonly [string, ...string[]];
  name: { first: string; middle: string | null; last: string; suffix: string | null };
  /** The source of all data that does not name its own source. */
  source: SourceNote;
  /** The person's date or year of birth, or an empty text. */
  born: string;
  isDeceased: boolean;
  addresses: Address[];
  roles: NamedRole[];
  gifts: NamedGift[];
  netWorth: Sourced<{ low: number; high: number }> | null;
  /** The person's estimated capacity for gifts to nonprofit organisations. */
  capacity: Sourced<number> | null;
  bio: string[];
}

/** Returns an entry that contains only a name and IDs. */
export function entryOf(facts: Pick<Entry, 'keys' | 'name' | 'source'> & Partial<Entry>): Entry {
  return {
    born: '',
    isDeceased: false,
    addresses: [],
    roles: [],
    gifts: [],
    netWorth: null,
    capacity: null,
    bio: [],
    ...facts,
  };
}
