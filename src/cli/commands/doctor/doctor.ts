import type { Command } from 'commander';
import { z } from 'zod';
import type { Finding } from '../../../../connectors/contract.ts';
import type { Application } from '../../../application.ts';
import { insecureAddresses, insecureProblem } from '../../../config/insecure-http.ts';
import type { Settings } from '../../../config.ts';
import { isConfigurationError, messageOf } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration.ts';
import { readOptions, requireTerminal, runAction } from '../../action/command.ts';
import { namedOrAll } from '../../action/integrations.ts';
import {
  baseOptions,
  loadProductSettings,
  openProduct,
  type ProductDeps,
  productCommand,
  withIntegration,
} from '../../action/product.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../../terminal/output.ts';
import { countOf, mergeAlike, sameOf } from '../../terminal/words.ts';
import {
  checkCrm,
  checked,
  checkPartner,
  checkSecretKey,
  checkState,
  type DoctorFinding,
  met,
  unmet,
} from './checks.ts';

const EXAMPLES = `
Examples:
  donor-sync doctor
  donor-sync doctor riverside --json    for scripts: { "findings": [...] }

Nothing is spent and nothing is written into a CRM. Exit codes: 0 all is well, 2 a person has to fix
something.`;

const optionsSchema = baseOptions.extend({ show: z.boolean().default(false) });

/** The command `doctor`: every prerequisite, each with its fix. */
export function doctorCommand(deps: ProductDeps): Command {
  const command = productCommand('doctor', deps)
    .description(
      'check settings, database, keys, service, CRM and field map, and say how to fix them',
    )
    .argument('[ids...]', 'the integrations (default: all)')
    .option('--show', 'with what the CRM says, in its own words; on a terminal only')
    .addHelpText('after', EXAMPLES);
  return command.action((ids: string[]) =>
    runAction(deps, command, async (output) => {
      const { config, show } = readOptions(command, optionsSchema);
      if (show) requireTerminal(deps.stdout, output);
      const findings = await examine(deps, config, ids);
      output.finish({ findings: findings.map(withoutWords) }, () => {
        printFindings(output, findings, show);
      });
      return exitCodeFor(findings);
    }),
  );
}

/** What the CRM said is in no document. */
export function withoutWords({ words: _, ...finding }: DoctorFinding): DoctorFinding {
  return finding;
}

/** Whatever is wrong needs a person, and nothing was changed: that is what 2 says. */
function exitCodeFor(findings: readonly DoctorFinding[]): ExitCode {
  return findings.every(({ ok }) => ok) ? EXIT_CODES.done : EXIT_CODES.usage;
}

/** Each check that cannot be passed is a finding; those that do not depend on it go on. */
async function examine(
  deps: ProductDeps,
  config: string | undefined,
  ids: readonly string[],
): Promise<DoctorFinding[]> {
  let settings: Settings;
  try {
    settings = await loadProductSettings(deps, config);
  } catch (error) {
    return general(unmet('settings', messageOf(error), settingsFix(error)));
  }
  const count = countOf(settings.integrations.length, 'integration');
  const good = met('settings', `${settings.path} is in order, with ${count}.`);
  let application: Application;
  try {
    application = await openProduct(deps, settings);
  } catch (error) {
    return general(good, unmet('database', messageOf(error), 'Do what the message says.'));
  }
  try {
    // A word that is no integration is bad usage, and no finding about the installation.
    const chosen = namedOrAll(application, ids);
    const findings = general(good, checkDatabase(settings), await checkSecretKey(deps, settings));
    findings.push(...checkTransport(settings, chosen));
    for (const integration of chosen) {
      findings.push(...(await examineIntegration(deps, application, integration)));
    }
    return findings;
  } finally {
    await application.close();
  }
}

/** What helps depends on whether there is a file at all. */
function settingsFix(error: unknown): string {
  const isMissing = isConfigurationError(error) && error.code === 'settings_not_found';
  return isMissing
    ? 'donor-sync init'
    : 'Fix what is listed, line by line. A variable is set by `export NAME=value` in this terminal.';
}

function general(...findings: Finding[]): DoctorFinding[] {
  return findings.map((finding) => ({ integration: null, ...finding }));
}

function checkDatabase({ database }: Settings): Finding {
  const kind = database.startsWith('sqlite:') ? 'SQLite' : 'Postgres';
  return met('database', `The ${kind} database can be written, and its schema is current.`);
}

/** The next version refuses what is only a finding now. */
function checkTransport(settings: Settings, chosen: readonly Integration[]): DoctorFinding[] {
  return insecureAddresses(chosen, settings).map(({ integration, setting, host }) => ({
    integration,
    ...unmet(setting, `The address is insecure: ${insecureProblem(host)}.`, INSECURE_FIX),
  }));
}

const INSECURE_FIX =
  'Write an https address. The next version of donor-sync refuses this one unless allowInsecureHttp names its host.';

/** The prerequisites of one integration. */
export async function examineIntegration(
  deps: ProductDeps,
  application: Application,
  integration: Integration,
): Promise<DoctorFinding[]> {
  const findings = await checked('integration', 'Do what the message says.', () =>
    withIntegration(application, integration, async (open) => [
      ...(await checkPartner(open)),
      ...(await checkCrm(open)),
      ...(await checkState(deps, open)),
    ]),
  );
  return findings.map((finding) => ({ integration: integration.id, ...finding }));
}

/** Shows findings to a person, and counts what has to be fixed. */
export function printFindings(
  output: Output,
  findings: readonly DoctorFinding[],
  withWords = false,
): void {
  const { style } = output;
  let heading: string | null = null;
  for (const { integration, subject, ok, message, fix, words, others } of mergeAlike(findings)) {
    if (integration !== heading && integration !== null)
      output.print(`\n${style.strong(integration)}`);
    heading = integration;
    const mark = ok ? style.good('✓') : style.bad('✗');
    output.print(`${mark} ${subject}: ${message}`);
    if (words && withWords) output.print(`    It said: ${words.reveal()}`);
    else if (words) output.print(`    What it said: donor-sync doctor ${integration ?? ''} --show`);
    if (others.length > 0) output.print(`    ${sameOf(others)}`);
    if (fix !== null) output.print(`    ${style.warn('→')} ${fix}`);
  }
  const broken = findings.filter(({ ok }) => !ok).length;
  output.print();
  output.print(
    broken === 0 ? style.good('All is well.') : style.bad(`${countOf(broken, 'problem')} to fix.`),
  );
}
