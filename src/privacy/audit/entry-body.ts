/** What an entry of the audit seals, besides the parts of it that can be searched. */
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
  /** Of the first entry, if a birth record was made with it. */
  born: z.boolean().default(false),
  /** Of entries about erasures, and of the first one. */
  blocks: blocksSchema.nullable().default(null),
  /** Of entries about erasures: ids of the contacts' keys that were destroyed. */
  destroyed: z.array(z.string()).default([]),
});

export type EntryBody = z.infer<typeof entryBodySchema>;

/** Throws the sealer's error for an entry that was changed in the database. */
export function openEntryBody(
  sealer: Sealer,
  { seq, sealed }: { seq: number; sealed: string },
): EntryBody {
  return entryBodySchema.parse(JSON.parse(sealer.open(sealed, entrySealContext(seq))));
}

/** SQLite keeps what another program puts into a column: where that is no time, 0. */
export function toTime(at: number): number {
  return Number.isFinite(new Date(at).getTime()) ? Number(at) : 0;
}
