/**
 * Defines the note that describes the progress of an erasure. The note is stored with the block before each step, so an
 * erasure can report everything even after a crash. The note contains counts and names of fields and networks, but not
 * the contact's ID.
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
  /** The number of changes that the connector had not written yet. */
  kept: count,
  texts: count,
  /** The number of payments in the spending journal, which is outside the database. */
  payments: count,
});

/** The number of erased items of each kind. */
export type ErasedCounts = z.infer<typeof erasedSchema>;

const crmSchema = z.object({
  /** The fields that contained a value from donor-sync and are now empty. */
  cleared: z.array(z.string()),
  /** The fields that users have changed since donor-sync wrote them. An erasure does not clear these fields. */
  editedSince: z.array(z.string()),
  /** The fields whose value from donor-sync the CRM did not clear. */
  stillPresent: z.array(z.string()),
  /** The fields that donor-sync wrote but that the integration's user can no longer see. */
  unreadable: z.array(z.string()),
  /** The fields that the CRM hides although the record exists. A later run tries to clear these fields again. */
  hidden: z.array(z.string()),
  /** The fields with a value that donor-sync may or may not have written. */
  unrecognized: z.array(z.string()),
  /** True if the fields were read again and contain no values from donor-sync. */
  verified: z.boolean(),
});

export type CrmErasure = z.infer<typeof crmSchema>;

const noteSchema = z.object({
  id: z.string(),
  /** When the erasure started (epoch ms). */
  at: z.number(),
  wasKnown: z.boolean(),
  erased: erasedSchema,
  /** The result of clearing the CRM. Null if the CRM should not be cleared. */
  crm: crmSchema.nullable(),
  /** The fields that an attempt has started to clear. Only another reading shows whether these fields are empty. */
  clearing: names,
  /** The networks that have removed the person, and the networks that have not confirmed the removal. */
  networks: z.object({ left: names, pending: names }),
  /** The number of other contacts that still name this person as an introducer. */
  introductionsLeft: count,
  /** The values in other contacts that name this person. Present only if the CRM is to be cleared. */
  mentions: z.object({
    /** The number of contacts whose values could not be cleared. */
    contacts: count,
    /** The fields that the CRM hides. */
    hidden: names,
    /** The number of contacts with a value that a user has edited and that still names the person. */
    edited: count,
    /** The number of contacts that the integration's user cannot see. The next syncs check these contacts again. */
    unseen: count,
  }),
  /** The fields that donor-sync wrote. After the erasure, only this list shows where values may remain. */
  written: names,
  /** The reason why the CRM could not be reached. Null if the CRM was reached or need not be cleared. */
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

/** True if the CRM contains no values about the person any more. A pure function. */
export function isCleared({ crm, mentions, unreached }: ErasureNote): boolean {
  if (crm === null) return true;
  const isLeft = crm.stillPresent.length + crm.hidden.length > 0;
  const isNamed = mentions.contacts > 0 || mentions.hidden.length > 0;
  return !isLeft && !isNamed && unreached === null;
}

/** Adds the numbers of erased items. A pure function. */
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
