/**
 * Records the progress of erasing a person from one integration. The note is stored with the block before each step, so
 * an erasure that is repeated after a kill can still report everything. It contains counts and the names of fields and
 * networks, but not the contact's ID.
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
  /** Changes that the connector had kept and not yet written to the CRM. */
  kept: count,
  /** Texts that named the person in other contacts' stored data. */
  texts: count,
  /** Payments in the spending journal outside the database. */
  payments: count,
});

/** How many items were erased, by kind. */
export type ErasedCounts = z.infer<typeof erasedSchema>;

const crmSchema = z.object({
  /** Fields that contained a value of ours and are now empty. */
  cleared: z.array(z.string()),
  /** Fields that contain a different value than we wrote. They were left unchanged. */
  editedSince: z.array(z.string()),
  /** Fields that still contain a value of ours because the CRM did not clear it. */
  stillPresent: z.array(z.string()),
  /** Fields that we wrote earlier and that the integration's user can no longer see. */
  unreadable: z.array(z.string()),
  /** Fields that the CRM hides although the record exists. A later run tries them again. */
  hidden: z.array(z.string()),
  /** Fields with a value that the store can no longer recognise as ours or not. */
  unrecognized: z.array(z.string()),
  /** True if the fields were read again and contain no values of ours. */
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
  /** Fields that an attempt has started to clear. Only reading the CRM again shows whether they are empty. */
  clearing: names,
  /** The networks that the person has left, and the networks that have not confirmed it yet. */
  networks: z.object({ left: names, pending: names }),
  /** Contacts whose CRM fields still name this person as an introducer. */
  introductionsLeft: count,
  /** Texts about this person that remain in other contacts, if the CRM was to be cleared. */
  mentions: z.object({
    /** Contacts that could not be changed, because the CRM refused it or was unavailable. */
    contacts: count,
    /** Fields that the integration's user cannot see. */
    hidden: names,
    /** Contacts with a text that a user has edited and that still names the person. */
    edited: count,
    /** Contacts that the CRM does not show. The next syncs check them again. */
    unseen: count,
  }),
  /**
   * Fields of the contact that donor-sync wrote. After the contact is erased from the store, only this list shows where
   * its values may be.
   */
  written: names,
  /** Why the CRM could not be reached. Null if it was reached, or should not be cleared. */
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
 * True if nothing is left in the CRM. Until then the store keeps its data, because only that data shows which values
 * are ours. A pure function.
 */
export function isCleared({ crm, mentions, unreached }: ErasureNote): boolean {
  if (crm === null) return true;
  const isLeft = crm.stillPresent.length + crm.hidden.length > 0;
  const isNamed = mentions.contacts > 0 || mentions.hidden.length > 0;
  return !isLeft && !isNamed && unreached === null;
}

/** Adds the counts of two parts of one erasure. A pure function. */
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
