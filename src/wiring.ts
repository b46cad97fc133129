/** Wiring: the program put together, from its arguments to its exit code. */
import packageFile from '../package.json' with { type: 'json' };
import { runProgram } from './interfaces/cli/action/command.ts';
import { createProgram, type ProgramDeps } from './interfaces/cli/program.ts';
import { createOutput } from './interfaces/cli/terminal/output.ts';

const { env, stdout, stderr } = process;
const argv = process.argv.slice(2);

/** Runs what the command line asks for. */
export async function runWired(): Promise<void> {
  process.on('uncaughtException', (error) => endWith(error));
  stdout.on('error', goOnUnheard);
  stderr.on('error', goOnUnheard);
  try {
    const deps: ProgramDeps = {
      stdout,
      stderr,
      env,
      setExitCode,
      // The help and the version need none of it.
      loadDeps: async () => (await import('./wired-deps.ts')).createDeps({ setExitCode }),
    };
    await runProgram(await createProgram(deps, packageFile.version, argv), deps, argv);
  } catch (error) {
    endWith(error);
  }
}

function setExitCode(code: number): void {
  process.exitCode = code;
}

/** An error that was not caught is shown in a sentence; nothing can be trusted to go on after it. */
function endWith(error: unknown): void {
  const isJson = argv.includes('--json');
  process.exit(createOutput({ stdout, stderr, env, isJson }).fail(error));
}

/**
 * The reader of our output has gone, for example `head`: that is no error, and no reason to leave
 * work half done. The command goes on to its end and to the exit code that it deserves.
 */
function goOnUnheard(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
