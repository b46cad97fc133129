/** Manages users. Only owners may manage users, because owners have access to everything. */
import { z } from 'zod';
import { noteRecovery } from '../clients/alerts/recovery-notices.ts';
import { isoTime } from '../core/clock.ts';
import { publicAddress } from '../core/public-address.ts';
import { describeCount } from '../core/quantities.ts';
import { ROLES } from '../core/role.ts';
import { readAddresses, requireReachable } from '../people/server-address.ts';
import { endSessions } from '../people/statements/sessions.ts';
import {
  changeRights,
  disablePerson,
  emailSchema,
  INVITATION_DAYS,
  type Invited,
  invitationPath,
  inviteAgain,
  invitePerson,
  listPeople,
  type PersonView,
  passkeyUnknown,
  personNameSchema,
  personUnknown,
  RECOVERY_MS,
  removeLostPasskey,
  removePerson,
  waysText,
} from '../people/user-accounts.ts';
import { dropNamesOfUser } from '../privacy/shown-names.ts';
import { requireClients } from './kit/clients.ts';
import { describeReach } from './kit/describe-reach.ts';
import { changing, reading, type World } from './kit/operation.ts';

export const USER = z.string().describe('The e-mail address or the whole ID of a user');

/** Returns the field for a list of clients. `ifLeftOut` completes the message about an empty list. */
const clientList = (ifLeftOut: string) =>
  z
    .array(z.string())
    .min(1, { error: `Enter at least one client, or omit the list ${ifLeftOut}.` })
    .nullable();

const accessSchema = clientList('for access to all clients').describe(
  'The IDs of the clients that the user has access to; all if left out',
);

/** The role and access of a user or a token. */
export const rightsShape = {
  role: z.enum(ROLES).describe('What the caller may do'),
  integrations: accessSchema.default(null),
};

const passkeySchema = z
  .object({
    id: z.string(),
    name: z.string().describe("The user's name for it"),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Passkey' });

const userSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    role: z.enum(ROLES),
    integrations: accessSchema,
    status: z.enum(['active', 'invited', 'expired', 'disabled']),
    joinedAt: z.iso.datetime().nullable(),
    seenAt: z.iso.datetime().nullable(),
    signsInBy: z.object({
      password: z.boolean(),
      provider: z
        .boolean()
        .describe('True if the user has signed in through the identity provider'),
      passkeys: z.array(passkeySchema),
    }),
  })
  .meta({ id: 'User' });

const oneUser = z.object({ user: userSchema });

const invitedUser = oneUser.extend({
  link: z.string().describe('Shown here and never again'),
  days: z.int().describe('Number of days that the link works'),
});

const LINK_HINT = `Send the link to this user only. It works once, within ${INVITATION_DAYS} days and will not be shown again.`;

export const listUsers = reading({
  name: 'users list',
  summary: 'List the users, their rights and how they sign in',
  role: 'owner',
  reach: 'all',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({ users: z.array(userSchema) }),
  run: async (world) => ({ users: await listPeople(world) }),
  say: ({ users }) => `${describeCount(users.length, 'user')}.`,
  table: ({ users }) => ({
    empty:
      'There are no users yet. Invite one: donor-sync users invite --name NAME --email ADDRESS --role owner',
    headers: ['Name', 'E-mail', 'Role', 'Reaches', 'Signs in by', 'Status', 'Last seen', 'ID'],
    rows: users.map(({ id, name, email, role, integrations, signsInBy, status, seenAt }) => [
      ...[name, email, role, accessText(integrations), waysText(signsInBy), status],
      { at: seenAt },
      id,
    ]),
  }),
});

export const inviteUser = changing({
  name: 'users invite',
  summary: 'Invite a user and show the link once',
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: z.object({
    name: personNameSchema.describe('The name of the user'),
    email: emailSchema.describe('The e-mail address the user signs in with'),
    ...rightsShape,
  }),
  subjects: [],
  result: invitedUser,
  secret: 'link',
  async run(world, input) {
    requireClients(world, input.integrations);
    const address = await findLinkAddress(world);
    return describeInvited(world, address, await invitePerson(world.trx, world.sealer, input));
  },
  say: ({ link }) => [LINK_HINT, ...describeReach(link)],
});

export const renewLink = changing({
  name: 'users link',
  summary: 'Create a new sign-in link for a user; the previous link stops working',
  details:
    'A link that is created in the terminal for a user who has already joined works for 15 minutes, and the recipients of alerts are notified. Other links work for seven days.',
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: z.object({ user: USER }),
  subjects: ['user'],
  result: oneUser.extend({
    link: z.string().describe('Shown here and never again'),
    until: z.iso.datetime().describe('When the link stops working'),
  }),
  secret: 'link',
  async run(world, { user }) {
    const { id, joinedAt } = await findUser(world, user);
    const address = await findLinkAddress(world);
    // A user of the machine needs no account to create a recovery link, so owners are notified.
    const isRecovery = world.caller.kind === 'machine' && joinedAt !== null;
    const invited = await inviteAgain(world.trx, id, isRecovery ? RECOVERY_MS : undefined);
    if (isRecovery) await noteRecovery(world.trx, id);
    return {
      user: await findUser(world, id),
      link: publicAddress(address, invitationPath(invited)),
      until: isoTime(invited.until),
    };
  },
  say: ({ link, until }) => [
    `Give the link to this user only. It works once, until ${until}, and will not be shown again.`,
    ...describeReach(link),
  ],
});

export const changeRole = changing({
  name: 'users role',
  summary: "Change a user's role and the clients that the user has access to",
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: z.object({
    user: USER,
    role: rightsShape.role,
    integrations: clientList('to keep the current access')
      .optional()
      .describe('The IDs of the clients that the user has access to; unchanged if left out'),
    allClients: z.boolean().default(false).describe('Give access to all clients'),
  }),
  subjects: ['user'],
  result: oneUser,
  async run(world, { user, role, allClients, integrations }) {
    const before = await findUser(world, user);
    // An owner always has access to all clients.
    const kept = role === 'owner' ? null : before.integrations;
    const wanted = integrations === undefined ? kept : integrations;
    const reach = allClients ? null : wanted;
    requireClients(world, reach);
    await changeRights(world.trx, before.id, { role, integrations: reach });
    dropNames(world, before.id);
    return { user: await findUser(world, before.id) };
  },
  say: ({ user: { name, role, integrations } }) =>
    `${name} is now ${role} for ${integrations === null ? 'all clients' : accessText(integrations)}.`,
});

export const disableUser = changing({
  name: 'users disable',
  summary: 'Disable a user: they cannot sign in, and all their sessions end',
  role: 'owner',
  reach: 'all',
  by: 'person+token',
  input: z.object({ user: USER }),
  subjects: ['user'],
  result: oneUser,
  run: (world, { user }) => setDisabled(world, user, true),
  say: ({ user }) => `${user.name} can no longer sign in, and was signed out everywhere.`,
});

export const enableUser = changing({
  name: 'users enable',
  summary: 'Enable a disabled user',
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: z.object({ user: USER }),
  subjects: ['user'],
  result: oneUser,
  run: (world, { user }) => setDisabled(world, user, false),
  say: ({ user }) => `${user.name} can sign in again.`,
});

export const signUserOut = changing({
  name: 'users sign-out',
  summary: 'End all sessions of a user',
  role: 'owner',
  reach: 'all',
  by: 'person+token',
  input: z.object({ user: USER }),
  subjects: ['user'],
  result: z.object({ user: z.string(), name: z.string(), sessions: z.int() }),
  async run(world, { user }) {
    const { id, name } = await findUser(world, user);
    const sessions = await endSessions(world.trx, { personId: id }, { keep: null });
    dropNames(world, id);
    return { user: id, name, sessions };
  },
  say: ({ name, sessions }) =>
    `${name} was signed out everywhere: ${describeCount(sessions, 'session')} ended.`,
});

export const removeUser = changing({
  name: 'users remove',
  summary: 'Remove a user with their password and passkeys',
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: z.object({ user: USER }),
  subjects: ['user'],
  result: z.object({ removed: z.string(), name: z.string() }),
  async question(world, { user }) {
    const { name, signsInBy } = await findUser(world, user);
    const passkeys = signsInBy.passkeys.length;
    return { text: `Permanently remove ${name}?`, counts: { passkeys } };
  },
  async run(world, { user }) {
    const { id, name } = await findUser(world, user);
    await removePerson(world.trx, id);
    dropNames(world, id);
    return { removed: id, name };
  },
  say: ({ name }) => `${name} was removed.`,
});

export const listUserPasskeys = reading({
  name: 'users passkeys list',
  summary: 'List the passkeys of a user',
  role: 'owner',
  reach: 'all',
  by: 'person+token',
  input: z.object({ user: USER }),
  subjects: ['user'],
  result: z.object({ user: z.string(), name: z.string(), passkeys: z.array(passkeySchema) }),
  async run(world, { user }) {
    const { id, name, signsInBy } = await findUser(world, user);
    return { user: id, name, passkeys: signsInBy.passkeys };
  },
  say: ({ name, passkeys }) => `${name} has ${describeCount(passkeys.length, 'passkey')}.`,
  table: ({ name, passkeys }) => ({
    empty: `${name} has no passkey. Users add theirs under My account on the pages.`,
    headers: ['Name', 'Created', 'Last used', 'ID'],
    rows: passkeys.map((one) => [one.name, { at: one.createdAt }, { at: one.lastUsedAt }, one.id]),
  }),
});

export const removeUserPasskey = changing({
  name: 'users passkeys remove',
  summary: "Remove a passkey of a user who lost the device; all of the user's sessions end",
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: z.object({ user: USER, passkey: z.string().describe('The whole ID of the passkey') }),
  subjects: ['user', 'passkey'],
  result: oneUser.extend({ removed: z.string(), name: z.string() }),
  async question(world, input) {
    const { user, passkey } = await findPasskey(world, input);
    return {
      text: `Remove the passkey "${passkey.name}" of ${user.name}?`,
      counts: { left: user.signsInBy.passkeys.length - 1 },
    };
  },
  async run(world, input) {
    const { user, passkey } = await findPasskey(world, input);
    await removeLostPasskey(world.trx, user.id, passkey.id);
    return { removed: passkey.id, name: passkey.name, user: await findUser(world, user.id) };
  },
  say({ name, user: { email, signsInBy } }) {
    const removed = `The passkey "${name}" was removed. Nobody can sign in with it any longer.`;
    if (waysText(signsInBy) !== NO_WAYS) return removed;
    return [
      removed,
      `It was the only way to sign in. Create a link to set a password: donor-sync users link ${email}`,
    ];
  },
});

const NO_WAYS = waysText({ password: false, provider: false, passkeys: [] });

/** Finds a user by email address or complete ID. Throws a ConfigurationError (unknown) if the user does not exist. */
export async function findUser(world: World, typed: string): Promise<PersonView> {
  const email = typed.trim().toLowerCase();
  const users = await listPeople(world);
  const user = users.find((one) => one.id === typed || one.email === email);
  if (user !== undefined) return user;
  throw personUnknown(typed);
}

async function findPasskey(world: World, input: { user: string; passkey: string }) {
  const user = await findUser(world, input.user);
  const passkey = user.signsInBy.passkeys.find(({ id }) => id === input.passkey);
  if (passkey === undefined) throw passkeyUnknown(input.passkey);
  return { user, passkey };
}

/** Removes the contact names in memory that the user has seen. */
function dropNames({ fingerprint }: Pick<World, 'fingerprint'>, id: string): void {
  dropNamesOfUser(fingerprint, { kind: 'person', id });
}

async function setDisabled(
  world: World & { trx: Parameters<typeof disablePerson>[0] },
  typed: string,
  isDisabled: boolean,
) {
  const { id } = await findUser(world, typed);
  await disablePerson(world.trx, id, isDisabled);
  dropNames(world, id);
  return { user: await findUser(world, id) };
}

/**
 * Returns the address for links in invitations. The first owner may open a terminal's link on this computer or through
 * a tunnel. For other users, throws a ConfigurationError (conflict) if other computers cannot reach the address.
 */
async function findLinkAddress(world: World): Promise<string> {
  const address = await readAddresses(world.reader, world);
  if (world.caller.kind !== 'machine') requireReachable(address);
  return address.url;
}

async function describeInvited(world: World, address: string, invited: Invited) {
  const user = await findUser(world, invited.id);
  const link = publicAddress(address, invitationPath(invited));
  return { user, link, days: INVITATION_DAYS };
}

/** Returns `all`, or the IDs of the clients. */
export function accessText(integrations: readonly string[] | null): string {
  return integrations === null ? 'all' : integrations.join(', ');
}
