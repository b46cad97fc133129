import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Finding } from '../../../../../connectors/contract.ts';
import { failed, plain } from '../../../../../connectors/findings.ts';
import type { Application, OpenIntegration } from '../../../../application.ts';
import { ConfigurationError, isConfigurationError, messageOf } from '../../../../core/errors.ts';
import type { Integration } from '../../../../core/integration-settings.ts';
import { type DatabaseTls, parseDatabaseUrl } from '../../../../database/database-url.ts';
import { describeSame, mergeAlike } from '../../../../operations/doctor/alike.ts';
import {
  countCauses,
  type DoctorFinding,
  withCommands,
} from '../../../../operations/doctor/causes.ts';
import { met, unmet } from '../../../../operations/doctor/checks.ts';
import { examineClient, toReport } from '../../../../operations/doctor/doctor.ts';
import { examineIntegration } from '../../../../operations/doctor/examine.ts';
import {
  networkPolicyValues,
  outboundPorts,
} from '../../../../operations/doctor/outbound-ports.ts';
import { examineWriteLog } from '../../../../privacy/statements/examine-write-log.ts';
import { insecureAddresses, insecureProblem } from '../../../../settings/insecure-http.ts';
import type { Settings } from '../../../../settings/settings.ts';
import { readOptions, requireTerminal, runAction } from '../../action/command.ts';
import { namedOrAll } from '../../action/integrations.ts';
import { recordNamesShown } from '../../action/names-shown.ts';
import {
  baseOptions,
  loadProductSettings,
  neverAborted,
  openProduct,
  type ProductDeps,
  productCommand,
} from '../../action/product.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../../terminal/output.ts';
import { describeCount, formatTimestamp } from '../../terminal/words.ts';
import { checkSecretKey } from './check-secret-key.ts';
import { renderReport } from './report.ts';
import { createReportFacts, type ReportFacts } from './report-facts.ts';

const EXAMPLES = `
Examples:
  donor-sync doctor
  donor-sync doctor riverside --json    for scripts: { "findings": [...], "causes": 0 }
  donor-sync doctor --network-policy >> values.yaml   the ports to open, for the Helm chart
  donor-sync doctor --report report.md  a checklist to send to who helps you: no names, values or keys

Nothing is spent and nothing is written into a CRM. Exit codes: 0 all is well, 2 a person has to fix
something.`;

const optionsSchema = baseOptions.extend({
  show: z.boolean().default(false),
  report: z.string().min(1).optional(),
  networkPolicy: z.boolean().default(false),
});

/** The command `doctor`: every prerequisite, each with its fix. */
export function doctorCommand(deps: ProductDeps): Command {
  const command = productCommand('doctor', deps)
    .description(examineClient.summary)
    .argument('[integration...]', 'The IDs of the clients; all if left out')
    .option('--show', 'with what the CRM says, in its own words; on a terminal only')
    .option('--report <file>', 'write a checklist in Markdown that may be passed on; - for stdout')
    .option(
      '--network-policy',
      'print only the ports that requests leave by, as values of the Helm chart',
    )
    .addHelpText('after', EXAMPLES);
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
          output.print(`The report is in ${report}: read it before you send it.`);
      });
      return exitCodeFor(findings);
    }),
  );
}

/** Prints ports only. It contacts nobody, so that it works before the ports are open. */
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

const ONE_DOCUMENT = '--json and --report - both write to stdout: name a file for the report.';

/** Only the user who made it can read the file. */
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

/** Whatever is wrong needs a person, and nothing was changed: that is what 2 says. */
function exitCodeFor(findings: readonly DoctorFinding[]): ExitCode {
  return findings.every(({ ok }) => ok) ? EXIT_CODES.done : EXIT_CODES.usage;
}

interface Examination {
  config: string | undefined;
  ids: readonly string[];
  /** What a report contains in addition to the findings; null without a report. */
  facts: ReportFacts | null;
  /** Whether what the CRM said is shown; it may quote names. */
  show: boolean;
}

/** Each check that fails is a finding; the checks that do not depend on it continue. */
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
  const message = `${settings.path} is in order, with ${count}.`;
  const good = { ...met('settings', message), report: `They are in order, with ${count}.` };
  let application: Application;
  try {
    application = await openProduct(deps, settings);
  } catch (error) {
    return general(good, failed('database', 'Do what the message says.', error));
  }
  try {
    // A word that does not name an integration is bad usage, not a finding about the installation.
    const chosen = namedOrAll(application, ids);
    const findings = general(
      good,
      checkDatabase(settings),
      await checkSecretKey(deps, settings),
      checkPorts(settings, chosen),
    );
    findings.push(...general(...(await checkErasureLogs(application))));
    findings.push(...general(...(await checkWriteLog(application))));
    findings.push(...checkTransport(settings, chosen));
    for (const integration of chosen) {
      const also = facts === null ? undefined : (open: OpenIntegration) => facts.read(open);
      const examination = { signal: neverAborted(), also };
      const found = await examineIntegration(application, integration, examination);
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

/** What helps depends on whether there is a file at all. */
function settingsFix(error: unknown): string {
  const isMissing = isConfigurationError(error) && error.code === 'settings_not_found';
  return isMissing
    ? 'donor-sync init'
    : 'Fix what is listed, line by line. A variable is set by `export NAME=value` in this terminal.';
}

/** The code of the error, by which a settings file that is not there is known. */
function settingsCause(error: unknown): string | undefined {
  return isConfigurationError(error) ? error.code : undefined;
}

function general(...findings: Finding[]): DoctorFinding[] {
  return withCommands(findings, null);
}

function checkDatabase({ database }: Settings): Finding {
  const location = parseDatabaseUrl(database);
  const kind = location.kind === 'sqlite' ? 'SQLite' : 'Postgres';
  const way = location.kind === 'postgres' ? TLS_WORDS[location.tls] : '';
  return plain(
    met('database', `The ${kind} database can be written, and its schema is current.${way}`),
  );
}

/** For a firewall or a NetworkPolicy; no host, so that a report can say it too. */
function checkPorts(settings: Settings, chosen: readonly Integration[]): Finding {
  const ports = outboundPorts(settings, chosen);
  const each = ports.map(({ port, for: uses }) => `${port} (${uses.join(', ')})`);
  const message =
    each.length === 0
      ? 'Nothing leaves this machine.'
      : `Requests leave by these ports of TCP: ${each.join('; ')}.`;
  return plain(met('ports', message));
}

/** The setting itself gives this up, so it is not a finding, but it is mentioned. */
const TLS_WORDS: Readonly<Record<DatabaseTls, string>> = {
  local: '',
  verified: '',
  unverified:
    ' Its certificate is not checked (sslmode=no-verify): whoever answers at that address gets the password.',
  none: ' The connection is not encrypted (sslmode=disable): others on the network can read it.',
};

/** Each place of the log of erasures; a place that can't be written lacks what a restore needs. */
async function checkErasureLogs({ erasureLogs }: Application): Promise<Finding[]> {
  const places = (await erasureLogs?.examine()) ?? [];
  return places.map(({ path, kind, state, problem }) => {
    if (state === 'writable') {
      const report = 'A place of the log of erasures can be written.';
      return { ...met('log of erasures', `Erasures are noted in ${path}.`), report };
    }
    if (state === 'gone') {
      const message = `The folder of backups of ${path} is not there.`;
      const advice = 'If its disk is not mounted: once it is, the next command adds what it lacks.';
      const report = 'A folder of backups is not there.';
      return { ...met('log of erasures', message, advice), report };
    }
    const message = `Erasures cannot be noted in ${path}: ${problem}.`;
    const fix = kind === 'backups' ? LOG_FIX : `${LOG_FIX} Until then no contact can be erased.`;
    const report = 'A place of the log of erasures cannot be written.';
    return { ...unmet('log of erasures', message, fix, 'erasure_log_unusable'), report };
  });
}

const LOG_FIX = 'Make the file and its folder writable, or name another file in `erasureLog`.';

/**
 * The log of writes next to it. If several hosts work with one database, each keeps a separate log unless the settings
 * name one for all. Then the database has writes that the log here lacks.
 */
async function checkWriteLog({ erasureLogs, store }: Application): Promise<Finding[]> {
  if (erasureLogs === null) return [];
  const { files, checked, missing, lastMissingAt } = await examineWriteLog(store);
  const unwritable = files.flatMap(({ path, problem }) => {
    if (problem === null) return [];
    const message = `What is written into the CRM cannot be noted in ${path}: ${problem}.`;
    const fix = `Make the file and its folder writable. ${WHY_WRITES_ARE_NOTED}`;
    const report = 'The log of writes cannot be written.';
    return { ...unmet('log of writes', message, fix, 'write_log_unusable'), report };
  });
  if (lastMissingAt !== null) {
    const at = formatTimestamp(lastMissingAt);
    const message = `The log of writes lacks ${missing} of the last ${describeCount(checked, 'write')}, the newest of ${at}: another host has recorded them in a separate log, or the log was lost.`;
    const fix = `If several hosts work with this database, name one file in \`erasureLog\` that all of them share. ${WHY_WRITES_ARE_NOTED}`;
    return [...unwritable, plain(unmet('log of writes', message, fix, 'write_log_apart'))];
  }
  if (unwritable.length > 0) return unwritable;
  return [
    plain(
      met('log of writes', 'What is written into the CRM is noted outside of the database, too.'),
    ),
  ];
}

const WHY_WRITES_ARE_NOTED =
  'Without it an erasure does not find what was written after a backup that was restored.';

/** Settings in the database: those of the file are refused when they are read. */
function checkTransport(settings: Settings, chosen: readonly Integration[]): DoctorFinding[] {
  return insecureAddresses(chosen, settings).map(({ integration, setting, host }) => {
    const message = `The address is insecure: ${insecureProblem(host)}.`;
    const finding = unmet(setting, message, INSECURE_FIX, 'insecure_http');
    return { integration, command: null, ...finding };
  });
}

const INSECURE_FIX =
  'Write an https address. This one is not used unless allowInsecureHttp names its host.';

/** Shows findings to a person, and counts what has to be fixed. */
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
    if (words && withWords) output.print(`    It said: ${words.reveal()}`);
    else if (words) output.print(`    What it said: donor-sync doctor ${integration ?? ''} --show`);
    if (others.length > 0) output.print(`    ${describeSame(others)}`);
    if (fix !== null) output.print(`    ${style.warn('→')} ${fix}`);
    if (command !== null && command !== fix) output.print(`      ${style.strong(command)}`);
  }
  output.print();
  output.print(verdictOn(findings, style));
}

/** Fourteen missing fields are one problem: one command creates them. */
function verdictOn(findings: readonly DoctorFinding[], style: Output['style']): string {
  const broken = findings.filter(({ ok }) => !ok).length;
  if (broken === 0) return style.good('All is well.');
  const causes = countCauses(findings);
  const lines = causes === broken ? '' : ` (${describeCount(broken, 'finding')})`;
  return style.bad(`${describeCount(causes, 'problem')} to fix${lines}.`);
}
