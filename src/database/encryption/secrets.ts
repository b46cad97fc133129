import { prepared, type Slots } from '../prepared.ts';
import type { Database, Trx } from '../tables/tables.ts';
import { again, LEASE_MS } from '../transact.ts';

/** How the names of an integration's secrets begin; no other's do. */
export function secretPrefix(integrationId: string): string {
  return `integration/${integrationId}/`;
}

/** The sealed text of this name; null if there is none. */
export async function findSecret(db: Database | Trx, name: string): Promise<string | null> {
  const { rows } = await selectSecret(db, { name });
  return rows[0]?.value ?? null;
}

const selectSecret = prepared((db, { name }: Slots<{ name: string }>) =>
  db.selectFrom('secrets').select('value').where('name', '=', name).compile(),
);

/** Sealed text by name. Sealing and opening is the caller's business: here it is only kept. */
export function secretQueries<AuditEntry>(
  db: Database,
  record: (trx: Trx, entry: AuditEntry) => Promise<void>,
) {
  return {
    find: (name: string) => findSecret(db, name),

    /** With an entry for the audit, if a person did it. */
    async save(name: string, value: string, entry: AuditEntry | null = null): Promise<void> {
      // A token that was renewed is lost with its text: the old one is good for nothing any more.
      await again(LEASE_MS, () =>
        db.transaction().execute(async (trx) => {
          await trx
            .insertInto('secrets')
            .values({ name, value })
            .onConflict((c) => c.column('name').doUpdateSet({ value }))
            .execute();
          if (entry !== null) await record(trx, entry);
        }),
      );
    },

    /** Takes away every secret whose name begins so: those of an integration that never came to be. */
    async removeAll(prefix: string): Promise<void> {
      await db
        .deleteFrom('secrets')
        .where((eb) => eb(eb.fn('substr', ['name', eb.val(1), eb.val(prefix.length)]), '=', prefix))
        .execute();
    },

    /** Harmless if there is none of that name. */
    async remove(name: string, entry: AuditEntry | null = null): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('secrets').where('name', '=', name).execute();
        if (entry !== null) await record(trx, entry);
      });
    },
  };
}
