import { preparedRead, type Slots } from '../prepared.ts';
import type { Reader } from '../reader.ts';
import type { Trx } from '../tables/tables.ts';

/** How the names of an integration's secrets begin; no other's do. */
export function secretPrefix(integrationId: string): string {
  return `integration/${integrationId}/`;
}

/** The sealed text of this name; null if there is none. */
export async function findSecret(reader: Reader, name: string): Promise<string | null> {
  const { rows } = await selectSecret(reader, { name });
  return rows[0]?.value ?? null;
}

const selectSecret = preparedRead((db, { name }: Slots<{ name: string }>) =>
  db.selectFrom('secrets').select('value').where('name', '=', name).compile(),
);

/** Keeps a sealed text under a name, in place of the one before; sealing it is the caller's business. */
export async function saveSecret(trx: Trx, name: string, value: string): Promise<void> {
  await trx
    .insertInto('secrets')
    .values({ name, value })
    .onConflict((c) => c.column('name').doUpdateSet({ value }))
    .execute();
}

/** Harmless if there is none of that name. */
export async function removeSecret(trx: Trx, name: string): Promise<void> {
  await trx.deleteFrom('secrets').where('name', '=', name).execute();
}

/** Takes away every secret whose name begins so: those of an integration that never came to be. */
export async function removeSecrets(trx: Trx, prefix: string): Promise<void> {
  await trx
    .deleteFrom('secrets')
    .where((eb) => eb(eb.fn('substr', ['name', eb.val(1), eb.val(prefix.length)]), '=', prefix))
    .execute();
}
