/** What a source says of one person, before it is known which donor that is. */

import type { Address, BodyKind, SourceNote } from '../donor.ts';

/** An organisation as a source names it; two of one EIN are the same whatever they are called. */
export interface NamedOrganisation {
  name: string;
  /** Nine digits. */
  ein: string | null;
}

/** Which side of a life a role belongs to. */
export const SIDES = ['work', 'education', 'boards'] as const;

export type Side = (typeof SIDES)[number];

/** A dated role; `end` is null while it lasts. */
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

/** A figure with its source. */
export interface Sourced<T> {
  value: T;
  source: SourceNote;
}

/** One person of one record. */
export interface Entry {
  /** Under which names sources know the person, such as `bioguide:A000002`; one is there at least. */
  keys: readonly [string, ...string[]];
  name: { first: string; middle: string | null; last: string; suffix: string | null };
  /** What holds of all that has no source of its own. */
  source: SourceNote;
  /** An ISO day or a year; empty where it is not known. */
  born: string;
  isDeceased: boolean;
  addresses: Address[];
  roles: NamedRole[];
  gifts: NamedGift[];
  netWorth: Sourced<{ low: number; high: number }> | null;
  /** What the person could give to nonprofits. */
  capacity: Sourced<number> | null;
  bio: string[];
}

/** An entry of a name and its keys, and nothing else yet. */
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
