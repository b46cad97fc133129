import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../application.ts';
import {
  findHookByClient,
  type HookRecord,
  listHooks,
  revokeHook,
} from '../../../clients/statements/hooks.ts';
import { describeHook, type HookView } from '../../../clients/views/hooks.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { formatCount } from '../../../core/quantities.ts';
import type { Environment } from '../../../settings/environment.ts';
import { createHookAddress } from '../../api/webhooks/hook-address.ts';
import { HOOK_SIGNATURES, signingFor } from '../../api/webhooks/hook-signing.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import type { Output } from '../terminal/output.ts';
import { formatAgo, formatLast } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync hooks create riverside                      the address for a Flow or a workflow
  donor-sync hooks create riverside --signature hubspot  only calls signed by your HubSpot app
  donor-sync hooks create riverside --signature hmac     only calls signed with a secret of ours
  donor-sync hooks show                                  which integrations have an address
  donor-sync hooks rotate riverside                      a new address; the old one ends at once
  donor-sync hooks revoke riverside                      no address any more

The address is shown once: only a hash of it is kept. Anyone who knows it can ask for runs; add
"?contact=ID" to it for one contact.`;

const optionsSchema = baseOptions.extend({
  signature: z
    .enum(HOOK_SIGNATURES, { error: 'Choose --signature none, hubspot or hmac.' })
    .optional(),
  secretEnv: z.string().optional(),
});

/** The command `hooks`: the addresses by which CRMs say that something has changed. */
export function hooksCommand(deps: ProductDeps): Command {
  return productCommand('hooks', deps)
    .description('make, show, rotate and revoke the webhook addresses of integrations')
    .addCommand(addressCommand(deps, 'create'))
    .addCommand(addressCommand(deps, 'rotate'))
    .addCommand(revokeCommand(deps))
    .addCommand(showCommand(deps))
    .addHelpText('after', EXAMPLES);
}

const ADDRESS_DESCRIPTIONS = {
  create: 'make the webhook address of an integration and print it once',
  rotate: 'make a new address and print it once; the one before ends at once',
} as const;

function addressCommand(deps: ProductDeps, word: keyof typeof ADDRESS_DESCRIPTIONS): Command {
  const command = productCommand(word, deps)
    .description(ADDRESS_DESCRIPTIONS[word])
    .argument('<id>', 'the integration')
    .option('--signature <kind>', 'who signs the calls: none, hubspot or hmac')
    .option('--secret-env <name>', 'the environment variable with the secret that they sign with');
  return productAction(deps, command, optionsSchema, async (action, id: string) => {
    const { application, settings, options, output } = action;
    const before = await findBefore(application, word, id);
    const { publicUrl } = settings.server;
    await giveAddress(deps, application, output, { id, before, options, publicUrl });
  });
}

/** The address that is there, which `create` must not find and the others must. */
async function findBefore(
  application: Pick<Application, 'store' | 'select'>,
  word: keyof typeof ADDRESS_DESCRIPTIONS,
  id: string,
): Promise<HookRecord | null> {
  application.select([id]);
  if (word === 'rotate') return requireHook(application, id);
  if ((await findHookByClient(application.store.reader, id)) === undefined) return null;
  throw new ConfigurationError(
    `"${id}" has a webhook address, and its callers would be cut off. \`donor-sync hooks rotate ${id}\` makes a new one all the same.`,
    { code: 'hook_exists', details: { integration: id } },
  );
}

async function requireHook({ store }: Pick<Application, 'store'>, id: string): Promise<HookRecord> {
  const hook = await findHookByClient(store.reader, id);
  if (hook) return hook;
  throw new ConfigurationError(
    `"${id}" has no webhook address. \`donor-sync hooks create ${id}\` makes one.`,
    { code: 'hook_missing', details: { integration: id } },
  );
}

async function giveAddress(
  { env }: ProductDeps,
  application: Application,
  output: Output,
  asked: {
    id: string;
    before: HookRecord | null;
    options: z.infer<typeof optionsSchema>;
    publicUrl: string;
  },
): Promise<void> {
  const { id, before, options, publicUrl } = asked;
  const [integration] = application.select([id]);
  const { signature, secretEnv } = options;
  const secret = secretEnv === undefined ? undefined : fromEnvironment(env, secretEnv);
  const known = { integration, before, sealer: application.sealer };
  const signing = signingFor({ signature, secret }, known);
  const url = await createHookAddress(application, publicUrl, id, signing);
  const made = signing?.isNew ? signing.secret : null;
  const hook = { integration: id, url, signature: signing?.kind ?? null, secret: made };
  output.finish({ hook }, () => {
    output.print(url);
    if (made !== null) output.print(`Secret to sign with: ${made}`);
    output.note('Keep it now: it is not shown again.');
  });
}

function revokeCommand(deps: ProductDeps): Command {
  const command = productCommand('revoke', deps)
    .description('end the webhook address of an integration')
    .argument('<id>', 'the integration');
  return productAction(deps, command, baseOptions, async (action, id: string) => {
    const { application, output } = action;
    // It need not be in the settings any more.
    await requireHook(application, id);
    await application.store.act((trx) => revokeHook(trx, id));
    output.finish({ revoked: id }, () => output.print(`"${id}" has no webhook address now.`));
  });
}

function showCommand(deps: ProductDeps): Command {
  const command = productCommand('show', deps)
    .description('show the webhook addresses, without their tokens')
    .argument('[id]', 'only this integration');
  return productAction(deps, command, baseOptions, async (action, id: string | undefined) => {
    const { application, output } = action;
    const rows =
      id === undefined
        ? await listHooks(application.store.reader)
        : [await requireHook(application, id)];
    const hooks = rows.map(describeHook);
    output.finish({ hooks }, () => printHooks(output, hooks, deps.clock.now()));
  });
}

function printHooks(output: Output, hooks: readonly HookView[], now: number): void {
  if (hooks.length === 0) {
    output.print('No integration has a webhook address. Make one: donor-sync hooks create ID');
    return;
  }
  output.table<HookView>(
    [
      { header: 'Integration', value: ({ integration }) => integration, shrinks: true },
      { header: 'Signature', value: ({ signature }) => signature ?? 'none' },
      { header: 'Created', value: ({ createdAt }) => formatAgo(createdAt, now) },
      { header: 'Last used', value: ({ lastUsedAt }) => formatLast(lastUsedAt, now) },
      { header: 'Ignored contacts', value: ({ ignored }) => formatCount(ignored) },
    ],
    hooks,
  );
}

function fromEnvironment(env: Environment, name: string): string {
  const secret = env[name];
  if (secret) return secret;
  throw new ConfigurationError(`The environment variable ${name} is not set.`, {
    code: 'environment_invalid',
    details: { variable: name },
  });
}
