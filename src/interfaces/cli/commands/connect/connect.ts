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
import type { Environment } from '../../../../settings/environment.ts';
import type { Settings } from '../../../../settings/settings.ts';
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
  donor-sync connect riverside --port 8788     comes back to port 8788 of this machine

For integrations whose crm.auth is of type oauth. The app in the CRM has to know the address to come
back to: server.publicUrl of the settings (or --port) and /oauth/KIND/callback. Connecting again keeps
everything that is known of the contacts. The address is good for ten minutes.`;

const optionsSchema = baseOptions.extend({
  port: z.number().optional(),
  open: z.boolean().default(false),
});

type Options = z.infer<typeof optionsSchema>;

/** The command `connect`: waits until a person has let donor-sync into the CRM account. */
export function connectCommand(deps: ProductDeps): Command {
  const command = productCommand('connect', deps)
    .description('let donor-sync into the CRM account of an integration, once')
    .argument('<id>', 'the integration')
    .option('--open', 'open the address in a browser instead of only printing it')
    .option('--port <n>', 'come back to this port of this machine', wholeNumber(1, 65_535))
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

/** Resolves once the account is connected; throws if it is not going to be. */
async function awaitConsent(
  deps: ProductDeps,
  { application, settings, integration, options }: ConnectCall,
  output: Output,
): Promise<void> {
  const signal = deps.stopSignal();
  const consents = { application, clock: deps.clock, signal };
  const state = await beginConsent(consents, integration);
  const wayBack = await openWayBack(
    { ...consents, stopping: signal, log: deps.log },
    { kind: integration.crm.kind, state, publicUrl: settings.server.publicUrl, port: options.port },
  );
  try {
    output.note(
      `Open this address within ten minutes, and let donor-sync in:\n\n  ${wayBack.address}\n`,
    );
    if (options.open) openInBrowser(wayBack.address, deps.env);
    await awaitOutcome(consents, state);
  } finally {
    await wayBack.close();
  }
}

/** The polling interval of the store, because another process may receive the callback. */
const LOOK_INTERVAL_MS = 500;

/** A user who returns in the last moment still waits for the CRM. */
const LAST_ANSWER_MS = 30_000;

const MAX_LOOKS = (CONSENT_LIFE_MS + LAST_ANSWER_MS) / LOOK_INTERVAL_MS;

async function awaitOutcome(deps: ConsentsDeps, state: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS && !deps.signal.aborted; look += 1) {
    const outcome = await findConsentOutcome(deps, state);
    if (outcome === CONNECTED) return;
    if (outcome !== null) throw notConnected(outcome);
    await deps.clock.sleep(LOOK_INTERVAL_MS, deps.signal);
  }
  throw new RetriableError(
    'No answer has come back from the CRM in time, so nothing was connected.',
    {
      code: 'consent_not_finished',
    },
  );
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

/** The commands that open an address in the default browser; `xdg-open` elsewhere. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Tries to open an address; where there is no browser the person has the printed address. */
export function openInBrowser(address: string, env: Environment): void {
  const [program, ...options] = OPENERS[platform()] ?? ['xdg-open'];
  const child = spawn(program, [...options, address], { detached: true, stdio: 'ignore', env });
  child.on('error', () => {});
  child.unref();
}
