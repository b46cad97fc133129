import { preparedRead, type Slots } from '../prepared.ts';
import type { Reader } from '../reader.ts';
import type { Trx } from '../tables/tables.ts';

/** Returns the prefix of an integration's secrets. No other integration uses this prefix. */
export function secretPrefix(integrationId: string): string {
  return `integration/${integrationId}/`;
}

export async function findSecret(reader: Reader, name: string): Promise<string | null> {
  const { rows } = await selectSecret(reader, { name });
  return rows[0]?.value ?? null;
}

const selectSecret = preparedRead((db, { name }: Slots<{ name: string }>) =>
  db.selectFrom('secrets').select('value').where('name', '=', name).compile(),
);

/** Stores a secret. The caller has already encrypted the value. */
export async function saveSecret(trx: Trx, name: string, value: string): Promise<void> {
  await trx
    .insertInto('secrets')
    .values({ name, value })
    .onConflict((c) => c.column('name').doUpdateSet({ value }))
    .execute();
}

export async function removeSecret(trx: Trx, name: string): Promise<void> {
  await trx.deleteFrom('secrets').where('name', '=', name).execute();
}

/** Deletes all secrets with this prefix, for example the secrets of an abandoned set-up. */
export async function removeSecrets(trx: Trx, prefix: string): Promise<void> {
  await trx
    .deleteFrom('secrets')
    .where((eb) => eb(eb.fn('substr', ['name', eb.val(1), eb.val(prefix.length)]), '=', prefix))
    .execute();
}
