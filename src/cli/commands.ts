import type { Command } from 'commander';
import type { ProductDeps } from './action/product.ts';
import type { InitDeps } from './commands/init/init.ts';

/** What all commands together need. */
export type AllDeps = ProductDeps & Pick<InitDeps, 'timezone'>;

/** A command as the program knows it before it is loaded. */
export interface CommandEntry {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** Loads the command; the others stay on disk, so that each starts fast. */
  load(deps: AllDeps): Promise<Command>;
}

/** Every command, in the order in which a new user needs them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'demo',
    summary: 'see it work with invented people, on this machine alone',
    load: async (deps) => (await import('./commands/demo/demo.ts')).demoCommand(deps),
  },
  {
    name: 'init',
    summary: 'ask a few questions and write a settings file',
    load: async (deps) => (await import('./commands/init/init.ts')).initCommand(deps),
  },
  {
    name: 'doctor',
    summary: 'check every prerequisite and say how to fix it',
    load: async (deps) => (await import('./commands/doctor/doctor.ts')).doctorCommand(deps),
  },
  {
    name: 'connect',
    summary: 'let donor-sync into a CRM account, once',
    load: async (deps) => (await import('./commands/connect/connect.ts')).connectCommand(deps),
  },
  {
    name: 'plan',
    summary: 'show what a sync would do; writes and spends nothing',
    load: async (deps) => (await import('./commands/plan/plan.ts')).planCommand(deps),
  },
  {
    name: 'sync',
    summary: 'sync now',
    load: async (deps) => (await import('./commands/sync/sync.ts')).syncCommand(deps),
  },
  {
    name: 'serve',
    summary: 'serve HTTP and run by schedule',
    load: async (deps) => (await import('./commands/serve.ts')).serveCommand(deps),
  },
  {
    name: 'status',
    summary: 'show what is going on, and what to do next',
    load: async (deps) => (await import('./commands/status.ts')).statusCommand(deps),
  },
  {
    name: 'runs',
    summary: 'show what happened, run by run and contact by contact',
    load: async (deps) => (await import('./commands/runs/runs.ts')).runsCommand(deps),
  },
  {
    name: 'holds',
    summary: 'show what waits for a person, and decide it',
    load: async (deps) => (await import('./commands/holds/holds.ts')).holdsCommand(deps),
  },
  {
    name: 'schedule',
    summary: 'show when each integration runs next, pause and resume',
    load: async (deps) => (await import('./commands/schedule.ts')).scheduleCommand(deps),
  },
  {
    name: 'tokens',
    summary: 'make, list and revoke the access tokens of the HTTP service',
    load: async (deps) => (await import('./commands/tokens.ts')).tokensCommand(deps),
  },
  {
    name: 'fields',
    summary: 'check the mapped fields of the CRM, or create them',
    load: async (deps) => (await import('./commands/fields.ts')).fieldsCommand(deps),
  },
  {
    name: 'networks',
    summary: 'show the mirrored groups; check and repair their networks',
    load: async (deps) => (await import('./commands/networks/networks.ts')).networksCommand(deps),
  },
  {
    name: 'paths',
    summary: 'show everybody in the networks who knows a contact',
    load: async (deps) => (await import('./commands/paths.ts')).pathsCommand(deps),
  },
  {
    name: 'prospects',
    summary: 'show people that the networks know and the CRM does not',
    load: async (deps) => (await import('./commands/prospects.ts')).prospectsCommand(deps),
  },
  {
    name: 'credits',
    summary: 'show the balances of each partner key',
    load: async (deps) => (await import('./commands/credits.ts')).creditsCommand(deps),
  },
  {
    name: 'undo',
    summary: 'restore the values that a run wrote over',
    load: async (deps) => (await import('./commands/undo.ts')).undoCommand(deps),
  },
  {
    name: 'forget',
    summary: 'erase one person',
    load: async (deps) => (await import('./commands/forget.ts')).forgetCommand(deps),
  },
  {
    name: 'hooks',
    summary: 'make and revoke the webhook addresses of integrations',
    load: async (deps) => (await import('./commands/hooks.ts')).hooksCommand(deps),
  },
  {
    name: 'apply',
    summary: 'put integrations of a file into the database',
    load: async (deps) => (await import('./commands/apply.ts')).applyCommand(deps),
  },
  {
    name: 'export',
    summary: 'print the settings of an integration, without its secrets',
    load: async (deps) => (await import('./commands/export.ts')).exportCommand(deps),
  },
  {
    name: 'alerts',
    summary: 'send messages about problems, or a test message',
    load: async (deps) => (await import('./commands/alerts.ts')).alertsCommand(deps),
  },
  {
    name: 'disconnect',
    summary: 'have the CRM take back what connecting gave',
    load: async (deps) => (await import('./commands/disconnect.ts')).disconnectCommand(deps),
  },
  {
    name: 'migrate',
    summary: "bring the database's schema up to date",
    load: async (deps) => (await import('./commands/migrate.ts')).migrateCommand(deps),
  },
  {
    name: 'connector',
    summary: 'begin a connector for another kind of CRM',
    load: async (deps) =>
      (await import('./commands/connector/connector.ts')).connectorCommand(deps),
  },
  {
    name: 'sandbox',
    summary: 'serve a local stand-in for the Partner Data Service or a CRM',
    load: async (deps) => (await import('./commands/sandbox/sandbox.ts')).sandboxCommand(deps),
  },
];
