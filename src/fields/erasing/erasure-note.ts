/**
 * The note is stored with the block before each step. So an erasure can report everything even after a crash. Contains
 * counts and names of fields and networks, but not the contact's ID.
 */
import { z } from 'zod';

const count = z.number().int().nonnegative();
const names = z.array(z.string()).readonly();

const erasedSchema = z.object({
  contacts: count,
  jobs: count,
  holds: count,
  writes: count,
  paths: count,
  introductions: count,
  groups: count,
  runs: count,
  /** Changes that the connector had not written yet. */
  kept: count,
  texts: count,
  /** Payments in the spending journal outside the database. */
  payments: count,
});

/** The numbers of erased items, by kind. */
export type ErasedCounts = z.infer<typeof erasedSchema>;

const crmSchema = z.object({
  /** Fields that contained a value of ours and are now empty. */
  cleared: z.array(z.string()),
  /** Users have changed these fields since. donor-sync left them alone. */
  editedSince: z.array(z.string()),
  /** The CRM did not clear our value. */
  stillPresent: z.array(z.string()),
  /** Our fields that the integration's user can no longer see. */
  unreadable: z.array(z.string()),
  /** Fields that the CRM hides although the record exists. A later run tries again. */
  hidden: z.array(z.string()),
  /** It is unknown whether these values are ours. */
  unrecognized: z.array(z.string()),
  /** True if the fields were read again and have none of our values. */
  verified: z.boolean(),
});

export type CrmErasure = z.infer<typeof crmSchema>;

const noteSchema = z.object({
  id: z.string(),
  /** When the erasure started (epoch ms). */
  at: z.number(),
  wasKnown: z.boolean(),
  erased: erasedSchema,
  /** Null if the CRM should not be cleared. */
  crm: crmSchema.nullable(),
  /** Fields that an attempt has started to clear. Only another reading shows whether they are empty. */
  clearing: names,
  /** Networks that removed the person, and networks that have not confirmed it. */
  networks: z.object({ left: names, pending: names }),
  /** Other contacts that still name this person as an introducer. */
  introductionsLeft: count,
  /** Values about this person in other contacts, if the CRM is to be cleared. */
  mentions: z.object({
    /** Contacts that could not be changed. */
    contacts: count,
    /** Hidden fields. */
    hidden: names,
    /** Contacts with a value that a user has edited and that still names the person. */
    edited: count,
    /** Contacts that the integration's user cannot see. The next syncs check them again. */
    unseen: count,
  }),
  /** Fields that donor-sync wrote. After the erasure, only this list shows where values may be. */
  written: names,
  /** Why the CRM could not be reached. Null if it was reached or need not be cleared. */
  unreached: z.string().nullable(),
});

export type ErasureNote = z.infer<typeof noteSchema>;

export const NOTHING_ERASED: ErasedCounts = {
  contacts: 0,
  jobs: 0,
  holds: 0,
  writes: 0,
  paths: 0,
  introductions: 0,
  groups: 0,
  runs: 0,
  kept: 0,
  texts: 0,
  payments: 0,
};

export const NOTHING_CLEARED: CrmErasure = {
  cleared: [],
  editedSince: [],
  stillPresent: [],
  unreadable: [],
  hidden: [],
  unrecognized: [],
  verified: false,
};

export function newNote(id: string, at: number): ErasureNote {
  return {
    id,
    at,
    wasKnown: false,
    erased: NOTHING_ERASED,
    crm: null,
    clearing: [],
    networks: { left: [], pending: [] },
    introductionsLeft: 0,
    mentions: { contacts: 0, hidden: [], edited: 0, unseen: 0 },
    written: [],
    unreached: null,
  };
}

export function parseNote(json: string | null): ErasureNote | null {
  return json === null ? null : noteSchema.parse(JSON.parse(json));
}

/** True if the CRM has no values left. A pure function. */
export function isCleared({ crm, mentions, unreached }: ErasureNote): boolean {
  if (crm === null) return true;
  const isLeft = crm.stillPresent.length + crm.hidden.length > 0;
  const isNamed = mentions.contacts > 0 || mentions.hidden.length > 0;
  return !isLeft && !isNamed && unreached === null;
}

/** A pure function. */
export function addCounts(one: ErasedCounts, other: Partial<ErasedCounts>): ErasedCounts {
  const sum = (what: keyof ErasedCounts) => one[what] + (other[what] ?? 0);
  return {
    contacts: sum('contacts'),
    jobs: sum('jobs'),
    holds: sum('holds'),
    writes: sum('writes'),
    paths: sum('paths'),
    introductions: sum('introductions'),
    groups: sum('groups'),
    runs: sum('runs'),
    kept: sum('kept'),
    texts: sum('texts'),
    payments: sum('payments'),
  };
}

export function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other])];
}
