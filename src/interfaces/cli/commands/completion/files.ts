import type { Command } from 'commander';
import { createBashCompletion } from './bash.ts';
import { createFishCompletion } from './fish.ts';
import { createManual } from './manual.ts';
import { describeProgram } from './shape.ts';
import { createZshCompletion } from './zsh.ts';

export type CompletionShell = 'bash' | 'zsh' | 'fish';

/** Creates the completion scripts. To create the scripts, this function loads all commands. */
export function createCompletions(
  program: Command,
  commands: readonly Command[],
): Readonly<Record<CompletionShell, string>> {
  const shape = describeProgram(program, commands);
  return {
    bash: createBashCompletion(shape),
    zsh: createZshCompletion(shape),
    fish: createFishCompletion(shape),
  };
}

/** Returns the manual page `donor-sync.1`. */
export function createManualPage(
  program: Command,
  commands: readonly Command[],
  version: string,
): string {
  return createManual(describeProgram(program, commands), version);
}
