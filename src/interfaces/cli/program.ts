import { Command } from 'commander';
import { type CommandDeps, createCommand } from './action/command.ts';
import { type AllDeps, COMMANDS } from './commands.ts';

const EXAMPLES = `
Examples:
  donor-sync init                 write settings
  donor-sync plan riverside       show what a sync would do
  donor-sync sync riverside       sync
  donor-sync COMMAND --help       the options of a command
  donor-sync help CODE            what a reason or an error code means

Exit codes: 0 done, 1 unexpected error, 2 bad usage or settings (nothing was changed),
3 the run stopped early, and the next run continues from there.`;

export interface ProgramDeps extends CommandDeps {
  loadDeps(): Promise<AllDeps>;
}

/**
 * Creates the program. The program loads only the command that is called. The program knows all other commands by name
 * only. If called without arguments, the program prints the help.
 */
export async function createProgram(
  deps: ProgramDeps,
  version: string,
  argv: readonly string[],
): Promise<Command> {
  const program = createCommand('donor-sync', deps)
    .description("Keeps a nonprofit's CRM up to date with the Partner Data Service.")
    .version(version, '--version', 'print the version')
    .option('--config <file>', 'the settings file (default: DONOR_SYNC_CONFIG or donor-sync.yaml)')
    .addHelpText('after', EXAMPLES);
  for (const { name, aliases, summary, load } of COMMANDS) {
    const isCalled = [name, ...aliases].some((word) => argv.includes(word));
    const command = isCalled ? await load(await deps.loadDeps()) : new Command(name);
    program.addCommand(command.summary(summary).aliases(aliases));
  }
  return argv.length === 0 ? program.action(() => program.outputHelp()) : program;
}
