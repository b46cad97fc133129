/** Manages access tokens, with which programs use the HTTP API. */
import { z } from 'zod';
import {
  addDoorToken,
  type DoorTokenRecord,
  listDoorTokens,
  revokeDoorToken,
} from '../clients/statements/door-tokens.ts';
import { isoTime } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { newId } from '../core/new-id.ts';
import { describeCount, formatCount } from '../core/quantities.ts';
import { ROLES } from '../core/role.ts';
import { hashToken, newAccessToken, newDoorToken } from '../people/access-token.ts';
import {
  type AccessTokenRecord,
  addAccessToken,
  listAccessTokens,
  revokeAccessToken,
} from '../people/statements/access.ts';
import { personNameSchema, requireSensible } from '../people/user-accounts.ts';
import { findClient, requireClients } from './kit/clients.ts';
import { changing, reading, type World } from './kit/operation.ts';
import { accessText, rightsShape } from './users.ts';

const tokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    integrations: z
      .array(z.string())
      .nullable()
      .describe('The IDs of the clients that the token has access to; null for all'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AccessToken' });

const doorTokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    integration: z.string().describe('The ID of the client that it is for'),
    perDay: z.int().describe('The number of contacts that it may mark as wanted in a day (UTC)'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'DoorToken' });

const TOKEN = z.string().describe('The whole ID of an access token or a door token');

/**
 * The default number of marks per day. This number is meant for clicks on single records, not for bulk tools. A team
 * needs fewer marks.
 */
export const DEFAULT_PER_DAY = 100;
export const MAX_PER_DAY = 10_000;

export const listTokens = reading({
  name: 'tokens list',
  summary: 'List the access tokens, without their secrets',
  role: 'owner',
  reach: 'all',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({
    tokens: z.array(tokenSchema),
    doors: z.array(doorTokenSchema).describe("Tokens for the pages of clients' CRMs"),
  }),
  run: async ({ reader }) => ({
    tokens: (await listAccessTokens(reader)).map(toView),
    doors: (await listDoorTokens(reader)).map(toDoorView),
  }),
  say: ({ tokens, doors }) => [
    `${describeCount(tokens.length, 'access token')}.`,
    ...(doors.length === 0 ? [] : [`${describeCount(doors.length, 'door token')}.`]),
  ],
  table: ({ tokens, doors }) => ({
    empty:
      'There are no access tokens. Create one: donor-sync tokens create --role admin --name NAME',
    headers: ['Name', 'Role', 'Reaches', 'Created', 'Last used', 'ID'],
    rows: [
      ...tokens.map(({ id, name, role, integrations, createdAt, lastUsedAt }) => [
        ...[name, role, accessText(integrations)],
        ...[{ at: createdAt }, { at: lastUsedAt }],
        id,
      ]),
      ...doors.map(({ id, name, integration, perDay, createdAt, lastUsedAt }) => [
        ...[name, `door, ${formatCount(perDay)} a day`, integration],
        ...[{ at: createdAt }, { at: lastUsedAt }],
        id,
      ]),
    ],
  }),
});

export const createToken = changing({
  name: 'tokens create',
  summary: 'Create an access token and show it once',
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: z.object({
    name: personNameSchema.describe("The token's purpose, for example the name of the program"),
    ...rightsShape,
  }),
  subjects: [],
  result: tokenSchema
    .pick({ id: true, name: true, role: true, integrations: true })
    .extend({ token: z.string().describe('Shown here and never again') }),
  secret: 'token',
  async run({ trx, clock, ...world }, { name, ...rights }) {
    requireSensible(rights);
    requireClients(world, rights.integrations);
    const token = newAccessToken();
    const id = newId(clock.now());
    await addAccessToken(trx, { id, name, hash: hashToken(token), ...rights });
    return { token, id, name, ...rights };
  },
  say: () => 'Save it now: it will not be shown again. Send it as "Authorization: Bearer TOKEN".',
});

/**
 * Creates a door token. It has no role. With it, a CRM's page reads statuses and marks contacts of one client. A CRM's
 * page uses the token to read statuses and to mark contacts of one client.
 */
export const createDoorToken = changing({
  name: 'tokens create-door',
  summary: "Create a token for a client's CRM, whose pages show a contact's status and enhance it",
  details:
    'The CRM keeps it. It reads the status of single contacts and marks them as wanted, and does nothing else.',
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: z.object({
    integration: z.string().describe('The ID of the client that it is for'),
    name: personNameSchema.describe("The token's purpose, for example the name of the CRM"),
    perDay: z
      .int()
      .min(1, `Enter a number from 1 to ${formatCount(MAX_PER_DAY)}.`)
      .max(MAX_PER_DAY, `Enter a number from 1 to ${formatCount(MAX_PER_DAY)}.`)
      .default(DEFAULT_PER_DAY)
      .describe('The number of contacts that it may mark as wanted in a day (UTC)'),
  }),
  subjects: ['integration'],
  result: doorTokenSchema
    .pick({ id: true, name: true, integration: true, perDay: true })
    .extend({ token: z.string().describe('Shown here and never again') }),
  secret: 'token',
  async run({ trx, clock, ...world }, { integration, name, perDay }) {
    const client = findClient(world, integration);
    const token = newDoorToken();
    const id = newId(clock.now());
    const hash = hashToken(token);
    await addDoorToken(trx, { id, name, integrationId: client.id, perDay, hash });
    return { token, id, name, integration: client.id, perDay };
  },
  say: () => "Enter it in the CRM now: it will not be shown again. The CRM's guide says where.",
});

export const revokeToken = changing({
  name: 'tokens revoke',
  summary: 'Revoke an access token, and end the browser sessions that signed in with it',
  role: 'owner',
  reach: 'all',
  by: 'person+token',
  input: z.object({ token: TOKEN }),
  subjects: ['token'],
  result: z.object({ revoked: z.string(), name: z.string() }),
  async question(world, { token }) {
    const { name, isDoor } = await findToken(world, token);
    return { text: `Revoke the ${isDoor ? 'door' : 'access'} token "${name}"?`, counts: {} };
  },
  async run(world, { token }) {
    const { id, name, isDoor } = await findToken(world, token);
    if (isDoor) await revokeDoorToken(world.trx, id);
    else await revokeAccessToken(world.trx, id);
    return { revoked: id, name };
  },
  say: ({ name }) => `The token "${name}" was revoked. Requests that use it are refused.`,
});

function toView({ id, name, role, integrations, createdAt, lastUsedAt }: AccessTokenRecord) {
  return {
    id,
    name,
    role,
    integrations: integrations && [...integrations],
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
  };
}

function toDoorView({ id, name, integrationId, perDay, createdAt, lastUsedAt }: DoorTokenRecord) {
  return {
    id,
    name,
    integration: integrationId,
    perDay,
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
  };
}

/** Finds a token. Throws a ConfigurationError (unknown) if the token does not exist. */
async function findToken(
  { reader }: World,
  id: string,
): Promise<{ id: string; name: string; isDoor: boolean }> {
  const token = (await listAccessTokens(reader)).find((one) => one.id === id);
  if (token !== undefined) return { id, name: token.name, isDoor: false };
  const door = (await listDoorTokens(reader)).find((one) => one.id === id);
  if (door !== undefined) return { id, name: door.name, isDoor: true };
  throw new ConfigurationError(
    `There is no access token "${id}". Nothing was changed. List them: donor-sync tokens list`,
    { code: 'token_unknown', refusal: 'unknown', details: { token: id } },
  );
}
