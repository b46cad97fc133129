/** Whether a request could be confirmed at all, for those that nobody should ask for in vain. */
import { ConfigurationError } from '../../core/errors.ts';
import { mayActAs, type Role } from '../../core/role.ts';
import { type Account, mayBeSame } from '../../core/second-person.ts';
import { listPeople, type PersonView, type UserReader } from '../../people/user-accounts.ts';

/** What the second user needs. */
export interface NeededUser {
  role: Role;
  /** The IDs of the clients that the request is about. */
  integrations: readonly string[];
  /** The setting that asks for a second user, such as `twoPeople.forget`. */
  setting: string;
}

/**
 * Throws a ConfigurationError (conflict) if no user but this one could confirm the request now. Access tokens do not
 * count, and neither do invited users before they have joined.
 */
export async function requireSomeoneElse(
  users: UserReader,
  account: Account,
  { role, integrations, setting }: NeededUser,
): Promise<void> {
  const people = await listPeople(users);
  if (people.some((person) => couldConfirm(person) && !isAccount(person))) return;
  const clients = integrations.map((id) => `"${id}"`).join(', ');
  throw new ConfigurationError(
    `${setting} of the settings asks for a second user, and there is none who could confirm this: it takes the role ${role} and access to ${clients}. Nothing was changed. Invite someone with \`donor-sync users invite\`, or switch ${setting} off.`,
    { code: 'second_user_missing', refusal: 'conflict', details: { setting, role } },
  );

  function couldConfirm(person: PersonView): boolean {
    const reaches = person.integrations === null || includesAll(person.integrations, integrations);
    return person.status === 'active' && mayActAs(person.role, role) && reaches;
  }

  function isAccount({ id, name }: PersonView): boolean {
    return mayBeSame({ kind: 'person', id, name }, account);
  }
}

function includesAll(has: readonly string[], needed: readonly string[]): boolean {
  return needed.every((id) => has.includes(id));
}
