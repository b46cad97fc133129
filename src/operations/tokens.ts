/**
 * Access tokens of programs that use the HTTP API. Only owners manage them, because owners have access to all clients.
 */
import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { newId } from '../core/new-id.ts';
import { describeCount } from '../core/quantities.ts';
import { ROLES } from '../core/role.ts';
import { hashToken, newAccessToken } from '../people/access-token.ts';
import {
  type AccessTokenRecord,
  addAccessToken,
  listAccessTokens,
  revokeAccessToken,
} from '../people/statements/access.ts';
import { personNameSchema, requireSensible } from '../people/user-accounts.ts';
import { requireClients } from './kit/clients.ts';
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

const TOKEN = z.string().describe('The whole ID of an access token');

export const listTokens = reading({
  name: 'tokens list',
  summary: 'List the access tokens, without their secrets',
  role: 'owner',
  reach: 'all',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({ tokens: z.array(tokenSchema) }),
  run: async ({ reader }) => ({ tokens: (await listAccessTokens(reader)).map(toView) }),
  say: ({ tokens }) => `${describeCount(tokens.length, 'access token')}.`,
  table: ({ tokens }) => ({
    empty:
      'There are no access tokens. Create one: donor-sync tokens create --role admin --name NAME',
    headers: ['Name', 'Role', 'Reaches', 'Created', 'Last used', 'ID'],
    rows: tokens.map(({ id, name, role, integrations, createdAt, lastUsedAt }) => [
      ...[name, role, accessText(integrations)],
      ...[{ at: createdAt }, { at: lastUsedAt }],
      id,
    ]),
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
  say: () => 'Save it now: it is not shown again. Send it as "Authorization: Bearer TOKEN".',
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
    const { name } = await findToken(world, token);
    return { text: `Revoke the access token "${name}"?`, counts: {} };
  },
  async run(world, { token }) {
    const { id, name } = await findToken(world, token);
    await revokeAccessToken(world.trx, id);
    return { revoked: id, name };
  },
  say: ({ name }) => `The access token "${name}" was revoked. Requests that use it are refused.`,
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

/** Throws a ConfigurationError (unknown) if there is no such token. */
async function findToken({ reader }: World, id: string): Promise<AccessTokenRecord> {
  const token = (await listAccessTokens(reader)).find((one) => one.id === id);
  if (token !== undefined) return token;
  throw new ConfigurationError(
    `There is no access token "${id}". Nothing was changed. List them: donor-sync tokens list`,
    { code: 'token_unknown', refusal: 'unknown', details: { token: id } },
  );
}
