/**
 * Reads the blocks of erased people. A block keeps runs from processing an erased person again. Audit entries contain a
 * hash of all blocks, so the audit check notices if a different program has removed a block.
 */
import { z } from 'zod';
import { describeCount } from '../../core/quantities.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Reader } from '../../database/reader.ts';

/** All blocks of a database at a certain time. */
export interface Blocks {
  count: number;
  /** The keyed hash of all blocks. */
  hash: string;
}

export const blocksSchema = z.object({ count: z.int(), hash: z.string() });

/** Reads the blocks of erased people. Excludes contacts that are only suspected to be an erased person. */
export async function readBlocks(reader: Reader, fingerprint: Fingerprint): Promise<Blocks> {
  const rows = await reader
    .selectFrom('forgotten')
    .selectAll()
    .where('state', '<>', 'merged')
    .execute();
  const all = rows.map((row) =>
    JSON.stringify([
      row.integration_id,
      row.crm_id_fingerprint,
      ...[row.state, row.person, row.everywhere, row.donors],
      ...[Number(row.forgotten_at), row.erased_at === null ? null : Number(row.erased_at)],
      // The receipt of an unfinished erasure changes with each step, so the hash excludes the receipt.
      row.state === 'begun' ? null : row.receipt,
    ]),
  );
  // Sorts the blocks here, because databases sort text differently.
  return { count: all.length, hash: fingerprint('audit_blocks', all.toSorted().join('\n')) };
}

/**
 * Returns a sentence that describes how the blocks differ from the audit. Returns null if the blocks match the audit.
 */
export function describeChangedBlocks(sealed: Blocks, now: Blocks): string | null {
  if (sealed.hash === now.hash) return null;
  const difference = now.count - sealed.count;
  if (difference < 0) {
    return `The blocks of ${describeCount(-difference, 'erased person', 'erased people')} are missing, so a sync could process them again.`;
  }
  if (difference > 0) {
    return `${describeCount(difference, 'person is', 'people are')} blocked as erased although the audit has no record of their erasure. Another program added these blocks.`;
  }
  return 'Another program changed the blocks of erased people, so a sync could process them again.';
}
