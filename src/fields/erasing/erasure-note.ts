/**
 * A record of the progress of erasing a person from one integration. It is stored with the block before each
 * step, so a repetition after a kill can still report everything. It contains counts, and the names of fields
 * and networks, but not the contact's ID.
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
  /** Changes that the connector kept and had not written to the CRM yet. */
  kept: count,
  /** Texts in other contacts' stored data that named the person. */
  texts: count,
  /** Payments in the spending journal outside the database. */
  payments: count,
});

/** The number of erased items, by kind. */
export type ErasedCounts = z.infer<typeof erasedSchema>;

const crmSchema = z.object({
  /** Fields that contained a value of ours and are empty now. */
  cleared: z.array(z.string()),
  /** Fields that contain a different value than we wrote. They were not changed. */
  editedSince: z.array(z.string()),
  /** Fields that still contain a value of ours because the CRM did not clear it. */
  stillPresent: z.array(z.string()),
  /** Fields that we wrote in the past and that the integration's user cannot see now. */
  unreadable: z.array(z.string()),
  /** The fields of an existing record that the CRM hides. A later run tries them again. */
  hidden: z.array(z.string()),
  /** Fields with a value of which the store no longer knows whether it is ours. */
  unrecognized: z.array(z.string()),
  /** True if the fields were read again and none of them contains a value of ours. */
  verified: z.boolean(),
});

export type CrmErasure = z.infer<typeof crmSchema>;

const noteSchema = z.object({
  id: z.string(),
  /** When the erasure started (epoch ms). */
  at: z.number(),
  wasKnown: z.boolean(),
  erased: erasedSchema,
  /** Null if the CRM was not to be cleared. */
  crm: crmSchema.nullable(),
  /**
   * Fields that an attempt has started to clear. Only reading the CRM again proves that they are
   * empty.
   */
  clearing: names,
  /** Names of the networks that the person has left, and of the networks that have not confirmed it yet. */
  networks: z.object({ left: names, pending: names }),
  /** Contacts whose CRM fields still name this person as an introducer. */
  introductionsLeft: count,
  /** The remaining texts about this person in other contacts, if the CRM was to be cleared. */
  mentions: z.object({
    /** Contacts whose change the CRM refused, or whose CRM was unavailable. */
    contacts: count,
    /** Fields that the integration's user cannot see. */
    hidden: names,
    /** Contacts in which a user has edited the text, and it still names the person. */
    edited: count,
    /** Contacts that the CRM does not show. The next syncs check them again. */
    unseen: count,
  }),
  /**
   * Fields of the contact that donor-sync has written. Once the store has erased the contact, only this list shows
   * where values may be.
   */
  written: names,
  /** Why the CRM could not be reached, or null if it was reached or was not to be cleared. */
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

/** Returns the note in a block's receipt, or null if there is none. */
export function parseNote(json: string | null): ErasureNote | null {
  return json === null ? null : noteSchema.parse(JSON.parse(json));
}

/**
 * Returns whether nothing is left in the CRM. Until then the store keeps its data, because only that data can show
 * which values are ours. Pure.
 */
export function isCleared({ crm, mentions, unreached }: ErasureNote): boolean {
  if (crm === null) return true;
  const isLeft = crm.stillPresent.length + crm.hidden.length > 0;
  const isNamed = mentions.contacts > 0 || mentions.hidden.length > 0;
  return !isLeft && !isNamed && unreached === null;
}

/** Adds the counts of two parts of one erasure. Pure. */
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

/** Returns the names in either list, without duplicates. */
export function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other])];
}
