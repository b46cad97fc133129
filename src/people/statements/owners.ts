/** Finds the owners who can sign in. Once donor-sync has an owner, at least one owner must always remain. */
import { isPostgres } from '../../database/database-time.ts';
import type { Reader } from '../../database/reader.ts';
import type { Trx } from '../../database/tables/tables.ts';

/** True if an owner can sign in with a password, a passkey or the identity provider. */
export async function hasOwner(reader: Reader): Promise<boolean> {
  return (await selectOwners(reader).limit(1).executeTakeFirst()) !== undefined;
}

/** True if this user is the only owner who can sign in. */
export async function isLastOwner(trx: Trx, id: string): Promise<boolean> {
  const owners = await selectOwners(trx)
    .orderBy('id')
    // If two owners remove each other at the same time, the second transaction waits here. The second transaction then
    // finds that only one owner is left.
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
  return owners.length === 1 && owners[0]?.id === id;
}

/**
 * Selects the owners who can sign in. An owner who has signed in with an identity provider is included even while the
 * provider is unavailable. An invited owner is not included until the owner has joined.
 */
function selectOwners(reader: Reader) {
  return reader
    .selectFrom('people')
    .select('id')
    .where('role', '=', 'owner')
    .where('integrations', 'is', null)
    .where('joined_at', 'is not', null)
    .where('disabled_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('password', 'is not', null),
        eb('subject', 'is not', null),
        eb.exists(
          eb.selectFrom('passkeys').select('passkeys.id').whereRef('person_id', '=', 'people.id'),
        ),
      ]),
    );
}
