/**
 * What erasing a person from one integration has done so far. It is on disk beside the block before
 * each step, so that a repetition after a kill still tells the whole. It holds names of fields and of
 * networks and counts, and no id of the contact.
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
  /** Changes that the connector kept and had not brought into the CRM. */
  kept: count,
  /** Texts that named the person in what is kept of other contacts. */
  texts: count,
});

/** How much was erased, by what it was. */
export type ErasedCounts = z.infer<typeof erasedSchema>;

const crmSchema = z.object({
  /** Fields that held a value of ours, and are empty now. */
  cleared: z.array(z.string()),
  /** Fields that hold something else than what we wrote, and were left alone. */
  editedSince: z.array(z.string()),
  /** Fields that hold a value of ours still: the CRM did not let it be cleared. */
  stillPresent: z.array(z.string()),
  /** Fields that were written once, and that the integration's user cannot see now. */
  unreadable: z.array(z.string()),
  /** Those of them that the CRM does not show in a record that is there: a later run tries again. */
  hidden: z.array(z.string()),
  /** Fields with a value of which the store cannot tell any more whether it is ours. */
  unrecognized: z.array(z.string()),
  /** True if the fields were read again, and none of them holds a value of ours. */
  verified: z.boolean(),
});

export type CrmErasure = z.infer<typeof crmSchema>;

const noteSchema = z.object({
  id: z.string(),
  /** When it began (epoch ms). */
  at: z.number(),
  wasKnown: z.boolean(),
  erased: erasedSchema,
  /** Null if the CRM was not to be cleared. */
  crm: crmSchema.nullable(),
  /** Fields that an attempt has begun to clear: only a CRM that was read again says that they are empty. */
  clearing: names,
  /** By name: left, and those that the person has not been seen to leave yet. */
  networks: z.object({ left: names, pending: names }),
  /** Contacts that the CRM tells of this person as an introducer, still. */
  introductionsLeft: count,
  /** What is left of texts about this person in other contacts once the CRM was to be cleared. */
  mentions: z.object({
    /** Contacts of which the CRM refused the change, or was out of reach. */
    contacts: count,
    /** Fields that the integration's user cannot see. */
    hidden: names,
    /** Contacts in which a user has changed the text, and it names the person. */
    edited: count,
    /** Contacts that the CRM does not show: the next syncs look again. */
    unseen: count,
  }),
  /** Fields of the contact that donor-sync has written: once the store has forgotten, only this tells where values may be. */
  written: names,
  /** Why the CRM could not be reached; null if it was, or was not to be cleared. */
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

/** The note in a block's receipt; null if there is none. */
export function parseNote(json: string | null): ErasureNote | null {
  return json === null ? null : noteSchema.parse(JSON.parse(json));
}

/** Pure: what the store knows is kept as long as something is in the CRM that it tells apart. */
export function isCleared({ crm, mentions, unreached }: ErasureNote): boolean {
  if (crm === null) return true;
  const isLeft = crm.stillPresent.length + crm.hidden.length > 0;
  const isNamed = mentions.contacts > 0 || mentions.hidden.length > 0;
  return !isLeft && !isNamed && unreached === null;
}

/** Pure: two parts of one erasure as one. */
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
  };
}

/** The names in either list, each once. */
export function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other])];
}
