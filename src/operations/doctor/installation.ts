/** Checks the whole installation once for all clients. The checks of the installation send no requests. */
import { z } from 'zod';
import type { Finding } from '../../../connectors/contract.ts';
import { plain } from '../../../connectors/findings/findings.ts';
import type { Application } from '../../application.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { describeCount, formatTimestamp } from '../../core/quantities.ts';
import { JOURNAL_UNWRITABLE } from '../../credits/note-spending.ts';
import { type DatabaseTls, parseDatabaseUrl } from '../../database/database-url.ts';
import { examineWriteLog } from '../../privacy/statements/examine-write-log.ts';
import { findWriteProblem } from '../../privacy/statements/find-write-problem.ts';
import { insecureAddresses, insecureProblem } from '../../settings/insecure-http.ts';
import type { Settings } from '../../settings/settings.ts';
import { acting } from '../kit/operation.ts';
import { CAUSES, type DoctorFinding, withCommands } from './causes.ts';
import { checkDoors } from './check-doors.ts';
import { checkSecretKey } from './check-secret-key.ts';
import { met, unmet } from './checks.ts';
import { describeReport, endingOf, reportSchema, toReport } from './doctor.ts';
import { outboundPorts } from './outbound-ports.ts';

export const checkInstallation = acting({
  name: 'doctor installation',
  summary:
    'Check what all clients share: the database, its key, the ports, the logs of erasures and writes, and the spending journal',
  details:
    'It sends no request to a CRM or the service. The findings can contain paths of files on the host. `integration` is null except for an address of a client.',
  role: 'admin',
  reach: 'all',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: reportSchema,
  run: async ({ application, store, clients }) =>
    toReport(await examineInstallation({ ...application, store }, [...clients.values()])),
  say: describeReport,
  ending: endingOf,
});

/** Checks the installation. The ports and addresses include the clients' ports and addresses. */
export async function examineInstallation(
  application: Pick<Application, 'settings' | 'keyFile' | 'erasureLogs' | 'store' | 'unreadable'>,
  clients: readonly Integration[],
): Promise<DoctorFinding[]> {
  const { settings, keyFile } = application;
  const shared = [
    checkDatabase(settings),
    await checkSecretKey(keyFile),
    checkPorts(settings, clients),
    ...(await checkErasureLogs(application)),
    ...(await checkWriteLog(application)),
    await checkSpendingJournal(application),
    ...(await checkDoors(settings, application.store.reader)),
  ];
  return [
    ...withCommands(shared, null),
    ...checkStoredSettings(application),
    ...checkTransport(settings, clients),
  ];
}

/** Names the clients whose settings are unreadable. Commands cannot use clients whose settings are unreadable. */
function checkStoredSettings({ unreadable }: Pick<Application, 'unreadable'>): DoctorFinding[] {
  return [...unreadable].map(([integration, problem]) => ({
    integration,
    ...plain(
      unmet(
        'settings',
        `The settings of "${integration}" in the database cannot be read, so nothing runs for it. ${problem}`,
        `Apply its settings again, or remove them: donor-sync remove ${integration}`,
        CAUSES.unreadable,
      ),
    ),
    command: null,
  }));
}

function checkDatabase({ database }: Settings): Finding {
  const location = parseDatabaseUrl(database);
  const kind = location.kind === 'sqlite' ? 'SQLite' : 'Postgres';
  const way = location.kind === 'postgres' ? TLS_WORDS[location.tls] : '';
  return plain(
    met('database', `The ${kind} database can be written, and its schema is current.${way}`),
  );
}

/**
 * Lists the ports that a firewall or a NetworkPolicy has to allow. Leaves out host names, so that a report can contain
 * this finding.
 */
function checkPorts(settings: Settings, clients: readonly Integration[]): Finding {
  const ports = outboundPorts(settings, clients);
  const each = ports.map(({ port, for: uses }) => `${port} (${uses.join(', ')})`);
  const message =
    each.length === 0
      ? 'Nothing leaves this machine.'
      : `Requests use these TCP ports: ${each.join('; ')}.`;
  return plain(met('ports', message));
}

/**
 * Describes how the database connection is encrypted. The settings choose the mode, so even an unencrypted connection
 * is not a problem.
 */
const TLS_WORDS: Readonly<Record<DatabaseTls, string>> = {
  local: '',
  verified: '',
  unverified:
    ' Its certificate is not checked (sslmode=no-verify): any server that responds at that address receives the password.',
  none: ' The connection is not encrypted (sslmode=disable): others on the network can read it.',
};

/**
 * Checks each copy of the erasure log. A restore needs all entries, so donor-sync must be able to write to every copy.
 */
async function checkErasureLogs({
  erasureLogs,
}: Pick<Application, 'erasureLogs'>): Promise<Finding[]> {
  const places = (await erasureLogs?.examine()) ?? [];
  return places.map(({ path, kind, state, problem }) => {
    if (state === 'writable') {
      const report = 'A copy of the erasure log can be written.';
      return { ...met('log of erasures', `Erasures are recorded in ${path}.`), report };
    }
    if (state === 'gone') {
      const message = `The backup folder of ${path} does not exist.`;
      const advice =
        'If its disk is not mounted, mount it. The next command then adds the missing entries.';
      const report = 'A backup folder does not exist.';
      return { ...met('log of erasures', message, advice), report };
    }
    const message = `Erasures cannot be recorded in ${path}: ${problem}.`;
    const fix = kind === 'backups' ? LOG_FIX : `${LOG_FIX} Until then, no contact can be erased.`;
    const report = 'A copy of the erasure log cannot be written.';
    return { ...unmet('log of erasures', message, fix, 'erasure_log_unusable'), report };
  });
}

const LOG_FIX = 'Make the file and its folder writable, or name another file in `erasureLog`.';

/**
 * Checks the write log. Each host has its own log, unless the settings name a shared log. A separate log lacks the
 * other hosts' writes.
 */
async function checkWriteLog({
  erasureLogs,
  store,
}: Pick<Application, 'erasureLogs' | 'store'>): Promise<Finding[]> {
  if (erasureLogs === null) return [];
  const { files, checked, missing, lastMissingAt } = await examineWriteLog(store);
  const unwritable = files.flatMap(({ path, problem }) => {
    if (problem === null) return [];
    const message = `Writes to the CRM cannot be recorded in ${path}: ${problem}.`;
    const fix = `Make the file and its folder writable. ${WHY_WRITES_ARE_NOTED}`;
    const report = 'The write log cannot be written.';
    return { ...unmet('log of writes', message, fix, 'write_log_unusable'), report };
  });
  if (lastMissingAt !== null) {
    const at = formatTimestamp(lastMissingAt);
    const message = `The write log lacks ${missing} of the last ${describeCount(checked, 'write')}. The newest missing entry is from ${at}. Either another host recorded them in its own log, or the log was lost.`;
    const fix = `If several hosts work with this database, name one file in \`erasureLog\` that all of them share. ${WHY_WRITES_ARE_NOTED}`;
    return [...unwritable, plain(unmet('log of writes', message, fix, 'write_log_apart'))];
  }
  if (unwritable.length > 0) return unwritable;
  return [plain(met('log of writes', 'Writes to the CRM are also recorded outside the database.'))];
}

const WHY_WRITES_ARE_NOTED =
  'Without it, an erasure after a restore does not find values that were written after the backup.';

/** Checks the spending journal. If the journal is missing, a restored database does not contain later payments. */
async function checkSpendingJournal({
  store: {
    spendingJournal: { path },
  },
}: Pick<Application, 'store'>): Promise<Finding> {
  if (path === null) {
    const message = 'Spending is recorded only in the database.';
    return plain(met('spending journal', message, NO_JOURNAL));
  }
  const problem = await findWriteProblem(path);
  if (problem === null) {
    const report = 'Spending is also recorded outside the database.';
    return { ...met('spending journal', `Spending is also recorded in ${path}.`), report };
  }
  const message = `Spending cannot be recorded in ${path}: ${problem}. No credits are spent until spending can be recorded.`;
  const fix = 'Make the file and its folder writable, or set `spendingJournal` to another file.';
  const report = 'The spending journal cannot be written.';
  return { ...unmet('spending journal', message, fix, JOURNAL_UNWRITABLE), report };
}

const NO_JOURNAL =
  'After a restore, you have to decide about every contact that was added or changed since the backup. To avoid this, configure the database server to archive its log, so that you can restore the database to the last second. If one host does all syncs, you can also set `spendingJournal` to a file.';

/** Checks the addresses in stored settings. Addresses in a settings file are checked when the file is read. */
function checkTransport(settings: Settings, clients: readonly Integration[]): DoctorFinding[] {
  return insecureAddresses(clients, settings).map(({ integration, setting, host }) => {
    const message = `The address is insecure: ${insecureProblem(host)}.`;
    const finding = unmet(setting, message, INSECURE_FIX, 'insecure_http');
    return { integration, command: null, ...finding };
  });
}

const INSECURE_FIX =
  'Use an https address. The address is not used unless allowInsecureHttp names its host.';
