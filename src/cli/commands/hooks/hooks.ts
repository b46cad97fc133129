import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../application.ts';
import { isoTime } from '../../../core/clock.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { formatCount } from '../../../core/quantities.ts';
import { createHookAddress } from '../../../http/hook-address.ts';
import type { HookRecord } from '../../../store/service/hooks.ts';
import { readOptions, runAction } from '../../action/command.ts';
import {
  loadProductSettings,
  openProduct,
  type ProductDeps,
  productCommand,
  productOptionsSchema,
  runProductAction,
} from '../../action/product.ts';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import type { Output } from '../../terminal/output.ts';
import { formatAgo } from '../../terminal/quantities.ts';
import { SIGNATURES, type SigningOptions, signingFor } from './signing.ts';

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

const optionsSchema = productOptionsSchema.extend({
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
  return command.action((id: string) =>
    runAction(deps, command, async (output) => {
      const { config, ...options } = readOptions(command, optionsSchema);
      const settings = await loadProductSettings(deps, config);
      const application = await openProduct(deps, settings);
      try {
        const before = await findBefore(application, word, id);
        await giveAddress(deps, application, output, {
          ...{ id, before, options, publicUrl: settings.server.publicUrl },
        });
      } finally {
        await application.close();
      }
      return EXIT_CODES.done;
    }),
  );
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
  return command.action((id: string) =>
    runProductAction(deps, command, productOptionsSchema, async ({ application, output }) => {
      // It need not be in the settings any more.
      await requireHook(application, id);
      await application.store.hooks.revoke(id);
      output.finish({ revoked: id }, () => output.print(`"${id}" has no webhook address now.`));
      return EXIT_CODES.done;
    }),
  );
}

function showCommand(deps: ProductDeps): Command {
  const command = productCommand('show', deps)
    .description('show the webhook addresses, without their tokens')
    .argument('[id]', 'only this integration');
  return command.action((id: string | undefined) =>
    runProductAction(deps, command, productOptionsSchema, async ({ application, output }) => {
      const rows =
        id === undefined
          ? await application.store.hooks.list()
          : [await requireHook(application, id)];
      const hooks = rows.map(viewOf);
      output.finish({ hooks }, () => printHooks(output, hooks, deps.clock.now()));
      return EXIT_CODES.done;
    }),
  );
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
