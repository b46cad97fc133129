import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Finding } from '../../../../../connectors/contract.ts';
import { failed } from '../../../../../connectors/findings/findings.ts';
import type { Application, OpenIntegration } from '../../../../application.ts';
import { ConfigurationError, isConfigurationError, messageOf } from '../../../../core/errors.ts';
import type { Integration } from '../../../../core/integration-settings.ts';
import { describeSame, mergeAlike } from '../../../../operations/doctor/alike.ts';
import {
  countCauses,
  type DoctorFinding,
  withCommands,
} from '../../../../operations/doctor/causes.ts';
import { met, unmet } from '../../../../operations/doctor/checks.ts';
import { examineClient, examineHere, toReport } from '../../../../operations/doctor/doctor.ts';
import {
  checkInstallation,
  examineInstallation,
} from '../../../../operations/doctor/installation.ts';
import {
  networkPolicyValues,
  outboundPorts,
} from '../../../../operations/doctor/outbound-ports.ts';
import { perform } from '../../../../operations/kit/perform.ts';
import type { Settings } from '../../../../settings/settings.ts';
import { readOptions, requireTerminal, runAction } from '../../action/command.ts';
import { namedOrAll } from '../../action/integrations.ts';
import { recordNamesShown } from '../../action/names-shown.ts';
import { toCaller, toOperationDeps } from '../../action/operation-asking.ts';
import { operationCommand } from '../../action/operation-command.ts';
import {
  baseOptions,
  loadProductSettings,
  neverAborted,
  openProduct,
  type ProductDeps,
  productCommand,
} from '../../action/product.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../../terminal/output.ts';
import { describeCount } from '../../terminal/words.ts';
import { renderReport } from './report.ts';
import { createReportFacts, type ReportFacts } from './report-facts.ts';

const EXAMPLES = `
Examples:
  donor-sync doctor
  donor-sync doctor riverside --json    for scripts: { "findings": [...], "causes": 0 }
  donor-sync doctor installation        only what all clients share, without any request to a CRM
  donor-sync doctor --network-policy >> values.yaml   the ports to open, for the Helm chart
  donor-sync doctor --report report.md  a checklist for support, without names, values or keys

Nothing is spent and nothing is written into a CRM. Exit codes: 0 no problems, 2 you have to fix
something.`;

const optionsSchema = baseOptions.extend({
  show: z.boolean().default(false),
  report: z.string().min(1).optional(),
  networkPolicy: z.boolean().default(false),
});

/**
 * Creates the command. The command also reports unreadable settings, so it cannot use the generic command for
 * operations. The operation checks each client.
 */
export function doctorCommand(deps: ProductDeps): Command {
  const command = productCommand('doctor', deps)
    .description(examineClient.summary)
    .argument('[integration...]', 'The IDs of the clients; all if left out')
    .option('--show', "also show the CRM's own messages; only on a terminal")
    .option('--report <file>', 'write a checklist in Markdown that you can pass on; - for stdout')
    .option('--network-policy', 'print only the outbound ports, as values for the Helm chart')
    .addHelpText('after', EXAMPLES);
  command.addCommand(operationCommand(deps, checkInstallation));
  return command.action((ids: string[]) =>
    runAction(deps, command, async (output) => {
      const { config, show, report, networkPolicy } = readOptions(command, optionsSchema);
      if (networkPolicy) return printPorts(deps, config, ids, output);
      if (show) requireTerminal(deps.stdout, output);
      const isOnStdout = report === '-';
      if (isOnStdout && output.isJson) throw usageError(ONE_DOCUMENT);
      const facts = report === undefined ? null : createReportFacts(deps, command);
      const findings = await examine(deps, { config, ids, facts, show });
      const text = facts === null ? null : renderReport(facts.all(), findings);
      if (text !== null && report !== undefined && !isOnStdout) {
        await writeReport(resolve(deps.cwd, report), text);
      }
      output.finish(toReport(findings), () => {
        if (text !== null && isOnStdout) return output.print(text.trimEnd());
        printFindings(output, findings, show);
        if (report !== undefined)
          output.print(`The report is in ${report}. Read it before you send it.`);
      });
      return exitCodeFor(findings);
    }),
  );
}

/** Prints the ports. The function sends no request, so it works before a firewall allows the ports. */
async function printPorts(
  deps: ProductDeps,
  config: string | undefined,
  ids: readonly string[],
  output: Output,
): Promise<ExitCode> {
  const settings = await loadProductSettings(deps, config);
  const application = await openProduct(deps, settings);
  try {
    const ports = outboundPorts(settings, namedOrAll(application, ids));
    output.finish({ ports }, () => output.print(networkPolicyValues(ports)));
    return EXIT_CODES.done;
  } finally {
    await application.close();
  }
}

const ONE_DOCUMENT =
  '--json and --report - both write to stdout. Enter a file name for the report.';

/** Writes a file that only the user who created it can read. */
async function writeReport(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600 });
  } catch (cause) {
    throw new ConfigurationError(`The report cannot be written to ${path}: ${messageOf(cause)}.`, {
      code: 'report_not_written',
      cause,
    });
  }
}

/** Returns the exit code. 2 means that a user has to solve a problem and nothing was changed. */
function exitCodeFor(findings: readonly DoctorFinding[]): ExitCode {
  return findings.every(({ ok }) => ok) ? EXIT_CODES.done : EXIT_CODES.usage;
}

interface Examination {
  config: string | undefined;
  ids: readonly string[];
  /** The additional data for a report. Null if the user requested no report. */
  facts: ReportFacts | null;
  /** True to show CRM messages, which may contain names. */
  show: boolean;
}

/** Runs the checks. A failed check results in a finding, and the other checks continue. */
async function examine(
  deps: ProductDeps,
  { config, ids, facts, show }: Examination,
): Promise<DoctorFinding[]> {
  let settings: Settings;
  try {
    settings = await loadProductSettings(deps, config);
  } catch (error) {
    return general(unmet('settings', messageOf(error), settingsFix(error), settingsCause(error)));
  }
  const count = describeCount(settings.integrations.length, 'integration');
  const message = `${settings.path} is valid, with ${count}.`;
  const good = { ...met('settings', message), report: `They are valid, with ${count}.` };
  let application: Application;
  try {
    application = await openProduct(deps, settings);
  } catch (error) {
    return general(good, failed('database', 'Follow the message.', error));
  }
  try {
    // An unknown client is a usage error, not a finding.
    const chosen = namedOrAll(application, ids);
    const findings = [...general(good), ...(await examineInstallation(application, chosen))];
    const also = facts === null ? undefined : (open: OpenIntegration) => facts.read(open);
    for (const integration of chosen) {
      const found = await examineClientHere(deps, { application, settings, integration }, also);
      findings.push(...found);
      const names = show ? found.filter(({ words }) => words).length : 0;
      await recordNamesShown(application, {
        command: 'doctor',
        integrationId: integration.id,
        names,
      });
    }
    return findings;
  } finally {
    await application.close();
  }
}

/** Checks a client. The check changes nothing, so a signal ends the process immediately. */
export async function examineClientHere(
  deps: ProductDeps,
  { application, settings, integration }: ExaminedClient,
  also?: (open: OpenIntegration) => Promise<void>,
): Promise<DoctorFinding[]> {
  const world = { ...toOperationDeps(deps, application, settings), signal: neverAborted };
  const input = { integration: integration.id };
  return (await perform(world, toCaller(deps), examineHere(also), input)).findings;
}

interface ExaminedClient {
  application: Application;
  settings: Settings;
  integration: Integration;
}

function settingsFix(error: unknown): string {
  const isMissing = isConfigurationError(error) && error.code === 'settings_not_found';
  return isMissing
    ? 'donor-sync init'
    : 'Fix each listed problem. To set a variable in this terminal: export NAME=value';
}

function settingsCause(error: unknown): string | undefined {
  return isConfigurationError(error) ? error.code : undefined;
}

function general(...findings: Finding[]): DoctorFinding[] {
  return withCommands(findings, null);
}

export function printFindings(
  output: Output,
  findings: readonly DoctorFinding[],
  withWords = false,
): void {
  const { style } = output;
  let heading: string | null = null;
  for (const finding of mergeAlike(findings)) {
    const { integration, subject, ok, message, fix, command, words, others } = finding;
    if (integration !== heading && integration !== null)
      output.print(`\n${style.strong(integration)}`);
    heading = integration;
    const mark = ok ? style.good('✓') : style.bad('✗');
    output.print(`${mark} ${subject}: ${message}`);
    if (words && withWords) output.print(`    The CRM's message: ${words.reveal()}`);
    else if (words)
      output.print(`    To see the CRM's message: donor-sync doctor ${integration ?? ''} --show`);
    if (others.length > 0) output.print(`    ${describeSame(others)}`);
    if (fix !== null) output.print(`    ${style.warn('→')} ${fix}`);
    if (command !== null && command !== fix) output.print(`      ${style.strong(command)}`);
  }
  output.print();
  output.print(verdictOn(findings, style));
}

/**
 * Counts problems by their fix. For example, fourteen missing fields are one problem, because one command creates them.
 */
function verdictOn(findings: readonly DoctorFinding[], style: Output['style']): string {
  const broken = findings.filter(({ ok }) => !ok).length;
  if (broken === 0) return style.good('All is well.');
  const causes = countCauses(findings);
  const lines = causes === broken ? '' : ` (${describeCount(broken, 'finding')})`;
  return style.bad(`${describeCount(causes, 'problem')} to fix${lines}.`);
}
