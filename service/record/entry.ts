/** A source's statements about one person. The donor is still unknown at this point. */

import type { Address, BodyKind, SourceNote } from '../donor.ts';

/**
 * An organisation as a source names it. Two organisations with the same EIN are the same organisation, whatever their
 * names are.
 */
export interface NamedOrganisation {
  name: string;
  /** Nine digits. */
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
  /** The person's IDs in sources, such as `bioguide:A000002`. There is at least one. */
  keys: readonly [string, ...string[]];
  name: { first: string; middle: string | null; last: string; suffix: string | null };
  /** The source of all data that names no source itself. */
  source: SourceNote;
  /** An ISO day or a year. Empty if unknown. */
  born: string;
  isDeceased: boolean;
  addresses: Address[];
  roles: NamedRole[];
  gifts: NamedGift[];
  netWorth: Sourced<{ low: number; high: number }> | null;
  /** The person's estimated capacity for gifts to nonprofits. */
  capacity: Sourced<number> | null;
  bio: string[];
}

/** Returns an entry with only a name and its keys. */
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
