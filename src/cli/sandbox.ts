import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { type CommandDeps, createCommand, runAction } from './command.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import type { ProductDeps } from './product.ts';
import {
  addHubspotSandboxOptions,
  addPartnerSandboxOptions,
  addSalesforceSandboxOptions,
  type HubspotSandboxFlags,
  hubspotSandboxFlagsSchema,
  type PartnerSandboxFlags,
  partnerSandboxFlagsSchema,
  type SalesforceSandboxFlags,
  salesforceSandboxFlagsSchema,
} from './sandbox/flags.ts';
import { readFaultFile } from './sandbox/read-fault-file.ts';
import { untilStopped } from './sandbox/until-stopped.ts';

/** What `sandbox` needs besides what every command has. */
export type SandboxDeps = CommandDeps & Pick<ProductDeps, 'cwd' | 'stopSignal'>;

const PARTNER_EXAMPLES = `
Examples:
  donor-sync sandbox partner --port 4100
  donor-sync sandbox partner --port 4100 --job-time 1000 --credits 50 --faults faults.json
  donor-sync sandbox partner --port 4100 --donors 0 --data sandbox/people/data/public-record
  donor-sync sandbox partner --port 4100 --donors 1000000 --db world.db

The line on stdout has the base URL and the API key for the settings. Beside the service, at the
root of the same address: GET /_sandbox/people, /_sandbox/ledger, /_sandbox/requests,
PUT /_sandbox/faults, POST /_sandbox/keys.`;

const SALESFORCE_EXAMPLES = `
Examples:
  donor-sync sandbox salesforce --port 4200
  donor-sync sandbox salesforce --port 4200 --shape plain --contacts 20000 --db org.db

The line on stdout has the base URL and everything that signs in: a token, a client id and secret,
a user name and the private key for the JWT flow. At the root of the same address:
GET /_sandbox/people, /_sandbox/requests, /_sandbox/record/TYPE/ID, PUT /_sandbox/faults,
POST /_sandbox/edit, /_sandbox/locks, /_sandbox/rules, /_sandbox/tokens.`;

const HUBSPOT_EXAMPLES = `
Examples:
  donor-sync sandbox hubspot --port 4300
  donor-sync sandbox hubspot --port 4300 --contacts 20000 --rate 0 --db account.db

The line on stdout has the base URL, a token of a private app, the client id and secret of an app that
signs in by OAuth, and the account's number. At the root of the same address: GET /_sandbox/people,
/_sandbox/requests, /_sandbox/record/TYPE/ID, PUT /_sandbox/faults, POST /_sandbox/edit,
/_sandbox/rules, /_sandbox/tokens.`;

/** The command `sandbox`: local stand-ins, to try things without an account and without costs. */
export function sandboxCommand(deps: SandboxDeps): Command {
  return createCommand('sandbox', deps)
    .description('serve a local stand-in for the Partner Data Service or a CRM')
    .addCommand(partnerCommand(deps))
    .addCommand(salesforceCommand(deps))
    .addCommand(hubspotCommand(deps));
}

function partnerCommand(deps: SandboxDeps): Command {
  const command = addPartnerSandboxOptions(
    createCommand('partner', deps)
      .description('serve the Partner Data Service with invented people until stopped')
      .addHelpText('after', PARTNER_EXAMPLES),
  );
  return command.action(() =>
    runAction(deps, command, () => {
      const flags = partnerSandboxFlagsSchema.parse(command.opts());
      return serve(deps, 'partner', flags.port, () => startPartner(deps, flags));
    }),
  );
}

function salesforceCommand(deps: SandboxDeps): Command {
  const command = addSalesforceSandboxOptions(
    createCommand('salesforce', deps)
      .description('serve a Salesforce org with the same people until stopped')
      .addHelpText('after', SALESFORCE_EXAMPLES),
  );
  return command.action(() =>
    runAction(deps, command, () => {
      const flags = salesforceSandboxFlagsSchema.parse(command.opts());
      return serve(deps, 'salesforce', flags.port, () => startSalesforce(deps, flags));
    }),
  );
}

function hubspotCommand(deps: SandboxDeps): Command {
  const command = addHubspotSandboxOptions(
    createCommand('hubspot', deps)
      .description('serve a HubSpot account with the same people until stopped')
      .addHelpText('after', HUBSPOT_EXAMPLES),
  );
  return command.action(() =>
    runAction(deps, command, () => {
      const flags = hubspotSandboxFlagsSchema.parse(command.opts());
      return serve(deps, 'hubspot', flags.port, () => startHubspot(deps, flags));
    }),
  );
}

/** A sandbox that is serving, and what its one line on stdout says. */
interface Serving {
  line: Readonly<Record<string, string | number>>;
  close(): Promise<void>;
}

async function serve(
  deps: SandboxDeps,
  kind: string,
  port: number,
  start: () => Promise<Serving>,
): Promise<ExitCode> {
  const stopped = deps.stopSignal();
  const sandbox = await startOrExplain(start, port);
  // One line, so that a program that started us can read it and go on (design, section 4.4).
  deps.stdout.write(`${JSON.stringify({ ready: true, kind, ...sandbox.line })}\n`);
  await untilStopped(stopped);
  await sandbox.close();
  return EXIT_CODES.done;
}

// The product does not know the sandboxes: they are loaded by whoever asks for one.
async function startPartner(
  { cwd }: SandboxDeps,
  { faults, forms, data, ...flags }: PartnerSandboxFlags,
): Promise<Serving> {
  const { startPartnerSandbox } = await import('../../sandbox/partner/index.ts');
  const { baseUrl, apiKey, close } = await startPartnerSandbox({
    ...flags,
    ...(data === undefined ? {} : { data: resolve(cwd, data) }),
    faults: await readRules(faults, cwd),
    forms: { a: forms !== 'b', b: forms !== 'a' },
  });
  return { line: { baseUrl, apiKey }, close };
}

async function startSalesforce(
  { cwd }: SandboxDeps,
  { faults, ...flags }: SalesforceSandboxFlags,
): Promise<Serving> {
  const { startSalesforceSandbox } = await import('../../sandbox/salesforce/index.ts');
  const {
    rootUrl: _,
    close,
    ...line
  } = await startSalesforceSandbox({
    ...flags,
    faults: await readRules(faults, cwd),
  });
  return { line, close };
}

async function startHubspot(
  { cwd }: SandboxDeps,
  { faults, ...flags }: HubspotSandboxFlags,
): Promise<Serving> {
  const { startHubspotSandbox } = await import('../../sandbox/hubspot/index.ts');
  const {
    rootUrl: _,
    close,
    ...line
  } = await startHubspotSandbox({
    ...flags,
    faults: await readRules(faults, cwd),
  });
  return { line, close };
}

async function readRules(path: string | undefined, cwd: string): Promise<unknown> {
  return path === undefined ? [] : readFaultFile(path, cwd);
}

async function startOrExplain(start: () => Promise<Serving>, port: number): Promise<Serving> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw startError(error, port);
  }
}

/** Starting depends on nothing but the options, so one of them is to blame. */
function startError(error: unknown, port: number): ConfigurationError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new ConfigurationError(
      `The port ${port} is in use. Choose another with --port, or --port 0 for any free one.`,
      { code: 'port_in_use', cause: error, details: { port } },
    );
  }
  return new ConfigurationError(`The sandbox cannot start: ${messageOf(error)}`, {
    code: 'sandbox_not_started',
    cause: error,
  });
}
