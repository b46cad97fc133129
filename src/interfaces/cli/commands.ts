import type { Command } from 'commander';
import type { ProductDeps } from './action/product.ts';
import type { InitDeps } from './commands/init/init.ts';

/** The dependencies of all commands together. */
export type AllDeps = ProductDeps & Pick<InitDeps, 'timezone'>;

/** The entry of a command, which does not load the command. */
export interface CommandEntry {
  name: string;
  aliases: readonly string[];
  summary: string;
  /** Loads the command. Other commands are not loaded, so that each command starts quickly. */
  load(deps: AllDeps): Promise<Command>;
}

function entry(
  name: string,
  summary: string,
  load: CommandEntry['load'],
  aliases: readonly string[] = [],
): CommandEntry {
  return { name, summary, load, aliases };
}

/** All commands, in the order in which new users need them. */
export const COMMANDS: readonly CommandEntry[] = [
  entry('demo', 'try it with fictional people, only on this machine', async (deps) =>
    (await import('./commands/demo/demo.ts')).demoCommand(deps),
  ),
  entry('init', 'ask a few questions and write a settings file', async (deps) =>
    (await import('./commands/init/init.ts')).initCommand(deps),
  ),
  entry('add', 'ask a few questions and add a client to the settings', async (deps) =>
    (await import('./commands/init/add.ts')).addCommand(deps),
  ),
  entry('doctor', 'check every prerequisite and show how to fix problems', async (deps) =>
    (await import('./commands/doctor/doctor.ts')).doctorCommand(deps),
  ),
  entry('connect', 'connect donor-sync to a CRM account', async (deps) =>
    (await import('./commands/connect/connect.ts')).connectCommand(deps),
  ),
  entry('plan', 'show what a sync would do; writes and spends nothing', async (deps) =>
    (await import('./commands/plan/plan.ts')).planCommand(deps),
  ),
  entry('sync', 'sync now', async (deps) =>
    (await import('./commands/sync/sync.ts')).syncCommand(deps),
  ),
  entry('serve', 'serve HTTP and run by schedule', async (deps) =>
    (await import('./commands/serve.ts')).serveCommand(deps),
  ),
  entry('worker', 'carry out requested runs, on any number of machines', async (deps) =>
    (await import('./commands/worker.ts')).workerCommand(deps),
  ),
  entry('status', 'show what is happening, and what to do next', async (deps) =>
    (await import('./commands/status.ts')).statusCommand(deps),
  ),
  entry('clients', 'list, show and check the clients', async (deps) =>
    (await import('./commands/clients.ts')).clientsCommand(deps),
  ),
  entry('setups', 'list and show unfinished set-ups in the browser', async (deps) =>
    (await import('./commands/clients.ts')).setupsCommand(deps),
  ),
  entry('runs', 'show runs, and what each did to contacts', async (deps) =>
    (await import('./commands/runs/runs.ts')).runsCommand(deps),
  ),
  entry('stop', 'stop a run; the next one continues from there', async (deps) =>
    (await import('./commands/stop.ts')).stopCommand(deps),
  ),
  entry('holds', 'show pending decisions, and decide', async (deps) =>
    (await import('./commands/holds.ts')).holdsCommand(deps),
  ),
  entry('approvals', 'show, confirm or refuse requests that wait for a second user', async (deps) =>
    (await import('./commands/approvals.ts')).approvalsCommand(deps),
  ),
  entry('schedule', 'list, show, pause and resume schedules', async (deps) =>
    (await import('./commands/schedule.ts')).scheduleCommand(deps),
  ),
  entry(
    'users',
    'invite, list and remove the users',
    async (deps) => (await import('./commands/users.ts')).usersCommand(deps),
    ['people'],
  ),
  entry('address', 'show and set the address under which users reach the server', async (deps) =>
    (await import('./commands/users.ts')).addressCommand(deps),
  ),
  entry('tokens', 'create, list and revoke the access tokens of the HTTP API', async (deps) =>
    (await import('./commands/users.ts')).tokensCommand(deps),
  ),
  entry('mails', "show a user's monthly emails, and turn them off", async (deps) =>
    (await import('./commands/mails.ts')).mailsCommand(deps),
  ),
  entry('fields', 'check the mapped fields of the CRM, or create them', async (deps) =>
    (await import('./commands/fields.ts')).fieldsCommand(deps),
  ),
  entry('networks', 'show the mirrored groups; check and repair their networks', async (deps) =>
    (await import('./commands/networks.ts')).networksCommand(deps),
  ),
  entry(
    'contacts',
    'show a contact with its profile and introductions, or find it by name',
    async (deps) => (await import('./commands/contacts.ts')).contactsCommand(deps),
  ),
  entry(
    'introductions',
    'show whom a member can introduce, the largest giving capacity first; keep a list',
    async (deps) => (await import('./commands/introductions.ts')).introductionsCommand(deps),
  ),
  entry('paths', 'show everyone in the networks who knows a contact', async (deps) =>
    (await import('./commands/networks.ts')).pathsCommand(deps),
  ),
  entry('prospects', 'show people that the networks know and the CRM does not', async (deps) =>
    (await import('./commands/networks.ts')).prospectsCommand(deps),
  ),
  entry('results', 'show what each client got in a month, and what it cost', async (deps) =>
    (await import('./commands/results.ts')).resultsCommand(deps),
  ),
  entry(
    'credits',
    'show the credits of each service key, the bill of a month, and what was spent',
    async (deps) => (await import('./commands/credits.ts')).creditsCommand(deps),
  ),
  entry('undo', 'restore the values that a run replaced', async (deps) =>
    (await import('./commands/undo.ts')).undoCommand(deps),
  ),
  entry('about', 'show all data held about one contact', async (deps) =>
    (await import('./commands/about.ts')).aboutCommand(deps),
  ),
  entry('forget', 'erase one person', async (deps) =>
    (await import('./commands/forget.ts')).forgetCommand(deps),
  ),
  entry('erase', 'erase all data about a client that leaves', async (deps) =>
    (await import('./commands/erase.ts')).eraseCommand(deps),
  ),
  entry('audit', 'show who did what, and check that no entry was changed', async (deps) =>
    (await import('./commands/audit.ts')).auditCommand(deps),
  ),
  entry('hooks', 'create, list, replace and revoke webhook addresses', async (deps) =>
    (await import('./commands/hooks.ts')).hooksCommand(deps),
  ),
  entry(
    'hubspot',
    'write the app with the card and the workflow action for HubSpot',
    async (deps) => (await import('./commands/hubspot.ts')).hubspotCommand(deps),
  ),
  entry('apply', 'store the clients of a file in the database', async (deps) =>
    (await import('./commands/apply.ts')).applyCommand(deps),
  ),
  entry('remove', 'remove the settings of a client from the database', async (deps) =>
    (await import('./commands/remove.ts')).removeCommand(deps),
  ),
  entry('export', 'print the settings of a client, without its secrets', async (deps) =>
    (await import('./commands/export.ts')).exportCommand(deps),
  ),
  entry('alerts', 'list and check alerts, and test their channels', async (deps) =>
    (await import('./commands/alerts.ts')).alertsCommand(deps),
  ),
  entry('disconnect', 'disconnect a client from its CRM account', async (deps) =>
    (await import('./commands/disconnect.ts')).disconnectCommand(deps),
  ),
  entry('backup', 'copy the database into one encrypted file, while it is in use', async (deps) =>
    (await import('./commands/backup/backup.ts')).backupCommand(deps),
  ),
  entry('restore', 'replace the database with a backup', async (deps) =>
    (await import('./commands/backup/restore.ts')).restoreCommand(deps),
  ),
  entry('migrate', "update the database's schema", async (deps) =>
    (await import('./commands/migrate.ts')).migrateCommand(deps),
  ),
  entry('move', 'move a SQLite database to Postgres', async (deps) =>
    (await import('./commands/move.ts')).moveCommand(deps),
  ),
  entry('connector', 'create a connector for another kind of CRM', async (deps) =>
    (await import('./commands/connector/connector.ts')).connectorCommand(deps),
  ),
  entry('sandbox', 'serve a local stand-in for the Partner Data Service or a CRM', async (deps) =>
    (await import('./commands/sandbox/sandbox.ts')).sandboxCommand(deps),
  ),
  entry('service', 'run your own Partner Data Service', async (deps) =>
    (await import('./commands/service/service.ts')).serviceCommands(deps),
  ),
  entry('completion', 'print the script that lets a shell complete commands', async (deps) =>
    (await import('./commands/completion/completion.ts')).completionCommand(deps, () =>
      loadCommands(deps),
    ),
  ),
  entry(
    'help',
    'show the options of a command, or explain a reason or an error code',
    async (deps) => (await import('./commands/help.ts')).helpCommand(deps),
  ),
];

export function loadCommands(deps: AllDeps): Promise<Command[]> {
  const loaded = COMMANDS.map(async ({ summary, aliases, load }) => {
    const command = await load(deps);
    return command.summary(summary).aliases(aliases);
  });
  return Promise.all(loaded);
}

/**
 * The commands that process all contacts. For these commands, restarting with special memory settings is worthwhile.
 */
const LONG_WORK = [
  'demo',
  'plan',
  'sync',
  'serve',
  'worker',
  'networks',
  'prospects',
  'undo',
  'sandbox',
  'service',
];

/** True if the command line contains a command that processes all contacts. */
export function worksLong(words: readonly string[]): boolean {
  return words.some((word) => LONG_WORK.includes(word));
}
