/** The encrypted part of an audit entry. The searchable parts of an entry are not encrypted. */
import { z } from 'zod';
import { ACTOR_KINDS } from '../../core/actor.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import { blocksSchema } from './blocks.ts';
import { entrySealContext } from './chain.ts';

const entryBodySchema = z.object({
  actor: z.object({
    kind: z.enum(ACTOR_KINDS).catch('product'),
    name: z.string().nullable(),
    from: z.string().nullable(),
  }),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  contact: z.string().nullable(),
  /**
   * True if donor-sync created a birth record together with this entry. Only the first entry of the audit has a birth
   * record.
   */
  born: z.boolean().default(false),
  /** The blocks of erased people. Present only in entries about erasures and in the first entry. */
  blocks: blocksSchema.nullable().default(null),
  /** The IDs of the destroyed keys of contacts. Present only in entries about erasures. */
  destroyed: z.array(z.string()).default([]),
});

export type EntryBody = z.infer<typeof entryBodySchema>;

/** Decrypts an entry. If someone changed the entry in the database, throws the sealer's error. */
export function openEntryBody(
  sealer: Sealer,
  { seq, sealed }: { seq: number; sealed: string },
): EntryBody {
  return entryBodySchema.parse(JSON.parse(sealer.open(sealed, entrySealContext(seq))));
}

/**
 * Returns the time, or 0 if the value is not a time. In SQLite, a different program can write a value of any type into
 * a column.
 */
export function toTime(at: number): number {
  return Number.isFinite(new Date(at).getTime()) ? Number(at) : 0;
}
