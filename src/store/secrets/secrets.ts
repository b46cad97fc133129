import { LEASE_MS } from '../engine/leases.ts';
import type { Database } from '../engine/tables.ts';
import { again } from '../engine/transact.ts';

/** Sealed text by name. Sealing and opening is the caller's business: here it is only kept. */
export function secretQueries(db: Database) {
  return {
    async find(name: string): Promise<string | null> {
      const row = await db
        .selectFrom('secrets')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirst();
      return row?.value ?? null;
    },

    async save(name: string, value: string): Promise<void> {
      // A token that was renewed is lost with its text: the old one is good for nothing any more.
      await again(LEASE_MS, () =>
        db
          .insertInto('secrets')
          .values({ name, value })
          .onConflict((c) => c.column('name').doUpdateSet({ value }))
          .execute(),
      );
    },

    /** Harmless if there is none of that name. */
    async remove(name: string): Promise<void> {
      await db.deleteFrom('secrets').where('name', '=', name).execute();
    },
  };
}
