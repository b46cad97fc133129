/** Creates an owner who needs no invitation: the first owner, or an owner who can no longer sign in. */
import { ConfigurationError } from '../core/errors.ts';
import type { ActorTransaction } from '../database/actor-transaction.ts';
import { hashToken } from './access-token.ts';
import { type PersonIdentity, prepareNewPassword } from './sign-in/password.ts';
import { hasOwner } from './statements/owners.ts';
import {
  acceptInvitation,
  findPersonBy,
  type PersonRecord,
  removeWaysIn,
} from './statements/people.ts';
import {
  changeRights,
  disablePerson,
  emailFingerprint,
  type Invited,
  inviteAgain,
  invitePerson,
  type PeopleDeps,
} from './user-accounts.ts';

const RIGHTS = { role: 'owner', integrations: null } as const;

/**
 * If a user already has this address, that user becomes the owner and keeps the name. Throws a ConfigurationError and
 * changes nothing if the password is easy to guess, or if there is already an owner and this is not a recovery.
 */
export async function becomeOwner(
  deps: PeopleDeps,
  identity: PersonIdentity,
  password: string,
  { isRecovery = false } = {},
): Promise<PersonRecord> {
  const kept = await prepareNewPassword(password, identity, deps.clientNames);
  return deps.store.act(async (trx) => {
    const { secret } = await inviteOwner(trx, deps, identity, { isRecovery });
    const owner = await acceptInvitation(trx, hashToken(secret), kept);
    if (owner === null) throw new Error('The invitation was created in this transaction.');
    return owner;
  });
}

/**
 * Invites a new user as an owner, or makes the user with this address an owner. A user who was disabled loses all
 * former ways to sign in. Throws a ConfigurationError and changes nothing if an owner exists and this is not a
 * recovery.
 */
export async function inviteOwner(
  trx: ActorTransaction,
  { sealer }: Pick<PeopleDeps, 'sealer'>,
  identity: PersonIdentity,
  { isRecovery = false } = {},
): Promise<Invited> {
  if (!isRecovery && (await hasOwner(trx))) throw ownerExists();
  const known = await findPersonBy(trx, 'email', emailFingerprint(trx, identity.email));
  if (known === null) return invitePerson(trx, sealer, { ...identity, ...RIGHTS });
  if (known.disabledAt !== null) {
    // The address may now belong to a different person than the disabled user.
    await removeWaysIn(trx, known.id);
    await disablePerson(trx, known.id, false);
  }
  if (known.role !== 'owner') await changeRights(trx, known.id, RIGHTS);
  return inviteAgain(trx, known.id);
}

function ownerExists(): ConfigurationError {
  return new ConfigurationError(
    'There is already an owner. No account was created. Sign in, or ask an owner for an invitation.',
    { code: 'owner_exists', refusal: 'conflict' },
  );
}
