import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../../application.ts';
import {
  beginConsent,
  CONNECTED,
  CONSENT_LIFE_MS,
  type ConsentsDeps,
  findConsentOutcome,
  notConnected,
} from '../../../../clients/consents.ts';
import { RetriableError } from '../../../../core/errors.ts';
import type { Integration } from '../../../../core/integration-settings.ts';
import { type DoctorFinding, shownFinding } from '../../../../operations/doctor/causes.ts';
import { readAddresses } from '../../../../people/server-address.ts';
import type { Environment } from '../../../../settings/environment.ts';
import { hasOwnUrl, type Settings } from '../../../../settings/settings.ts';
import {
  baseOptions,
  type ProductDeps,
  productAction,
  productCommand,
} from '../../action/product.ts';
import type { Output } from '../../terminal/output.ts';
import { examineClientHere, printFindings } from '../doctor/doctor.ts';
import { wholeNumber } from '../sandbox/stand-in.ts';
import { openWayBack } from './way-back.ts';

const EXAMPLES = `
Examples:
  donor-sync connect riverside
  donor-sync connect riverside --open          opens the address in the browser of this machine
  donor-sync connect riverside --port 8788     returns to port 8788 of this machine

For clients whose crm.auth has the type oauth. The return address has to be registered with the app in the
CRM: server.publicUrl in the settings (or --port) and /oauth/KIND/callback. Connecting again keeps all
data about the contacts. The address works for ten minutes.`;

const optionsSchema = baseOptions.extend({
  port: z.number().optional(),
  open: z.boolean().default(false),
});

type Options = z.infer<typeof optionsSchema>;

export function connectCommand(deps: ProductDeps): Command {
  const command = productCommand('connect', deps)
    .description('connect a client to its CRM account')
    .argument('<id>', 'the ID of the client')
    .option('--open', 'open the address in a browser instead of only printing it')
    .option('--port <n>', 'return to this port of this machine', wholeNumber(1, 65_535))
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async ({ output, ...call }, id: string) => {
    for (const integration of call.application.select([id])) {
      await connect(deps, { ...call, integration }, output);
    }
  });
}

interface ConnectCall {
  application: Application;
  settings: Settings;
  integration: Integration;
  options: Options;
}

async function connect(deps: ProductDeps, call: ConnectCall, output: Output): Promise<void> {
  const { integration } = call;
  await awaitConsent(deps, call, output);
  const findings = await examineClientHere(deps, call);
  const document = { connected: integration.id, findings: findings.map(shownFinding) };
  output.finish(document, () => printConnected(output, integration, findings));
}

/** Waits for the user's consent. Resolves once the account is connected. Throws an error if the connection fails. */
async function awaitConsent(
  deps: ProductDeps,
  { application, settings, integration, options }: ConnectCall,
  output: Output,
): Promise<void> {
  const signal = deps.stopSignal();
  const consents = { application, clock: deps.clock, signal };
  const state = await beginConsent(consents, integration);
  const { server } = settings;
  const given = { publicUrl: server.publicUrl, hasOwnUrl: hasOwnUrl(server) };
  const { url: publicUrl } = await readAddresses(application.store.reader, given);
  const wayBack = await openWayBack(
    { ...consents, stopping: signal, log: deps.log },
    { kind: integration.crm.kind, state, publicUrl, port: options.port },
  );
  try {
    output.note(
      `Open this address within ten minutes, and allow access for donor-sync:\n\n  ${wayBack.address}\n`,
    );
    if (options.open) openInBrowser(wayBack.address, deps.env);
    await awaitOutcome(consents, state);
  } finally {
    await wayBack.close();
  }
}

/** The interval at which the database is queried. Another process may receive the callback. */
const LOOK_INTERVAL_MS = 500;

/** The time to wait for the CRM's response if the user returns at the last moment. */
const LAST_ANSWER_MS = 30_000;

const MAX_LOOKS = (CONSENT_LIFE_MS + LAST_ANSWER_MS) / LOOK_INTERVAL_MS;

async function awaitOutcome(deps: ConsentsDeps, state: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS && !deps.signal.aborted; look += 1) {
    const outcome = await findConsentOutcome(deps, state);
    if (outcome === CONNECTED) return;
    if (outcome !== null) throw notConnected(outcome);
    await deps.clock.sleep(LOOK_INTERVAL_MS, deps.signal);
  }
  throw new RetriableError('The CRM did not respond in time, so nothing was connected.', {
    code: 'consent_not_finished',
  });
}

function printConnected(
  output: Output,
  { id }: Integration,
  findings: readonly DoctorFinding[],
): void {
  output.print(output.style.good(`"${id}" is connected.`));
  printFindings(output, findings);
  output.print(`Next: donor-sync plan ${id}`);
}

/** The commands that open an address in the default browser. For all other systems, `xdg-open` is used. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the browser. Users can also open the printed address themselves. */
function openInBrowser(address: string, env: Environment): void {
  const [program, ...options] = OPENERS[platform()] ?? ['xdg-open'];
  const child = spawn(program, [...options, address], { detached: true, stdio: 'ignore', env });
  child.on('error', () => {});
  child.unref();
}
