import { readFile } from 'node:fs/promises';
import { Argument, type Command } from 'commander';
import { z } from 'zod';
import { ownFile } from '../../../../core/own-file.ts';
import { type CommandDeps, createCommand, runAction } from '../../action/command.ts';
import type { CompletionShell } from './files.ts';

const EXAMPLES = `
Examples:
  source <(donor-sync completion bash)                                in ~/.bashrc
  donor-sync completion zsh > "\${fpath[1]}/_donor_sync"               once, then start zsh again
  donor-sync completion fish > ~/.config/fish/completions/donor-sync.fish

It reads neither the settings nor the database.`;

const SHELLS = ['bash', 'zsh', 'fish'] as const satisfies readonly CompletionShell[];

const shellSchema = z.enum(SHELLS);

export function completionCommand(
  deps: CommandDeps,
  loadCommands: () => Promise<readonly Command[]>,
): Command {
  const command = createCommand('completion', deps)
    .description('print the script that lets a shell complete the commands and their options')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES);
  return command.action((word: string) =>
    runAction(deps, command, async (output) => {
      const shell = shellSchema.parse(word);
      const script = (await readBuilt(shell)) ?? (await createScript(command, shell, loadCommands));
      // Writes the script unchanged, because the usual output removes control characters.
      output.finish({ shell, script }, () => deps.stdout.write(script));
    }),
  );
}

/** Reads the script that the build has created. Returns null if donor-sync runs from its sources. */
async function readBuilt(shell: CompletionShell): Promise<string | null> {
  return readFile(ownFile(`completions/donor-sync.${shell}`), 'utf8').catch(() => null);
}

async function createScript(
  { parent }: Command,
  shell: CompletionShell,
  loadCommands: () => Promise<readonly Command[]>,
): Promise<string> {
  if (parent === null) throw new Error('the command belongs to no program');
  const { createCompletions } = await import('./files.ts');
  return createCompletions(parent, await loadCommands())[shell];
}
