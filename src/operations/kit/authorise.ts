import { ConfigurationError } from '../../core/errors.ts';
import { mayActAs, type Role } from '../../core/role.ts';
import { personNeeded, reachInsufficient } from '../../core/shared-errors.ts';
import type { Reader } from '../../database/reader.ts';
import { listAccessTokens } from '../../people/statements/access.ts';
import type { ClientAccess } from '../../people/statements/client-access.ts';
import { findPersonBy } from '../../people/statements/people.ts';
import type { Caller } from './caller.ts';
import type { Operation } from './operation.ts';

/** The properties of an operation that decide about the caller's rights. */
type Rules = Pick<Operation, 'name' | 'role' | 'reach' | 'by' | 'needsProof'>;

/** Throws a ConfigurationError (forbidden) if the caller may not call the operation. */
export function authorise(rules: Rules, caller: Caller): void {
  const { name, role, reach, by, needsProof = false } = rules;
  if (caller.role === null) return;
  requireRole(caller, role);
  if (reach === 'all' && caller.clients !== null) {
    throw reachInsufficient();
  }
  if (by === 'person' && caller.kind === 'token') {
    throw personNeeded(`do this ("${name}")`, `${name} --help`);
  }
  if (needsProof && caller.isProven !== true) {
    throw forbidden(
      'proof_needed',
      'You signed in a while ago. Nothing was changed. Confirm your identity first: sign in again, or type your password under "My account".',
    );
  }
}

/** Throws a ConfigurationError (forbidden) if the caller's role is lower than the required role. */
export function requireRole({ role }: Pick<Caller, 'role'>, needed: Role): void {
  if (role === null || mayActAs(role, needed)) return;
  throw forbidden(
    'role_insufficient',
    `This needs the role ${needed}, but your role is ${role}. Nothing was changed.`,
    { needed, role },
  );
}

/**
 * Reads the caller's rights again within the transaction, because someone may have revoked them. Throws a
 * ConfigurationError (forbidden) if the rights were revoked.
 */
export async function authoriseAgain(rules: Rules, caller: Caller, reader: Reader): Promise<void> {
  const { account } = caller;
  if (account === null || account.kind === 'command') return authorise(rules, caller);
  const rights = await readRights(reader, account);
  if (rights === null) {
    throw rightsChanged();
  }
  const { role, integrations } = rights;
  authorise(rules, {
    ...caller,
    role,
    clients: integrations === null ? null : new Set(integrations),
  });
}

export function rightsChanged(): ConfigurationError {
  return forbidden('rights_changed', 'Your access was revoked a moment ago. Nothing was changed.');
}

async function readRights(
  reader: Reader,
  { kind, id }: NonNullable<Caller['account']>,
): Promise<{ role: Role; integrations: ClientAccess } | null> {
  if (kind === 'token')
    return (await listAccessTokens(reader)).find((one) => one.id === id) ?? null;
  const person = await findPersonBy(reader, 'id', id);
  return person === null || person.disabledAt !== null ? null : person;
}

function forbidden(
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): ConfigurationError {
  return new ConfigurationError(message, { code, details, refusal: 'forbidden' });
}
