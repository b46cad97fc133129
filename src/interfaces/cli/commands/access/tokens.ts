import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../../application.ts';
import { isoTime } from '../../../../core/clock.ts';
import { ConfigurationError } from '../../../../core/errors.ts';
import { newId } from '../../../../core/new-id.ts';
import { ROLE_TEXTS, ROLES, type Role } from '../../../../core/role.ts';
import type { Reader } from '../../../../database/reader.ts';
import { hashToken, newAccessToken } from '../../../../people/access-token.ts';
import {
  type AccessTokenRecord,
  addAccessToken,
  listAccessTokens,
  revokeAccessToken,
} from '../../../../people/statements/access.ts';
import { requireSensible } from '../../../../people/user-accounts.ts';
import {
  baseOptions,
  type ProductDeps,
  productAction,
  productCommand,
} from '../../action/product.ts';
import type { Output } from '../../terminal/output.ts';
import { findId, formatAgo, formatLast, shortId } from '../../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync tokens create --role admin --name "Anna's browser"
  donor-sync tokens create --role viewer --name monitoring
  donor-sync tokens create --role viewer --integrations riverside,harbor --name "Client portal"
  donor-sync tokens list
  donor-sync tokens revoke 1a2b3c4d

Roles: ${ROLES.map((role) => `${role} (${ROLE_TEXTS[role]})`).join('; ')}.
A token is shown once: only its hash is kept.`;

const NAME_MISSING = 'Give the token a name, so that you know it again: --name "Anna".';

export const roleSchema = z.enum(ROLES, {
  error: `Name a role: ${ROLES.map((role) => `--role ${role} (${ROLE_TEXTS[role]})`).join('; ')}.`,
});

/** The ids of integrations as an option names them: with commas. */
export const integrationsSchema = z
  .string()
  .transform((text) => text.split(',').map((id) => id.trim()))
  .pipe(z.array(z.string().min(1, { error: 'Write ids after --integrations: a,b' })))
  .optional();

const createSchema = baseOptions.extend({
  role: roleSchema,
  integrations: integrationsSchema,
  name: z.string({ error: NAME_MISSING }).trim().min(1, { error: NAME_MISSING }),
});

/** A token as `tokens list --json` shows it. */
interface TokenView {
  id: string;
  name: string;
  role: Role;
  /** The ids of those within reach; null for all. */
  integrations: readonly string[] | null;
  createdAt: string;
  lastUsedAt: string | null;
}

/** The command `tokens`: who may ask the service over HTTP. */
export function tokensCommand(deps: ProductDeps): Command {
  return productCommand('tokens', deps)
    .description('make, list and revoke the access tokens of the HTTP service')
    .addCommand(createTokenCommand(deps))
    .addCommand(listCommand(deps))
    .addCommand(revokeCommand(deps))
    .addHelpText('after', EXAMPLES);
}

function createTokenCommand(deps: ProductDeps): Command {
  const command = productCommand('create', deps)
    .description('make a token and print it once')
    .option('--role <role>', ROLES.join(', '))
    .option('--integrations <ids>', 'only these, with commas; all if left out')
    .option('--name <name>', 'what you know it by, for example its owner');
  return productAction(deps, command, createSchema, async ({ application, options, output }) => {
    const token = newAccessToken();
    const { name, role } = options;
    const integrations = selectIntegrations(application, options.integrations);
    requireSensible({ role, integrations });
    const id = newId(deps.clock.now());
    await application.store.act((trx) =>
      addAccessToken(trx, { id, name, role, integrations, hash: hashToken(token) }),
    );
    output.finish({ token, id, name, role, integrations }, () => {
      output.print(token);
      output.note('Keep it now: it is not shown again. Send it as "Authorization: Bearer TOKEN".');
    });
  });
}

function listCommand(deps: ProductDeps): Command {
  const command = productCommand('list', deps).description('list the tokens, without the tokens');
  return productAction(deps, command, baseOptions, async ({ application, output }) => {
    const tokens = (await listAccessTokens(application.store.reader)).map(toView);
    output.finish({ tokens }, () => printTokens(output, tokens, deps.clock.now()));
  });
}

function toView(token: AccessTokenRecord): TokenView {
  const { id, name, role, integrations, createdAt, lastUsedAt } = token;
  const usedAt = lastUsedAt === null ? null : isoTime(lastUsedAt);
  return { id, name, role, integrations, createdAt: isoTime(createdAt), lastUsedAt: usedAt };
}

function printTokens(output: Output, tokens: readonly TokenView[], now: number): void {
  if (tokens.length === 0) {
    output.print('There is no token. Make one: donor-sync tokens create --role admin --name NAME');
    return;
  }
  output.table<TokenView>(
    [
      { header: 'Token', value: ({ id }) => shortId(id) },
      { header: 'Name', value: ({ name }) => name, shrinks: true },
      { header: 'Role', value: ({ role }) => role },
      { header: 'Reaches', value: ({ integrations }) => accessText(integrations), shrinks: true },
      { header: 'Created', value: ({ createdAt }) => formatAgo(createdAt, now) },
      { header: 'Last used', value: ({ lastUsedAt }) => formatLast(lastUsedAt, now) },
    ],
    tokens,
  );
}

function revokeCommand(deps: ProductDeps): Command {
  const command = productCommand('revoke', deps)
    .description('end a token, and the browsers that signed in with it')
    .argument('<id>', 'the id of the token, whole or as the list shows it');
  return productAction(deps, command, baseOptions, async (action, typed: string) => {
    const { application, output } = action;
    const { store } = application;
    const { id, name } = await findToken(store.reader, typed);
    await store.act((trx) => revokeAccessToken(trx, id));
    output.finish({ revoked: id }, () => output.print(`"${name}" cannot sign in any more.`));
  });
}

/** What an option named; throws a ConfigurationError for an id that is none of ours. */
export function selectIntegrations(
  { select }: Pick<Application, 'select'>,
  ids: readonly string[] | undefined,
): readonly string[] | null {
  return ids === undefined ? null : select(ids).map(({ id }) => id);
}

export function accessText(integrations: readonly string[] | null): string {
  return integrations === null ? 'all' : integrations.join(', ');
}

async function findToken(reader: Reader, typed: string): Promise<AccessTokenRecord> {
  const tokens = new Map((await listAccessTokens(reader)).map((token) => [token.id, token]));
  const token = tokens.get(findId(typed, tokens.keys()) ?? '');
  if (token) return token;
  throw new ConfigurationError(
    `There is no token "${typed}". See them all: donor-sync tokens list`,
    { code: 'token_unknown', details: { typed } },
  );
}
