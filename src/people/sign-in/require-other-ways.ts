/** Before the settings turn passwords off, checks that users can sign in without passwords. */
import { ConfigurationError } from '../../core/errors.ts';
import { describeCount } from '../../core/quantities.ts';
import type { Reader } from '../../database/reader.ts';
import { listPasskeys } from '../statements/passkeys.ts';
import { listPersonRecords, type PersonRecord } from '../statements/people.ts';

export interface OtherWays {
  /** The host name for which passkeys work at the public address. Null if passkeys cannot work there. */
  passkeyHost: string | null;
  /** True if there is an identity provider in the settings. */
  provider: boolean;
}

/** Throws a ConfigurationError if no owner could sign in without a password. */
export async function requireOtherWays(reader: Reader, ways: OtherWays): Promise<void> {
  if (ways.passkeyHost === null && !ways.provider) throw noOtherWay();
  const without: PersonRecord[] = [];
  for (const person of await listPersonRecords(reader)) {
    const mayOwn =
      person.role === 'owner' && person.joinedAt !== null && person.disabledAt === null;
    if (!mayOwn) continue;
    const byProvider = ways.provider && person.subject !== null;
    const passkeys = await listPasskeys(reader, person.id);
    const byPasskey = passkeys.some(({ host }) => host === ways.passkeyHost);
    if (!byProvider && !byPasskey) without.push(person);
  }
  if (without.length === 0) return;
  throw new ConfigurationError(
    `server.signIn.passwords is false, but ${describeCount(without.length, 'owner')} can sign in only with a password. Each owner needs a passkey for the host name of server.publicUrl, or must have signed in with the identity provider. \`donor-sync users list\` shows how owners sign in. Nothing was started.`,
    { code: 'owners_need_passwords', details: { owners: without.map(({ id }) => id) } },
  );
}

function noOtherWay(): ConfigurationError {
  return new ConfigurationError(
    'server.signIn.passwords is false, but users have no other way to sign in. Passkeys need an https address with a host name in server.publicUrl (or http://localhost), and server.signIn.oidc does not name an identity provider. Nothing was started.',
    { code: 'no_way_to_sign_in' },
  );
}
