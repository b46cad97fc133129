import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../application.ts';
import type { Environment } from '../../config/environment.ts';
import { isoTime } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration.ts';
import { formatCount } from '../../core/quantities.ts';
import { createHookAddress, type HookSigning } from '../../http/hook-address.ts';
import { newSecret } from '../../http/request/secret.ts';
import { hookSecretPlace } from '../../store/secrets/seal-places.ts';
import type { Sealer } from '../../store/secrets/sealed.ts';
import type { HookRecord } from '../../store/service/hooks.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import type { Output } from '../terminal/output.ts';
import { formatAgo } from '../terminal/words.ts';

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

/** How the calls to a webhook address may be signed. */
const SIGNATURES = ['none', 'hubspot', 'hmac'] as const;

const optionsSchema = baseOptions.extend({
  signature: z.enum(SIGNATURES, { error: 'Choose --signature none, hubspot or hmac.' }).optional(),
  secretEnv: z.string().optional(),
});

/** A webhook address as `hooks show --json` shows it. */
interface HookView {
  integration: string;
  signature: HookRecord['signature'];
  createdAt: string;
  lastUsedAt: string | null;
  /** Contacts that calls named and that its CRM does not have. */
  ignored: number;
}

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
  if ((await application.store.hooks.find(id)) === undefined) return null;
  throw new ConfigurationError(
    `"${id}" has a webhook address, and its callers would be cut off. \`donor-sync hooks rotate ${id}\` makes a new one all the same.`,
    { code: 'hook_exists', details: { integration: id } },
  );
}

async function requireHook({ store }: Pick<Application, 'store'>, id: string): Promise<HookRecord> {
  const hook = await store.hooks.find(id);
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
  asked: { id: string; before: HookRecord | null; options: SigningOptions; publicUrl: string },
): Promise<void> {
  const { id, before, options, publicUrl } = asked;
  const [integration] = application.select([id]);
  const signing = signingFor(options, { env, integration, before, sealer: application.sealer });
  const url = await createHookAddress(application, publicUrl, id, signing);
  const secret = signing?.isNew ? signing.secret : null;
  const hook = { integration: id, url, signature: signing?.kind ?? null, secret };
  output.finish({ hook }, () => {
    output.print(url);
    if (secret !== null) output.print(`Secret to sign with: ${secret}`);
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
    await application.store.hooks.revoke(id);
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
        ? await application.store.hooks.list()
        : [await requireHook(application, id)];
    const hooks = rows.map(viewOf);
    output.finish({ hooks }, () => printHooks(output, hooks, deps.clock.now()));
  });
}

function viewOf({
  integrationId,
  signature,
  createdAt,
  lastUsedAt,
  ignoredCount,
}: HookRecord): HookView {
  return {
    integration: integrationId,
    signature,
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
    ignored: ignoredCount,
  };
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
      {
        header: 'Last used',
        value: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : formatAgo(lastUsedAt, now)),
      },
      { header: 'Ignored contacts', value: ({ ignored }) => formatCount(ignored) },
    ],
    hooks,
  );
}

/** What a person asks for; by default the kind of the address before, else none. */
export interface SigningOptions {
  signature?: (typeof SIGNATURES)[number] | undefined;
  /** The environment variable that holds the secret. */
  secretEnv?: string | undefined;
}

interface Known {
  env: Environment;
  integration: Integration | undefined;
  /** The address that the new one takes the place of. */
  before: HookRecord | null;
  sealer: Pick<Sealer, 'open'>;
}

/**
 * How calls to a new address are signed; `isNew` if the secret was made just now, so that it
 * has to be shown. Throws a ConfigurationError if there is no secret to check signatures with.
 */
export function signingFor(
  { signature, secretEnv }: SigningOptions,
  known: Known,
): (HookSigning & { isNew: boolean }) | null {
  const kind = signature ?? known.before?.signature ?? 'none';
  if (kind === 'none') return null;
  if (secretEnv !== undefined) {
    return { kind, secret: fromEnvironment(known.env, secretEnv), isNew: false };
  }
  if (kind === 'hmac') return { kind, secret: newSecret(), isNew: true };
  return { kind, secret: appSecret(known), isNew: false };
}

function fromEnvironment(env: Environment, name: string): string {
  const secret = env[name];
  if (secret) return secret;
  throw new ConfigurationError(`The environment variable ${name} is not set.`, {
    code: 'environment_invalid',
    details: { variable: name },
  });
}

const appSchema = z.object({ auth: z.object({ clientSecret: z.string().min(1) }) });

/** HubSpot signs with the client secret of the app, which the settings or the address may have. */
function appSecret({ integration, before, sealer }: Known): string {
  const app = appSchema.safeParse(integration?.crm);
  if (app.success) return app.data.auth.clientSecret;
  if (before?.signature === 'hubspot' && before.secret !== null) {
    return sealer.open(before.secret, hookSecretPlace(before.integrationId));
  }
  throw new ConfigurationError(
    'HubSpot signs with the client secret of your app. Put it into an environment variable and name that one, for example --secret-env HUBSPOT_CLIENT_SECRET.',
    { code: 'hook_secret_missing' },
  );
}
